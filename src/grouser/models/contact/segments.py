"""Segment links with grousers: P4's tracks, with exact Coulomb traction.

After Okada et al. (P4). A belt is one link per segment of its loop; grousers ride on the links.
P4 moves the links by joints and rolls them back, between two steps, whenever they have moved by
one pitch. Here they are placed where the belt has taken them at every step, and the velocity
that the belt adds enters the contacts, along the normal too: a grouser that hooks on an edge
pulls the robot. That is the limit of P4's joints with infinite stiffness, without their degrees
of freedom. Friction is solved here (see `traction`), not by the engine.

Left out: belts that bend or stretch, the inertia of links, collisions within the robot.
"""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar, Literal

from grouser.description import Course, Robot
from grouser.description.track import Belt
from grouser.errors import InvalidValue
from grouser.geometry import Pose, Scalar
from grouser.models.contact.contact_model import ContactModel
from grouser.models.model import Plant
from grouser.models.parameters import Range


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentsModel(ContactModel):
    """Three dimensions, segment links with grousers."""

    name: ClassVar[str] = "segments"
    summary: ClassVar[str] = "3D, segment links with grousers that roll back"
    source: ClassVar[str] = "P4 Okada et al. 2020"

    grousers: bool = True
    """Whether belts have their grousers."""
    upper_run: bool = True
    """Whether the upper run is there; without it, what falls on the robot falls through."""
    path: Literal["loop", "links"] = "loop"
    """Whether a grouser follows the loop exactly, or stays with its link until the roll-back, and
    so runs past the end of its segment by up to a pitch, as in P4."""
    softness: Annotated[float | None, Range(0.004, 1.0, "s")] = None
    """Time in which a contact of a grouser settles; stiff as all else if not given [s]."""
    fixed: bool = False
    """Whether belts stand in the world at the course's start and carry the robot's body: a
    conveyor."""
    boxes: Annotated[float, Range(1, 50, whole=True)] = 1
    """Into how many boxes each straight link is divided [1]."""
    friction_factor: Annotated[Scalar, Range(0.0, 100.0)] = 1.0
    """Factor on the friction of all surfaces; one for each robot of many, if an array [1]."""

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> Plant:
        """Put the robot on the course; many robots at once if the pose has arrays.

        Raises:
            InvalidValue: Belts should stand in the world, but the robot has flippers.
        """
        from grouser.models.contact.finish_segments import finish_segments
        from grouser.models.contact.grouser_geoms import add_segments

        if self.fixed and robot.flippers:
            raise InvalidValue("robot", robot.name, "have no flippers for its belts to be fixed")
        belts: dict[str, Belt] = {track.name: track for track in robot.tracks}
        belts |= {flipper.name: flipper.track for flipper in robot.flippers}
        return self.start_tracks(
            partial(
                add_segments,
                belts=belts,
                boxes=int(self.boxes),
                grousers=bool(self.grousers),
                upper_run=bool(self.upper_run),
            ),
            robot,
            course,
            pose,
            friction_factor=self.friction_factor,
            has_belts=not self.fixed,
            hands_over=self.path == "loop",
            fixed=bool(self.fixed),
            finish=partial(finish_segments, belts=belts, softness=self.softness),
        )

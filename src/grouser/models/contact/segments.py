"""Segment links with grousers: P4's tracks, with exact Coulomb traction.

After Okada et al. (P4). A belt is one link per segment of its loop; grousers ride on the links.
P4 moves the links by joints and rolls them back, between two steps, whenever they have moved by
one pitch. Here they are placed where the belt has taken them at every step, and the velocity
that the belt adds enters the contacts, along the normal too: a grouser that hooks on an edge
pulls the robot. That is the limit of P4's joints with infinite stiffness, without their degrees
of freedom.

Left out: belts that bend or stretch, the inertia of links, collisions within the robot.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from grouser.description import Course, Robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose, Scalar
from grouser.models.contact.contact_model import ContactModel
from grouser.models.contact.traction.law import LAWS
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
    path: Literal["loop", "links"] = "loop"
    """Whether a grouser follows the loop exactly, or stays with its link until the roll-back, and
    so runs past the end of its segment by up to a pitch, as in P4."""
    softness: Annotated[float | None, Range(0.004, 1.0, "s")] = None
    """Time in which a contact of a grouser settles; stiff as all else if not given [s]."""
    fixed: bool = False
    """Whether belts stand in the world at the course's start and carry the robot's body: a
    conveyor."""
    patches: Annotated[float, Range(2, 50, whole=True)] = 4
    """Places along each straight run at which the ground carries it; between two of them only the
    deepest grouser presses [1]."""
    law: Annotated[str, LAWS] = "coulomb"
    """Friction law between belt and ground."""
    friction_factor: Annotated[Scalar, Range(0.0, 100.0)] = 1.0
    """Factor on the friction of all surfaces; one for each robot of many, if an array [1]."""

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> Plant:
        """Put the robot on the course; many robots at once if the pose has arrays.

        Raises:
            InvalidValue: Belts should stand in the world, but the robot has flippers.
        """
        from grouser.models.contact.scene import make_scene
        from grouser.models.contact.tracks import belts, grousered_belts

        if self.fixed and robot.flippers:
            raise InvalidValue("robot", robot.name, "have no flippers for its belts to be fixed")
        patches = int(self.patches)
        shape = grousered_belts(
            patches=patches, follows_loop=self.path == "loop", softness=self.softness
        )
        return self.start_scene(
            make_scene(
                robot,
                course,
                shape if self.grousers else belts(patches=patches),
                anchored=bool(self.fixed),
            ),
            pose,
            law=LAWS.find(self.law)(),
            friction_factor=self.friction_factor,
        )

"""Contact surface motion: rigid tracks whose surface moves, with exact Coulomb traction.

After Pecka et al. (P1). Each track is a set of rigid shapes that do not move; where they touch
the ground, the friction constraint has the belt's velocity as its target instead of zero.
Friction is solved here, not by the engine (see `traction`), which can be asked for instead.
"""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar, Literal

from grouser.description import Course, Robot
from grouser.geometry import Pose, Scalar
from grouser.models.contact.contact_model import ContactModel
from grouser.models.model import Plant
from grouser.models.parameters import Range


@dataclass(frozen=True, slots=True, kw_only=True)
class CsmModel(ContactModel):
    """Three dimensions, contact surface motion."""

    name: ClassVar[str] = "csm"
    summary: ClassVar[str] = "3D, contact surface motion with exact Coulomb traction"
    source: ClassVar[str] = "P1 Pecka et al. 2017"

    friction: Literal["exact", "engine"] = "exact"
    """Whose friction: ours, or the engine's convex one to compare with."""
    friction_factor: Annotated[Scalar, Range(0.0, 100.0)] = 1.0
    """Factor on the friction of all surfaces; one for each robot of many, if an array [1]."""
    boxes: Annotated[float, Range(1, 50, whole=True)] = 3
    """Into how many boxes each straight run is divided: how evenly pressure spreads [1]."""
    steering_efficiency: Annotated[Scalar | None, Range(0.01, 1.0)] = None
    """If given, friction acts along circles about the centre of rotation, as in P1; one for each
    robot of many, if an array [1]."""

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> Plant:
        """Put the robot on the course; many robots at once if the pose has arrays."""
        from grouser.models.contact.belt_geoms import add_belt

        return self.start_tracks(
            partial(add_belt, boxes=int(self.boxes)),
            robot,
            course,
            pose,
            own_friction=self.friction == "exact",
            friction_factor=self.friction_factor,
            steering_efficiency=self.steering_efficiency,
        )

"""Contact surface motion: rigid tracks whose surface moves, with exact Coulomb traction.

After Pecka et al. (P1). A track is a rigid profile that does not move; where it touches the
ground, the friction constraint has the belt's velocity as its target instead of zero.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from grouser.description import Course, Robot
from grouser.geometry import Pose, Scalar
from grouser.models.contact.contact_model import ContactModel
from grouser.models.contact.traction.law import LAWS
from grouser.models.model import Plant
from grouser.models.parameters import Range


@dataclass(frozen=True, slots=True, kw_only=True)
class CsmModel(ContactModel):
    """Three dimensions, contact surface motion."""

    name: ClassVar[str] = "csm"
    summary: ClassVar[str] = "3D, contact surface motion with exact Coulomb traction"
    source: ClassVar[str] = "P1 Pecka et al. 2017"

    law: Annotated[str, LAWS] = "coulomb"
    """Friction law between belt and ground."""
    friction_factor: Annotated[Scalar, Range(0.0, 100.0)] = 1.0
    """Factor on the friction of all surfaces; one for each robot of many, if an array [1]."""
    patches: Annotated[float, Range(2, 50, whole=True)] = 4
    """Places along each straight run at which the ground carries it: how evenly pressure spreads
    [1]."""
    steering_efficiency: Annotated[Scalar | None, Range(0.01, 1.0)] = None
    """If given, friction acts along circles about the centre of rotation, as in P1; one for each
    robot of many, if an array [1]."""
    single: bool = False
    """Whether many robots are computed in single precision: faster, other digits."""

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> Plant:
        """Put the robot on the course; many robots at once if the pose has arrays."""
        from grouser.models.contact.scene import make_scene
        from grouser.models.contact.tracks import belts

        efficiency = self.steering_efficiency
        law = LAWS.find(self.law if efficiency is None else "circles")
        return self.start_scene(
            make_scene(robot, course, belts(patches=int(self.patches))),
            pose,
            law=law(),
            friction_factor=self.friction_factor,
            steering_efficiency=1.0 if efficiency is None else efficiency,
            single=bool(self.single),
        )

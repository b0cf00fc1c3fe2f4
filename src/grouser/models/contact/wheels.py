"""A row of wheels in place of each belt, all turned by one motor: P1's and P4's cheap tracks.

Wheels have the height of the track (radius H/2) and stand evenly over L - H; where the loop
tapers, as on flippers, they taper with it. All wheels of a side run at one speed, so that the
robot steers by skidding, with the same exact traction as `csm`.

Left out: everything between the wheels. An edge that stands between two of them carries nothing
until a wheel meets it; then it must be climbed again. Wheels have no inertia of their own.
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
class WheelsModel(ContactModel):
    """Three dimensions, wheels in place of belts."""

    name: ClassVar[str] = "wheels"
    summary: ClassVar[str] = "3D, a row of synchronised wheels in place of each belt"
    source: ClassVar[str] = "P1 Pecka et al. 2017; P4 Okada et al. 2020"

    law: Annotated[str, LAWS] = "coulomb"
    """Friction law between wheel and ground."""
    friction_factor: Annotated[Scalar, Range(0.0, 100.0)] = 1.0
    """Factor on the friction of all surfaces; one for each robot of many, if an array [1]."""
    count: Annotated[float, Range(2, 100, whole=True)] = 8
    """Wheels in place of each belt, those of flippers too [1]."""

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> Plant:
        """Put the robot on the course; many robots at once if the pose has arrays."""
        from grouser.models.contact.scene import make_scene
        from grouser.models.contact.tracks import wheel_rows

        return self.start_scene(
            make_scene(robot, course, wheel_rows(count=int(self.count))),
            pose,
            law=LAWS.find(self.law)(),
            friction_factor=self.friction_factor,
        )

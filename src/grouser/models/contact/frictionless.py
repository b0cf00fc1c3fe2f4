"""Tracks without friction, pushed by a virtual force: P1's fastest and least faithful tracks.

The shapes are those of `csm`, and slide on everything. A force at the centre of mass, in the
plane of the hull (perpendicular to its vertical axis), brings the velocity of that centre to what
an ideal differential drive would do; a torque about that axis does so for the yaw rate. Both are
PID controls of velocity, with gains per mass and inertia.

P1 gives neither gains nor the direction in the plane; a force along the hull only would not
follow a circle, so the lateral velocity is brought to zero, too. By default the control is a P
control, so that a robot on a slope creeps down at g sin(slope) / P.

Left out: friction, and with it skidding and grip. The force acts in the air as on the ground.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from grouser.description import Course, Robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose
from grouser.models.contact.contact_model import ContactModel
from grouser.models.contact.traction.law import LAWS
from grouser.models.model import Plant
from grouser.models.parameters import Range


@dataclass(frozen=True, slots=True, kw_only=True)
class FrictionlessModel(ContactModel):
    """Three dimensions, no friction, a virtual force."""

    name: ClassVar[str] = "frictionless"
    summary: ClassVar[str] = "3D, no friction, pushed by a virtual force and torque"
    source: ClassVar[str] = "P1 Pecka et al. 2017"

    patches: Annotated[float, Range(2, 50, whole=True)] = 2
    """Places along each straight run at which the ground carries it, as for `csm` [1]."""
    steering_efficiency: Annotated[float, Range(0.01, 1.0)] = 1.0
    """Yaw rate over that of an ideal differential drive [1]."""
    proportional_gain: Annotated[float, Range(0.0, 1e5, "1/s")] = 200.0
    """Acceleration per error of velocity [1/s]."""
    integral_gain: Annotated[float, Range(0.0, 1e9, "1/s^2")] = 0.0
    """Acceleration per integral of that error; holds the robot on slopes [1/s^2]."""
    derivative_gain: Annotated[float, Range(0.0, 0.9)] = 0.0
    """Acceleration per change of that error [1]."""

    def __post_init__(self) -> None:
        ContactModel.__post_init__(self)
        most = 1.0 / self.timestep  # beyond it, each step overshoots
        for name, gain, limit in (
            ("proportional_gain", self.proportional_gain, most),
            ("integral_gain", self.integral_gain, most**2 / 10.0),
        ):
            if gain > limit:
                required = f"be at most {limit:g} for a timestep of {self.timestep:g} s"
                raise InvalidValue(f"frictionless:{name}", gain, required)

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> Plant:
        """Put the robot on the course; many robots at once if the pose has arrays."""
        from grouser.models.contact.scene import make_scene
        from grouser.models.contact.tracks import belts

        gains = (self.proportional_gain, self.integral_gain, self.derivative_gain)
        return self.start_scene(
            make_scene(robot, course, belts(patches=int(self.patches)), push_gains=gains),
            pose,
            law=LAWS.find("frictionless")(),
            steering_efficiency=self.steering_efficiency,
        )

"""The planar model `tankbot`: forces in the plane, motors and inertia.

After Dean and Brennan (P3), whose equations are lost and were reconstructed; in the project
frame. Drives by voltages, or by belt speeds through an inner speed loop that compensates the load.
Over terrain it rests as the kinematic models do, with the load of the local slope.
Left out: load transfer, sticking friction (a robot parked on a slope creeps), obstacles.
"""

from dataclasses import dataclass
from importlib.metadata import version
from typing import Annotated, ClassVar

from grouser.description import Course, Robot
from grouser.geometry import Pose, Scalar
from grouser.models.assumptions import (
    Assumption,
    TurningBasis,
    assume_friction,
    assume_inertia,
    assume_sprocket,
    assume_torque,
)
from grouser.models.model import Plant
from grouser.models.parameters import Parameters, Range


@dataclass(frozen=True, slots=True, kw_only=True)
class TankbotModel(Parameters):
    """Planar dynamics of tracks with slip and motors."""

    name: ClassVar[str] = "tankbot"
    summary: ClassVar[str] = "planar forces: slip curves, friction ellipse, motors, inertia"
    source: ClassVar[str] = "P3 Dean & Brennan 2008, reconstructed"
    computed_by: ClassVar[str] = f"numba {version('numba')}"
    has_forces: ClassVar[bool] = True
    """Whether forces from outside can act on its robots."""
    features: ClassVar[frozenset[str]] = frozenset(
        {"slopes", "rough", "treadmill", "flippers", "motors"}
    )

    resting_shift: bool = True
    """Whether the shift of slips vanishes towards rest, so that a robot can stand and reverse;
    P3's is constant."""
    points: Annotated[float, Range(1, 100, whole=True)] = 1
    """Over how many points along the contact the lateral force spreads: 1 as in P3, which has
    almost no yaw resistance; 5 or more for a distributed friction that has [1]."""
    friction_factor: Annotated[Scalar, Range(0.0, 100.0)] = 1.0
    """Factor on the friction of all surfaces; one for each robot of many, if an array [1]."""
    inertia: Annotated[Scalar | None, Range(1e-9, 1e12, "kg m^2")] = None
    """Moment of inertia about the vertical; of the robot's file where not given [kg m^2]."""
    servo_time: Annotated[float, Range(1e-5, 1.0, "s")] = 0.02
    """Time constant of the inner speed loop [s]."""
    longest_step: Annotated[float, Range(1e-5, 1.0, "s")] = 0.00125
    """Longest step of the integration; slips that settle faster shorten it [s]."""

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> Plant:
        """Put the robot on the course; many robots at once if the pose has arrays."""
        # Imported here, so that listing the models does not load the compiler.
        from grouser.models.planar.constants import robot_constants
        from grouser.models.planar.plant import PlanarPlant

        constants = robot_constants(
            robot,
            treadmill_speed=course.treadmill_speed,
            resting_shift=bool(self.resting_shift),
            points=int(self.points),
            servo_time=self.servo_time,
            inertia=self.inertia,
        )
        return PlanarPlant(
            constants,
            robot,
            course,
            pose,
            friction_factor=self.friction_factor,
            longest_step=self.longest_step,
        )

    def assumptions(self, robot: Robot, course: Course | None = None) -> tuple[Assumption, ...]:
        """Return what is assumed of traction, motors and inertia."""
        from grouser.models.planar.constants import robot_constants

        curves = Assumption(
            quantity="forces over slip", basis="the Tankbot's, by weight and length of contact",
            keys=("traction",),
        )  # fmt: skip
        drive = Assumption(
            quantity="inertia of a drive", value=float(robot_constants(robot).drive_inertia),
            unit="kg m^2", basis="in proportion to the Tankbot's", keys=("drive.motor",),
        )  # fmt: skip
        motor = robot.drive.motor
        return (
            *((curves,) if robot.traction is None else ()),
            *((drive,) if motor is None else ()),
            *(assume_torque(robot) if motor is None else ()),
            *(assume_sprocket(robot) if motor or robot.drive.torque_limit else ()),
            *(assume_inertia(robot) if self.inertia is None else ()),
            *assume_friction(course),
        )

    def turning_basis(self, robot: Robot, course: Course | None = None) -> TurningBasis:
        """Return how lateral forces resist turns."""
        if self.points == 1:
            return TurningBasis(None, "lateral force at one point, which hardly resists turns (P3)")
        return TurningBasis(None, f"lateral force over {self.points:g} points of the contact")

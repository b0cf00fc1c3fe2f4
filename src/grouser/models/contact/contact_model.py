"""Parameters, features and start of all models in three dimensions."""

from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from grouser.description import Course, Robot
from grouser.errors import Unsupported
from grouser.geometry import Pose, Scalar
from grouser.models.assumptions import (
    Assumption,
    TurningBasis,
    assume_friction,
    assume_grip_on_soil,
    assume_hinges,
    assume_inertia,
    assume_shear,
    assume_sprocket,
    assume_torque,
    friction_words,
)
from grouser.models.contact.engine import ENGINES
from grouser.models.model import Plant
from grouser.models.parameters import Parameters, Range
from grouser.version import VERSION

if TYPE_CHECKING:
    from grouser.models.contact.scene import TrackScene


class EngineVersion:
    """The library that computes a model, with its version, from the model's engine."""

    def __get__(self, model: Any, kind: Any) -> str:
        name = kind.own_engine if model is None else model.engine
        if name == "native":
            return f"grouser {VERSION} (numba {version('numba')})"
        return f"mujoco {version('mujoco')}" if name == "mujoco" else ENGINES.find(name).version


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactModel(Parameters):
    """Parameters of every model in three dimensions."""

    name: ClassVar[str] = ""
    has_forces: ClassVar[bool] = True
    """Whether forces from outside can act on its robots."""
    own_engine: ClassVar[str] = "native"
    """Engine that computes the model unless another one is chosen."""
    computed_by: ClassVar[Any] = EngineVersion()
    features: ClassVar[frozenset[str]] = frozenset(
        {"slopes", "rough", "steps", "stairs", "gaps", "drops", "flippers", "mesh", "treadmill"}
    )

    timestep: Annotated[float, Range(1e-5, 0.01, "s")] = 0.001
    """Step of the engine [s]."""
    linear_gain: Annotated[Scalar, Range(-10.0, 10.0)] = 1.0
    """Factor on the mean of the two sides' belt speeds [1]."""
    angular_gain: Annotated[Scalar, Range(-10.0, 10.0)] = 1.0
    """Factor on their difference [1]."""
    mass_factor: Annotated[Scalar, Range(1e-3, 1e3)] = 1.0
    """Factor on all masses and inertias; one for each robot of many, if an array [1]."""
    payload: Annotated[float, Range(0.0, 1e5, "kg")] = 0.0
    """Mass of a point that is fixed to the hull [kg]."""
    payload_x: Annotated[float, Range(-100.0, 100.0, "m")] = 0.0
    """Its place along x, in the body frame [m]."""
    payload_y: Annotated[float, Range(-100.0, 100.0, "m")] = 0.0
    """Its place along y [m]."""
    payload_z: Annotated[float, Range(-100.0, 100.0, "m")] = 0.0
    """Its place along z [m]."""
    contacts: bool = False
    """Whether every motion has its contacts and the angle until the robot tips over; not of many
    robots at once."""
    engine: Annotated[str, ENGINES] = "native"
    """Engine that computes the motion: our own, or MuJoCo with its own friction to compare with."""

    def start_scene(
        self,
        scene: "TrackScene",
        pose: Pose | None,
        *,
        law: Any,
        friction_factor: Scalar = 1.0,
        steering_efficiency: Scalar = 1.0,
        single: bool = False,
        ruts: bool = True,
    ) -> Plant:
        """Put the robot of a scene on its course; many robots if the pose has arrays.

        Raises:
            Unsupported: The course has a soil, and the engine is not our own.
        """
        if self.engine != "native" and "soil" in scene.course.features:
            name = f"{self.name}:engine={self.engine}"
            able = [f"{self.name}:engine=native"]
            raise Unsupported(f"course {scene.course.name!r}", name, "soil", able)
        # Imported here: whoever lists the models need not wait for the compiler.
        from grouser.models.contact.engine import StepOptions, Variation, build_world
        from grouser.models.contact.plant import ContactPlant, count_robots

        options = StepOptions(timestep=self.timestep, single=single, ruts=ruts)
        count = count_robots(pose)
        return ContactPlant(
            scene,
            build_world(self.engine, scene, law, options, count),
            pose,
            variation=Variation(
                friction=friction_factor,
                mass=self.mass_factor,
                payload=self.payload,
                payload_x=self.payload_x,
                payload_y=self.payload_y,
                payload_z=self.payload_z,
                linear_gain=self.linear_gain,
                angular_gain=self.angular_gain,
            ),
            steering_efficiency=steering_efficiency,
            with_contacts=bool(self.contacts) and count == 1,
        )

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> Plant:
        """Put the robot on the course; many robots at once if the pose has arrays."""
        raise NotImplementedError

    def assumptions(self, robot: Robot, course: Course | None = None) -> tuple[Assumption, ...]:
        """Return what is assumed of friction, shear, motors and inertia."""
        law = getattr(self, "law", None)
        on_soil = course is not None and "soil" in course.features
        shears = law in ("shear", "wong") or (law is None and on_soil)
        return (
            *assume_friction(course),
            *(assume_shear(course, 0.0) if shears else ()),
            *assume_grip_on_soil(robot, course),
            *assume_torque(robot),
            *(assume_sprocket(robot) if robot.drive.torque_limit is not None else ()),
            *assume_hinges(robot),
            *assume_inertia(robot),
        )

    def turning_basis(self, robot: Robot, course: Course | None = None) -> TurningBasis:
        """Return the friction that resists turns."""
        return TurningBasis(None, f"{friction_words(course)} under the belts")

"""Contact surface motion: rigid tracks whose surface moves, with exact Coulomb traction.

After Pecka et al. (P1). Each track is a set of rigid shapes that do not move; where they touch
the ground, the friction constraint has the belt's velocity as its target instead of zero.
Friction is solved here, not by the engine (see `traction`), which can be asked for instead.
"""

from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any, ClassVar, Literal

from grouser.description import Course, Robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose, Scalar
from grouser.models.model import Plant


@dataclass(frozen=True, slots=True, kw_only=True)
class CsmModel:
    """Three dimensions, contact surface motion."""

    name: ClassVar[str] = "csm"
    summary: ClassVar[str] = "3D, contact surface motion with exact Coulomb traction"
    source: ClassVar[str] = "P1 Pecka et al. 2017"
    engine: ClassVar[str] = f"mujoco {version('mujoco')}"
    features: ClassVar[frozenset[str]] = frozenset(
        {"slopes", "rough", "steps", "stairs", "gaps", "drops", "flippers"}
    )

    friction: Literal["exact", "engine"] = "exact"
    """Whose friction: ours, or the engine's convex one to compare with."""
    boxes: float = 3
    """Into how many boxes each straight run is divided: how evenly pressure spreads [1]."""
    timestep: float = 0.001
    """Step of the engine [s]."""
    linear_gain: float = 1.0
    """Factor on the mean of the two sides' belt speeds [1]."""
    angular_gain: float = 1.0
    """Factor on their difference [1]."""
    steering_efficiency: float | None = None
    """If given, friction acts along circles about the centre of rotation, as in P1 [1]."""
    friction_factor: Scalar = 1.0
    """Factor on the friction of all surfaces; one for each robot of many, if an array [1]."""
    mass_factor: Scalar = 1.0
    """Factor on all masses and inertias; one for each robot of many, if an array [1]."""
    contacts: bool = False
    """Whether every motion tells its contacts and the margin against tipping over; not of many
    robots at once."""

    def __post_init__(self) -> None:
        if not (1 <= self.boxes <= 50 and self.boxes == int(self.boxes)):
            raise InvalidValue("csm:boxes", self.boxes, "be a whole number from 1 to 50")
        if not 1e-5 <= self.timestep <= 0.01:
            raise InvalidValue("csm:timestep", self.timestep, "be from 0.00001 to 0.01 s")
        efficiency = self.steering_efficiency
        if efficiency is not None and not 0.0 < efficiency <= 1.0:
            required = "be above 0 and at most 1"
            raise InvalidValue("csm:steering_efficiency", efficiency, required)

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> Plant:
        """Put the robot on the course; many robots at once if the pose has arrays."""
        # Imported here: whoever lists the models need not wait for the engine.
        from grouser.models.contact.batch import ContactBatch
        from grouser.models.contact.belt_geoms import add_belt
        from grouser.models.contact.plant import ContactPlant
        from grouser.models.contact.scale_scene import scale_scene
        from grouser.models.contact.scene import build_scene

        belt = partial(add_belt, boxes=int(self.boxes))
        own = self.friction == "exact"
        scene = build_scene(robot, course, belt, timestep=self.timestep, own_friction=own)
        options: dict[str, Any] = {
            "own_friction": own,
            "linear_gain": self.linear_gain,
            "angular_gain": self.angular_gain,
            "steering_efficiency": self.steering_efficiency,
        }
        if pose is not None and pose.is_many:
            return ContactBatch(
                scene,
                robot,
                course,
                pose,
                friction=self.friction_factor,
                mass_factor=self.mass_factor,
                **options,
            )
        friction, mass = float(self.friction_factor), float(self.mass_factor)
        return ContactPlant(
            scale_scene(scene, friction, mass, own_friction=own),
            robot,
            course,
            pose,
            friction_factor=friction,
            with_contacts=bool(self.contacts),
            **options,
        )

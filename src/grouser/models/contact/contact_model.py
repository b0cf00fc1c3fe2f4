"""What all models in three dimensions share: parameters, features, and how they start."""

from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from grouser.description import Course, Robot
from grouser.geometry import Pose, Scalar
from grouser.models.model import Plant
from grouser.models.parameters import Parameters, Range

if TYPE_CHECKING:
    from collections.abc import Callable

    from grouser.models.contact.scene import AddBelt


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactModel(Parameters):
    """Parameters of every model in three dimensions."""

    name: ClassVar[str] = ""
    engine: ClassVar[str] = f"mujoco {version('mujoco')}"
    features: ClassVar[frozenset[str]] = frozenset(
        {"slopes", "rough", "steps", "stairs", "gaps", "drops", "mesh", "flippers"}
    )

    timestep: Annotated[float, Range(1e-5, 0.01, "s")] = 0.001
    """Step of the engine [s]."""
    linear_gain: Annotated[float, Range(-10.0, 10.0)] = 1.0
    """Factor on the mean of the two sides' belt speeds [1]."""
    angular_gain: Annotated[float, Range(-10.0, 10.0)] = 1.0
    """Factor on their difference [1]."""
    mass_factor: Annotated[Scalar, Range(1e-3, 1e3)] = 1.0
    """Factor on all masses and inertias; one for each robot of many, if an array [1]."""
    contacts: bool = False
    """Whether every motion tells its contacts and the margin against tipping over; not of many
    robots at once."""

    def start_tracks(
        self,
        add_belt: "AddBelt",
        robot: Robot,
        course: Course,
        pose: Pose | None,
        *,
        described: Robot | None = None,
        own_friction: bool = True,
        friction_factor: Scalar = 1.0,
        has_belts: bool = True,
        hands_over: bool = True,
        fixed: bool = False,
        finish: "Callable[[Any], None] | None" = None,
        **options: Any,
    ) -> Plant:
        """Put a robot with some kind of tracks on the course; many if the pose has arrays.

        Args:
            add_belt: Makes the tracks.
            robot: What to put.
            course: Where.
            pose: Where on it; at its start if not given.
            described: The robot as its shapes and masses are made; `robot` if not given.
            own_friction: Whether friction is ours, or the engine's.
            friction_factor: Factor on the friction of all surfaces; for each robot, if an array.
            has_belts: Whether belts run around the loops of tracks, and are drawn so.
            hands_over: Whether what rides on a belt goes on to the next segment of its loop.
            fixed: Whether belts stand in the world at the course's start, and carry the body.
            finish: Adds to the engine's scene what is not part of a body.
            options: What else `ContactPlant` and `ContactBatch` should know.
        """
        # Imported here: whoever lists the models need not wait for the engine.
        from grouser.models.contact.batch import ContactBatch
        from grouser.models.contact.plant import ContactPlant
        from grouser.models.contact.scale_scene import scale_scene
        from grouser.models.contact.scene import build_scene

        scene = build_scene(
            described or robot,
            course,
            add_belt,
            timestep=self.timestep,
            own_friction=own_friction,
            has_belts=has_belts,
            hands_over=hands_over,
            fixed=fixed,
            finish=finish,
        )
        options |= {
            "own_friction": own_friction,
            "linear_gain": self.linear_gain,
            "angular_gain": self.angular_gain,
        }
        if pose is not None and pose.is_many:
            factors = {"friction": friction_factor, "mass_factor": self.mass_factor}
            return ContactBatch(scene, robot, course, pose, **factors, **options)
        friction, mass = float(friction_factor), float(self.mass_factor)
        return ContactPlant(
            scale_scene(scene, friction, mass, own_friction=own_friction),
            robot,
            course,
            pose,
            friction_factor=friction,
            with_contacts=bool(self.contacts),
            **options,
        )

"""A robot in three dimensions as it is drawn or exported: its scene, and where it is."""

from dataclasses import dataclass
from typing import Self

from grouser.description import Course, Robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose
from grouser.models.catalogue import start_model
from grouser.models.contact.plant import ContactPlant
from grouser.models.contact.scene import TrackScene
from grouser.models.ground.ruts import RutGrid, ruts_of
from grouser.models.model import Model


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedRobot:
    """A robot of a scene at a pose."""

    scene: TrackScene
    """The robot's parts on its course."""
    pose: Pose
    """Where it is."""
    belt_travels: tuple[float, ...]
    """Distance that each belt has run [m]."""
    flipper_angles: tuple[float, ...]
    """Angle of each flipper [rad]."""
    ruts: RutGrid | None = None
    """Ruts so far; None without soft ground."""

    @classmethod
    def of(cls, plant: ContactPlant) -> Self:
        """Return where the robot of a plant is now."""
        motion, ruts = plant.motion, ruts_of(plant)
        return cls(
            scene=plant.scene,
            pose=motion.pose,
            belt_travels=tuple(float(travel) for travel in motion.belt_travels),
            flipper_angles=tuple(float(angle) for angle in motion.flipper_angles),
            ruts=None if ruts is None else ruts.copy(),
        )


def start_in_3d(
    model: Model, robot: Robot, course: Course, pose: Pose | None = None
) -> ContactPlant:
    """Put the robot on the course, in three dimensions.

    Raises:
        InvalidValue: The model has no shapes in three dimensions.
        Unsupported: The model does not describe all that the course has.
    """
    plant = start_model(model, robot, course, pose)
    if not isinstance(plant, ContactPlant):
        raise InvalidValue("model", model.name, "be one in three dimensions, such as 'csm'")
    return plant

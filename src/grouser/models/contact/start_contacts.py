"""A robot in three dimensions, for those who need the engine's own scene."""

from grouser.description import Course, Robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose
from grouser.models.catalogue import start_model
from grouser.models.contact.plant import ContactPlant
from grouser.models.model import Model


def start_contacts(
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

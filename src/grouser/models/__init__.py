"""How it moves: models behind one contract, swapped by name."""

from grouser.models.catalogue import CATALOGUE, make_model, model_parameters, start_model
from grouser.models.command import Command, command_sides
from grouser.models.effective_width import effective_width, steering_efficiency, track_icrs
from grouser.models.model import Model, Plant
from grouser.models.motion import Contact, Motion

__all__ = [
    "CATALOGUE",
    "Command",
    "Contact",
    "Model",
    "Motion",
    "Plant",
    "command_sides",
    "effective_width",
    "make_model",
    "model_parameters",
    "start_model",
    "steering_efficiency",
    "track_icrs",
]

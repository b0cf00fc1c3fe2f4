"""How it moves: models behind one contract, swapped by name."""

from grouser.models.catalogue import (
    CATALOGUE,
    check_course,
    make_model,
    model_parameters,
    start_model,
)
from grouser.models.command import Command, SideMeans, command_sides
from grouser.models.effective_width import (
    effective_width,
    icr_motion,
    steering_efficiency,
    track_icrs,
)
from grouser.models.model import Model, Plant, Plants
from grouser.models.motion import Contact, Motion, add_travels
from grouser.models.vary_model import vary_model

__all__ = [
    "CATALOGUE",
    "Command",
    "Contact",
    "Model",
    "Motion",
    "Plant",
    "Plants",
    "SideMeans",
    "add_travels",
    "check_course",
    "command_sides",
    "effective_width",
    "icr_motion",
    "make_model",
    "model_parameters",
    "start_model",
    "steering_efficiency",
    "track_icrs",
    "vary_model",
]

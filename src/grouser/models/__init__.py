"""Models of motion with one interface, chosen by name."""

from grouser.models.catalogue import (
    check_course,
    make_model,
    model_parameters,
    start_model,
    vary_model,
)
from grouser.models.kinematic_models import (
    effective_width,
    icr_motion,
    steering_efficiency,
    track_icrs,
)
from grouser.models.model import (
    CATALOGUE,
    Command,
    Contact,
    Model,
    Motion,
    Plant,
    Plants,
    SideMeans,
    add_travels,
    command_sides,
)

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

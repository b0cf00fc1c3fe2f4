"""Models of motion with one interface, chosen by name."""

from grouser.models.assumptions import Assumption, TurningBasis
from grouser.models.catalogue import (
    able_models,
    check_course,
    find_assumptions,
    find_turning_basis,
    group_assumptions,
    make_model,
    model_parameters,
    models_with,
    start_model,
    vary_model,
)
from grouser.models.equal_models import Equal, explain_equal, find_equal, find_repeated
from grouser.models.kinematic_models import (
    command_twist,
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
    State,
    add_travels,
    command_sides,
)
from grouser.models.skid_models import driven_range, skid_constants

__all__ = [
    "Assumption",
    "CATALOGUE",
    "Command",
    "Contact",
    "Equal",
    "Model",
    "Motion",
    "Plant",
    "Plants",
    "SideMeans",
    "State",
    "TurningBasis",
    "able_models",
    "add_travels",
    "check_course",
    "command_sides",
    "command_twist",
    "driven_range",
    "effective_width",
    "explain_equal",
    "find_assumptions",
    "find_equal",
    "find_repeated",
    "find_turning_basis",
    "group_assumptions",
    "icr_motion",
    "make_model",
    "model_parameters",
    "models_with",
    "skid_constants",
    "start_model",
    "steering_efficiency",
    "track_icrs",
    "vary_model",
]

"""The same model for a robot that weighs more or less, or on ground that grips otherwise."""

from dataclasses import replace
from typing import Any

import numpy as np

from grouser.errors import Unsupported
from grouser.geometry import Scalar
from grouser.models.catalogue import CATALOGUE
from grouser.models.model import Model


def vary_model(model: Model, *, friction: Scalar = 1.0, mass: Scalar = 1.0) -> Model:
    """Return a model whose friction and masses are multiplied; one factor for each robot of many.

    Args:
        model: How the robot moves.
        friction: Factor on all friction [1].
        mass: Factor on all masses and inertias [1].

    Raises:
        Unsupported: The model has no friction, or no masses, and a factor is not 1.
    """
    changes: dict[str, Any] = {}
    for what, parameter, factor in (
        ("friction", "friction_factor", friction),
        ("mass", "mass_factor", mass),
    ):
        if hasattr(model, parameter):
            changes[parameter] = getattr(model, parameter) * factor
        elif np.any(np.not_equal(factor, 1.0)):
            able = [name for name, kind in CATALOGUE.items() if hasattr(kind, parameter)]
            raise Unsupported(f"another {what}", model.name, f"parameter {parameter!r}", able)
    return replace(model, **changes)  # pyright: ignore[reportArgumentType]

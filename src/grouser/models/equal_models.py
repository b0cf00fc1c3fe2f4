"""Which models compute the same for a robot: two names, and one opinion."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from grouser.description import Robot

if TYPE_CHECKING:
    from grouser.models.model import Model


class Equal(NamedTuple):
    """A model that computes the same as another one for some robot, bit for bit."""

    model: "Model"
    """The simpler one of both."""
    reason: str
    """Why, in words that follow the name of the robot: `has no grousers`."""


def find_equal(model: "Model", robot: Robot) -> Equal | None:
    """Return the simpler model that computes the same for this robot; None if none does."""
    found = getattr(model, "equal_for", None)
    return None if found is None else found(robot)


def explain_equal(name: str, model: "Model", robot: Robot) -> str:
    """Return as a sentence that a model computes what a simpler one does; empty if it does not.

    Args:
        name: Reference of the model, as the user knows it.
        model: The model.
        robot: The robot.
    """
    equal = find_equal(model, robot)
    return "" if equal is None else _sentence(robot, equal.reason, name, equal.model.name)


def find_repeated(models: Mapping[str, "Model"], robot: Robot) -> dict[str, str]:
    """Return the names of models that compute the same as an earlier one, each with a sentence."""
    first: list[tuple[str, Model, str]] = []
    repeated: dict[str, str] = {}
    for name, model in models.items():
        equal = find_equal(model, robot)
        meant, reason = (model, "") if equal is None else equal
        twin = next(((other, why) for other, known, why in first if known == meant), None)
        if twin is None:
            first.append((name, meant, reason))
        else:
            repeated[name] = _sentence(robot, reason or twin[1], name, twin[0])
    return repeated


def _sentence(robot: Robot, reason: str, name: str, other: str) -> str:
    words = f"{name} computes the same as {other}"
    return f"{robot.name} {reason}: {words}" if reason else words

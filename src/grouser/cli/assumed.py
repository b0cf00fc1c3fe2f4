"""What models assume for want of data, and what decides how they turn, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from grouser.units import format_quantity

if TYPE_CHECKING:
    from grouser.description import Course, Robot
    from grouser.models import Model
    from grouser.report import TextTable

APART = 0.05
"""Difference of final headings from which on it is explained [rad]."""


def assumption_table(models: Mapping[str, Model], robot: Robot, course: Course | None) -> TextTable:
    """Return what models assume, those that assume the same in one row."""
    from grouser.models import group_assumptions
    from grouser.report import TextTable

    groups = group_assumptions(models, robot, course)
    rows = tuple(
        (found.quantity, found.text, found.lack, ", ".join(names))
        for found, names in groups.items()
    )
    heads = ("assumed, since not given", "value", "missing key", "by models")
    lines = () if rows else ("The files state all that these models need.",)
    return TextTable(title="Assumed", heads=heads, rows=rows, lines=lines, words=len(heads))


def turning_table(
    models: Mapping[str, Model], robot: Robot, course: Course, yaws: Mapping[str, float]
) -> TextTable:
    """Return what decides how each model turns, beside its final heading [rad]."""
    from grouser.models import find_turning_basis
    from grouser.report import TextTable

    bases = {name: find_turning_basis(model, robot, course) for name, model in models.items()}
    rows = tuple(
        (name, format_quantity(yaws[name], "rad"),
         "" if basis.width is None else format_quantity(basis.width, "m"), basis.words)
        for name, basis in bases.items()
    )  # fmt: skip
    heads = ("model", "final yaw", "effective width", "decided by")
    return TextTable(
        title="How each model turns", heads=heads, rows=rows, lines=_explain(yaws, bases), words=4
    )


def _explain(
    yaws: Mapping[str, float], bases: Mapping[str, tuple[float | None, str]]
) -> tuple[str, ...]:
    """Return a sentence on the models whose headings are the furthest apart, if they are."""
    ends = [pick(yaws, key=lambda name: yaws[name]) for pick in (min, max)]
    if yaws[ends[1]] - yaws[ends[0]] < APART:
        return ()

    def words(name: str) -> str:
        width, source = bases[name]
        turns = source if width is None else f"{width:.3g} m wide, {source}"
        return f"{format_quantity(yaws[name], 'rad')} ({name}: {turns})"

    return (f"Final headings are from {words(ends[0])} to {words(ends[1])}.",)

"""Printed numbers of P2: its tables, and what follows from them about its recordings."""

import csv
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from grouser.laws.turning_experiment import is_width_credible
from grouser.laws.turning_geometry import FourWheels

LENGTH, WIDTH = 1.23, 1.45
"""Distances between wheel centres, P2 Table 1 [m]."""
DURATION_13 = 6.62
"""Time that run 13's turn took: its printed lengths over its printed speeds [s]."""

PATH_BY_PLACE, PATH_BY_SPEED = 53.5145, 53.5732
"""Length of one path from places and from speeds, as the text prints them [m]."""


@cache
def read_columns(name: str) -> dict[str, NDArray[np.float64]]:
    """Return a table of runs: an array for each column."""
    rows = _rows(name)
    return {column: np.array([float(row[column]) for row in rows]) for column in rows[0]}


@cache
def read_quantities(name: str) -> dict[str, float]:
    """Return a table of named quantities, without those that are not printed."""
    named = [(row.get("quantity") or row["item"], _value(row)) for row in _rows(name)]
    return {quantity: float(value) for quantity, value in named if value}


def _value(row: dict[str, str]) -> str:
    return row["value"] if "value" in row else row["value_m"]


def _rows(name: str) -> list[dict[str, str]]:
    text = (files("grouser.papers.p2") / "data" / name).read_text()
    return list(csv.DictReader(text.splitlines()))


WHEELS = FourWheels._fields
"""Names of the wheels: outer and inner, 1 rear and 2 front in the runs."""


def rebuild_wheel_speeds(runs: dict[str, NDArray[np.float64]]) -> FourWheels:
    """Return the wheel speeds of runs, which are not printed, from eqs 17 and 18.

    With a = mean(sl_o) and b = mean(1 / sl_i): Ev_t = V_o - V_i, Ev_a = a V_o - b V_i.
    """
    a = 0.5 * (runs["sl_o1"] + runs["sl_o2"])
    b = 0.5 * (1.0 / runs["sl_i1"] + 1.0 / runs["sl_i2"])
    inner = (runs["Ev_a_mps"] - a * runs["Ev_t_mps"]) / (a - b)
    outer = inner + runs["Ev_t_mps"]
    return FourWheels(
        o1=runs["sl_o1"] * outer, o2=runs["sl_o2"] * outer,
        i1=inner / runs["sl_i1"], i2=inner / runs["sl_i2"],
    )  # fmt: skip


@cache
def credible_runs() -> NDArray[np.bool_]:
    """Return which of the 26 runs P2 keeps for its Table 6: those near enough to a circle."""
    return np.asarray(is_width_credible(read_columns("table5.csv")["Bc_m"], WIDTH))

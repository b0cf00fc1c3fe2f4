"""What P2 printed: Tables 3 to 6, and the numbers of its text."""

import csv
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

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

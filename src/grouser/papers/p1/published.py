"""What P1 printed."""

import csv
from functools import cache
from importlib.resources import files
from typing import NamedTuple


class Printed(NamedTuple):
    """A cell of Table I: mean and standard deviation over ten runs."""

    mean: float
    spread: float


@cache
def table_1() -> dict[tuple[str, str], dict[str, Printed]]:
    """Return Table I: by scenario and metric, as printed, the cell of each model."""
    table: dict[tuple[str, str], dict[str, Printed]] = {}
    for row in _read("table1.csv"):
        names = [key.removesuffix("_mean") for key in row if key.endswith("_mean")]
        table[row["scenario"], row["metric"]] = {
            name: Printed(float(row[f"{name}_mean"]), float(row[f"{name}_std"])) for name in names
        }
    return table


@cache
def table_2() -> dict[str, dict[str, bool]]:
    """Return Table II: by property, whether each family of models has it."""
    return {
        row["property"]: {name: row[name] == "1" for name in row if name != "property"}
        for row in _read("table2.csv")
    }


def _read(name: str) -> list[dict[str, str]]:
    text = (files("grouser.papers.p1") / "data" / name).read_text()
    return list(csv.DictReader(text.splitlines()))

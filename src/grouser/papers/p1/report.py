"""P1's comparison and search of parameters as tables, and what they are made of."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grouser import limits
from grouser.errors import InvalidValue, UnknownName, Unreadable
from grouser.papers.p1.reference import SYNTHETIC
from grouser.papers.p1.scenarios import P1_MODELS, SCENARIOS, P1Model, P1Scenario, tuned_values
from grouser.papers.p1.tables import Row
from grouser.report import TextTable
from grouser.storage import parse_json, read_file
from grouser.units import format_number


def find_model(name: str) -> P1Model:
    """Return one of P1's models.

    Raises:
        UnknownName: There is none of that name.
    """
    if name not in P1_MODELS:
        raise UnknownName("model of P1", name, P1_MODELS)
    return P1_MODELS[name]


def find_scenarios(names: tuple[str, ...]) -> tuple[P1Scenario, ...]:
    """Return some of P1's scenarios, all if none is named.

    Raises:
        UnknownName: There is none of that name.
    """
    known = {scenario.name: scenario for scenario in SCENARIOS}
    for name in names:
        if name not in known:
            raise UnknownName("scenario of P1", name, known)
    return tuple(known[name] for name in names) or SCENARIOS


def read_tuned(folder: Path | None, model: P1Model) -> dict[str, float]:
    """Return the values that a search left in a folder; none if there is no such file.

    Without a folder they are those that come with grouser.

    Raises:
        Unreadable: The file is not one that a search wrote.
    """
    if folder is None:
        return tuned_values().get(model.name, {})
    file = folder / f"tune-{model.name}.json"
    if not file.exists():
        return {}
    try:
        content = parse_json(read_file(file, limits.RESULT_BYTES))
        best = content.get("best") if isinstance(content, dict) else None
        return model.check_values(best.get("values") if isinstance(best, dict) else None)
    except (ValueError, InvalidValue) as error:
        problem = f"not a file that `grouser paper p1 search` wrote ({error})"
        raise Unreadable(file, f"{problem}; search again, or move it away") from error


def describe_row(row: Row) -> dict[str, object]:
    """Return a row of Table I for JSON."""
    return {
        "scenario": row.scenario,
        "metric": row.metric,
        "unit": row.unit,
        "ours": {name: cell._asdict() for name, cell in row.ours.items()},
        "theirs": {name: cell._asdict() for name, cell in row.theirs.items()},
    }


def table_of_rows(rows: list[Row], *, synthetic: bool) -> TextTable:
    """Return Table I: our means, and P1's in brackets."""
    names = list(rows[0].ours) if rows else []
    mark = f"; sums against a {SYNTHETIC}" if synthetic else ""
    cells = tuple(
        (
            f"{row.scenario} {row.metric}",
            row.unit,
            *(f"{row.ours[n].mean:.2f} ({row.theirs[n].mean:g})" for n in names),
        )
        for row in rows
    )
    title = f"P1, Table I: ours, and P1's mean in brackets{mark}"
    return TextTable(title=title, heads=("row", "unit", *names), rows=cells, words=2)


def describe_searches(found: Mapping[str, Mapping[str, Any]]) -> dict[str, object]:
    """Return what searches of several models found, with their settings and costs, for a file."""
    first = next(iter(found.values()))
    kept = ("version", "method", "iterations", "samples", "trials", "scenarios", "horizon", "seed")
    return {
        "source": "grouser paper p1 search --all; P1 prints no result of its own search",
        "settings": {name: first[name] for name in kept},
        "found": {
            name: {
                "values": result["best"]["values"],
                "vectors": len(result["answers"]),
                "cost_at_start": result["answers"][0]["cost"],
                "cost": result["best"]["cost"],
                "cpu_seconds": round(sum(answer["seconds"] for answer in result["answers"]), 1),
            }
            for name, result in found.items()
        },
    }


def table_of_search(model: P1Model, method: str, found: dict[str, Any]) -> TextTable:
    """Return the start and the best values of a search, and their cost."""
    first, best = found["answers"][0], found["best"]
    rows = tuple(
        (parameter.name, format_number(first["values"][parameter.name]),
         format_number(best["values"][parameter.name]), f"{parameter.low:g} to {parameter.high:g}")
        for parameter in model.parameters
    )  # fmt: skip
    cost = f"cost {first['cost']:.2f} to {best['cost']:.2f}"
    title = f"{model.name}, search {method}: {cost}"
    return TextTable(title=title, heads=("parameter", "start", "best", "range"), rows=rows)

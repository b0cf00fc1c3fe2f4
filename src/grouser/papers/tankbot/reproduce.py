"""All experiments of P3 at once: manoeuvres, their numbers, Table 4's layout, identification."""

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files

from grouser.log import Log
from grouser.papers.tankbot.error_statistics import StatisticsRow, error_statistics
from grouser.papers.tankbot.identify_tankbot import Identification, identify_tankbot
from grouser.papers.tankbot.manoeuvre import MANOEUVRES
from grouser.papers.tankbot.measure_response import measure_response
from grouser.papers.tankbot.run_manoeuvre import run_manoeuvre, tankbot_constants
from grouser.papers.tankbot.twin import run_twin


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """What came of the experiments."""

    logs: Mapping[str, Log]
    """The manoeuvres by name."""
    responses: Mapping[str, Mapping[str, float | None]]
    """Overshoots, frequencies and the rest of each manoeuvre [unit as the names spell]."""
    statistics: tuple[StatisticsRow, ...]
    """Table 4's layout, of the model against a stand-in for the robot."""
    identification: Identification
    """What the identification experiments found."""


def reproduce_tankbot(
    seed: int = 0, tell: Callable[[str], None] = lambda words: None
) -> Reproduction:
    """Run everything.

    Args:
        seed: Of all noise.
        tell: Is told what begins.
    """
    shift = float(tankbot_constants().shift)
    logs: dict[str, Log] = {}
    twins: dict[str, Log] = {}
    for number, (name, manoeuvre) in enumerate(MANOEUVRES.items()):
        tell(name)
        logs[name] = run_manoeuvre(manoeuvre)
        twins[name] = run_twin(manoeuvre, seed=seed + number)
    tell("identification")
    return Reproduction(
        logs=logs,
        responses={n: measure_response(log, MANOEUVRES[n], shift) for n, log in logs.items()},
        statistics=error_statistics(logs, twins),
        identification=identify_tankbot(seed),
    )


def printed_statistics() -> dict[tuple[str, str], dict[str, float]]:
    """Return P3's Table 4: numbers by manoeuvre, for each state and statistic."""
    text = (files("grouser.papers.tankbot") / "data" / "table4.csv").read_text()
    return {
        (row["state"], row["statistic"]): {
            name: float(row[name.replace("-", "_")]) for name in MANOEUVRES
        }
        for row in csv.DictReader(text.splitlines())
    }

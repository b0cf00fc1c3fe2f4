"""P1's models in its eight scenarios, each from one run with searched values."""

from collections.abc import Mapping

from grouser.papers.experiment import Findings
from grouser.papers.p1.contest import Outcome, drive_entrant
from grouser.papers.p1.draw_scenarios import draw_scenario
from grouser.papers.p1.entrant import ENTRANTS
from grouser.papers.p1.published import table_1
from grouser.papers.p1.scenario import SCENARIOS
from grouser.papers.p1.tables import CPU_TIME, make_table_1, make_table_2
from grouser.papers.p1.tuned import tuned_values
from grouser.report import Panel

UNTUNED = ("rotate", "circular")
"""Scenarios that are driven with the start of the search too, which tells what it does."""
CLEARLY = 3.0
"""How many times as long a model must take in Table I to count as slower in its own right [1]."""


def name_cell(scenario: str, metric: str, name: str) -> str:
    """Return what a cell of Table I is called, by its row and P1's name of the model."""
    row = "processor time" if (scenario, metric) == CPU_TIME else f"{scenario} {metric}"
    return f"{row}, {name}"


def drive_scenarios(name: str) -> Findings:
    """Return Table I's column and Table II's answers for one of P1's models, and its drives."""
    entrant, tuned = ENTRANTS[name], tuned_values().get(name, {})
    outcomes: list[Outcome] = []
    panels: list[Panel] = []
    for scenario in SCENARIOS:
        outcome, drive, reference = drive_entrant(entrant, scenario, entrant.start | tuned)
        outcomes.append(outcome)
        panels.append(draw_scenario(scenario, name, drive, reference))
    values = {
        name_cell(row.scenario, row.metric, name): row.ours[name].mean
        for row in make_table_1(outcomes)
    }
    values |= {f"{words}, {name}": float(ours[name]) for words, ours, _ in make_table_2(outcomes)}
    for scenario in SCENARIOS if tuned else ():
        if scenario.name in UNTUNED:
            outcome, drive, reference = drive_entrant(entrant, scenario, entrant.start)
            panels.append(draw_scenario(scenario, name, drive, reference, ", not tuned"))
            for metric in scenario.metrics:
                key = f"{name_cell(scenario.title, metric, name)}, not tuned"
                values[key] = outcome.metrics[metric]
    return Findings(values=values, panels=tuple(panels))


def slower_pairs() -> list[tuple[str, str]]:
    """Return each model of Table I, and the next that takes clearly longer there."""
    times = {name: cell.mean for name, cell in table_1()[CPU_TIME].items()}
    ordered = sorted(times, key=lambda name: times[name])
    pairs = []
    for name in ordered:
        slower = [other for other in ordered if times[other] > CLEARLY * times[name]]
        pairs += [(name, slower[0])] if slower else []
    return pairs


def compare_times(values: Mapping[str, float]) -> dict[str, float]:
    """Return which models are faster than others, of those that were driven."""
    times = {name: values.get(name_cell(*CPU_TIME, name)) for name in ENTRANTS}
    found = {}
    for faster, slower in slower_pairs():
        one, other = times[faster], times[slower]
        if one is not None and other is not None:
            found[f"{faster} faster than {slower}"] = float(one < other)
    return found

"""Claims and experiments of P1."""

from collections.abc import Mapping
from functools import partial

from grouser.papers.p1.comparison import P1Result, draw_scenario, drive_model
from grouser.papers.p1.scenarios import P1_MODELS, SCENARIOS, tuned_values
from grouser.papers.p1.tables import CPU_TIME, UNITS, make_table_1, make_table_2, table_1, table_2
from grouser.papers.paper import Claim, Experiment, Findings, Kind, Paper
from grouser.papers.variation import AS_STATED, Variation
from grouser.report import Panel

UNTUNED = ("rotate", "circular")
"""Scenarios that are also driven with the start of the search, to show its effect."""
CLEARLY = 3.0
"""How many times as long a model must take in Table I to count as slower in its own right [1]."""


def name_cell(scenario: str, metric: str, name: str) -> str:
    """Return what a cell of Table I is called, by its row and P1's name of the model."""
    row = "processor time" if (scenario, metric) == CPU_TIME else f"{scenario} {metric}"
    return f"{row}, {name}"


def drive_scenarios(name: str, variation: Variation = AS_STATED) -> Findings:
    """Return Table I's column and Table II's answers for one of P1's models, and its drives."""
    model, tuned = P1_MODELS[name], tuned_values().get(name, {})
    results: list[P1Result] = []
    panels: list[Panel] = []
    for scenario in SCENARIOS:
        result, drive, reference = drive_model(model, scenario, model.start | tuned)
        results.append(result)
        panels.append(draw_scenario(scenario, name, drive, reference))
    values = {
        name_cell(row.scenario, row.metric, name): row.ours[name].mean
        for row in make_table_1(results)
    }
    values |= {f"{words}, {name}": float(ours[name]) for words, ours, _ in make_table_2(results)}
    for scenario in SCENARIOS if tuned else ():
        if scenario.name in UNTUNED:
            result, drive, reference = drive_model(model, scenario, model.start)
            panels.append(draw_scenario(scenario, name, drive, reference, ", not tuned"))
            for metric in scenario.metrics:
                key = f"{name_cell(scenario.title, metric, name)}, not tuned"
                values[key] = result.metrics[metric]
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
    times = {name: values.get(name_cell(*CPU_TIME, name)) for name in P1_MODELS}
    found = {}
    for faster, slower in slower_pairs():
        one, other = times[faster], times[slower]
        if one is not None and other is not None:
            found[f"{faster} faster than {slower}"] = float(one < other)
    return found


ROUNDING = 0.05
"""Half of P1's last printed digit."""
SECONDS = {
    "csm": 14.0, "4wheels": 11.0, "8wheels": 15.0, "no_friction": 5.0,
    "plates10": 50.0, "plates2": 400.0, "plates10g": 40.0, "plates2g": 400.0,
}  # fmt: skip
"""About how long a model takes through all scenarios [s]."""
SPEED_WORDS = "Computation speed"
"""What Table II calls real time."""
_REFERENCE = "sums are against recordings of the real robot, which are not published"
_COMPUTER = "processor time of another computer; which model is faster is compared instead"
_START = "how far it comes is the gain that was searched, and P1's is not published"
_TURN = "how far it turns is gain and friction that were searched, and P1's are not published"
_HOLDS = "our motors hold, and friction does not creep"
_SPROCKET = "our plates are driven by a sprocket that keeps its speed"
_REASONS = {
    ("Straight", "csm"): _START,
    ("Straight", "wheels"): _START,
    ("Straight", "no_friction"): _START,
    ("Straight", "plates"): _SPROCKET,
    ("Rotate", "wheels"): _TURN,
    ("Rotate", "csm"): _TURN,
    ("Rotate", "plates"): "our plates are not tuned, and P1's searched values are not published",
    ("Back&forth", "no_friction"): "ours is pushed by a controller whose gains P1 does not print",
    ("Back&forth", "plates"): _SPROCKET,
    ("Stand on st.", "wheels"): _HOLDS,
    ("Stand on st.", "plates"): _HOLDS,
    ("Stand on st.", "no_friction"): "ours slides down as far, and hardly turns on its way",
}
_TUNED = "P1's searched values are not published; ours were searched against stand-ins"
_WORDS = {
    SPEED_WORDS: "our belts of 10 cm plates are faster than real time",
    "Plausibility on rough terrain": "what counts as plausible is not printed; with friction of "
    "2 and more our wheels neither slide on stairs nor stop on the pallet",
    "Deformable tracks": "our plates hang on rigid sprockets and a rigid guide",
}


def make_claims() -> tuple[Claim, ...]:
    """Return all claims of P1."""
    return (*_measured(), *_properties(), *_order())


def _measured() -> list[Claim]:
    claims = []
    for (scenario, metric), cells in table_1().items():
        for name, cell in cells.items():
            family = P1_MODELS[name].family
            is_time = (scenario, metric) == CPU_TIME
            hidden = _REFERENCE if metric.startswith("sum") else _COMPUTER if is_time else ""
            claim = Claim(
                paper="P1", experiment=name, key=name_cell(scenario, metric, name),
                published=cell.mean, unit=UNITS[metric], where="Table I",
                tolerance=ROUNDING + 2.0 * cell.spread, incomparable=hidden,
                remark=_REASONS.get((scenario, family), _TUNED), is_timed=is_time,
                kind=Kind.INCOMPARABLE if hidden else Kind.CALIBRATED,
            )  # fmt: skip
            claims.append(claim)
    return claims


def _properties() -> list[Claim]:
    return [
        Claim(
            paper="P1", experiment=name, key=f"{words}, {name}",
            published=float(families[model.family]), unit="yes/no", tolerance=0.0,
            where="Table II", remark=_WORDS.get(words, ""), is_timed=words == SPEED_WORDS,
            kind=Kind.DEFINITION,
        )
        for words, families in table_2().items()
        for name, model in P1_MODELS.items()
    ]  # fmt: skip


def _order() -> list[Claim]:
    return [
        Claim(
            paper="P1", experiment=slower, key=f"{faster} faster than {slower}", published=1.0,
            unit="yes/no", tolerance=0.0, where="Table I, CPU time", mark="R", is_timed=True,
            kind=Kind.INDEPENDENT, null=0.0, null_model="times that are all alike",
            inputs_from="processor times of this computer in one run",
        )
        for faster, slower in slower_pairs()
    ]  # fmt: skip


P1 = Paper(
    name="P1", title="Pecka et al. 2017, contact surface motion and its rivals",
    experiments=tuple(
        Experiment(
            paper="P1", name=name, title=f"{name} in eight scenarios",
            run=partial(drive_scenarios, name), seconds=SECONDS[name],
            is_quick=P1_MODELS[name].family != "plates",
        )
        for name in P1_MODELS
    ),
    make_claims=make_claims, derive=compare_times,
)  # fmt: skip
"""The paper."""

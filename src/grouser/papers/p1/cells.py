"""Claims of Table I and Table II, cell by cell, and our numbers for them.

Table I measures how far P1's simulator was from a target. A better engine cannot meet such a number
and should not: where the printed one is a limit that a robot which does nothing breaks, ours has to
be at most that. Where a robot that does nothing would keep the limit, ours has to be near it; where
P1's own spread hides that robot, the number is no evidence.
"""

import math
from collections.abc import Iterable

from grouser.papers.p1.comparison import P1Result
from grouser.papers.p1.scenarios import P1_MODELS, SCENARIOS, TUNED_ON
from grouser.papers.p1.tables import (
    ABSOLUTE_ROWS,
    CPU_TIME,
    UNITS,
    Printed,
    name_cell,
    table_1,
    table_2,
)
from grouser.papers.paper import Claim, Kind, Sense

ROUNDING = 0.05
"""Half of P1's last printed digit [m], [rad]."""
LEG = 0.4
"""Length of a leg of `back and forth` [m]."""
NULLS: dict[tuple[str, str], tuple[tuple[Sense, float, str], ...]] = {
    ("Straight", "d_t"): (("at most", 3.0, "a robot that never moves"),),
    ("Rotate", "d_omega"): (("at most", 6.0, "a robot that never turns"),),
    ("Back&forth", "d_st"): (
        ("at most", LEG, "a robot that never moves"),
        ("near", LEG, "a robot that never moves"),
    ),
    ("Stand on st.", "d_st"): (
        ("at most", 0.2, "a robot without friction, as printed"),
        ("near", 0.0, "a robot that stands still"),
    ),
    ("Stand on st.", "d_omega"): (
        ("at most", 0.1, "a robot without friction, as printed"),
        ("near", 0.0, "a robot that stands still"),
    ),
}
"""What a robot scores that does nothing, by row and sense, in the order in which they are tried
[m], [rad]."""
_RECORDING = (
    "sums are against recordings of the real robot, which are lost; ours are against a stand-in "
    "and are printed for comparison only"
)
_COMPUTER = "processor time of another computer; ratios of times are compared instead"
_SPREAD = "P1's spread of ten runs is so wide that a robot that does nothing agrees as well"
_UNLIMITED = "P1 prints no limit of what it calls fast or plausible"
_CREEP = (
    "our friction does not creep and our motors hold: P1's robot slides in ODE, whose friction is "
    "solved by a fixed number of iterations"
)
_DRIFT = "our plates hardly drift: their sprockets are held to a speed; why P1's drift is not said"
_SEARCH = (
    "what 26 vectors of P1's search, as many as for every model, left; one gain would remove it"
)
_REMARKS = {
    ("Straight", "wheels"): _SEARCH,
    ("Straight", "plates"): _SEARCH,
    ("Rotate", "csm"): _SEARCH,
    ("Rotate", "plates"): "what 26 vectors of P1's search left; MuJoCo's friction, which has no "
    "direction, resists turning more",
    ("Back&forth", "plates"): _DRIFT,
    ("Stand on st.", "csm"): _CREEP,
    ("Stand on st.", "wheels"): _CREEP,
    ("Stand on st.", "plates"): _CREEP,
    ("Stand on st.", "no_friction"): "it slides as fast as the gain of its virtual force lets it, "
    "and P1 does not print that gain",
}
_INPUTS = (
    "robot file, course file, and gains and friction that were searched on `straight` and `rotate` "
    "only"
)
_TRIED = (
    "a search over the first 10 s of a scenario, before 2 s, in which 2 cm plates can be searched"
)
_STRICTER = {
    "Rotate": "ours is the error of the heading that is not wrapped, which is never less",
    "Back&forth": f"ours is the larger of d_st and what the robot lacks of a leg of {LEG:g} m",
    "Stand on st.": "ours counts from where a robot that does not slide would rest",
}
_SCENARIO = {scenario.title: scenario for scenario in SCENARIOS}


def measure_cells(name: str, results: Iterable[P1Result]) -> dict[str, float]:
    """Return Table I's column of one model, from one result for each scenario."""
    by_name = {result.scenario: result for result in results}
    cells = {}
    for scenario, metric in table_1():
        if (scenario, metric) != CPU_TIME:
            found = by_name[_SCENARIO[scenario].name].metrics
            cells[name_cell(scenario, metric, name)] = _judged(scenario, metric, dict(found))
    # A drive that diverged has no time: it is taken to have been as costly as the others.
    driven = [s.duration for s in SCENARIOS if by_name[s.name].seconds > 0.0]
    whole = math.fsum(s.duration for s in SCENARIOS) / math.fsum(driven) if driven else 0.0
    seconds = math.fsum(result.seconds for result in by_name.values())
    cells[name_cell(*CPU_TIME, name)] = whole * seconds
    return cells


def _judged(scenario: str, metric: str, found: dict[str, float]) -> float:
    match scenario:
        case "Rotate":
            return abs(found["d_yaw"])
        case "Back&forth":
            return max(found[metric], abs(LEG - found["reach"]))
        case _:
            return found[metric]


def table_1_claims() -> list[Claim]:
    """Return the claims of Table I."""
    return [
        _claim_cell(scenario, metric, name, cell)
        for (scenario, metric), cells in table_1().items()
        for name, cell in cells.items()
    ]


def _claim_cell(scenario: str, metric: str, name: str, cell: Printed) -> Claim:
    is_time = (scenario, metric) == CPU_TIME
    claim = Claim(
        paper="P1", experiment=name, key=name_cell(scenario, metric, name), published=cell.mean,
        unit=UNITS[metric], where="Table I", tolerance=ROUNDING + 2.0 * cell.spread,
        kind=Kind.INCOMPARABLE, is_timed=is_time, incomparable=_COMPUTER if is_time else _RECORDING,
    )  # fmt: skip
    if (scenario, metric) not in ABSOLUTE_ROWS:
        return claim
    is_tuned = _SCENARIO[scenario].name in TUNED_ON
    family = P1_MODELS[name].family
    for sense, null, words in NULLS[scenario, metric]:
        judged = Claim(
            paper="P1", experiment=name, key=claim.key, published=cell.mean, unit=claim.unit,
            where="Table I", tolerance=claim.tolerance, sense=sense, null=null, null_model=words,
            kind=Kind.CALIBRATED if is_tuned else Kind.HELD_OUT, inputs_from=_INPUTS,
            variants_tried=_TRIED,
            assumptions=_STRICTER.get(scenario, ""), remark=_REMARKS.get((scenario, family), ""),
        )  # fmt: skip
        if judged.rejects_null:
            return judged
    return Claim(
        paper="P1", experiment=name, key=claim.key, published=cell.mean, unit=claim.unit,
        where="Table I", tolerance=claim.tolerance, kind=Kind.INCOMPARABLE, incomparable=_SPREAD,
    )  # fmt: skip


DESCRIBED = {
    "Non-deformable tracks": ("csm", "wheels", "no_friction", "plates"),
    "Deformable tracks": (),
    "Grousers": ("plates",),
}
"""Families of models that describe a property of Table II here: by construction, not measured."""


def describe_model(name: str) -> dict[str, float]:
    """Return the rows of Table II that follow from how a model is built; 1 for yes."""
    family = P1_MODELS[name].family
    return {f"{words}, {name}": float(family in able) for words, able in DESCRIBED.items()}


def table_2_claims() -> list[Claim]:
    """Return the claims of Table II."""
    claims = []
    for words, families in table_2().items():
        is_built = words in DESCRIBED
        for name, model in P1_MODELS.items():
            claim = Claim(
                paper="P1", experiment=name, key=f"{words}, {name}",
                published=float(families[model.family]), unit="yes/no", tolerance=0.0,
                where="Table II", kind=Kind.DEFINITION if is_built else Kind.INCOMPARABLE,
                remark="our plates run on a solid guide" if is_built else "",
                incomparable="" if is_built else _UNLIMITED,
            )  # fmt: skip
            claims.append(claim)
    return claims

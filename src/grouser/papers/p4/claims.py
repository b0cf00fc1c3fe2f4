"""Claims, printed numbers and experiments of P4."""

import csv
from collections.abc import Mapping
from functools import partial
from importlib.resources import files
from math import radians
from typing import NamedTuple

from grouser.papers.p1.tables import CPU_TIME, table_1
from grouser.papers.p4.step_climbing import MODELS, STEP, attempt_step, measure_speed
from grouser.papers.paper import Claim, Experiment, Findings, Kind, Paper, draw_stems
from grouser.papers.variation import AS_STATED, Variation
from grouser.report import Label, Mark, Panel
from grouser.report.colours import REFERENCE, line_colour


class Step(NamedTuple):
    """A line of Table IV."""

    angle_deg: float
    height_mm: float
    is_climbed: bool


def read_factors() -> dict[str, float]:
    """Return the real-time factors of Table II by P4's names [1]."""
    return {row["method"]: float(row["rtf_mean"]) for row in _rows("table2_realtime_factor.csv")}


def read_steps() -> list[Step]:
    """Return Table IV, where simulation and reality agree."""
    return [
        Step(
            float(row["front_subtrack_angle_deg"]),
            float(row["step_height_mm"]),
            row["simulation"] == "S",
        )
        for row in _rows("table4_step_climbing.csv")
    ]


def _rows(name: str) -> list[dict[str, str]]:
    text = (files("grouser.papers.p4") / "data" / name).read_text()
    return list(csv.DictReader(text.splitlines()))


WITHOUT = ((0.0, 120.0), (45.0, 240.0))
"""Angles [deg] and heights [mm] that need grousers, by the balance of two contacts."""


def name_step(angle_deg: float, height_mm: float, *, grousers: bool = True) -> str:
    """Return what a climb is called."""
    worn = "" if grousers else " without grousers"
    return f"climbs {height_mm:g} mm at {angle_deg:g}°{worn}"


def climb_step(
    angle_deg: float, height_mm: float, variation: Variation = AS_STATED, *, grousers: bool = True
) -> Findings:
    """Return whether Quince climbs a step, its front sub-tracks raised [deg], [mm]."""
    model = "segments" if grousers else "segments:grousers=0"
    scenario = STEP.vary(model=model).vary("course.height_m", height_mm / 1e3)
    attempt = attempt_step(scenario, radians(angle_deg))
    key = name_step(angle_deg, height_mm, grousers=grousers)
    return Findings(values={key: float(attempt.climbed)})


def compare_speed(variation: Variation = AS_STATED) -> Findings:
    """Return real-time factors of Table II's models, and which of them is faster."""
    factors = measure_speed(MODELS.values(), drives=5)
    ours = {name: factors[reference] for name, reference in MODELS.items()}
    values = {f"factor of {name}": factor for name, factor in ours.items()}
    values |= {
        f"speed of {faster} over {slower}": ours[faster] / ours[slower]
        for faster, slower in ranks()
    }
    theirs = read_factors()
    values["factor of segments with grousers, at least 1"] = ours["proposed"]
    times = table_1()[CPU_TIME]
    values["factor of constraint_to_ground by P1's times"] = (
        theirs["4_wheels"] * times["4wheels"].mean / times["csm"].mean
    )
    return Findings(values=values, panels=(_draw_factors(ours, theirs),))


def _draw_factors(ours: Mapping[str, float], theirs: Mapping[str, float]) -> Panel:
    names = [name.replace("_", " ") for name in ours]
    groups = {
        "ours": (list(ours.values()), line_colour(0)),
        "P4": ([theirs[name] for name in ours], REFERENCE),
    }
    title = "Real-time factors of PackBot's models"
    return draw_stems("factors", title, "real-time factor [1]", names, groups)


def ranks() -> list[tuple[str, str]]:
    """Return the models of Table II in pairs: each, and the next slower one."""
    ordered = sorted(read_factors().items(), key=lambda item: -item[1])
    names = [name for name, _ in ordered]
    return list(zip(names, names[1:], strict=False))


def draw_outcomes(values: Mapping[str, float]) -> tuple[Panel, ...]:
    """Return which steps of Table IV were climbed, of those that were tried, and by P4."""
    tried = [s for s in read_steps() if name_step(s[0], s[1]) in values]
    if not tried:
        return ()
    marks = []
    for step in tried:
        climbed = bool(values[name_step(step[0], step[1])])
        mark = Mark(
            symbol="yes" if climbed else "no", x=step.angle_deg, y=step.height_mm,
            colour=line_colour(1 if climbed else 3), name="climbs" if climbed else "fails",
            words=f"P4: {'climbs' if step.is_climbed else 'fails'}",
        )  # fmt: skip
        marks.append(mark)
    labels = tuple(Label(text=m.words, x=m.x, y=m.y + 8.0) for m in marks)
    panel = Panel(
        key="steps", title="Quince on the steps of Table IV", series=(), marks=tuple(marks),
        labels=labels, x_label="front sub-tracks raised by [deg]",
        y_label="height of the step [mm]",
    )  # fmt: skip
    return (panel,)


AS_FAST = 0.1
"""Difference of speeds that is due to chance [1]."""
QUICK = (40.0, 380.0)
"""Heights of Table IV that a quick run has, as they are soon decided [mm]."""
CASES = [(*step[:2], True) for step in read_steps()] + [(*case, False) for case in WITHOUT]
"""Angle [deg], height [mm] and whether with grousers, of each climb."""
EXPERIMENTS = (
    *(
        Experiment(
            paper="P4", name=name_step(angle, height, grousers=grousers),
            title=f"Quince {name_step(angle, height, grousers=grousers)}",
            run=partial(climb_step, angle, height, grousers=grousers),
            seconds=10.0, is_quick=grousers and height in QUICK,
        )
        for angle, height, grousers in CASES
    ),
    Experiment(paper="P4", name="speed", title="PackBot's real-time factors", run=compare_speed,
               seconds=3.0),
)  # fmt: skip
"""What is run for P4."""
_TILT = "front sub-tracks stand 3° higher than stated, because rigid grousers must reach the edge"
_BALANCE = "not printed: the balance of two contacts needs more friction than there is"
_RESCALED = "P4 did not measure it: its 4 wheels' factor times P1's processor times"
_COMPUTER = "measured on another computer with another engine; their order is compared instead"
_ORDER = {
    "constraint_to_ground": "our csm solves friction exactly at three boxes a run, which costs "
    "more than four wheels do",
    "4_wheels": "our segments without grousers need no joints and few contacts",
    "proposed_no_grousers": "",
    "proposed": "",
}


def make_claims() -> tuple[Claim, ...]:
    """Return all claims of P4."""
    return (*_steps(), *_speeds())


def _steps() -> list[Claim]:
    climbed = {step[:2]: float(step.is_climbed) for step in read_steps()}
    claims = []
    for angle, height, grousers in CASES:
        key = name_step(angle, height, grousers=grousers)
        published = climbed[angle, height] if grousers else 0.0
        remark = (_TILT if angle == 0.0 else "") if grousers else _BALANCE
        claim = Claim(
            paper="P4", experiment=key, key=key, published=published, unit="yes/no",
            tolerance=0.0, where="Table IV" if grousers else "section IV.B",
            mark="T" if grousers else "R", remark=remark, kind=Kind.CALIBRATED,
        )  # fmt: skip
        claims.append(claim)
    return claims


def _speeds() -> list[Claim]:
    factors = [
        Claim(
            paper="P4", experiment="speed", key=f"factor of {name}", published=factor, unit="1",
            tolerance=0.0, where="Table II", incomparable=_COMPUTER, is_timed=True,
            kind=Kind.INCOMPARABLE,
        )
        for name, factor in read_factors().items()
    ]  # fmt: skip
    order = [
        Claim(
            paper="P4", experiment="speed", key=f"speed of {faster} over {slower}", published=1.0,
            unit="1", tolerance=AS_FAST, sense="at least", where="Table II", mark="R",
            remark=_ORDER.get(faster, ""), is_timed=True,
            kind=Kind.CALIBRATED,
        )
        for faster, slower in ranks()
    ]  # fmt: skip
    rescaled = Claim(
        paper="P4", experiment="speed", key="factor of constraint_to_ground by P1's times",
        published=read_factors()["constraint_to_ground"], unit="1", tolerance=0.005,
        where="Table II and its text", mark="R", remark=_RESCALED, kind=Kind.RECOMPUTED,
    )  # fmt: skip
    in_time = Claim(
        paper="P4", experiment="speed", key="factor of segments with grousers, at least 1",
        published=1.0, unit="1", tolerance=0.0, where="conclusion", sense="at least",
        is_timed=True, kind=Kind.INDEPENDENT, null=0.0, null_model="a model too slow to finish",
        inputs_from="processor times of this computer",
    )  # fmt: skip
    return [*factors, *order, rescaled, in_time]


P4 = Paper(
    name="P4", title="Okada et al. 2020, continuous tracks with grousers",
    experiments=EXPERIMENTS, make_claims=make_claims, draw=draw_outcomes,
)  # fmt: skip
"""The paper."""

"""What P4 claims, and which experiment answers."""

from functools import partial

from grouser.papers.claim import Claim
from grouser.papers.experiment import Experiment
from grouser.papers.p4.experiments import (
    WITHOUT,
    climb_step,
    compare_speed,
    draw_outcomes,
    name_step,
    ranks,
)
from grouser.papers.p4.printed import read_factors, read_steps
from grouser.papers.paper import Paper

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
_BALANCE = "not printed: the balance of two contacts asks for more friction than there is"
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
            mark="T" if grousers else "R", remark=remark,
        )  # fmt: skip
        claims.append(claim)
    return claims


def _speeds() -> list[Claim]:
    factors = [
        Claim(
            paper="P4", experiment="speed", key=f"factor of {name}", published=factor, unit="1",
            tolerance=0.0, where="Table II", incomparable=_COMPUTER, is_timed=True,
        )
        for name, factor in read_factors().items()
    ]  # fmt: skip
    order = [
        Claim(
            paper="P4", experiment="speed", key=f"speed of {faster} over {slower}", published=1.0,
            unit="1", tolerance=AS_FAST, sense="at least", where="Table II", mark="R",
            remark=_ORDER.get(faster, ""), is_timed=True,
        )
        for faster, slower in ranks()
    ]  # fmt: skip
    rescaled = Claim(
        paper="P4", experiment="speed", key="factor of constraint_to_ground by P1's times",
        published=read_factors()["constraint_to_ground"], unit="1", tolerance=0.005,
        where="Table II and its text", mark="R", remark=_RESCALED,
    )  # fmt: skip
    in_time = Claim(
        paper="P4", experiment="speed", key="factor of segments with grousers, at least 1",
        published=1.0, unit="1", tolerance=0.0, where="conclusion", sense="at least",
        is_timed=True,
    )  # fmt: skip
    return [*factors, *order, rescaled, in_time]


P4 = Paper(
    name="P4", title="Okada et al. 2020, continuous tracks with grousers",
    experiments=EXPERIMENTS, make_claims=make_claims, draw=draw_outcomes,
    highlights=tuple(name_step(*step[:2]) for step in read_steps()),
)  # fmt: skip
"""The paper."""

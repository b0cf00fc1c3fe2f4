"""Claims and experiments of P4."""

from functools import partial

from grouser.papers.p4.conclusions import CONCLUSIONS
from grouser.papers.p4.failures import name_slip, watch_failures
from grouser.papers.p4.highest_step import find_highest, name_highest
from grouser.papers.p4.outcomes import (
    NEED_GROUSERS,
    climb_steps,
    draw_outcomes,
    name_need,
    name_step,
)
from grouser.papers.p4.rivals import (
    CARRIES,
    CLIMBS_WALL,
    STICKS,
    STICKS_SMOOTH,
    carry,
    cross_bumps,
    watch_wall,
)
from grouser.papers.p4.sensitivity import PAIRS, SETTINGS, vary_one, vary_two
from grouser.papers.p4.speed import COST, GROUSERS, compare_speed, name_ratio, ranks
from grouser.papers.p4.tables import read_brackets, read_factors, read_steps
from grouser.papers.paper import Claim, Experiment, Kind, Paper
from grouser.papers.variation import Factor

_ALL: tuple[Factor, ...] = ("friction", "mass", "seed")
EXPERIMENTS = (
    Experiment(paper="P4", name="steps", title="Quince on the steps of Table IV", run=climb_steps,
               depends_on=_ALL, seconds=3.0),
    Experiment(paper="P4", name="highest", title="The highest step that Quince climbs",
               run=find_highest, depends_on=_ALL, seconds=15.0),
    Experiment(paper="P4", name="failures", title="How Quince fails at a step", run=watch_failures,
               depends_on=_ALL, seconds=2.0),
    Experiment(paper="P4", name="speed", title="PackBot's real-time factors", run=compare_speed,
               depends_on=("friction", "mass"), seconds=3.0),
    Experiment(paper="P4", name="bumps", title="PackBot on bumps, on wheels and on belts",
               run=cross_bumps, depends_on=_ALL, seconds=4.0),
    Experiment(paper="P4", name="wall", title="Quince at a wall with little friction",
               run=watch_wall, depends_on=_ALL, seconds=1.0),
    Experiment(paper="P4", name="conveyor", title="A crate on a conveyor", run=carry,
               depends_on=("friction", "mass"), seconds=1.0),
    *(
        Experiment(paper="P4", name=f"sensitivity to {name.partition(' [')[0]}",
                   title=f"Table IV over {name}", run=partial(vary_one, name), depends_on=_ALL,
                   seconds=12.0, is_quick=False)
        for name in SETTINGS
    ),
    *(
        Experiment(paper="P4", name=f"sensitivity to two, {number}",
                   title=f"The step of 120 mm over {pair[0]} and {pair[1]}",
                   run=partial(vary_two, *pair), depends_on=_ALL, seconds=15.0, is_quick=False)
        for number, pair in enumerate(PAIRS, start=1)
    ),
)  # fmt: skip
"""What is run for P4."""
STILL, EVERYTHING = "a robot that never moves", "a robot that climbs everything"
_QUINCE = "geometry, mass, grousers, speed and friction that P4 states (Table III, section IV.B)"
_ASSUMED = (
    "masses of sub-tracks, centre of mass, their hinges, level rear sub-tracks, and when a climb "
    "counts"
)
_HOOKS = "rigid grousers at exactly 0° hook up to 114.5 mm only"
_TRIED = (
    "sub-tracks higher by 0 to 4°, friction 0.4 to 1, 8 phases, grousers of 8 to 24 mm and 14 to "
    "28 of them, 9 stiffnesses of grousers (before: 8 times in which contacts settle, for all "
    "belts and 10 for sub-tracks alone), 7 (before: 6) of hinges, centre of mass ±60 mm, rear "
    "sub-tracks up to 90°; none is used"
)
_RESCALED = "P4 did not measure it: its 4 wheels' factor times P1's processor times"
_COMPUTER = "measured on another computer with another engine; their order is compared instead"
_KERNEL = (
    "belts need no joints here: smooth ones, constraint to ground and four wheels cost the same, "
    "the search for grousers more than 13 wheels"
)


def make_claims() -> tuple[Claim, ...]:
    """Return all claims of P4."""
    return (*_steps(), *_highest(), *_failures(), *_rivals(), *_factors(), *_order())


def _steps() -> list[Claim]:
    claims = [
        Claim(
            paper="P4", experiment="steps", key=name_step(angle, height), unit="yes/no",
            published=float(climbed), tolerance=0.0, where="Table IV", kind=Kind.INDEPENDENT,
            null=float(not climbed), null_model=STILL if climbed else EVERYTHING,
            inputs_from=_QUINCE, assumptions=_ASSUMED,
            remark=_HOOKS if (angle, height) == (0.0, 120.0) else "",
            variants_tried=_TRIED if (angle, height) == (0.0, 120.0) else "",
        )
        for angle, height, climbed in read_steps()
    ]  # fmt: skip
    claims += [
        Claim(
            paper="P4", experiment="steps", key=name_need(angle, height), published=1.0,
            unit="yes/no", tolerance=0.0, where="section IV.B", mark="R", kind=Kind.INDEPENDENT,
            null=0.0, null_model="grousers that do nothing", inputs_from=_QUINCE,
            assumptions=_ASSUMED,
            remark=f"{_HOOKS}: fails with grousers, too" if angle == 0.0 else "",
        )
        for angle, height in NEED_GROUSERS
    ]  # fmt: skip
    return claims


def _highest() -> list[Claim]:
    """Return claims on the highest step: between the last that P4 climbs and the next."""
    return [
        Claim(
            paper="P4", experiment="highest", key=name_highest(angle),
            published=0.5e-3 * (low + high), unit="m", tolerance=0.5e-3 * (high - low),
            where="Table IV", mark="R", kind=Kind.INDEPENDENT, null=0.0, null_model=STILL,
            inputs_from=_QUINCE, assumptions=_ASSUMED, remark=_HOOKS if angle == 0.0 else "",
            variants_tried=_TRIED if angle == 0.0 else "",
        )
        for angle, (low, high) in read_brackets().items()
    ]  # fmt: skip


def _failures() -> list[Claim]:
    return [
        Claim(
            paper="P4", experiment="failures", key=name_slip(angle, height, place), published=1.0,
            unit="yes/no", tolerance=0.0, where="section IV.B", kind=Kind.INDEPENDENT, null=0.0,
            null_model="belts that stick", inputs_from=_QUINCE,
            assumptions=f"{_ASSUMED}; belts slip from half of their speed on",
        )
        for angle, height, climbed in read_steps()
        if not climbed
        for place in ("riser", "floor")
    ]  # fmt: skip


def _rivals() -> list[Claim]:
    alike = "models that are alike"
    bumps = "PackBot's geometry and P4's friction; bumps of 20 to 140 mm, 20 mm wide"
    return [
        Claim(
            paper="P4", experiment="bumps", key=STICKS, published=1.0, unit="yes/no",
            tolerance=0.0, where="section II.A", mark="R", kind=Kind.INDEPENDENT, null=0.0,
            null_model=alike, inputs_from=bumps, assumptions="mass of PackBot; what a bump is",
        ),
        Claim(
            paper="P4", experiment="bumps", key=STICKS_SMOOTH, published=1.0, unit="yes/no",
            tolerance=0.0, where="section II.A", mark="R", kind=Kind.INDEPENDENT, null=0.0,
            null_model=alike, inputs_from=bumps, assumptions="mass of PackBot; what a bump is",
            variants_tried="added after the same with grousers was seen",
        ),
        Claim(
            paper="P4", experiment="wall", key=CLIMBS_WALL, published=1.0, unit="yes/no",
            tolerance=0.0, where="section II.C, Fig. 3", mark="R", kind=Kind.INDEPENDENT,
            null=0.0, null_model=STILL, inputs_from="Quince at a wall of 0.5 m, friction 0.1",
            assumptions="P4 states no friction, only that it is low",
            remark="contact surface motion keeps Coulomb's limit here, as in P1: P4's words are "
            "not true of it",
        ),
        Claim(
            paper="P4", experiment="conveyor", key=CARRIES, published=1.0, unit="1",
            tolerance=0.02, where="section V", mark="R", kind=Kind.INDEPENDENT, null=0.0,
            null_model="a crate that lies still", inputs_from="a crate of 8 kg on level belts",
            assumptions="2 % may be lost by slip",
        ),
    ]  # fmt: skip


def _factors() -> list[Claim]:
    factors = [
        Claim(
            paper="P4", experiment="speed", key=f"factor of {name}", published=factor, unit="1",
            tolerance=0.0, where="Table II", incomparable=_COMPUTER, is_timed=True,
            kind=Kind.INCOMPARABLE,
        )
        for name, factor in read_factors().items()
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
    return [*factors, rescaled, in_time]


def _order() -> list[Claim]:
    """Return claims on ratios of speeds: at least half of P4's advantage, which a tie is not."""
    printed, same = read_factors(), "models that cost the same"
    order = []
    for faster, slower in ranks():
        ratio = printed[faster] / printed[slower]
        is_estimated = "constraint_to_ground" in (faster, slower)
        claim = Claim(
            paper="P4", experiment="speed", key=name_ratio(faster, slower), published=ratio,
            unit="1", tolerance=0.5 * (ratio - 1.0), sense="at least", where="Table II",
            mark="A" if is_estimated else "R", remark=_KERNEL, is_timed=True,
            kind=Kind.INDEPENDENT, null=1.0, null_model=same,
            inputs_from="processor times of this computer, one run",
        )  # fmt: skip
        order.append(claim)
    cost = printed[GROUSERS[0]] / printed[GROUSERS[1]]
    return [
        *order,
        Claim(
            paper="P4", experiment="speed", key=COST, published=cost, unit="1",
            tolerance=0.5 * (cost - 1.0), where="Table II", mark="R", remark=_KERNEL,
            is_timed=True, kind=Kind.INDEPENDENT, null=1.0, null_model=same,
            inputs_from="processor times of this computer, one run",
        ),
    ]  # fmt: skip


P4 = Paper(
    name="P4", title="Okada et al. 2020, continuous tracks with grousers",
    experiments=EXPERIMENTS, make_claims=make_claims, draw=draw_outcomes, conclusions=CONCLUSIONS,
)  # fmt: skip
"""The paper."""

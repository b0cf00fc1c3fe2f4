"""Claims of P0 about its loop, over stand-ins for the real robot.

Stand-ins that are `slip` with other parameters, which is the model of the virtual robot, too, are
no evidence: they show what the loop does with a wrong identification. Robots in three dimensions
are evidence.
"""

import numpy as np

from grouser.papers.p0.experiments import (
    ENDS_IN_3D,
    FINAL_COURSE_3,
    LOOP_COURSE,
    TITLES,
    find_missing_board,
    printed_largest_errors,
)
from grouser.papers.paper import Claim, Experiment, Findings, Kind, Sense, draw_stems
from grouser.papers.variation import AS_STATED, Variation
from grouser.report import Panel
from grouser.report.colours import REFERENCE, line_colour

APART = 16
"""Robots that are drawn with a floor of its own under each track; one run of the board each."""
NAME = "loop with gyro"
"""Name of the experiment."""
IN_3D = "loop in 3D"
"""Name of the experiment with robots in three dimensions."""
NOT_MOVING = 0.8
"""Distance of the goal of course 3 from its start, the error of a robot that never moves [m]."""
_TITLE = TITLES[LOOP_COURSE]
_AGAINST = f"largest final position error, {_TITLE}, tracks against each other"
_DRAWN = f"{_TITLE}, tracks drawn apart"
_GYRO = "with a gyroscope"


def drive_with_gyro(variation: Variation = AS_STATED) -> Findings:
    """Return the errors on course 3 with the gyroscope in the loop, and without.

    Robots are those where one track slips a fifth more and the other a fifth less, which drive both
    ways, and two samples of drawn ones, one for each way.
    """
    from grouser.papers.p0.courses import WALK, run_course, sum_up_errors
    from grouser.papers.p0.floor_loop import run_with_gyro
    from grouser.papers.p0.stand_ins import corners, draw_apart, pick

    seed = variation.seed
    table = corners()
    against = [pick(table, index) for index in range(5, len(table))]
    by_belts = run_course(LOOP_COURSE, "sim", count=APART, seed=seed, apart=True)
    by_gyro = [run_with_gyro(LOOP_COURSE, one, walk=0.0, seed=seed)[0] for one in against]
    drawn = draw_apart(APART, np.random.default_rng(seed))
    drawn_by_gyro = run_with_gyro(LOOP_COURSE, drawn, walk=WALK, seed=seed)
    medians, intervals = sum_up_errors(by_belts.draws, _DRAWN)
    with_gyro, intervals_with_gyro = sum_up_errors(drawn_by_gyro, f"{_DRAWN}, {_GYRO}")
    finals = [e.final for e in by_belts.corners[5:]], [e.final for e in by_gyro]
    values = {_AGAINST: max(finals[0]), f"{_AGAINST}, {_GYRO}": max(finals[1])}
    return Findings(
        values=values | medians | with_gyro,
        intervals=intervals | intervals_with_gyro,
        panels=(_draw([one.names[0] for one in against], *finals),),
    )


def _draw(names: list[str], by_belts: list[float], by_gyro: list[float]) -> Panel:
    groups = {
        "P0, its robot": ([100.0 * FINAL_COURSE_3] * len(names), REFERENCE),
        "turned by the belts, as in P0": ([100.0 * e for e in by_belts], line_colour(0)),
        "turned by the gyroscope": ([100.0 * e for e in by_gyro], line_colour(1)),
    }
    title = "Course 3: final error where slip (left/right) and width L are off by so many %"
    short = [name.removeprefix("slip ").replace(" %", "") for name in names]
    return draw_stems("loop-gyro", title, "error [cm]", short, groups)


def _drive_in_3d(variation: Variation = AS_STATED) -> Findings:
    from grouser.papers.p0.loop_in_3d import drive_drawn_robots  # the loop needs an extra

    return drive_drawn_robots(variation)


LOOP_EXPERIMENTS = (
    Experiment(
        paper="P0", name=IN_3D, title="course 3 with the board in the loop, robots in 3D",
        run=_drive_in_3d, depends_on=("friction", "mass", "seed"), seconds=200.0, is_quick=False,
        find_lack=find_missing_board,
    ),
    Experiment(
        paper="P0", name=NAME, title="course 3 with the gyroscope in the loop",
        run=drive_with_gyro, depends_on=("seed",), seconds=250.0, is_quick=False,
        find_lack=find_missing_board,
    ),
)  # fmt: skip
"""Experiments besides those of each course."""
_SLIP = "stand-ins are slip odometry, the model itself, with other slip ratios and another width"
_BLIND = (
    "P0's loop closes on the virtual pose alone: nothing in it measures that a track slips more"
)
_OTHERS = "slip of drawn robots is off by up to 20 %; P0 identified that of the robot itself"
_VARIANTS = "the gyroscope as the first variant; no gain or time constant was changed after a run"
_BOUND = "P0's largest deviation, of its own robot, read as a bound"


def make_loop_claims() -> list[Claim]:
    """Return the claims about stand-ins of the loop that were drawn, and of the gyroscope."""
    claims = [
        _claim(f"loop {name}",
               f"median of the largest position errors, {TITLES[name]}, drawn robots",
               error, "text on course 1", _OTHERS)
        for name, error in printed_largest_errors().items()
    ]  # fmt: skip
    drawn = f"median of the final position errors, {_TITLE}, drawn robots"
    claims.append(_claim(f"loop {LOOP_COURSE}", drawn, FINAL_COURSE_3, "text on course 3", _BOUND))
    for words, remark in (("", _BLIND), (f", {_GYRO}", _BOUND)):
        claims += [
            _claim(NAME, f"{_AGAINST}{words}", FINAL_COURSE_3, "text on course 3", remark),
            _claim(NAME, f"median of the final position errors, {_DRAWN}{words}", FINAL_COURSE_3,
                   "text on course 3", remark),
        ]  # fmt: skip
    return claims


def _claim(
    experiment: str, key: str, published: float, where: str, remark: str, sense: Sense = "at most"
) -> Claim:
    return Claim(
        paper="P0", experiment=experiment, key=key, published=published, unit="m", tolerance=0.0,
        where=where, remark=remark, sense=sense, mark="A", kind=Kind.ROUND_TRIP,
        assumptions=_SLIP, variants_tried=_VARIANTS if _GYRO in key else "",
    )  # fmt: skip


def make_claims_in_3d() -> list[Claim]:
    """Return the claims about robots in three dimensions.

    P0's number is that of its one robot, so it bounds the median, not every robot.
    """
    return [
        Claim(
            paper="P0", experiment=IN_3D, published=FINAL_COURSE_3, unit="m", tolerance=0.0,
            key=f"median of the final position errors, {words}", where="text on course 3",
            sense="at most", mark="A", kind=Kind.INDEPENDENT, null=NOT_MOVING,
            null_model="a virtual robot that never moves",
            inputs_from="csm with the shear law, robots drawn as for the odometry; slip is "
            "identified on each robot before, by other drives",
            variants_tried="six robots of another seed were driven before the claim was written",
            assumptions="firmware, motors and encoders are ours; P0 does not publish its own",
            remark="P0's largest deviation, of its own robot, read as a bound of the median",
        )
        for words in ENDS_IN_3D.values()
    ]  # fmt: skip

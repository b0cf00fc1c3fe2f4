"""Claims of P0, and the experiments that they are compared with."""

from functools import partial

from grouser.papers.p0.claims_in_3d import claims_in_3d
from grouser.papers.p0.conclusions import CONCLUSIONS
from grouser.papers.p0.experiments import (
    COURSES,
    FINAL_COURSE_3,
    MANOEUVRES,
    TITLES,
    WHEELBASE,
    compare_courses,
    cross_course_3,
    draw_errors,
    find_missing_board,
    identify_slip,
    printed_largest_errors,
    printed_table_5,
    solve_wheelbase,
    turn_in_3d,
)
from grouser.papers.p0.loop_claims import (
    LOOP_EXPERIMENTS,
    make_claims_in_3d,
    make_loop_claims,
)
from grouser.papers.p0.obstacle import cross_in_3d, find_friction_needed
from grouser.papers.p0.odometry import drive_population
from grouser.papers.p0.slopes import climb_slopes
from grouser.papers.paper import Claim, Experiment, Findings, Kind, Origin, Paper, Sense
from grouser.papers.variation import AS_STATED, Variation


def _drive_course(name: str, variation: Variation = AS_STATED) -> Findings:
    from grouser.papers.p0.courses import drive_course  # the loop needs an extra

    return drive_course(name, variation)


EXPERIMENTS = (
    Experiment(paper="P0", name="wheelbase", title="equivalent wheelbase", run=solve_wheelbase),
    Experiment(paper="P0", name="slip", title="slip from tracked poses", run=identify_slip,
               depends_on=("seed",)),
    Experiment(paper="P0", name="course-3", title="obstacle and ramp, by P0's kinematics",
               run=cross_course_3, seconds=3.0),
    Experiment(paper="P0", name="turning", title="equivalent wheelbase in 3D", run=turn_in_3d,
               depends_on=("friction", "mass")),
    Experiment(paper="P0", name="obstacle", title="obstacle and ramp in 3D", run=cross_in_3d,
               depends_on=("friction", "mass"), seconds=5.0),
    Experiment(paper="P0", name="friction", title="friction that the obstacle needs",
               run=find_friction_needed, depends_on=("mass",), seconds=20.0, is_quick=False),
    Experiment(paper="P0", name="slopes", title="slip over the slope, robots in 3D",
               run=climb_slopes, depends_on=("friction", "mass", "seed"), seconds=15.0),
    Experiment(paper="P0", name="odometry", title="odometry of robots in 3D on all courses",
               run=drive_population, depends_on=("friction", "mass", "seed"), seconds=150.0,
               is_quick=False),
    *(
        Experiment(
            paper="P0", name=f"loop {course}", title=f"{TITLES[course]} with a board in the loop",
            run=partial(_drive_course, course), depends_on=("seed",), seconds=8.0,
            find_lack=find_missing_board,
        )
        for course in COURSES
    ),
    *LOOP_EXPERIMENTS,
)  # fmt: skip
"""The experiments of P0."""
_GAMMA = "the factor gamma is not printed; 8.05 gives the printed wheelbase"
_CIRCLE = "the printed slip is simulated and found again through a noisy camera"
_DRAWINGS = "course drawings are lost; obstacle and ramp stand where assumed"
_STAND_IN = "the real robot is stood in for by slip odometry, seen by a camera above"
_PERTURBED = "worst of 54 stand-ins whose slip is off by up to 20 % and whose width by 3 %"
_BOUND = "P0 states it of its Table 5, whose unit is lost; read as a bound of the error"
_UNITS = "printed in m and rad, which contradicts the largest deviation; the unit is lost"
_FIGURE = "only in a figure that is lost"


def make_claims() -> tuple[Claim, ...]:
    """Return all claims of P0."""
    return (
        *claims_in_3d(), *make_claims_in_3d(), *_kinematics(), *_loop(), *make_loop_claims(),
        *_lost(),
    )  # fmt: skip


def _claim(
    experiment: str, key: str, published: float, unit: str, tolerance: float, where: str,
    remark: str, sense: Sense = "near", mark: Origin = "R", kind: Kind = Kind.ROUND_TRIP,
) -> Claim:  # fmt: skip
    return Claim(
        paper="P0", experiment=experiment, key=key, published=published, unit=unit,
        tolerance=tolerance, where=where, remark=remark, sense=sense, mark=mark, kind=kind,
    )  # fmt: skip


def _kinematics() -> list[Claim]:
    slip = []
    for manoeuvre in MANOEUVRES:
        angle = 0.404 if manoeuvre == "straight" else 0.0
        slip += [
            _claim("slip", f"left slip ratio, {manoeuvre}", 0.1, "1", 0.005, "Table 3", _CIRCLE),
            _claim("slip", f"right slip ratio, {manoeuvre}", 0.1188, "1", 0.005, "Table 3",
                   _CIRCLE),
            _claim("slip", f"slip angle, {manoeuvre}", angle, "deg", 0.2, "Table 3", _CIRCLE),
        ]  # fmt: skip
    return [
        _claim("wheelbase", "equivalent wheelbase", WHEELBASE, "m", 5e-5, "Table 2", _GAMMA),
        *slip,
        *(
            _claim("course-3", key, published, unit, tolerance, "section on course 3", _DRAWINGS,
                   kind=Kind.DEFINITION)
            for key, published, unit, tolerance in (
                ("reaches the goal of course 3", 1.0, "yes/no", 0.0),
                ("height on the obstacle of course 3", 0.037, "m", 5e-4),
                ("angle on the ramp of course 3", 28.0, "deg", 0.5),
            )
        ),
    ]  # fmt: skip


def _loop() -> list[Claim]:
    claims = [
        _claim(f"loop {name}", f"largest position error, {TITLES[name]}", error, "m", 0.0,
               "text on course 1", _STAND_IN, "at most", "A")
        for name, error in printed_largest_errors().items()
    ]  # fmt: skip
    third = "loop behaviour-3"
    for words, remark in (("", _STAND_IN), (", slip off by 20 %", _PERTURBED)):
        claims.append(
            _claim(third, f"final position error, course 3{words}", FINAL_COURSE_3, "m", 0.0,
                   "text on course 3", remark, "at most", "A")
        )  # fmt: skip
    for name in ("behaviour-2", "behaviour-3"):
        for what, bound, unit in (("largest position", 1.7, "m"), ("rms yaw", 0.83, "rad")):
            claims.append(
                _claim(f"loop {name}", f"{what} error, {TITLES[name]}", bound, unit, 0.0,
                       "text above Table 5", _BOUND, "at most", "A")
            )  # fmt: skip
    better = "course 2 is followed better than course 3"
    return [*claims, _claim(third, better, 1.0, "yes/no", 0.0, "text below Table 5", _STAND_IN)]


def _lost() -> list[Claim]:
    squares = [
        Claim(paper="P0", experiment=f"loop {course}", key=f"MSE of {axis}, {TITLES[course]}",
              published=getattr(row, axis), unit="rad²" if axis == "yaw" else "m²", tolerance=0.0,
              where="Table 5", incomparable=_UNITS, kind=Kind.INCOMPARABLE)
        for course, row in printed_table_5().items()
        for axis in ("x", "y", "yaw")
    ]  # fmt: skip
    slopes = Claim(
        paper="P0", experiment="slip", key="slip ratio over the slope, 8 to 28°", published=0.0,
        unit="1", tolerance=0.0, where="figure of slip over slope", incomparable=_FIGURE,
        kind=Kind.INCOMPARABLE,
    )  # fmt: skip
    return [*squares, slopes]


P0 = Paper(
    name="P0", title="Low et al., a crawler in a virtual world",
    experiments=EXPERIMENTS, make_claims=make_claims, draw=draw_errors, derive=compare_courses,
    conclusions=CONCLUSIONS,
)  # fmt: skip
"""The paper."""

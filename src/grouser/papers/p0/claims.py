"""What P0 claims, and which experiment answers."""

from grouser.papers.claim import Claim
from grouser.papers.experiment import Experiment
from grouser.papers.p0.experiments import cross_course_3, identify_slip, solve_wheelbase
from grouser.papers.paper import Paper

EXPERIMENTS = (
    Experiment(paper="P0", name="wheelbase", title="equivalent wheelbase", run=solve_wheelbase),
    Experiment(paper="P0", name="slip", title="slip from tracked poses", run=identify_slip),
    Experiment(paper="P0", name="course-3", title="obstacle and ramp", run=cross_course_3),
)
"""What is run for P0."""
_GAMMA = "the factor gamma is not printed; 8.05 gives the printed wheelbase"
_CIRCLE = "the printed slip is simulated and found again through a noisy camera"
_UNITS = "printed in m and rad, which contradicts the largest deviation; the unit is lost"
_FIGURE = "only in a figure that is lost"


def make_claims() -> tuple[Claim, ...]:
    """Return all claims of P0."""
    return (*_kinematics(), *_courses())


def _kinematics() -> list[Claim]:
    def claim(experiment: str, key: str, published: float, unit: str, tolerance: float,
              where: str, remark: str) -> Claim:  # fmt: skip
        return Claim(
            paper="P0", experiment=experiment, key=key, published=published, unit=unit,
            tolerance=tolerance, where=where, remark=remark, mark="R",
        )  # fmt: skip

    return [
        claim("wheelbase", "equivalent wheelbase", 0.2742, "m", 5e-5, "Table 2", _GAMMA),
        claim("slip", "left slip ratio", 0.1, "1", 0.005, "Table 3", _CIRCLE),
        claim("slip", "right slip ratio", 0.1188, "1", 0.005, "Table 3", _CIRCLE),
        claim("slip", "slip angle", 0.404, "deg", 0.2, "Table 3", _CIRCLE),
        claim("course-3", "reaches the goal of course 3", 1.0, "yes/no", 0.0, "section on course 3",
              "course drawings are lost; obstacle and ramp stand where assumed"),
    ]  # fmt: skip


def _courses() -> list[Claim]:
    printed = {
        "MSE of x, course 2": (0.1854, "m²"),
        "MSE of y, course 2": (0.1486, "m²"),
        "MSE of yaw, course 2": (0.801, "rad²"),
        "MSE of x, course 3": (1.6607, "m²"),
        "MSE of y, course 3": (0.4948, "m²"),
        "MSE of yaw, course 3": (0.821, "rad²"),
    }
    squares = [
        Claim(paper="P0", experiment="loop", key=key, published=value, unit=unit, tolerance=0.0,
              where="Table 5", incomparable=_UNITS)
        for key, (value, unit) in printed.items()
    ]  # fmt: skip
    slopes = Claim(
        paper="P0", experiment="slip", key="slip ratio over the slope, 8 to 28°", published=0.0,
        unit="1", tolerance=0.0, where="figure of slip over slope", incomparable=_FIGURE,
    )  # fmt: skip
    return [*squares, slopes]


P0 = Paper(
    name="P0", title="Low et al., a crawler in a virtual world",
    experiments=EXPERIMENTS, make_claims=make_claims,
)  # fmt: skip
"""The paper."""

"""Claims and conclusions of P3."""

from grouser.papers.p3.experiments import EXPERIMENTS
from grouser.papers.p3.identification import PRINTED
from grouser.papers.p3.statements import (
    ALL,
    make_hill_claims,
    make_map_claims,
    make_table_4_claims,
)
from grouser.papers.p3.table4 import printed_statistics
from grouser.papers.paper import Claim, Conclusion, Kind, Paper, Sense

SPREAD = {
    "C_alpha": 200.0, "D": 2.0, "E": 0.3, "B": 2.5, "C_lambda": 100.0, "S_h": 0.002, "D_l": 1.0,
    "B_l": 1.5, "mu": 0.005, "J": 0.005,
}  # fmt: skip
"""How near an identification from noisy data should come, about two standard deviations."""
_UNITS = {
    "C_alpha": "N/rad", "D": "N", "B": "1/rad", "C_lambda": "N", "D_l": "N", "J": "kg m²",
}  # fmt: skip
_NO_ROBOT = "the robot's trajectories are not printed; ours are medians over stand-ins"
_ROUNDED = "Table 2 rounds D_l, and the text g"
_LOST = "periods of the references and the inertia are lost: assumed values"
_CHOSEN = "the reading of the D gains and the motor map were chosen by it, of 6 x 216"


def make_claims() -> tuple[Claim, ...]:
    """Return all claims of P3."""
    return (
        *make_table_4_claims(), *make_map_claims(), *make_hill_claims(), *_responses(),
        *_described(), *_parameters(), *_errors(),
    )  # fmt: skip


def _responses() -> list[Claim]:
    def claim(key: str, published: float, unit: str, tolerance: float, where: str,
              sense: Sense = "near", remark: str = _LOST,
              kind: Kind = Kind.CALIBRATED) -> Claim:  # fmt: skip
        return Claim(
            paper="P3", experiment="manoeuvres", key=key, published=published, unit=unit,
            tolerance=tolerance, where=where, mark="R", sense=sense, remark=remark, kind=kind,
            variants_tried=_CHOSEN if kind == Kind.CALIBRATED else "",
        )  # fmt: skip

    force = "text, µ m g / 2"
    return [
        claim("frequency after a step along", 1.0, "Hz", 0.25, "text on Fig 14"),
        claim("frequency after a step across", 0.3, "Hz", 0.1, "text on Fig 13"),
        claim("largest overshoot", 100.0, "%", 0.0, "text on Table 3", "at most"),
        claim("force at full slip", 34.42, "N", 0.35, force, "near", _ROUNDED, Kind.RECOMPUTED),
        claim("sliding force of a track", 34.42, "N", 0.02, force, "near", _ROUNDED,
              Kind.RECOMPUTED),
    ]  # fmt: skip


def _described() -> list[Claim]:
    """Return what P3 says in words and what cannot fail, or was chosen to come out."""

    def claim(key: str, where: str, kind: Kind, experiment: str, unit: str, tolerance: float,
              assumptions: str) -> Claim:  # fmt: skip
        return Claim(
            paper="P3", experiment=experiment, key=key, published=1.0, unit=unit, mark="R",
            tolerance=tolerance, where=where, kind=kind, assumptions=assumptions,
        )  # fmt: skip

    third = 1.0 / 3.0
    return [
        claim("sine along the belt moves neither y nor heading", "text on Fig 12",
              Kind.DEFINITION, "manoeuvres", "yes/no", 0.0, "left and right are alike"),
        claim("slip is nearer to the peak uphill", "text on Fig 19", Kind.DEFINITION, "maps", "1",
              third, "the mean force carries the weight, so its sign is given"),
        claim("steps along ring longer than steps across", "text on Figs 13 and 14",
              Kind.CALIBRATED, "maps", "1", third,
              "maps are kept by the time between two peaks along, so they have two"),
        claim("without control of the heading it is lost", "section 5", Kind.CALIBRATED,
              "manoeuvres", "yes/no", 0.0, "the reading of the D gains was chosen by it, too"),
    ]  # fmt: skip


def _parameters() -> list[Claim]:
    return [
        Claim(
            paper="P3", experiment="identification", key=name, published=value,
            unit=_UNITS.get(name, "1"), tolerance=SPREAD[name], where="Tables 1 and 2, text",
            remark="recovered from synthetic, noisy experiments", kind=Kind.ROUND_TRIP,
        )
        for name, value in PRINTED.items()
    ]  # fmt: skip


def _errors() -> list[Claim]:
    units = {"x": "m", "y": "m", "dx/dt": "m/s", "dy/dt": "m/s", "psi": "deg", "omega": "rad/s"}
    return [
        Claim(
            paper="P3", experiment="stand-ins", key=f"{statistic} error of {state}, {name}",
            published=value, unit=units[state], tolerance=0.0, where="Table 4",
            incomparable=_NO_ROBOT, kind=Kind.INCOMPARABLE,
        )
        for (state, statistic), row in printed_statistics().items()
        for name, value in row.items()
    ]  # fmt: skip


CONCLUSIONS = (
    Conclusion(
        words="Steps along, and steps across uphill, have the largest errors.",
        where="Table 4 and its text",
        claims=(
            f"step-x is worst along, {ALL}", f"pitched is worst across, {ALL}",
            f"rows with step-x or pitched worst, {ALL}",
        ),
        comment="Whatever robots have different, steps along are worst in a fifth of the rows at "
        "most; uphill is worst across in half of them, and rolled ground in most others.",
    ),
    Conclusion(
        words="The errors come from longitudinal slip and the longitudinal curve of the tread.",
        where="section 6.4 and conclusions",
        claims=(
            "more by the longitudinal curve than by the lateral",
            "more by the longitudinal curve than by any other",
            f"share of the error along the belt, {ALL}",
            "printed errors go with slip along",
        ),
        comment="Consistent with Table 4, and more so than the lateral curve; but of six "
        "differences the curve makes the most of P3's order no more often than by chance.",
    ),
    Conclusion(
        words="The tracks slip more along than across, and uphill the mean slip is at the peak.",
        where="text on Figs 18 and 19",
        claims=("more slip along than across", "mean slip over the peak's, uphill"),
        comment="Steps slip fifty times as far along as across, measured by the peaks, but a sine "
        "does not; uphill the mean slip moves towards the peak, a tenth of the way.",
    ),
    Conclusion(
        words="x is much less damped than y, at 1 Hz and 0.3 Hz, with little coupling.",
        where="sections 6.1 and 6.2",
        claims=(
            "frequency after a step along", "frequency after a step across",
            "steps along overshoot more than steps across", "x over y in steps across",
            "x over y in sines across",
        ),
        comment="The frequencies are calibrated. Which axis overshoots more depends on the motor "
        "map, and steps across move x by half as much as y.",
    ),
    Conclusion(
        words="A hill is climbed with high oscillations directly, and steeper ones indirectly.",
        where="sections 1 and 6.4",
        claims=(
            "steps uphill overshoot most of those across",
            "steeper indirectly than directly from rest",
            "steeper indirectly than directly on the treadmill",
        ),
        comment="From rest, tracks slip fully and the lateral force helps: P3's curves explain it. "
        "In closed loop from cruise it is the other way round.",
    ),
    Conclusion(
        words="A large area of the friction ellipse is used, and it clips forces when rolled.",
        where="Fig 7 and its text",
        claims=("the friction ellipse clips when rolled",),
        comment="About one motor map in five clips, those of large torques.",
    ),
    Conclusion(
        words="Nothing simpler than PD control of x, y and heading stabilises the robot.",
        where="section 5",
        claims=("lost with simpler controllers", "without control of the heading it is lost"),
        comment="Without control of the heading it is lost; P control alone holds half of the "
        "maps, and control of the heading alone lets it drift by millimetres per second.",
    ),
    Conclusion(
        words="The low-order model predicts the robot's motion, in combined manoeuvres as well.",
        where="abstract and conclusions",
        untestable="the measured trajectories are not printed",
        comment="P3's rms errors are 7 to 77 % of the motions that we simulate, in 25 of 26 "
        "states.",
    ),
)  # fmt: skip
"""What P3 concludes."""

P3 = Paper(
    name="P3", title="Dean & Brennan 2008, planar dynamics of the Tankbot",
    experiments=EXPERIMENTS, make_claims=make_claims, conclusions=CONCLUSIONS,
)  # fmt: skip
"""The paper."""

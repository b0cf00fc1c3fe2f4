"""What P3 claims, and which experiment answers."""

from grouser.papers.claim import Claim, Sense
from grouser.papers.experiment import Experiment
from grouser.papers.paper import Paper
from grouser.papers.tankbot.experiments import follow_manoeuvres, identify_again
from grouser.papers.tankbot.identify_tankbot import PRINTED
from grouser.papers.tankbot.reproduce import printed_statistics

EXPERIMENTS = (
    Experiment(paper="P3", name="manoeuvres", title="seven manoeuvres", run=follow_manoeuvres,
               seconds=8.0),
    Experiment(paper="P3", name="identification", title="identification", run=identify_again,
               seconds=3.0),
)  # fmt: skip
"""What is run for P3."""
SPREAD = {
    "C_alpha": 200.0, "D": 2.0, "E": 0.3, "B": 2.5, "C_lambda": 100.0, "S_h": 0.002, "D_l": 1.0,
    "B_l": 1.5, "mu": 0.005, "J": 0.005,
}  # fmt: skip
"""How near an identification from noisy data should come, about two standard deviations."""
_UNITS = {
    "C_alpha": "N/rad", "D": "N", "B": "1/rad", "C_lambda": "N", "D_l": "N", "J": "kg m²",
}  # fmt: skip
_NO_ROBOT = "the robot's trajectories are not printed; ours are errors against a stand-in"
_ROUNDED = "Table 2 rounds D_l, and the text g"
_LOST = "periods of the references and the inertia are lost: assumed values"


_CLIPPED = "motor maps are lost, and ours stops just short of the ellipse; one of 20 N m clips"
DESCRIBED = {
    "sine along the belt moves neither y nor heading": "text on Fig 12",
    "steps along are less damped than steps across": "text on Figs 13 and 14",
    "steps uphill overshoot most of those across": "text on Fig 16",
    "uphill, mean slip is nearer to the peak": "text on Fig 18",
    "the friction ellipse clips forces": "Fig 7 and its text",
    "without control of the heading it is lost": "section on control",
}
"""What P3 describes in words, and where."""


def make_claims() -> tuple[Claim, ...]:
    """Return all claims of P3."""
    return (*_responses(), *_described(), *_parameters(), *_errors())


def _responses() -> list[Claim]:
    def claim(key: str, published: float, unit: str, tolerance: float, where: str,
              sense: Sense = "near", remark: str = _LOST) -> Claim:  # fmt: skip
        return Claim(
            paper="P3", experiment="manoeuvres", key=key, published=published, unit=unit,
            tolerance=tolerance, where=where, mark="R", sense=sense, remark=remark,
        )  # fmt: skip

    return [
        claim("frequency after a step along", 1.0, "Hz", 0.25, "text on Fig 14"),
        claim("frequency after a step across", 0.3, "Hz", 0.1, "text on Fig 13"),
        claim("largest overshoot", 100.0, "%", 0.0, "text on Table 3", "at most"),
        claim("force at full slip", 34.42, "N", 0.35, "text, µ m g / 2", "near", _ROUNDED),
        claim("sliding force of a track", 34.42, "N", 0.02, "text, µ m g / 2", "near", _ROUNDED),
    ]


def _described() -> list[Claim]:
    return [
        Claim(
            paper="P3", experiment="manoeuvres", key=words, published=1.0, unit="yes/no",
            tolerance=0.0, where=where, mark="R", remark=_CLIPPED if "clips" in words else _LOST,
        )
        for words, where in DESCRIBED.items()
    ]  # fmt: skip


def _parameters() -> list[Claim]:
    return [
        Claim(
            paper="P3", experiment="identification", key=name, published=value,
            unit=_UNITS.get(name, "1"), tolerance=SPREAD[name], where="Tables 1 and 2, text",
            remark="recovered from synthetic, noisy experiments",
        )
        for name, value in PRINTED.items()
    ]  # fmt: skip


def _errors() -> list[Claim]:
    units = {"x": "m", "y": "m", "dx/dt": "m/s", "dy/dt": "m/s", "psi": "deg", "omega": "rad/s"}
    return [
        Claim(
            paper="P3", experiment="manoeuvres", key=f"{statistic} error of {state}, {name}",
            published=value, unit=units[state], tolerance=0.0, where="Table 4",
            incomparable=_NO_ROBOT,
        )
        for (state, statistic), row in printed_statistics().items()
        for name, value in row.items()
    ]  # fmt: skip


P3 = Paper(
    name="P3", title="Dean & Brennan 2008, planar dynamics of the Tankbot",
    experiments=EXPERIMENTS, make_claims=make_claims,
    highlights=(
        "frequency after a step along", "frequency after a step across", "C_alpha",
        "force at full slip",
    ),
)  # fmt: skip
"""The paper."""

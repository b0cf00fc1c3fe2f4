"""What P1 claims, and which experiment answers: a drive through all scenarios per model."""

from functools import partial

from grouser.papers.claim import Claim
from grouser.papers.experiment import Experiment, Findings
from grouser.papers.p1.contest import Contest, Outcome
from grouser.papers.p1.entrant import ENTRANTS
from grouser.papers.p1.published import table_1, table_2
from grouser.papers.p1.tables import CPU_TIME, UNITS, make_table_1, make_table_2
from grouser.papers.paper import Paper

ROUNDING = 0.05
"""Half of P1's last printed digit."""
SLOW = ("plates10", "plates2", "plates10g", "plates2g")
"""Models that take minutes, or hours."""
_REFERENCE = "sums are against recordings of the real robot, which are not published"
_COMPUTER = "processor time of another computer; whether it is real time is compared instead"
_TUNED = "P1's searched parameters are not published; ours are the start of its search"
_REASONS = {
    ("Straight", "plates"): "our plates are driven by a sprocket that keeps its speed",
    ("Rotate", "wheels"): "our belts keep the commanded speeds while they skid",
    ("Rotate", "plates"): _TUNED,
    ("Stand on st.", "wheels"): "our motors hold, and friction does not creep",
    ("Stand on st.", "plates"): "our motors hold, and friction does not creep",
    ("Back&forth", "plates"): "our plates are driven by a sprocket that keeps its speed",
}
_WORDS = {
    "Plausibility on rough terrain": "what counts as plausible is not printed; see docs/models.md",
    "Deformable tracks": "our plates hang on rigid sprockets and a rigid guide",
}


def drive_scenarios(name: str) -> Findings:
    """Return Table I's column and Table II's answers for one of P1's models, from one run."""
    outcomes: list[Outcome] = list(Contest(entrants=(ENTRANTS[name],), runs=1).outcomes())
    values = {
        f"{row.scenario} {row.metric}, {name}": row.ours[name].mean
        for row in make_table_1(outcomes)
    }
    values |= {f"{words}, {name}": float(ours[name]) for words, ours, _ in make_table_2(outcomes)}
    return Findings(values=values)


def make_claims() -> tuple[Claim, ...]:
    """Return all claims of P1."""
    return (*_measured(), *_properties())


def _measured() -> list[Claim]:
    claims = []
    for (scenario, metric), cells in table_1().items():
        for name, cell in cells.items():
            family = ENTRANTS[name].family
            hidden = _REFERENCE if metric.startswith("sum") else ""
            claim = Claim(
                paper="P1", experiment=name, key=f"{scenario} {metric}, {name}",
                published=cell.mean, unit=UNITS[metric], where="Table I",
                tolerance=ROUNDING + 2.0 * cell.spread,
                remark=_REASONS.get((scenario, family), _TUNED),
                incomparable=_COMPUTER if (scenario, metric) == CPU_TIME else hidden,
            )  # fmt: skip
            claims.append(claim)
    return claims


def _properties() -> list[Claim]:
    return [
        Claim(
            paper="P1", experiment=name, key=f"{words}, {name}",
            published=float(families[entrant.family]), unit="yes/no", tolerance=0.0,
            where="Table II", remark=_WORDS.get(words, ""),
        )
        for words, families in table_2().items()
        for name, entrant in ENTRANTS.items()
    ]  # fmt: skip


P1 = Paper(
    name="P1", title="Pecka et al. 2017, contact surface motion and its rivals",
    experiments=tuple(
        Experiment(
            paper="P1", name=name, title=f"{name} in eight scenarios",
            run=partial(drive_scenarios, name), is_quick=name not in SLOW,
        )
        for name in ENTRANTS
    ),
    make_claims=make_claims,
)  # fmt: skip
"""The paper."""

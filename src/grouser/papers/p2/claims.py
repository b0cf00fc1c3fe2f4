"""What P2 claims, and which experiment answers."""

from grouser.papers.claim import Claim, Mark
from grouser.papers.experiment import Experiment
from grouser.papers.p2.experiments import fit_runs, predict_radii, process_run_13
from grouser.papers.p2.printed import read_columns, read_quantities
from grouser.papers.paper import Paper

EXPERIMENTS = (
    Experiment(paper="P2", name="run-13", title="slippage of run 13", run=process_run_13),
    Experiment(paper="P2", name="fits", title="fits over 25 runs", run=fit_runs),
    Experiment(paper="P2", name="radii", title="radii from wheel speeds", run=predict_radii),
)
"""What is run for P2."""
_RUN_11 = "run 11's printed ratios, width and speed differences contradict each other by 3 %"
_EXCHANGED = "P2 exchanges two of the four printed statistics of its fits"
_WITHOUT_RUN_1 = "comes out when run 1 alone is left out, not runs 1 to 3 as the text says"
_LARGEST = "P2's text takes the largest positive error; its Table 6 has -23.6 % at 88.3 m"
_SOLVED = "wheel speeds are not printed: solved out of Table 5, whose ratios have four digits"


def make_claims() -> tuple[Claim, ...]:
    """Return all claims of P2."""
    return (*_run_13(), *_fits(), *_radii())


def _claim(
    experiment: str, key: str, published: float, unit: str, tolerance: float, where: str,
    remark: str = "", mark: Mark = "T",
) -> Claim:  # fmt: skip
    return Claim(
        paper="P2", experiment=experiment, key=key, published=published, unit=unit,
        tolerance=tolerance, where=where, remark=remark, mark=mark,
    )  # fmt: skip


def _run_13() -> list[Claim]:
    ratios = {"o1": 1.026, "o2": 1.0269, "i1": 1.0175, "i2": 0.9911}
    table_4 = read_quantities("table4.csv")
    return [
        *(_claim("run-13", f"sl_{wheel} of run 13", ratio, "1", 1e-4, "Table 5, run 13")
          for wheel, ratio in ratios.items()),
        *(_claim("run-13", f"R_{wheel} of run 13", table_4[f"R_{wheel}"], "m", 1e-4, "Table 4")
          for wheel in ratios),
        _claim("run-13", "Ev_a of run 13", 0.3356, "m/s", 1e-4, "Table 5, run 13"),
        _claim("run-13", "Ev_t of run 13", 0.1994, "m/s", 1e-4, "Table 3"),
        _claim("run-13", "R01 of run 13 from its paths", 31.527, "m", 2e-3, "Table 6"),
    ]  # fmt: skip


def _fits() -> list[Claim]:
    return [
        _claim("fits", "slope of eq 19", 0.526, "1", 5e-4, "eq 19", _WITHOUT_RUN_1),
        _claim("fits", "intercept of eq 19", 0.02761, "m/s", 5e-6, "eq 19", _WITHOUT_RUN_1),
        _claim("fits", "R² of eq 19", 0.9903, "1", 5e-5, "text below eq 19"),
        _claim("fits", "rmse of eq 19", 0.9692, "m/s", 5e-5, "text below eq 19", _EXCHANGED),
        _claim("fits", "coefficient of eq 20", 6.39, "m", 0.01, "eq 20", _WITHOUT_RUN_1),
        _claim("fits", "exponent of eq 20", -1.004, "1", 1e-3, "eq 20", _WITHOUT_RUN_1),
        _claim("fits", "R² of eq 20", 0.9903, "1", 5e-5, "text below eq 20", _EXCHANGED),
        _claim("fits", "rmse of eq 20", 5.723, "m", 5e-4, "text below eq 20"),
    ]


def _radii() -> list[Claim]:
    table_5, table_6 = read_columns("table5.csv"), read_columns("table6.csv")
    number_of = dict(zip(table_5["R0_m"], table_5["no"], strict=True))
    claims = [
        _claim("radii", "runs of Table 6", 19.0, "1", 0.0, "text: |B_c − B| ≤ 0.1 m"),
        _claim("radii", "mean error of R01", 4.0333, "%", 0.2, "text", _SOLVED),
        _claim("radii", "largest error of R01", 6.7155, "%", 0.4, "text", _RUN_11),
        _claim("radii", "mean error of R02", 11.0461, "%", 1e-3, "text"),
        _claim("radii", "largest error of R02", 17.5149, "%", 1e-3, "text", _LARGEST),
    ]
    for row, radius in enumerate(table_6["R0_m"]):
        number = int(number_of[radius])
        first, second = float(table_6["R01_m"][row]), float(table_6["R02_m"][row])
        remark = _RUN_11 if number == 11 else _SOLVED
        claims += [
            _claim("radii", f"R01 of run {number}", first, "m", 0.006 * first, "Table 6", remark),
            _claim("radii", f"R02 of run {number}", second, "m", 1e-4, "Table 6"),
        ]
    return claims


P2 = Paper(
    name="P2", title="Zhou et al. 2022, slippage of a large skid-steered vehicle",
    experiments=EXPERIMENTS, make_claims=make_claims,
)  # fmt: skip
"""The paper."""

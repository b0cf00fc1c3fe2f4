"""Claims of P2, and the experiments that they are compared with."""

from grouser.papers.p2.evidence import CONCLUSIONS, make_evidence
from grouser.papers.p2.experiments import (
    fit_runs,
    predict_radii,
    process_run_13,
    rebuild_run_13,
    summarise_ratios,
)
from grouser.papers.p2.tables import read_columns, read_quantities
from grouser.papers.p2.turns import (
    explain_intercept,
    predict_out_of_sample,
    share_torque,
    simulate_all,
    vary_settings,
)
from grouser.papers.paper import Claim, Experiment, Kind, Origin, Paper

EXPERIMENTS = (
    Experiment(paper="P2", name="run-13", title="slippage of run 13", run=process_run_13),
    Experiment(paper="P2", name="rebuilt", title="run 13 rebuilt", run=rebuild_run_13),
    Experiment(paper="P2", name="fits", title="fits over 25 runs", run=fit_runs),
    Experiment(paper="P2", name="ratios", title="scatter of ratios", run=summarise_ratios),
    Experiment(paper="P2", name="radii", title="radii from wheel speeds", run=predict_radii),
    # On level ground without soil a heavier vehicle turns as the lighter one does.
    Experiment(paper="P2", name="simulated", title="26 turns simulated", run=simulate_all,
               depends_on=("friction", "seed"), seconds=5.0),
    Experiment(paper="P2", name="left-out", title="radii of runs left out of the fits",
               run=predict_out_of_sample, depends_on=("seed",)),
    Experiment(paper="P2", name="shared-torque", title="wheels that share their side's torque",
               run=share_torque, depends_on=("friction", "seed"), seconds=2.0),
    Experiment(paper="P2", name="bias", title="a bias between left and right",
               run=explain_intercept, depends_on=("friction", "seed"), seconds=4.0),
    Experiment(paper="P2", name="sensitivity", title="other frictions and moduli",
               run=vary_settings, depends_on=("friction",), seconds=10.0, is_quick=False),
)  # fmt: skip
"""The experiments of P2."""
_RUN_11 = "run 11's printed ratios, width and speed differences contradict each other by 3 %"
_EXCHANGED = "P2 exchanges two of the four printed statistics of its fits"
_WITHOUT_RUN_1 = "comes out when run 1 alone is left out, not runs 1 to 3 as the text says"
_LARGEST = "P2's text takes the largest positive error; its Table 6 has -23.6 % at 88.3 m"
_SOLVED = "wheel speeds are not printed: solved out of Table 5, whose ratios have four digits"
_DURATION = "the duration of the turn is not printed; 6.62 s gives all printed speeds"
_OUTER = "runs 9 and 10 of P2's own Table 5 have 0.0072 and 0.0097"
_SWAPPED = "53.4154 m, two digits of 53.5145 m exchanged, gives the printed difference"
_NARROW = "the printed paths and speeds of both sides fit a width of 1.396 m, not B = 1.45 m"
_RECORDINGS = "wheel speeds of the recordings behind it are not published"


def make_claims() -> tuple[Claim, ...]:
    """Return all claims of P2."""
    return (
        *_run_13(),
        *_rebuilt(),
        *_ratios(),
        *_fits(),
        *_radii(),
        *_recorded(),
        *make_evidence(),
    )


def _claim(
    experiment: str, key: str, published: float, unit: str, tolerance: float, where: str,
    remark: str = "", mark: Origin = "T",
) -> Claim:  # fmt: skip
    return Claim(
        paper="P2", experiment=experiment, key=key, published=published, unit=unit,
        tolerance=tolerance, where=where, remark=remark, mark=mark, kind=Kind.RECOMPUTED,
    )  # fmt: skip


def _run_13() -> list[Claim]:
    ratios = {"o1": 1.026, "o2": 1.0269, "i1": 1.0175, "i2": 0.9911}
    table_3, table_4 = read_quantities("table3.csv"), read_quantities("table4.csv")
    sides = {"outside": table_3["Vbar_xo_t"], "inside": table_3["Vbar_xi_t"]}
    return [
        *(_claim("run-13", f"sl_{wheel} of run 13", ratio, "1", 1e-4, "Table 5, run 13")
          for wheel, ratio in ratios.items()),
        *(_claim("run-13", f"R_{wheel} of run 13", table_4[f"R_{wheel}"], "m", 1e-4, "Table 4")
          for wheel in ratios),
        _claim("run-13", "largest difference of front and rear radii", 0.025, "m", 5e-4,
               "text below Table 4"),
        *(_claim("run-13", f"mean speed of {wheel}, run 13", table_3[f"Vbar_x{wheel}"], "m/s",
                 1e-4, "Table 3", _DURATION, "R")
          for wheel in ratios if f"Vbar_x{wheel}" in table_3),
        *(_claim("run-13", f"mean speed {side} by path, run 13", speed, "m/s", 1e-4, "Table 3",
                 _DURATION, "R")
          for side, speed in sides.items()),
        _claim("run-13", "Ev_a of run 13", 0.3356, "m/s", 1e-4, "Table 5, run 13"),
        _claim("run-13", "Ev_t of run 13", 0.1994, "m/s", 1e-4, "Table 3"),
        _claim("run-13", "R01 of run 13 from its paths", 31.527, "m", 2e-3, "Table 6"),
    ]  # fmt: skip


def _rebuilt() -> list[Claim]:
    table_3, table_4 = read_quantities("table3.csv"), read_quantities("table4.csv")
    paths = {f"L_x{wheel}": table_3[f"L_x{wheel}"] for wheel in ("o1", "o2", "i1", "i2")}
    return [
        _claim("rebuilt", "R_0 of run 13, rebuilt", table_3["R_0"], "m", 1e-4, "Table 3"),
        _claim("rebuilt", "D of run 13 by eq 8", table_4["D"], "m", 1e-4, "Table 4"),
        _claim("rebuilt", "D of run 13, rebuilt", table_4["D"], "m", 1e-4, "Table 4"),
        *(_claim("rebuilt", f"{name} of run 13, rebuilt", path, "m", 1e-4, "Table 3", _NARROW)
          for name, path in paths.items()),
        *(_claim("rebuilt", f"{name} of run 13 by its angle", value, "m", 1e-4, "Table 4")
          for name, value in table_4.items() if name.startswith("R_")),
        _claim("rebuilt", "Ev_t of run 13 by eq 6", 0.1994, "m/s", 1e-4, "Table 3", _NARROW),
    ]  # fmt: skip


def _ratios() -> list[Claim]:
    spread = {"o1": 0.0228, "o2": 0.0238, "i1": 0.0522, "i2": 0.0291}
    text = "text on Table 5"
    return [
        *(_claim("ratios", f"spread of sl_{wheel}, runs 4 to 26", value, "1", 1e-4, text)
          for wheel, value in spread.items()),
        _claim("ratios", "largest difference of sl_o1 and sl_o2", 0.0036, "1", 1e-4, text, _OUTER),
        _claim("ratios", "largest difference of sl_i1 and sl_i2", 0.035, "1", 5e-4, text),
        _claim("ratios", "difference of path lengths", 0.1578, "m", 1e-4, "text on Fig 6",
               _SWAPPED),
        _claim("ratios", "relative difference of path lengths", 0.3, "%", 0.05, "text on Fig 6",
               _SWAPPED),
    ]  # fmt: skip


def _recorded() -> list[Claim]:
    widths = {
        "smallest apparent width, Fig 5a": 2.0376, "largest apparent width, Fig 5a": 2.2129,
        "smallest apparent width, Fig 5b": 1.9270, "largest apparent width, Fig 5b": 2.2259,
    }  # fmt: skip
    printed = [(key, value, "m", "Table 2") for key, value in widths.items()]
    table_5 = read_columns("table5.csv")
    columns = {"B_c": ("Bc_m", "m"), "path error": ("E_percent", "%")}
    for name, (column, unit) in columns.items():
        printed += [
            (f"{name} of run {int(number)}", float(value), unit, "Table 5")
            for number, value in zip(table_5["no"], table_5[column], strict=True)
        ]
    return [
        Claim(paper="P2", experiment="recordings", key=key, published=value, unit=unit,
              tolerance=0.0, where=where, incomparable=_RECORDINGS, kind=Kind.INCOMPARABLE)
        for key, value, unit, where in printed
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
            _claim("radii", f"Ev_t1 of run {number}", float(table_6["Ev_t1_mps"][row]), "m/s",
                   1e-4, "Table 6"),
            _claim("radii", f"error of R01 of run {number}", float(table_6["E_R01_percent"][row]),
                   "%", 0.65, "Table 6", remark),
            _claim("radii", f"error of R02 of run {number}", float(table_6["E_R02_percent"][row]),
                   "%", 1e-3, "Table 6"),
        ]  # fmt: skip
    return claims


P2 = Paper(
    name="P2", title="Zhou et al. 2022, slippage of a large skid-steered vehicle",
    experiments=EXPERIMENTS, make_claims=make_claims, conclusions=CONCLUSIONS,
)  # fmt: skip
"""The paper."""

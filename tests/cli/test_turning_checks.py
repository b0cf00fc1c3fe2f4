"""Every number that follows from P2's tables comes out of `grouser identify`.

A drive cannot hold all of Table 5 at once: R0, Ev_t and the wheels' mean speed contradict its
slippage ratios by up to 4 %. So one drive has the wheel speeds that Table 5 implies and another
those that its ratios imply; the table itself, with Table 3 in its row 13, holds both.
"""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grouser.description import load_robot
from grouser.laws.turning_experiment import DROPPED
from grouser.log import Column, Log, write_log
from grouser.papers.p2.ins import drive_table_5

ZHOU = Path(__file__).parents[1] / "data/zhou2022"
CHECKS = json.loads((ZHOU / "derived_checks.json").read_text())
WIDTH, TIME, SAMPLES = 1.45, 6.62, 100
SMALLER = "smallest_speed_difference_m_s = 0.02"
WHEELS = ("o1", "o2", "i1", "i2")
PLACES = {"o1": "rear-right", "o2": "front-right", "i1": "rear-left", "i2": "front-left"}
TABLE_5 = {
    "run": ("no", "1"), "radius": ("R0_m", "m"), "slippage.o1": ("sl_o1", "1"),
    "slippage.o2": ("sl_o2", "1"), "slippage.i1": ("sl_i1", "1"), "slippage.i2": ("sl_i2", "1"),
    "calculated_width": ("Bc_m", "m"), "true_difference": ("Ev_t_mps", "m/s"),
    "apparent_difference": ("Ev_a_mps", "m/s"),
}  # fmt: skip


def rows(name: str) -> list[dict[str, str]]:
    with (ZHOU / name).open() as file:
        return list(csv.DictReader(file))


RUNS = {
    name: np.array([float(line[head]) for line in rows("table5.csv")])
    for name, (head, _) in TABLE_5.items()
}
PRINTED_3 = {line["quantity"]: float(line["value"] or "nan") for line in rows("table3.csv")}
D = float(rows("table4.csv")[0]["value_m"])
IN_TABLE_6 = [int(np.argmin(np.abs(RUNS["radius"] - float(r["R0_m"])))) for r in rows("table6.csv")]


def mean_speeds() -> np.ndarray:
    """Return mean wheel speeds: from R01 of Table 6, which needs them; else by eqs 17 and 18."""
    a = 0.5 * (RUNS["slippage.o1"] + RUNS["slippage.o2"])
    b = 0.5 * (1.0 / RUNS["slippage.i1"] + 1.0 / RUNS["slippage.i2"])
    inner = (RUNS["apparent_difference"] - a * RUNS["true_difference"]) / (a - b)
    speeds = 0.5 * (a * (inner + RUNS["true_difference"]) + b * inner)
    for row, line in zip(IN_TABLE_6, rows("table6.csv"), strict=True):
        true = 0.526 * float(line["Ev_a_mps"]) + 0.02761
        speeds[row] = float(line["R01_m"]) * true / WIDTH
    return speeds


def wheel_speeds() -> np.ndarray:
    """Return a row for each wheel, so that Ev_a and the mean speed of each run come out."""
    half = 0.5 * RUNS["apparent_difference"]
    outer, inner = mean_speeds() + half, mean_speeds() - half
    apart = 0.5 * (RUNS["slippage.o1"] - RUNS["slippage.o2"]) * outer
    askew = 0.5 * (1.0 / RUNS["slippage.i1"] - 1.0 / RUNS["slippage.i2"]) * inner
    return np.stack([outer + apart, outer - apart, inner + askew, inner - askew])


def speeds_of_ratios() -> np.ndarray:
    """Return a row for each wheel, so that eqs 16 and 17 give the ratios of Table 5."""
    rate = RUNS["true_difference"] / WIDTH
    outer, inner = (RUNS["radius"] + side * 0.5 * WIDTH for side in (1.0, -1.0))
    ratios = [RUNS[f"slippage.{wheel}"] for wheel in WHEELS]
    paths = [ratios[0] * outer, ratios[1] * outer, inner / ratios[2], inner / ratios[3]]
    return np.stack(paths) * rate


def write_drive(path: Path, wheels: np.ndarray, **changes: np.ndarray) -> None:
    """Write a drive of turns one after another: R0, B_c, Ev_t and D hold, and these wheel speeds.

    The heading grows with a power of the path, which eq 13 sees as B_c; before each turn, 2 s
    straight.
    """
    runs, dt, blocks = {**RUNS, **changes}, TIME / SAMPLES, []
    share = np.linspace(0.0, 1.0, SAMPLES + 1)
    for row, speeds in enumerate(wheels.T):
        power = WIDTH / runs["calculated_width"][row]
        turned = runs["true_difference"][row] * TIME / WIDTH
        middle = share[1 + DROPPED : share.size - DROPPED] ** (1.0 - power)
        u = runs["radius"][row] * turned / (middle.mean() * TIME)
        rate = np.diff(turned * share**power, prepend=0.0) / dt
        straight = np.tile([[u], [0.0], [0.0], *([[u]] * 4)], 30)
        same = np.ones(share.size)
        # D is the mean of -R v / u, R the way over the heading so far.
        radius = u * TIME / turned * np.maximum(share, 1e-9) ** (1.0 - power)
        turn = [u * same, -D * u / radius, rate, *(speed * same for speed in speeds)]
        blocks += [straight, np.stack(turn)]
    table = np.concatenate(blocks, axis=1)
    names = {"vx": "m/s", "vy": "m/s", "yaw_rate": "rad/s"}
    names |= {f"belt_speed.{PLACES[wheel]}": "m/s" for wheel in WHEELS}
    columns = {name: Column(table[k], unit) for k, (name, unit) in enumerate(names.items())}
    time = Column(dt * np.arange(table.shape[1]), "s")
    write_log(Log({"time": time, **columns}), path)


def write_table(path: Path) -> None:
    """Write Table 5, with what Tables 3 and 4 say of run 13 in its row."""
    columns = {name: Column(RUNS[name], unit) for name, (_, unit) in TABLE_5.items()}
    of_13 = {f"rolled_length.{w}": (PRINTED_3[f"L_x{w}"], "m") for w in WHEELS}
    of_13 |= {"standard_length.outer": (PRINTED_3["L_xo_t"], "m")}
    of_13 |= {"standard_length.inner": (PRINTED_3["L_xi_t"], "m")}
    of_13 |= {"duration": (round(PRINTED_3["L_xo_t"] / PRINTED_3["Vbar_xo_t"], 4), "s")}
    of_13 |= {"offset_ahead": (D, "m")}
    for name, (value, unit) in of_13.items():
        columns[name] = Column(np.where(RUNS["run"] == 13, value, np.nan), unit)
    columns["mean_wheel_speed"] = Column(mean_speeds(), "m/s")
    write_log(Log(columns), path)


Found = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    """Obey the public command on the table and on the drives; return what it exports."""
    from grouser.cli import main

    folder = tmp_path_factory.mktemp("p2")
    text = load_robot("zhou-ugv").text
    assert "smallest_speed_difference_m_s = 0.0395" in text
    # By its ratios, run 26 turns with less than its own printed difference.
    text = text.replace("smallest_speed_difference_m_s = 0.0395", SMALLER)
    (folder / "ugv.toml").write_text(text)
    write_table(folder / "table.csv")
    write_drive(folder / "drive.csv", wheel_speeds())
    write_drive(folder / "ratios.csv", speeds_of_ratios())
    widths = np.array([[float(v) for v in list(r.values())[1:]] for r in rows("table2.csv")])
    # Two turns as Figure 5's, and two more, since P2's fits need three: rear wheels more apart.
    true, mean = RUNS["true_difference"][:4], 4.0
    apart = np.concatenate([widths, widths])[:, ::-1].T * true / WIDTH
    speeds = np.stack([mean + 0.5 * apart[0], mean + 0.5 * apart[1], mean - 0.5 * apart[0],
                       mean - 0.5 * apart[1]])  # fmt: skip
    write_drive(folder / "widths.csv", speeds, calculated_width=np.full(26, WIDTH))
    answers: Found = {}
    for name in ("table", "drive", "ratios", "widths"):
        line = f"identify {folder}/{name}.csv --robot {folder}/ugv.toml --family turning --json"
        for left_out in ("1", "1 2 3") if name != "widths" else ("",):
            key = f"{name} without {left_out}".removesuffix(" without ")
            option = f" --leave-out {left_out}" if left_out else ""
            answers[key] = _obey(main, line + option, folder / "found.json")
    return answers


def _obey(main: Callable[[list[str]], int], line: str, path: Path) -> dict[str, Any]:
    from contextlib import redirect_stdout

    with path.open("w") as file, redirect_stdout(file):
        assert main(line.split()) == 0
    content = json.loads(path.read_text())
    return content.get("turning", content)


ROUTES = ("table without 1", "drive without 1")


def check_fit_19(found: Found, key: str) -> None:
    expected = CHECKS[key]
    alone = key.endswith("only_experiment_1")
    for route in ROUTES if alone else ("table without 1 2 3", "drive without 1 2 3"):
        line = found[route]["eq_19"]
        assert line["slope"] == pytest.approx(expected["slope"], abs=1e-6)
        assert line["intercept"] == pytest.approx(expected["intercept_mps"], abs=1e-6)
        assert line["r2"] == pytest.approx(expected["r2"], abs=1e-6)
        if alone:
            assert line["rmse"] == pytest.approx(expected["rmse_n_minus_2_mps"], abs=1e-7)
        as_printed = line["slope"] == pytest.approx(0.526, abs=5e-4)
        assert as_printed is expected["matches_printed_coefficients"]


def check_fit_20(found: Found, key: str) -> None:
    for route in ROUTES:
        law = found[route]["eq_20"]
        assert law["coefficient"] == pytest.approx(CHECKS[key]["coefficient"], abs=1e-5)
        assert law["exponent"] == pytest.approx(CHECKS[key]["exponent"], abs=1e-6)
        assert law["r2"] == pytest.approx(CHECKS[key]["r2"], abs=1e-6)
        assert law["rmse"] == pytest.approx(CHECKS[key]["rmse_n_minus_2_m"], abs=1e-5)


def check_statistics(found: Found, key: str) -> None:
    for route in ROUTES:
        for fit in ("eq19", "eq20"):
            ours = found[route][fit.replace("eq", "eq_")]
            assert ours["rmse"] == pytest.approx(CHECKS[key][fit]["rmse"], rel=2e-3)
            assert ours["r2"] == pytest.approx(CHECKS[key][fit]["r2"], abs=5e-5)


def check_table_6(found: Found, key: str) -> None:
    ours_of = {"Ev_t1": "predicted_difference", "R02": "by_power_law"}
    name = key.split("_equals")[0].removeprefix("table6_")
    head = {"Ev_t1": "Ev_t1_mps", "R02": "R02_m"}[name.removesuffix("_")]
    for route in ROUTES:
        lines = found[route]["table_6_of_file"]
        assert len(lines) == len(rows("table6.csv")) == 19
        for ours, theirs in zip(lines, rows("table6.csv"), strict=True):
            assert abs(ours[ours_of[name]] - float(theirs[head])) <= CHECKS[key] + 2e-6


def check_errors_of_radii(found: Found, key: str) -> None:
    how = "mean" if "mean" in key else "max"
    way = "model_error" if "R01" in key else "power_law_error"
    for route in ROUTES:
        ours = 100.0 * found[route]["table_6_of_file_errors"][f"{way}_{how}"]
        assert ours == pytest.approx(CHECKS[key], abs=2e-3)


def check_formula(found: Found, key: str) -> None:
    assert "B * ubar / Ev_t1" in CHECKS[key]
    for route in ROUTES:
        speeds = {t["number"]: t["mean_wheel_speed"] for t in found[route]["table_5"]}
        for line in found[route]["table_6_of_file"]:
            expected = WIDTH * speeds[line["number"]] / line["predicted_difference"]
            assert line["by_model"] == pytest.approx(expected, rel=1e-9)


def check_run_13(found: Found, key: str) -> None:
    ours = {"exp13_ubar_mps": ("mean_wheel_speed",), "exp13_V_xi2_mps": ("wheel_speeds", "i2"),
            "exp13_turn_time_s": ("duration",), "exp13_Ev_a_mps": ("apparent_difference",),
            "exp13_Ev_t_mps": ("true_difference",)}[key]  # fmt: skip
    # Four digits are printed; a drive made of Table 5 adds those of its ratios.
    for route, digits in zip(ROUTES, (5e-5, 3e-4), strict=True):
        value: Any = found[route]["tables_2_to_4"]["13"]
        for name in ours:
            value = value[name]
        assert value == pytest.approx(CHECKS[key], abs=digits)


def check_slippage_13(found: Found, key: str) -> None:
    of_table = found["table without 1"]["tables_2_to_4"]["13"]["slippage"]
    of_drive = found["ratios without 1"]["tables_2_to_4"]["13"]["slippage"]
    for wheel in WHEELS:
        assert of_table[wheel] == pytest.approx(CHECKS[key][f"sl_{wheel}"], abs=1e-6)
        assert of_drive[wheel] == pytest.approx(CHECKS[key][f"sl_{wheel}"], abs=5e-5)


def check_yaw_13(found: Found, key: str) -> None:
    ours = found["table without 1"]["tables_2_to_4"]["13"]["yaw_changes"]
    names = {"from_Bc": "by_width", "from_eq16_outer": "by_outer", "from_eq16_inner": "by_inner"}
    for theirs, name in names.items():
        assert ours[name] == pytest.approx(CHECKS[key][theirs], abs=1e-6)


def check_table_4(found: Found, key: str) -> None:
    for route in ROUTES:
        radii = found[route]["tables_2_to_4"]["13"]["wheel_radii"]
        for wheel in WHEELS:
            assert radii[wheel] == pytest.approx(CHECKS[key][f"R_{wheel}"], abs=1e-5)


def check_front_rear(found: Found, key: str) -> None:
    for route in ("table without 1 2 3", "ratios without 1 2 3"):
        for side in ("outer", "inner"):
            gap = found[route]["slippage"]["front_rear"][side]
            assert gap["value"] == pytest.approx(CHECKS[key][side], abs=1e-8)
            assert gap["run"] == CHECKS[key][f"{side}_experiment"]


def check_count(found: Found, key: str) -> None:
    _, _, wheel, side, _ = key.split("_")
    for route in ("table without 1", "ratios without 1"):
        assert found[route]["slippage"][f"{side}_1"][wheel] == CHECKS[key]


def check_widths(found: Found, key: str) -> None:
    for figure, run in (("fig5a", "1"), ("fig5b", "2")):
        ours = found["widths"]["tables_2_to_4"][run]["apparent_over_true_width"]
        assert ours[0] == pytest.approx(CHECKS[key][f"{figure}_min"], abs=1e-6)
        assert ours[1] == pytest.approx(CHECKS[key][f"{figure}_max"], abs=1e-6)


CHECK_OF = {
    "eq19_refit_dropping_only_experiment_1": check_fit_19,
    "eq19_refit_dropping_experiments_1_to_3": check_fit_19,
    "eq20_refit_dropping_only_experiment_1": check_fit_20,
    "statistics_as_intended": check_statistics,
    "table6_Ev_t1_equals_eq19_max_abs_dev_mps": check_table_6,
    "table6_R02_equals_eq20_of_unrounded_eq19_max_abs_dev_m": check_table_6,
    **{f"table6_{how}_abs_E_{way}_percent": check_errors_of_radii
       for how in ("mean", "max") for way in ("R01", "R02")},
    "R01_formula": check_formula,
    **{f"exp13_{name}": check_run_13
       for name in ("ubar_mps", "V_xi2_mps", "turn_time_s", "Ev_a_mps", "Ev_t_mps")},
    "exp13_slippage": check_slippage_13,
    "exp13_yaw_change_rad": check_yaw_13,
    "table4_radii_m": check_table_4,
    "max_front_rear_difference_exp4_to_26": check_front_rear,
    **{f"count_sl_{word}_1": check_count
       for word in ("i1_above", "i2_below", "o1_above", "o2_above")},
    "apparent_width_over_true_width": check_widths,
}  # fmt: skip


@pytest.mark.parametrize("key", [key for key in CHECKS if key != "note"])
def test_what_follows_from_the_tables_of_p2_comes_out(found: Found, key: str):
    CHECK_OF[key](found, key)


def test_a_drive_has_the_runs_of_table_5(found: Found):
    for route, kept in (("drive without 1", ("apparent_difference",)), ("ratios without 1", ())):
        for turn in found[route]["table_5"]:
            row = turn["number"] - 1
            for name in ("radius", "calculated_width", "true_difference", *kept):
                assert turn[name] == pytest.approx(RUNS[name][row], rel=1e-4 if row == 12 else 1e-3)


def write_ins_records(folder: Path) -> str:
    """Write noisy records of three of P2's turns, with standstill; return their names."""
    generator = np.random.default_rng(0)
    for drive in drive_table_5([2, 13, 20]):
        write_log(drive.to_log(generator), folder / f"run-{drive.number}.csv")
    return "run-2.csv run-13.csv run-20.csv"


def test_intervals_of_raw_records_are_printed_written_and_on_the_page(grouser, tmp_path):
    line = f"identify {write_ins_records(tmp_path)} --robot zhou-ugv --family turning"
    answer = grouser(f"{line} --report t.html")
    assert answer.code == 0, answer.err
    page = (tmp_path / "t.html").read_text()
    assert "95 % intervals of the turns" in answer.out
    assert "95 % intervals of the turns" in page
    assert "standstill" in page
    turns = json.loads(grouser(f"{line} --json").out)["turning"]["table_5"]
    assert [turn["number"] for turn in turns] == [1, 2, 3]
    assert [turn["noise_source"] for turn in turns] == ["standstill"] * 3
    for turn, run in zip(turns, (2, 13, 20), strict=True):
        low, high = turn["intervals"]["slippage.o1"]
        assert low < turn["slippage"]["o1"] < high
        assert abs(turn["slippage"]["o1"] - RUNS["slippage.o1"][run - 1]) < high - low


def test_the_tables_of_p2_are_made_only_if_their_family_is_named(grouser, tmp_path):
    answer = grouser(f"identify {write_ins_records(tmp_path)} --robot zhou-ugv --json")
    content = json.loads(answer.out)
    assert "turning" in content["fits"]
    assert "turning" not in content


def test_tables_for_people_and_a_page_hold_run_13(grouser, tmp_path):
    write_table(tmp_path / "t.csv")
    line = "identify t.csv --robot zhou-ugv --leave-out 1 --report t.html --export t.json"
    answer = grouser(line)
    assert answer.code == 0, answer.err
    page = (tmp_path / "t.html").read_text()
    plain = " ".join(answer.out.split())
    for words in ("6.6200", "4.3268", "0.9041", "0.9447", "0.9463", "31.4485",
                  "slippage ratios above 1: o1 26, o2 26, i1 16, i2 0"):  # fmt: skip
        assert words in page
        assert words in plain
    assert json.loads((tmp_path / "t.json").read_text())["eq_19"]["r2"] > 0.99
    refused = grouser("identify t.csv --robot zhou-ugv --leave-out 1 --export t.toml")
    assert refused.code == 2
    assert "end in .json" in refused.err

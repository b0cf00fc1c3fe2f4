"""`grouser identify`: from a log to parameters, a recommendation, and files for others."""

import csv
import json
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from grouser.description import load_robot
from grouser.log import Column, Log, read_log, write_log
from grouser.models import effective_width

ZHOU = Path(__file__).parents[1] / "data/zhou2022"
CHECKS = json.loads((ZHOU / "derived_checks.json").read_text())
TABLE_5 = {
    "run": ("no", "1"), "radius": ("R0_m", "m"), "slippage.o1": ("sl_o1", "1"),
    "slippage.o2": ("sl_o2", "1"), "slippage.i1": ("sl_i1", "1"), "slippage.i2": ("sl_i2", "1"),
    "calculated_width": ("Bc_m", "m"), "true_difference": ("Ev_t_mps", "m/s"),
    "apparent_difference": ("Ev_a_mps", "m/s"),
}  # fmt: skip


def rows(name: str) -> list[dict[str, str]]:
    with (ZHOU / name).open() as file:
        return list(csv.DictReader(file))


@pytest.fixture
def drive(tmp_path: Path) -> str:
    """Write what a camera and encoders saw of a TP100 whose slip is that of its file."""
    from grouser import Simulation, load_course, make_model
    from grouser.models import command_sides

    robot = load_robot("tp100")
    simulation = Simulation(make_model("slip"), robot, load_course("flat"), dt=0.02)
    generator = np.random.default_rng(1)
    while simulation.time < 60.0:
        left, right = generator.uniform(-0.1, 0.25, 2)
        if generator.random() < 0.3:
            left = right
        for _ in range(75):
            simulation.advance(command_sides(robot, left, right))
    log = simulation.log()
    noise = {"x": 0.002, "y": 0.002, "yaw": 0.005}
    seen = {
        n: Column(log[n] + generator.normal(0.0, s, len(log)), log.unit(n))
        for n, s in noise.items()
    }
    write_log(log.with_columns(seen), tmp_path / "drive.csv")
    return "drive.csv"


def test_it_finds_the_slip_recommends_a_family_and_says_so(grouser, drive):
    answer = grouser(f"identify {drive} --json")
    assert answer.code == 0, answer.err
    found = answer.json
    assert found["recommended"] == "slip"
    slip = found["fits"]["slip"]
    for name, true in (("slip_left", 0.1), ("slip_right", 0.1188), ("width", 0.2742)):
        one = slip["parameters"][name]
        assert one["low"] <= true <= one["high"]
        assert one["value"] == pytest.approx(true, rel=0.05)
    errors = {name: fit["hold_out"]["position_m"]["5 s"] for name, fit in found["fits"].items()}
    assert errors["slip"] < 0.005 < errors["ideal"]
    people = grouser(f"identify {drive} --family slip icr")
    assert "Recommended is slip" in people.out
    assert re.search(r"slip_right +0\.1", people.out)


def test_exports_can_be_read_by_those_they_are_for(grouser, drive, tmp_path):
    answer = grouser(f"identify {drive} --family slip --export r.toml r.yaml r.sdf r.json")
    assert answer.code == 0, answer.err
    text = (tmp_path / "r.toml").read_text()
    assert text.startswith("# Lengths, masses and slip of the TP100")  # comments stay
    robot = load_robot(tmp_path / "r.toml")
    assert robot.slip.right == pytest.approx(0.1188, abs=0.01)
    fit = json.loads((tmp_path / "r.json").read_text())
    width = fit["parameters"]["width"]["value"]
    assert effective_width(robot) == pytest.approx(width, rel=1e-4)
    assert "identified from a log" in tomllib.loads(text)["sources"]["slip.right"]
    yaml = (tmp_path / "r.yaml").read_text()
    multiplier = float(re.search(r"wheel_separation_multiplier: (\S+)", yaml)[1])
    assert multiplier == pytest.approx(width / 0.16, rel=1e-4)
    assert "left_wheel_radius_multiplier" in yaml
    sdf = (tmp_path / "r.sdf").read_text()
    efficiency = float(re.search(r"<steering_efficiency>(\S+)<", sdf)[1])
    slips = [fit["parameters"][f"slip_{side}"]["value"] for side in ("left", "right")]
    assert efficiency == pytest.approx((1.0 - np.mean(slips)) * 0.16 / width, rel=1e-4)


def test_the_page_holds_tables_figures_and_the_replay(grouser, drive, tmp_path):
    assert grouser(f"identify {drive} --family slip ideal --report fit.html").code == 0
    page = (tmp_path / "fit.html").read_text()
    for words in ("What to use", "Correlation, slip", "What is left of yaw", "3D replay",
                  "Error on data that no fit has seen"):  # fmt: skip
        assert words in page


def test_a_second_log_with_its_own_clock_may_hold_the_poses(grouser, drive, tmp_path):
    log = read_log(tmp_path / drive)
    rare = np.arange(0, len(log), 3)
    camera = {n: Column(log[n][rare], log.unit(n)) for n in ("x", "y", "yaw")}
    write_log(Log({"time": Column(log.time[rare] + 0.12, "s"), **camera}), tmp_path / "camera.csv")
    belts = {n: log.columns[n] for n in log if n.startswith("belt_speed.")}
    write_log(Log({"time": log.columns["time"], **belts}), tmp_path / "belts.csv")
    line = "identify belts.csv --poses camera.csv --robot tp100 --family slip --json"
    found = grouser(line).json["fits"]["slip"]["parameters"]
    assert found["time_offset"]["value"] == pytest.approx(0.12, abs=0.005)
    assert found["slip_left"]["value"] == pytest.approx(0.1, abs=0.01)


@pytest.fixture
def table_5(tmp_path: Path) -> str:
    """Write P2's Table 5 as a log; mean wheel speeds from R01 of Table 6, which needs them."""
    lines = rows("table5.csv")
    columns = {
        name: Column(np.array([float(line[head]) for line in lines]), unit)
        for name, (head, unit) in TABLE_5.items()
    }
    radius = columns["radius"].values
    speeds = np.full(len(lines), np.nan)
    for line in rows("table6.csv"):
        row = int(np.argmin(np.abs(radius - float(line["R0_m"]))))
        true = 0.526 * float(line["Ev_a_mps"]) + 0.02761
        speeds[row] = float(line["R01_m"]) * true / 1.45
    write_log(Log({**columns, "mean_wheel_speed": Column(speeds, "m/s")}), tmp_path / "t5.csv")
    return "t5.csv"


def test_p2_fits_and_tables_come_out(grouser, table_5):
    # P2 Tables 5 and 6, eqs 19 and 20; tests/data/zhou2022/derived_checks.json.
    line = f"identify {table_5} --robot zhou-ugv --family turning --json --leave-out"
    found = grouser(f"{line} 1").json
    eq19, eq20 = (CHECKS[f"eq{n}_refit_dropping_only_experiment_1"] for n in (19, 20))
    assert found["eq_19"]["slope"] == pytest.approx(eq19["slope"], abs=1e-6)
    assert found["eq_19"]["intercept"] == pytest.approx(eq19["intercept_mps"], abs=1e-6)
    assert found["eq_19"]["r2"] == pytest.approx(eq19["r2"], abs=1e-6)
    assert found["eq_19"]["rmse"] == pytest.approx(eq19["rmse_n_minus_2_mps"], abs=1e-7)
    assert found["eq_20"]["coefficient"] == pytest.approx(eq20["coefficient"], abs=1e-5)
    assert found["eq_20"]["exponent"] == pytest.approx(eq20["exponent"], abs=1e-6)
    assert found["eq_20"]["rmse"] == pytest.approx(eq20["rmse_n_minus_2_m"], abs=1e-5)
    others = CHECKS["eq19_refit_dropping_experiments_1_to_3"]
    assert grouser(f"{line} 1 2 3").json["eq_19"]["slope"] == pytest.approx(
        others["slope"], abs=1e-6
    )
    errors = found["table_6_of_file_errors"]
    for name, key in (("model_error", "E_R01"), ("power_law_error", "E_R02")):
        for how, word in (("mean", "mean"), ("max", "max")):
            printed = CHECKS[f"table6_{word}_abs_{key}_percent"]
            assert 100.0 * errors[f"{name}_{how}"] == pytest.approx(printed, abs=2e-3)


def test_p2_lines_of_table_6_and_slippage_come_out(grouser, table_5):
    line = f"identify {table_5} --robot zhou-ugv --family turning --leave-out 1 --json"
    found = grouser(line).json
    printed = rows("table6.csv")
    assert len(found["table_6_of_file"]) == len(printed) == 19
    for ours, theirs in zip(found["table_6_of_file"], printed, strict=True):
        largest = CHECKS["table6_Ev_t1_equals_eq19_max_abs_dev_mps"]
        assert abs(ours["predicted_difference"] - float(theirs["Ev_t1_mps"])) <= largest + 1e-6
        largest = CHECKS["table6_R02_equals_eq20_of_unrounded_eq19_max_abs_dev_m"]
        assert abs(ours["by_power_law"] - float(theirs["R02_m"])) <= largest + 2e-6
        assert 100.0 * ours["power_law_error"] == pytest.approx(
            float(theirs["E_R02_percent"]), abs=2e-4
        )
    above = found["slippage"]["above_1"]
    assert above["i1"] == CHECKS["count_sl_i1_above_1"]
    assert 26 - above["i2"] == CHECKS["count_sl_i2_below_1"]
    assert above["o1"] == CHECKS["count_sl_o1_above_1"]
    assert above["o2"] == CHECKS["count_sl_o2_above_1"]
    late = [turn for turn in found["table_5"] if turn["number"] >= 4]
    apart = CHECKS["max_front_rear_difference_exp4_to_26"]
    for side, (one, other) in {"outer": ("o1", "o2"), "inner": ("i1", "i2")}.items():
        gaps = [abs(t["slippage"][one] - t["slippage"][other]) for t in late]
        assert max(gaps) == pytest.approx(apart[side], abs=1e-9)
        assert late[int(np.argmax(gaps))]["number"] == apart[f"{side}_experiment"]
    (run_13,) = [turn for turn in found["table_5"] if turn["number"] == 13]
    assert run_13["mean_wheel_speed"] == pytest.approx(CHECKS["exp13_ubar_mps"], abs=2e-4)


def test_p2_procedure_finds_the_turns_in_a_drive(grouser, tmp_path):
    # Table 5 driven: for each run 4 s straight, then 6 s of a circle with its R0, Ev_t and Ev_a.
    width, dt, blocks = 1.45, 0.05, []
    for line in rows("table5.csv"):
        radius, true, apparent = (float(line[k]) for k in ("R0_m", "Ev_t_mps", "Ev_a_mps"))
        rate = true / width
        speed = rate * radius
        still = np.tile([[speed], [0.0], [speed], [speed]], round(4.0 / dt))
        turn = [[speed], [rate], [speed - 0.5 * apparent], [speed + 0.5 * apparent]]
        blocks += [still, np.tile(turn, round(6.0 / dt))]
    u, rate, left, right = np.concatenate(blocks, axis=1)
    columns = {"time": Column(dt * np.arange(u.size), "s"), "vx": Column(u, "m/s")}
    columns |= {"vy": Column(0.0 * u, "m/s"), "yaw_rate": Column(rate, "rad/s")}
    for name, speeds in {"left": left, "right": right}.items():
        for place in ("front", "rear"):
            columns[f"belt_speed.{place}-{name}"] = Column(speeds, "m/s")
    write_log(Log(columns), tmp_path / "turns.csv")
    line = "identify turns.csv --robot zhou-ugv --family turning --leave-out 1 --json"
    answer = grouser(line)
    assert answer.code == 0, answer.err
    tables = answer.json["turning"]
    runs = {turn["number"]: turn for turn in tables["table_5"]}
    for number, printed in zip(runs, rows("table5.csv"), strict=True):
        assert runs[number]["radius"] == pytest.approx(float(printed["R0_m"]), rel=1e-6)
        assert runs[number]["true_difference"] == pytest.approx(float(printed["Ev_t_mps"]))
        assert runs[number]["apparent_difference"] == pytest.approx(float(printed["Ev_a_mps"]))
    eq19, eq20 = (CHECKS[f"eq{n}_refit_dropping_only_experiment_1"] for n in (19, 20))
    assert tables["eq_19"]["slope"] == pytest.approx(eq19["slope"], abs=1e-6)
    assert tables["eq_20"]["exponent"] == pytest.approx(eq20["exponent"], abs=1e-6)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("identify", "have a log to learn from"),
        ("identify nothing.csv", "nothing.csv"),
        ("identify drive.csv --family slipp", "did you mean 'slip'"),
        ("identify drive.csv --export r.xml", "end in .toml, .yaml, .sdf or .json"),
        ("identify drive.csv --report r.png", "end in .html"),
        ("identify drive.csv --observe smell", "no kind of observation named 'smell'"),
        ("identify drive.csv --gauge 0", "be above 0 m"),
        ("identify drive.csv --family icr-varying --export r.toml", "export .json"),
    ],
)
def test_mistakes_are_told_in_one_sentence(grouser, drive, line, sentence):
    answer = grouser(line)
    assert answer.code == 2
    assert sentence in answer.err
    assert answer.err.count("\n") == 1


def test_a_log_without_robot_needs_a_gauge(grouser, drive, tmp_path):
    log = read_log(tmp_path / drive)
    write_log(Log(log.columns), tmp_path / "bare.csv")
    assert "--gauge" in grouser("identify bare.csv").err
    assert grouser("identify bare.csv --gauge 0.16 --family icr").code == 0


def test_a_table_of_steady_states_is_read_by_its_column_map(grouser, tmp_path):
    # A robot with centres at +-0.4 m, its belts over a grid, as slip speeds and drift angles.
    generator = np.random.default_rng(0)
    left, right = (v.ravel() for v in np.meshgrid(np.linspace(-60, 60, 9), np.linspace(-60, 60, 8)))
    belts = 0.005 * np.stack([left, right])
    rate = (belts[1] - belts[0]) / 0.8
    slips = belts - (belts.mean(axis=0) + np.array([[-0.3], [0.3]]) * rate)
    slips += generator.normal(0.0, 0.002, slips.shape)
    drift = np.arctan2(-0.05 * rate, belts.mean(axis=0))
    lines = [
        ",".join(f"{v:.6g}" for v in row) for row in zip(left, right, *slips, drift, strict=True)
    ]
    (tmp_path / "grid.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "grid.toml").write_text(
        'headings = ["l", "r", "sl", "sr", "a"]\nsteady = true\n[columns]\n'
        'belt_speed.left = {column = "l", unit = "m/s", scale = 0.005}\n'
        'belt_speed.right = {column = "r", unit = "m/s", scale = 0.005}\n'
        'slip_speed.left = {column = "sl", unit = "m/s"}\n'
        'slip_speed.right = {column = "sr", unit = "m/s"}\n'
        'sideslip = {column = "a", unit = "rad"}\n'
    )
    answer = grouser("identify grid.csv --map grid.toml --gauge 0.6 --json")
    assert answer.code == 0, answer.err
    assert answer.json["recommended"] == "icr"
    found = answer.json["fits"]["icr"]["parameters"]
    assert found["left_y"]["value"] == pytest.approx(0.4, abs=0.01)
    assert found["x"]["value"] == pytest.approx(0.05, abs=0.005)

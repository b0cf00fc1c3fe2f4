"""`grouser compare`, `plot` and `replay`: where runs part."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from grouser.description import load_robot
from grouser.log import Column, Log, read_log, write_log
from grouser.log.compare import find_bit_difference
from grouser.models import effective_width

TURN = "--course flat --drive constant:left=0.05,right=0.15 --duration 2.5"


def test_the_other_models_obey_the_belt_speeds_of_the_first(grouser, tmp_path):
    answer = grouser(f"compare {TURN} --models ideal icr slip --json")
    content = answer.json
    assert content["lead"] == "ideal"
    rows = {row["model"]: row for row in content["models"]}
    ideal, icr = rows["ideal"], rows["icr"]
    assert ideal["final_gap_m"] is None
    # The TP100 behaves 27.42 / 16 times as wide as it is (P0 Table 2), so it turns that much less.
    assert ideal["final_yaw_rad"] / icr["final_yaw_rad"] == pytest.approx(27.42 / 16.0, abs=5e-4)
    gap = math.hypot(icr["final_x_m"] - ideal["final_x_m"], icr["final_y_m"] - ideal["final_y_m"])
    assert icr["final_gap_m"] == pytest.approx(gap)
    times = [icr[f"diverged_by_{gap}_cm_at_s"] for gap in (1, 5, 10)]
    assert 0.0 < times[0] < times[1] <= 2.5
    assert times[2] is None
    commands = [
        read_log(tmp_path / row["log"])["belt_speed_commanded.left"] for row in rows.values()
    ]
    assert all((other == commands[0]).all() for other in commands)
    assert (tmp_path / content["plot"]).stat().st_size > 1000


def test_a_divergence_is_the_first_time_the_gap_is_larger(grouser, tmp_path):
    content = grouser(f"compare {TURN} --models ideal slip --plot a.svg --out logs --json").json
    lead, other = (read_log(tmp_path / "logs" / f"{name}.csv") for name in ("ideal", "slip"))
    gap = np.hypot(other["x"] - lead["x"], other["y"] - lead["y"])
    assert content["models"][1]["diverged_by_1_cm_at_s"] == lead.time[np.argmax(gap > 0.01)]
    assert content["models"][1]["largest_gap_m"] == pytest.approx(gap.max())


def test_a_comparison_is_printed_as_a_table(grouser):
    answer = grouser(f"compare {TURN} --models ideal slip --plot a.svg")
    assert answer.code == 0
    assert "ideal is driven, the others get its commands; gaps are to ideal" in answer.out
    row = next(line for line in answer.out.splitlines() if line.startswith("slip"))
    assert row.endswith(" never")
    assert re.search(r" 0\.1963 m +0\.0775 m +43\.8° ", row)
    assert "effective width" in answer.out
    assert "Final headings are from 43.8° (slip" in answer.out
    assert " rad" not in answer.out
    assert "logs: out/compare-tp100-flat" in answer.out
    assert "plot: a.svg" in answer.out


@pytest.fixture
def bare_robot(tmp_path):
    """A TP100 whose file states nothing of slip; the name of the file."""
    text = re.sub(r"^\[slip\].*?(?=^\[sensors)", "", load_robot("tp100").text, flags=re.M | re.S)
    (tmp_path / "bare.toml").write_text(re.sub(r'^"slip.*\n', "", text, flags=re.M))
    return "bare.toml"


def test_what_models_assume_of_a_robot_without_slip_is_told_with_why_they_turn_apart(
    grouser, bare_robot, tmp_path
):
    line = f"compare --robot {bare_robot} {TURN} --models ideal icr slip"
    answer = grouser(f"{line} --plot a.html")
    plain = " ".join(answer.out.split())
    width = effective_width(load_robot(tmp_path / bare_robot))
    basis = "computed, even loads and Coulomb friction"
    for words in (
        f"(icr: {width:.3g} m wide, {basis})",
        "(ideal: 0.16 m wide, gauge, as if nothing skidded)",
        "slip of the belts 0 slip.left, slip.right slip",
        f"distance of the centres of rotation {width:.4g} m, {basis}",
    ):
        assert words in plain
    page = (tmp_path / "a.html").read_text()
    assert "assumed, since not given" in page
    assert "slip.left, slip.right" in page
    rows = {row["model"]: row for row in grouser(f"{line} --overwrite --json").json["models"]}
    assert rows["ideal"]["assumptions"] == []
    assert rows["icr"]["turning_width_m"] == pytest.approx(width)
    keys = {key for found in rows["slip"]["assumptions"] for key in found["keys"]}
    assert {"slip.left", "slip.right", "slip.wheelbase"} <= keys


def test_a_run_and_a_sheet_tell_what_is_assumed(grouser, bare_robot):
    answer = grouser(f"run --robot {bare_robot} --model slip {TURN}")
    assert "assumed: slip of the belts: 0 (no slip.left, slip.right)" in answer.out
    found = grouser(f"show {bare_robot} --json").json["assumed"]
    models = {row["keys"][0]: row["models"] for row in found}
    assert models["slip.left"] == "slip, icr-slip, icr-drift, smooth"
    assert models["drive.motor"] == "tankbot"


def test_another_model_can_lead(grouser):
    answer = grouser(f"compare {TURN} --models ideal slip --lead icr --plot a.svg --json")
    assert [row["model"] for row in answer.json["models"]] == ["icr", "ideal", "slip"]


def test_in_a_closed_loop_each_model_has_its_own_driver(grouser, tmp_path):
    line = "compare --course behaviour-1-straight --duration 3 --models ideal slip --plot a.svg"
    open_loop = grouser(f"{line} --json").json["models"][1]
    closed = grouser(f"{line} --closed-loop --overwrite --json").json["models"][1]
    logs = [read_log(tmp_path / closed["log"].replace("slip", name)) for name in ("ideal", "slip")]
    commands = [log["belt_speed_commanded.left"] for log in logs]
    assert len(commands[0]) != len(commands[1]) or (commands[0] != commands[1]).any()
    assert abs(closed["final_y_m"]) < 0.01
    assert open_loop != closed


def test_parameters_make_a_different_model(grouser):
    answer = grouser(f"compare {TURN} --models slip slip:integration=euler --plot a.svg --json")
    assert 0.0 < answer.json["models"][1]["largest_gap_m"] < 0.01


def test_two_logs_are_compared(grouser):
    for model in ("ideal", "slip"):
        grouser(f"run {TURN} --model {model} --out {model}.csv")
    content = grouser("compare slip.csv ideal.csv --plot a.svg --json").json
    models = grouser(f"compare {TURN} --models ideal slip --plot b.svg --json").json["models"]
    assert content["position_error_max_m"] == pytest.approx(models[1]["largest_gap_m"])
    assert content["diverged_by_1_cm_at_s"] == models[1]["diverged_by_1_cm_at_s"]
    text = grouser("compare slip.csv ideal.csv").out
    assert text.startswith("slip against ideal\n")
    assert "\nmse" not in text
    assert re.search(r"yaw error final +42\.\d+°\n", text)
    row = next(line for line in text.splitlines() if line.startswith("diverged by 10 cm at"))
    assert row.split()[-1] == "never"


def test_a_foreign_log_is_the_reference_through_a_map_of_columns(grouser, tmp_path):
    grouser(f"run {TURN} --out a.csv")
    log = read_log(tmp_path / "a.csv")
    lines = ["t (ms);X (cm);Y (cm);heading"]
    for time, x, y, yaw in zip(log.time, log["x"], log["y"], log["yaw"], strict=True):
        lines.append(f"{1e3 * time};{1e2 * x};{1e2 * (y + 0.02)};{math.degrees(yaw)}")
    (tmp_path / "camera.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "map.toml").write_text(
        "[columns]\n"
        'time = {column = "t (ms)", unit = "ms"}\n'
        'x = {column = "X (cm)", unit = "cm"}\n'
        'y = {column = "Y (cm)", unit = "cm"}\n'
        'yaw = {column = "heading", unit = "deg"}\n'
    )
    content = grouser("compare a.csv camera.csv --map map.toml --json").json
    assert content["position_error_mean_m"] == pytest.approx(0.02)
    assert content["rmse_x_m"] == pytest.approx(0.0, abs=1e-9)
    assert content["yaw_error_max_rad"] == pytest.approx(0.0, abs=1e-9)


def test_a_replay_is_the_same_bit_for_bit(grouser):
    grouser("run --course behaviour-2 --duration 4 --seed 5 --out a.csv")
    answer = grouser("replay a.csv")
    assert answer.code == 0
    assert answer.out == "a.csv: the same, bit for bit, over 401 rows\n"
    assert grouser("replay a.csv --json").json["same"] is True


def test_a_replay_with_another_model_tells_where_it_parts(grouser, tmp_path):
    grouser(f"run {TURN} --model slip --out a.csv")
    answer = grouser("replay a.csv --model ideal --out b.csv")
    assert answer.code == 1
    assert answer.out.startswith("a.csv: diverges at 0.01 s, where x is ")
    assert read_log(tmp_path / "b.csv").provenance.model == "ideal"
    content = grouser("replay a.csv --model ideal --json").json
    assert content["same"] is False
    assert content["divergence"]["time"] == 0.01


def test_a_log_that_was_tampered_with_does_not_replay(grouser, tmp_path):
    grouser(f"run {TURN} --out a.csv")
    log = read_log(tmp_path / "a.csv")
    x = log["x"].copy()
    x[100] = np.nextafter(x[100], 1.0)
    write_log(log.with_columns({"x": Column(x, "m")}), tmp_path / "a.csv")
    answer = grouser("replay a.csv")
    assert answer.code == 1
    assert answer.out.startswith("a.csv: diverges at 1 s, where x is ")


def test_a_replay_that_differs_tells_whether_other_code_made_the_log(grouser, tmp_path):
    grouser(f"run {TURN} --out a.csv")
    log = read_log(tmp_path / "a.csv")
    ours = log.provenance.grouser_source
    assert re.fullmatch("[0-9a-f]{12}", ours)
    assert "made by" not in grouser("replay a.csv --model ideal").err  # the same code
    for source, words in (
        ("0123456789ab", "made by grouser 0.1.0, source 0123456789ab; this is grouser"),
        ("", "made by a version (0.1.0) that did not record its source"),
    ):
        other = replace(log.provenance, grouser_source=source, grouser_version="0.1.0")
        write_log(replace(log, provenance=other), tmp_path / "b.csv")
        same = grouser("replay b.csv")
        assert (same.code, same.err) == (0, "")
        answer = grouser("replay b.csv --model ideal")
        assert answer.code == 1
        assert words in answer.err
    content = grouser("replay b.csv --model ideal --json").json
    assert content["source"] == {"log": "", "here": ours}


def test_the_sign_of_zero_is_a_bit_and_so_is_a_missing_row():
    def log(*values: float) -> Log:
        times = 0.1 * np.arange(len(values))
        return Log({"time": Column(times, "s"), "x": Column(np.array(values), "m")})

    assert find_bit_difference(log(0.0, np.nan), log(0.0, np.nan)) is None
    parting = find_bit_difference(log(0.0, 0.0), log(0.0, -0.0))
    assert parting is not None
    assert (parting.time, parting.column) == (0.1, "x")
    shorter = find_bit_difference(log(0.0, 1.0), log(0.0))
    assert shorter is not None
    assert (shorter.time, shorter.column) == (0.1, "rows")


def test_logs_are_plotted_on_a_page_or_in_a_picture(grouser, tmp_path):
    grouser(f"run {TURN} --out a.csv")
    grouser(f"run {TURN} --model ideal --out b.csv")
    assert grouser("plot a.csv b.csv --out both.png").out == "plot: both.png\n"
    assert (tmp_path / "both.png").read_bytes().startswith(b"\x89PNG")
    assert grouser("plot a.csv").out == "plot: out/plot.html\n"
    assert (tmp_path / "out" / "plot.html").stat().st_size > 10_000
    assert grouser("plot a.csv a.csv --out twice.svg").code == 0


def test_a_replay_insists_on_the_tick_of_its_log(grouser):
    grouser("run --course flat --drive constant --duration 0.2 --dt 0.02 --out a.csv")
    answer = grouser("run --course flat --drive replay:log=a.csv --dt 0.01")
    assert answer.code == 2
    assert "--dt must be 0.02, the tick of the log to replay, not 0.01" in answer.err
    assert grouser("run --course flat --drive replay:log=a.csv").code == 0


def test_logs_with_different_commands_are_compared_with_a_warning(grouser):
    grouser(f"run {TURN} --model ideal --out a.csv")
    grouser(f"run {TURN} --model slip --out b.csv")
    grouser("run --course flat --drive constant:left=0.1,right=0.1 --duration 2.5 --out c.csv")
    alike, other = grouser("compare a.csv b.csv"), grouser("compare a.csv c.csv")
    assert alike.err == ""
    assert (alike.code, other.code) == (0, 0)
    assert other.err.startswith(
        "warning: the two logs have different commands: belt speeds differ by 0.0"
    )
    assert grouser("compare a.csv b.csv --json").json["commands_differ_by_m_s"] == 0.0
    assert grouser("compare a.csv c.csv --json").json["commands_differ_by_m_s"] > 0.04


def test_two_names_of_one_model_are_one_result(grouser, tmp_path):
    line = f"compare {TURN} --models csm segments wheels"
    answer = grouser(f"{line} --plot a.html --out-dir logs")
    said = "tp100 has no grousers: segments computes the same as csm"
    assert answer.code == 0, answer.err
    assert said in answer.out
    assert said in (tmp_path / "a.html").read_text()
    assert sorted(file.name for file in (tmp_path / "logs").iterdir()) == ["csm.csv", "wheels.csv"]
    content = grouser(f"{line} --plot b.html --out-dir more --json").json
    assert [row["model"] for row in content["models"]] == ["csm", "wheels"]
    assert content["repeated"] == {"segments": said}


def test_a_run_says_that_another_model_computes_the_same(grouser):
    line = "run --robot tp100 --course flat --drive constant --duration 0.1 --overwrite --model"
    said = "tp100 has no grousers: segments computes the same as csm"
    assert said in grouser(f"{line} segments").out
    assert "the same as" not in grouser(f"{line} csm").out
    assert grouser(f"{line} segments --json").json["same_as_another_model"] == said


def test_a_page_has_no_tables_of_the_log_as_words(grouser, tmp_path):
    """The notes of a run with sensors were 14 lines of Python."""
    grouser(f"run {TURN} --out a.csv")
    assert grouser("plot a.csv --out a.html").code == 0
    body = (tmp_path / "a.html").read_text().rpartition("</script>\n</head>")[2]
    provenance = body.partition("<h2>Provenance</h2>")[2].partition("</section>")[0]
    assert "start (x = 0, y = 0, z = 0, roll = 0, pitch = 0, yaw = 0)" in provenance
    assert "{" not in provenance
    assert "messages" not in provenance

"""`film`, `track`, `fuse` and `run --observe`."""

import pytest

from grouser.description import load_rig
from grouser.drawing.markers import read_times
from grouser.log import read_log
from tests.needs_opengl import needs_opengl

SMALL = (("[1920, 1080]", "[960, 540]"), ("1700.0", "850.0"), ("rate_hz = 30.0", "rate_hz = 4.0"))


@pytest.fixture
def rig_file(tmp_path) -> str:
    text = load_rig("tp100-overhead").text
    for old, new in SMALL:
        assert old in text
        text = text.replace(old, new)
    # Half the pixels need markers and lines of twice the size.
    text = text.replace("line_m = 0.004", "line_m = 0.006")
    for number in (10, 11, 72, 73):
        text = text.replace(f"id = {number}\n", f"id = {number}\nside_m = 0.06\nmargin_m = 0.008\n")
    text = text.replace("0.060, 0.0,", "0.045, 0.0,").replace("89, 0.052", "98, 0.062")
    (tmp_path / "rig.toml").write_text(text)
    return "rig.toml"


@needs_opengl
def test_a_drive_is_filmed_and_tracked_and_its_slip_found(grouser, rig_file):
    answer = grouser(
        f"film --drive constant:speed=0.1 --duration 3 --no-smooth --rig {rig_file} --out f.mp4"
    )
    assert answer.code == 0, answer.err
    assert answer.out == "log: f.csv\nfilm: f.mp4\ntimes and rig: f.times.csv\n"
    times, rig = read_times("f.mp4")
    assert times is not None
    assert len(times) == 13
    # The floor lies in the middle of the area of the course.
    assert rig is not None
    assert rig.floor.centre == pytest.approx((0.4, 0.2))
    answer = grouser("track f.mp4 --log f.csv --out t.csv --json")
    assert answer.code == 0, answer.err
    assert answer.json["pictures_with_the_robot"] == 13
    assert answer.json["position_error_max_mm"] < 10.0
    assert answer.json["slip_left"]["value"] == pytest.approx(0.1, abs=0.03)
    track = read_log("t.csv")
    assert track.provenance.notes["film"] == "f.mp4"
    assert grouser("film f.csv --out f.mp4 --rig nope").code == 2
    answer = grouser("fuse f.csv --camera t.csv --json")
    assert answer.code == 0, answer.err
    assert answer.json["sightings"] == 13
    assert answer.json["position_error_rms_mm"] < 3.0
    slip = answer.json["states"]["slip_left"]
    assert abs(slip["value"] - 0.1) < 3.0 * slip["deviation"] < 0.1
    assert "fused.slip_left_deviation" in read_log("f-fused.csv")
    foreign = grouser("fuse t.csv --camera t.csv")
    assert foreign.code == 2
    assert "the log does not contain its robot; name one (--robot NAME)" in foreign.err


def test_a_run_can_be_observed(grouser):
    line = (
        "run --course flat --drive constant:speed=0.1 --duration 2 --out r.csv --overwrite "
        "--observe ekf"
    )
    answer = grouser(line)
    assert answer.code == 0, answer.err
    assert "gyro bias" in answer.out
    log = read_log("r.csv")
    assert log["fused.x"][-1] == pytest.approx(log["x"][-1], abs=0.002)
    assert grouser("replay r.csv").code == 0
    blind = grouser(line.replace("ekf", "ekf:camera=no"))
    assert blind.code == 0
    sure, unsure = (log["fused.x_deviation"][-1], read_log("r.csv")["fused.x_deviation"][-1])
    assert unsure > 10.0 * sure


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("film --out a.avi", "--out must end in .mp4, or be a folder, not 'a.avi'"),
        ("film --pixel-noise 500", "--pixel-noise must be from 0 to 128, not 500.0"),
        ("film nothing.csv", "nothing.csv: there is no such file"),
        ("track nothing.mp4", "nothing.mp4: there is no such file; give a video file, a folder"),
        ("track nothing.mp4 --noise -1", "--noise must be zero or more pixels"),
        ("track nothing.mp4 --timeout 0", "--timeout must be a positive number"),
        ("track nothing.mp4 --out a.txt", "--out must end in .csv, .parquet or .mcap"),
        ("track nothing.mp4 --rig none", "no rig named 'none'; available: tp100-overhead"),
        ("run --observe kalman", "no observer named 'kalman'; available: ekf"),
        (
            "run --observe ekf:colour=1",
            "no key of observer 'ekf' named 'colour'",
        ),
        ("run --observe ekf:camera=maybe", "ekf:camera must be yes or no, not 'maybe'"),
        ("fuse a.csv --camera b.csv", "a.csv: there is no such file"),
        ("fuse a.csv --camera b.csv --latency -1", "--latency must be zero or more seconds"),
        ("fuse a.csv --camera b.csv --out c.txt", "--out must end in .csv, .parquet or .mcap"),
        ("track camera:front", "camera must be a whole number, as in camera:0, not 'front'"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(grouser, line, sentence):
    answer = grouser(line)
    assert answer.code == 2
    assert sentence in answer.err
    assert answer.err.count("\n") == 1

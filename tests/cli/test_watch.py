"""`grouser watch`, from the outside."""

from pathlib import Path

import pytest

DRIVE = "run --robot tp100 --course flat --model icr --driver constant:speed=0.1,yaw_rate=0.4"
WATCH = "watch a.csv --no-open --port 0 --timeout 1 --factor 20"


@pytest.fixture
def log(grouser) -> None:
    assert grouser(f"{DRIVE} --duration 3 --out a.csv").code == 0


def test_a_log_is_played_and_the_ghosts_that_diverge_are_named(grouser, log):
    answer = grouser(f"{WATCH} --ghosts icr ideal --distance 0.03 --json")
    assert answer.code == 0
    assert "watch at: http://127.0.0.1:" in answer.err
    assert "read only: nothing is sent to the robot" in answer.err
    assert "ideal diverged at " in answer.err
    assert "icr diverged at " not in answer.err
    found = answer.json
    assert found["duration_s"] == pytest.approx(3.0)
    assert found["measurements"] == {"accepted": 301, "rejected": 0, "lost": 0}
    assert found["ghosts"]["icr"]["diverged_at_s"] is None
    assert 0.0 < found["ghosts"]["ideal"]["diverged_at_s"] < 3.0


def test_without_ghosts_those_are_shown_that_can_drive_the_course(grouser, log):
    answer = grouser(f"{WATCH} --course slope")
    assert answer.code == 0
    assert [line.split()[0] for line in answer.out.splitlines()[3:7]] == [
        "ideal", "slip", "icr", "csm",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--ghosts magic", "magic"),
        ("--ghosts icr --course staircase", "csm"),
        ("--ghosts ideal slip icr csm turning", "at most 4"),
        ("--distance 0", "--distance must be a positive number"),
        ("--heading nan", "--heading must be a positive number"),
        ("--driver follow", "--driver must not be given: the robot outside drives"),
        ("--model csm", "--model must not be given"),
    ],
)
def test_what_cannot_be_is_one_sentence_and_exit_code_2(grouser, log, words, said):
    answer = grouser(f"{WATCH} {words}")
    assert answer.code == 2
    assert said in answer.err


def test_a_log_that_is_none_and_topics_that_are_none_are_sentences(grouser, log):
    assert "nothing.csv" in grouser("watch nothing.csv --no-open").err
    told = grouser("watch ros --no-open --pose-type gps")
    assert told.code == 2
    assert "--pose-type must be one of odometry, pose, covariance, tf, none" in told.err


COUNTS = """
[columns]
time = {column = "t", unit = "ms"}
x = {column = "x", unit = "m"}
y = {column = "y", unit = "m"}
yaw = {column = "yaw", unit = "rad"}
encoder.left = {column = "EncL [ticks]", unit = "1", metres_per_count = 1e-4}
encoder.right = {column = "EncR [ticks]", unit = "1", metres_per_count = 1e-4}
"""


def write_counts() -> None:
    """Write a straight drive of 2 s with encoder counts as field.csv."""
    rows = [f"{20 * k},{20 * k},{20 * k},{0.002 * k:.4f},0,0" for k in range(101)]
    text = "\n".join(["t,EncL [ticks],EncR [ticks],x,y,yaw", *rows])
    Path("field.csv").write_text(f"{text}\n")


def test_encoder_counts_are_played_by_the_map_that_identify_takes(grouser):
    write_counts()
    Path("field.map.toml").write_text(COUNTS)
    line = "watch field.csv --map field.map.toml --no-open --port 0 --timeout 1 --factor 20"
    answer = grouser(f"{line} --ghosts ideal --distance 0.05 --json")
    assert answer.code == 0, answer.err
    assert answer.json["measurements"] == {"accepted": 101, "rejected": 0, "lost": 0}
    assert answer.json["ghosts"]["ideal"]["largest_distance_m"] < 0.01
    known = grouser("identify field.csv --map field.map.toml --gauge 0.16 --family ideal")
    assert "belt_speed.left" not in known.err


def test_a_table_without_a_map_is_played_by_a_guessed_one(grouser):
    write_counts()
    text = Path("field.csv").read_text().replace("EncL [ticks]", "vl [m/s]")
    Path("field.csv").write_text(text.replace("EncR [ticks]", "vr [m/s]"))
    answer = grouser("watch field.csv --no-open --port 0 --timeout 0.3 --factor 20 --ghosts ideal")
    assert answer.code == 0, answer.err
    assert "field.csv is read by the guessed map field.map.toml: check it" in answer.err

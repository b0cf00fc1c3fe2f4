"""`grouser watch`, from the outside."""

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

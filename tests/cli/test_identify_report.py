"""The report of `grouser identify` on a terminal and as JSON."""

import pytest

from grouser.log import write_log
from tests.identify.short_pieces import log_of_pieces


@pytest.fixture
def pieces(tmp_path) -> str:
    write_log(log_of_pieces(), tmp_path / "pieces.csv")
    return "identify pieces.csv --gauge 0.4 --family ideal icr slip"


def test_the_report_begins_with_what_to_use_and_ends_with_what_was_driven(grouser, pieces):
    answer = grouser(pieces)
    assert answer.code == 0, answer.err
    parts = (
        "Recommended is icr", "What was judged", "Prediction errors on held-out data",
        "Mean position and heading error by horizon", "90 % limits of predictions, icr",
        "Intervals of parameters are not limits of predictions", "icr: complete", "left_y",
        "What was driven", "No manoeuvre is missing.",
    )  # fmt: skip
    places = [answer.out.index(part) for part in parts]
    assert places == sorted(places)
    assert answer.out.startswith("Recommended is icr")
    assert "slip_left" not in answer.out  # parameters of the recommended fit alone
    assert "nan" not in answer.out.lower().replace("no manoeuvre", "")


def test_json_holds_the_same(grouser, pieces):
    found = grouser(f"{pieces} --json").json
    assert found["recommended"] == "icr"
    assert found["judged"]["blocks"] == 16
    assert set(found["errors"]) == {"ideal", "icr", "slip"}
    assert found["warnings"] == []
    assert found["driven"]["mean_belt_speed_m_s"][0] < 0.0
    assert found["written"] == []


def test_a_log_too_short_to_judge_says_what_to_record_and_ends_with_another_code(grouser, tmp_path):
    write_log(log_of_pieces(pieces=1, rows=90), tmp_path / "short.csv")
    answer = grouser("identify short.csv --gauge 0.4 --family ideal icr")
    assert answer.code == 1
    assert answer.out.startswith("No family is recommended: nothing could be judged")
    assert "record at least a minute" in answer.out
    assert "There are no turns on the spot: turn on the spot, to both sides." in answer.out
    assert "nan" not in answer.out.lower()


def test_warnings_follow_the_recommendation(grouser, tmp_path):
    log = log_of_pieces(noise=0.0, family="ideal", values=log_of_pieces(pieces=1)["x"][:0])
    write_log(log, tmp_path / "odometry.csv")
    lines = grouser("identify odometry.csv --gauge 0.4 --family ideal icr").out.splitlines()
    assert lines[0].startswith("Recommended is ")
    assert any("Warning: A drive without slip" in line for line in lines[1:3])

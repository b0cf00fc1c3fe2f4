"""`grouser hil faults`, `frames` and `calibrate`."""

import pytest

from grouser.description import load_robot


def test_the_table_tells_fault_promise_measurement_verdict_and_twin(grouser):
    answer = grouser("hil faults --only 17 25")
    assert answer.code == 0
    assert "≤ 2 ms + wire" in answer.out
    assert "without estop-latch: off after" in answer.out or "not latched" in answer.out
    assert "2 of 2 promises kept" in answer.out


def test_a_firmware_without_a_guard_is_caught(grouser):
    answer = grouser("hil faults --only 7 17 25 --without range-check --json")
    assert answer.code == 1
    assert {row["row"]: row["kept"] for row in answer.json} == {7: False, 17: True}


def test_damaged_frames_are_counted(grouser):
    answer = grouser("hil frames --count 6000 --json")
    assert answer.code == 0
    assert sum(tally["frames"] for tally in answer.json.values()) == 6000
    assert sum(tally["wrong"] for tally in answer.json.values()) == 0


def test_a_calibration_writes_the_file_and_tells_before_and_after(grouser, tmp_path):
    answer = grouser("hil calibrate gyro --board python --duration 1 --out mine.toml")
    assert answer.code == 0
    assert "robot: mine.toml" in answer.out
    robot = load_robot(tmp_path / "mine.toml")
    assert robot.sensors.imu.gyro_offset is not None
    assert "[M]" in robot.source_of("sensors.imu.gyro_offset_deg_s")
    before = (tmp_path / "mine.toml").read_text()
    answer = grouser(
        "hil calibrate encoder --board python --robot mine.toml --distance 0.1 --dry-run"
    )
    assert answer.code == 0
    assert "nothing written" in answer.out
    assert (tmp_path / "mine.toml").read_text() == before


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("faults --only 26", "--only must be rows from 1 to 25, not 26"),
        ("faults --only 25 --without lease", "--only must name rows of the firmware: 1, 2, 3"),
        ("faults --without leas", "did you mean 'lease'?"),
        ("frames --count 0", "count must be at least 1, not 0"),
        ("calibrate gyro", "--robot must be a file of your own, or come with --out FILE"),
        ("calibrate gyro --out x.csv", "--out must end in .toml"),
        ("calibrate gyro --out x.toml --duration 0", "--duration must be from 0.5 to 600 s"),
        ("calibrate encoder --dry-run --measured far", "--measured must be one or two distances"),
        ("calibrate speed --dry-run --port /dev/none", "--arm must be given"),
        ("calibrate speed --dry-run --board pyhton", "did you mean 'python'?"),
        ("calibrate speed --dry-run --board python --duties 1 0.5", "duties must be two or more"),
        ("calibrate wheel", "no command named 'wheel'"),
    ],
)
def test_a_mistake_gets_one_sentence(grouser, line, sentence):
    answer = grouser(f"hil {line}")
    assert answer.code == 2
    assert sentence in answer.err

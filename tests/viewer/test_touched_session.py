"""Robots of the page are pulled, kicked, put down, changed and led back in time."""

import math
from typing import Any

import numpy as np
import pytest

from grouser.control import Sticks
from grouser.errors import InvalidValue, Unsupported
from grouser.geometry import Pose
from grouser.log import Log
from grouser.scenario import Scenario, replay, run
from grouser.viewer.session import Session, repeat

SENSORS = "examples/absolem-sensors.toml"
FORWARD = Sticks(forward=1.0)


def start(ghosts: tuple[str, ...] = (), **wishes: Any) -> Session:
    scenario = {"robot": "absolem", "course": "flat", "model": "csm"} | wishes
    return Session(Scenario(**scenario), ghosts)


def drive(session: Session, ticks: int, sticks: Sticks = FORWARD) -> None:
    for _ in range(ticks):
        session.advance(sticks)


def assert_same(log: Log, other: Log) -> None:
    assert len(log) == len(other)
    for name in log.columns:
        if name != "wall_time":
            np.testing.assert_array_equal(log[name], other[name], err_msg=name)


def test_a_drive_with_all_that_can_happen_replays_bit_for_bit():
    session = start()
    drive(session, 20)
    session.pull((0.2, 0.1, 0.1), (1.0, 1.0, 0.6))
    drive(session, 15)
    assert session.force_from_outside is not None
    session.pull((0.2, 0.1, 0.1), (1.2, 0.5, 0.6))
    drive(session, 15)
    session.let_go()
    session.kick((0.0, 20.0, 0.0))
    drive(session, 20)
    assert session.force_from_outside is None
    session.change("variation.friction", 0.4)
    session.change("variation.payload", 6.0)
    drive(session, 20)
    session.put(Pose(x=0.3, y=0.2, z=0.4, roll=1.0))
    drive(session, 20)
    log = session.simulation.log()
    assert abs(log["y"]).max() > 0.05
    assert_same(replay(log), log)


def test_what_happened_is_in_the_scenario_that_repeats_the_drive(tmp_path):
    from grouser.log import write_log

    session = start()
    drive(session, 10)
    session.kick((0.0, 30.0, 0.0), (0.2, 0.0, 0.1))
    session.change("robot.drive.speed_limit_m_s", 0.2)
    drive(session, 40)
    log = session.simulation.log()
    write_log(log, tmp_path / "drive.csv")
    text = repeat(session.resolved_scenario(), "drive.csv").to_toml()
    (tmp_path / "again.toml").write_text(text)
    assert_same(run(Scenario.read(tmp_path / "again.toml")).log, log)
    assert max(log["belt_speed.left"][-5:]) == pytest.approx(0.2)


def test_a_branch_has_the_rows_up_to_then_and_replays_bit_for_bit():
    session = start(robot=SENSORS, ghosts=("slip",))
    drive(session, 130)
    session.kick((0.0, 30.0, 0.0))
    drive(session, 120)
    before, run_before = session.simulation.log(), session.run
    session.rewind(1.27)
    assert session.run != run_before
    assert session.simulation.time == pytest.approx(1.27)
    back = session.simulation.log()
    assert len(back) == 128
    for name in back.columns:
        if name != "wall_time":
            np.testing.assert_array_equal(back[name], before[name][:128], err_msg=name)
    drive(session, 60, Sticks(turn=1.0))
    log = session.simulation.log()
    assert log.provenance.scenario.get("events") is None  # the kick came later
    assert_same(replay(log), log)
    assert session.simulations[1].ticks == session.simulation.ticks


def test_one_can_go_back_thirty_seconds_and_no_farther():
    session = start(model="slip")
    drive(session, 3300)
    assert session.earliest == pytest.approx(3.0, abs=1.01)
    with pytest.raises(InvalidValue, match="time to go back to must be from"):
        session.rewind(session.earliest - 1.0)
    with pytest.raises(InvalidValue):
        session.rewind(session.simulation.time + 1.0)
    session.rewind(session.earliest)
    assert session.simulation.time == pytest.approx(session.earliest)
    drive(session, 10)


def test_a_streamed_run_goes_back_with_its_rows(tmp_path):
    session = start(model="slip")
    spool = session.simulation.stream(tmp_path / "run.csv")
    drive(session, 250)
    session.rewind(1.0)
    spool.close(remove=True)
    drive(session, 20)
    log = session.simulation.log()
    assert log["tick"].tolist() == list(range(121))
    assert_same(replay(log), log)


def test_a_pull_ends_where_one_goes_back_into_its_middle():
    session = start()
    drive(session, 10)
    session.pull((0.0, 0.0, 0.1), (0.0, 1.0, 0.5))
    drive(session, 40)
    session.rewind(0.3)
    drive(session, 1)
    assert session.force_from_outside is None


def test_ghosts_come_to_the_robot():
    session = start(("slip", "icr"))
    drive(session, 100, Sticks(turn=1.0, forward=0.5))
    session.bring_ghosts()
    drive(session, 1, Sticks())
    gaps = session.snapshot().gaps
    assert max(gap.distance for gap in gaps) < 0.01
    assert max(abs(gap.heading) for gap in gaps) < math.radians(1.0)


def test_a_model_without_forces_cannot_be_pulled():
    session = start(model="slip")
    with pytest.raises(Unsupported, match="needs forces"):
        session.pull((0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    drive(session, 5)
    session.put(Pose(x=2.0, y=1.0, yaw=0.5))
    drive(session, 1)
    assert session.motion.pose.x == pytest.approx(2.0, abs=0.01)


@pytest.mark.parametrize(
    ("key", "value"),
    [("variation.friction", 0.0), ("robot.nothing_m", 1.0), ("course.x", 1.0), ("model.no", 1.0)],
)
def test_a_change_that_cannot_be_has_no_effect(key, value):
    session = start()
    drive(session, 5)
    with pytest.raises(Exception, match=r"must|no |not") as raised:
        session.change(key, value)
    assert "\n" not in str(raised.value)
    drive(session, 5)
    assert session.simulation.events.all == ()


def test_changes_of_a_file_and_live_ones_know_each_other():
    from grouser.scenario.events import Change

    planned = (
        Change(time=0.1, key="variation.mass", value=2.0),
        Change(time=0.5, key="variation.payload", value=5.0),
    )
    session = start(events=planned)
    drive(session, 30)
    session.change("variation.friction", 0.3)
    drive(session, 30)
    model: Any = session.simulation.model
    assert (model.mass_factor, model.friction_factor, model.payload) == (2.0, 0.3, 5.0)
    log = session.simulation.log()
    assert_same(replay(log), log)
    session.rewind(0.2)  # before the live change
    drive(session, 40)
    model = session.simulation.model
    assert (model.mass_factor, model.friction_factor, model.payload) == (2.0, 1.0, 5.0)
    log = session.simulation.log()
    assert_same(replay(log), log)

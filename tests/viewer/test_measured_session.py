"""A page of a robot that is measured outside, beside its ghosts."""

import math
from collections.abc import Iterator

import pytest

from grouser import Scenario, run
from grouser.control import LET_GO, Sticks
from grouser.errors import GrouserError, InvalidValue
from grouser.geometry import Pose
from grouser.live import Limits, LogRobot, MeasuredRobot, Measurement
from grouser.log import read_log
from grouser.viewer.app import DriveApp
from grouser.viewer.measured_session import MeasuredSession
from grouser.viewer.read_only import ONLY_WATCHED
from tests.viewer.browser import wait_until

OUTSIDE = Scenario(robot="tp100", course="flat", model="measured", driver="person")
ROBOT = OUTSIDE.robot.load_robot()
LIMITS = Limits(distance=0.05, heading=math.radians(5.0))


class Clock:
    time = 50.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def source(clock) -> MeasuredRobot:
    return MeasuredRobot(ROBOT, clock)


def watch(source: MeasuredRobot, *ghosts: str) -> MeasuredSession:
    session = MeasuredSession(OUTSIDE, source, limits=LIMITS)
    session.set_ghosts(ghosts)
    return session


def drive(session: MeasuredSession, source: MeasuredRobot, times, speed=0.1, lag=0.0) -> None:
    """Let a robot drive straight on; its ground speed is less than that of its belts by `lag`."""
    for time in times:
        pose = Pose(x=(1.0 - lag) * speed * time, y=0.5)
        source.offer(Measurement(time=time, belts=(speed, speed), pose=pose))
        session.advance(LET_GO)


SECOND = [0.05 * k for k in range(21)]


def test_a_log_is_shown_with_ghosts_and_where_they_diverge(clock):
    driven = Scenario(
        robot="tp100",
        course="flat",
        model="icr",
        driver="constant:speed=0.1,yaw_rate=0.4",
        stop=4.0,
    )
    log = run(driven).log
    session = watch(LogRobot(log, ROBOT, origin="drive.csv", now=clock), "icr", "ideal")
    said, places = [], []
    session.on_event, session.on_divergence = said.append, places.append
    for _ in range(500):
        session.advance(LET_GO)
        clock.time += 0.01
    now = session.snapshot()
    assert (now.mode, now.time) == ("measured", pytest.approx(4.0))
    assert now.motion.pose.x == pytest.approx(log["x"][-1])
    assert len(now.frames) == 3
    icr, ideal = now.gaps
    assert icr.distance < 0.01
    assert math.isnan(icr.since)
    assert ideal.distance > 0.05
    assert [place.model for place in places] == ["ideal"]
    assert said == [str(places[0])]
    assert ideal.since == places[0].time
    assert session.note == "drive.csv is over"
    session.reset()
    assert max(gap.distance for gap in session.snapshot().gaps) < 0.001
    assert session.twins.twins[1].divergence is None


def test_before_anything_is_measured_the_robot_is_at_its_start(source):
    session = watch(source, "ideal")
    session.advance(Sticks(forward=1.0))
    assert session.snapshot().motion.pose.x == 0.0
    assert session.note == "waiting for the belt speeds of the robot"
    with pytest.raises(GrouserError, match="nothing came from the robot"):
        session.logs_later()


def test_a_slipping_robot_is_left_behind_by_its_ideal_ghost(source):
    session = watch(source, "ideal")
    drive(session, source, SECOND, lag=0.2)
    now = session.snapshot()
    assert now.gaps[0].distance == pytest.approx(0.2 * 0.1, rel=0.3)
    assert now.motion.twist.vx == pytest.approx(0.08, rel=0.05)
    assert now.motion.slips == pytest.approx((0.2, 0.2), abs=0.05)
    assert now.motion.belt_travels == pytest.approx((0.1, 0.1))
    assert session.note is None


def test_a_silent_robot_is_noted_and_ghosts_stand(source, clock):
    session = watch(source, "ideal")
    drive(session, source, SECOND)
    before = session.snapshot().frames[1].pose
    clock.time += 3.0
    session.advance(LET_GO)
    assert session.note == "the robot is silent for 3 s; the ghosts stand"
    assert session.snapshot().frames[1].pose == before


def test_without_poses_the_gap_is_not_known(source):
    session = watch(source, "ideal")
    for k in range(60):
        source.offer(Measurement(time=0.05 * k, belts=(0.1, 0.1)))
        session.advance(LET_GO)
    assert "no pose of the robot comes" in session.note
    assert math.isnan(session.snapshot().gaps[0].distance)
    assert session.snapshot().frames[1].pose.x == pytest.approx(0.29, abs=0.02)


def test_a_measurement_that_is_not_valid_is_said_once(source):
    session, said = watch(source, "ideal"), []
    session.on_event = said.append
    for _ in range(3):
        source.offer(Measurement(time=0.0, belts=(math.nan, 0.0)))
        session.advance(LET_GO)
    assert len(said) == 1
    assert "measured belt speed" in said[0]


def test_a_ghost_on_firm_ground_needs_a_model(source):
    with pytest.raises(InvalidValue, match="be a model"):
        watch(source, "firm-ground")


def test_what_was_measured_becomes_a_log(source):
    session = watch(source)
    drive(session, source, SECOND)
    source.offer(Measurement(time=1.02, belts=(0.2, 0.2)))
    session.advance(LET_GO)
    (log,) = session.logs_later()()
    assert len(log) == 22
    assert log["x"][20] == pytest.approx(0.1)
    assert math.isnan(log["x"][21])
    assert log["belt_speed.left"][21] == 0.2
    assert log.provenance.robot == "tp100"
    LogRobot(log, ROBOT)


@pytest.fixture
def page(source, tmp_path) -> Iterator[DriveApp]:
    session = MeasuredSession(OUTSIDE, source, limits=LIMITS)
    with DriveApp(OUTSIDE, ghosts=("ideal",), port=0, folder=tmp_path, measured=session) as opened:
        yield opened


def test_the_page_goes_on_while_nobody_looks_and_nothing_on_it_reaches_the_robot(
    page, source, monkeypatch, tmp_path
):
    said = []
    monkeypatch.setattr(page.commands, "_notify", said.append)
    wait_until(lambda: page.loop.session.ghosts == ("ideal",), "the ghost is there")
    for time in SECOND:
        source.offer(Measurement(time=time, belts=(0.1, 0.1), pose=Pose(x=0.05 * time)))
    wait_until(lambda: page.loop.latest.time == pytest.approx(1.0), "all is taken")
    assert page.loop.latest.gaps[0].distance > 0.04
    for word in ("pause", "step", "path"):
        page.commands.act(word)
    page.commands.choose(course="step")
    page.commands.set_speed(1.0)
    assert said == [ONLY_WATCHED] * 5
    assert not page.loop.is_paused
    page.commands.act("reset")
    wait_until(lambda: page.loop.latest.gaps[0].distance < 0.001, "the ghost is brought back")
    page.commands.save()
    (name,) = wait_until(page.commands.recordings.names, "it is saved")
    assert read_log(tmp_path / name)["x"][-1] == pytest.approx(0.05)

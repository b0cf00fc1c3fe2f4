"""Whole runs in lockstep: exact, repeatable, replayed bit for bit; and whether they are valid."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grouser import Scenario, load_course, load_robot
from grouser.drivers import Constant, DriverPlan, Sides
from grouser.errors import LinkBroken, Unsupported
from grouser.hil.board import Board
from grouser.hil.conversation import Conversation
from grouser.hil.frames import FrameDecoder
from grouser.hil.links import LockstepLink
from grouser.hil.messages import Cmd, Estop
from grouser.hil.options import BoardOptions, load_for_board
from grouser.hil.python_board import PythonBoard
from grouser.hil.raw_log import RawLog, ReplayLink, read_raw_log
from grouser.hil.run import BoardRun, Limits, make_report, run_board
from grouser.hil.simulated_board import SimulatedBoard
from grouser.log import Log
from grouser.scenario import replay
from grouser.scenario.run import Loaded
from grouser.simulation import Driver
from tests.breaking import MESSAGE, PLACE, register

ROBOT, COURSE = load_robot("tp100"), load_course("behaviour-1-radius")
BOARDS: dict[str, Callable[[], Board]] = {
    "python": lambda: PythonBoard(seed=3),
    "firmware": lambda: SimulatedBoard(seed=3),
}


def scenario(duration: float = 2.0) -> Scenario:
    return Scenario(course=COURSE.name, speed=0.1, stop=duration)


def driven_by(driver: Driver) -> Loaded:
    """Return the scenario with a driver that has no name."""
    loaded = load_for_board(scenario(), BoardOptions())
    return replace(loaded, plan=DriverPlan(driver=driver, duration=loaded.limit))


def same(first: Log, second: Log) -> bool:
    names = set(first) - {"wall_time"}
    return len(first) == len(second) and all(
        np.array_equal(first[name], second[name], equal_nan=True) for name in names
    )


def recorded(
    folder: Path, name: str, board: Callable[[], Board], duration: float = 2.0
) -> BoardRun:
    raw = RawLog(folder / name, {})
    return run_board(LockstepLink(board()), scenario(duration), raw=raw)


def entries(file: Path) -> list[str]:
    return [line for line in file.read_text().splitlines() if not line.startswith("#")]


@pytest.mark.parametrize("kind", BOARDS)
def test_two_runs_give_the_same_bytes_and_the_same_poses(tmp_path, kind):
    first, second = (recorded(tmp_path, name, BOARDS[kind]) for name in ("a.raw", "b.raw"))
    assert entries(tmp_path / "a.raw") == entries(tmp_path / "b.raw")
    assert len(entries(tmp_path / "a.raw")) > 400
    assert same(first.log, second.log)
    assert first.report == second.report
    assert first.report.is_valid


@pytest.mark.parametrize("kind", BOARDS)
def test_a_raw_log_gives_the_same_run_again(tmp_path, kind):
    run = recorded(tmp_path, "a.raw", BOARDS[kind])
    _, then = read_raw_log(tmp_path / "a.raw")
    link = ReplayLink(then)
    again = run_board(link, scenario(), stop=lambda: link.is_stopped)
    assert same(run.log, again.log)
    assert not link.differs


def test_a_run_that_was_stopped_is_replayed_to_where_it_was(tmp_path):
    raw, seen = RawLog(tmp_path / "a.raw", {}), []
    run = run_board(
        LockstepLink(PythonBoard()),
        scenario(),
        raw=raw,
        observe=seen.append,
        stop=lambda: len(seen) > 100,
    )
    assert run.was_stopped
    assert run.log.provenance.status == "interrupted"
    _, then = read_raw_log(tmp_path / "a.raw")
    link = ReplayLink(then)
    again = run_board(link, scenario(), stop=lambda: link.is_stopped)
    assert again.was_stopped
    assert same(run.log, again.log)
    assert not link.differs


def test_another_controller_says_other_bytes_than_then(tmp_path):
    recorded(tmp_path, "a.raw", BOARDS["python"])
    _, then = read_raw_log(tmp_path / "a.raw")
    link = ReplayLink(then)
    changed = scenario().vary(driver="constant:left=0.05,right=0.1")
    run_board(link, changed, stop=lambda: link.is_stopped)
    assert link.differs


def test_the_log_can_be_run_again_like_that_of_any_simulation(tmp_path):
    run = recorded(tmp_path, "a.raw", BOARDS["python"])
    again = replay(run.log)
    for name in ("x", "y", "yaw", "belt_speed.left"):
        assert np.array_equal(run.log[name], again[name])


def test_the_virtual_robot_goes_as_far_as_its_encoders_counted(tmp_path):
    run = recorded(tmp_path, "a.raw", BOARDS["firmware"], 4.0)
    log = run.log
    for side in ("left", "right"):
        counted = log[f"board_encoder.{side}"][-1] * 2.0 * np.pi * 0.024 / 360.0
        travelled = float(np.sum(log[f"belt_speed.{side}"]) * log.provenance.dt)
        assert travelled == pytest.approx(counted, abs=1e-3)


def test_the_path_is_followed_to_its_end(tmp_path):
    run = recorded(tmp_path, "a.raw", BOARDS["python"], 60.0)
    path = COURSE.path
    assert path is not None
    assert run.is_done
    assert run.report.problems == ()
    assert float(np.max(path.distance(run.log["x"], run.log["y"]))) < 0.02


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("track left blocked @1", "stall left"),
        ("link down @1", "silent"),
        ("reset brownout @1", "brownout"),
        ("battery 4 @1", "battery"),
    ],
)
def test_a_fault_ends_the_run_and_it_does_not_count(words, why):
    run = run_board(LockstepLink(PythonBoard()), scenario(), BoardOptions(faults=(words,)))
    assert why in run.report.stopped_by
    assert not run.report.is_valid
    assert not run.is_done
    assert run.log.provenance.status == "interrupted"
    assert len(run.log) > 50


def test_whoever_does_not_arm_only_watches():
    link = LockstepLink(PythonBoard())
    run = run_board(link, scenario(0.5), BoardOptions(arm=False))
    assert run.report.commands == 0
    assert run.log["x"][-1] == 0.0
    assert link.last is not None
    assert link.last.enabled == (False, False)


def test_lost_states_cost_less_than_one_periods_motion():
    whole = run_board(LockstepLink(PythonBoard(seed=5)), scenario(3.0))
    options = BoardOptions(faults=("link lose 0.001",))
    lossy = run_board(LockstepLink(PythonBoard(seed=5)), scenario(3.0), options)
    assert lossy.report.missing > 0
    rows = min(len(whole.log), len(lossy.log)) - 20
    gap = np.hypot(
        whole.log["x"][:rows] - lossy.log["x"][:rows], whole.log["y"][:rows] - lossy.log["y"][:rows]
    )
    assert float(gap.max()) < 2e-3


def test_a_board_that_never_answers_is_said_so_and_let_go():
    board = PythonBoard()
    board.fault("link down")
    with pytest.raises(LinkBroken, match="no answer within 3 s"):
        run_board(LockstepLink(board), scenario())


def test_what_a_model_cannot_drive_is_refused_before_the_board_is_asked():
    link = LockstepLink(PythonBoard())
    with pytest.raises(Unsupported):
        run_board(link, Scenario(course="staircase", driver="constant"))
    assert link.last is None or not link.last.sent


class SlowClock(LockstepLink):
    """A line whose host sees so many times more time pass than the board."""

    factor = 1.0

    def now(self) -> float:
        return self.factor * super().now()


@pytest.mark.parametrize("factor", [3.0, 0.3])
def test_a_board_whose_clock_stands_does_not_drive_on(factor):
    link = SlowClock(PythonBoard())
    link.factor = factor
    run = run_board(link, scenario(4.0))
    assert "by the board's clock took" in run.report.stopped_by
    assert not run.is_done
    assert link.now() < 4.0
    assert link.last is not None
    assert link.last.enabled == (False, False)


def test_what_breaks_in_the_loop_keeps_the_rows_and_stops_the_motors():
    calls = []

    def driver(time, motion):
        calls.append(time)
        nonsense = float("nan") if len(calls) > 50 else 0.1
        return Constant(ROBOT, Sides(left=nonsense, right=0.1))(time, motion)

    link = LockstepLink(PythonBoard())
    run = run_board(link, driven_by(driver))
    assert "belt speed must be" in run.report.stopped_by
    assert len(run.log) > 40
    link.step(300_000)
    assert link.last is not None
    assert link.last.enabled == (False, False)


@pytest.fixture
def talk() -> Conversation:
    made = Conversation(1)
    made.counts.states, made.counts.commands = 1000, 1000
    made.clock.add(0.0, 0.002, 5.0, 5.0)
    return made


def test_a_run_within_its_limits_counts(talk):
    talk.counts.late = 10
    report = make_report(talk, "line")
    assert report.is_valid
    assert (report.rtt_p50, report.pings) == (pytest.approx(0.002), 1)


@pytest.mark.parametrize(
    ("name", "count", "words"),
    [
        ("late", 11, r"late commands: 11 of 1000 \(1.1%\)"),
        ("missing", 11, "states lost: 11 of 1011"),
        ("losses", 1, "link losses: 1"),
        ("boots", 1, "restarts of the board: 1"),
    ],
)
def test_a_run_outside_its_limits_does_not(talk, name, count, words):
    setattr(talk.counts, name, count)
    report = make_report(talk, "line")
    assert not report.is_valid
    assert re.match(words, report.problems[0])


def test_slow_round_trips_do_not_count(talk):
    for _ in range(5):
        talk.clock.add(0.0, 0.02, 5.0, 5.0)
    assert "round trip p99 20.0 ms" in make_report(talk, "line").problems[0]


def test_limits_are_given_from_outside(talk):
    talk.counts.late = 50
    assert make_report(talk, "line", limits=Limits(late_share=0.1)).is_valid


def test_a_run_without_states_or_that_was_ended_early_does_not_count():
    assert make_report(Conversation(1), "line").problems == ("no state came",)
    assert "stall" in make_report(Conversation(1), "line", stopped_by="stall").problems[1]


def fails_later(calls: int) -> Callable[..., None]:
    """Return a function that raises at one of its calls."""
    left = iter(range(calls))

    def fail(*_: object) -> None:
        if next(left, None) is None:
            raise ZeroDivisionError(MESSAGE)

    return fail


@pytest.mark.parametrize("kind", BOARDS)
def test_a_tick_that_raises_stops_the_motors_at_once_and_keeps_log_and_raw_log(
    tmp_path, monkeypatch, kind
):
    register(monkeypatch)
    fast = scenario().vary(model="breaking", driver="constant:left=0.2,right=0.2")
    board, raw = BOARDS[kind](), RawLog(tmp_path / "a.raw", {})
    run = run_board(LockstepLink(board), fast, raw=raw)
    assert PLACE in run.report.stopped_by
    assert run.report.problems == (run.report.stopped_by,)
    assert not run.report.is_valid
    assert not run.is_done
    assert run.log.provenance.status == "interrupted"
    assert run.log["tick"].tolist() == list(range(len(run.log)))
    assert 0.1 < run.log["belt_speed.left"].max() <= 0.15
    _, then = read_raw_log(tmp_path / "a.raw")
    decoder, heard = FrameDecoder(), next(k for k in range(len(then)) if then[-k - 1].kind == "<")
    sent = [m for entry in then if entry.kind == ">" for m in decoder.feed(entry.data)]
    assert sent[-1] == Estop()
    assert any(isinstance(message, Cmd) and message.left for message in sent)
    # Nothing but the stop answers the state with which the tick raised.
    assert heard == 1
    assert then[-1].time - then[-2].time < 0.01


@pytest.mark.parametrize("what", ["observe", "stop"])
def test_a_display_that_raises_stops_the_motors_and_keeps_the_log(what):
    run = run_board(LockstepLink(PythonBoard()), scenario(), **{what: fails_later(50)})
    assert MESSAGE in run.report.stopped_by
    assert len(run.log) > 10

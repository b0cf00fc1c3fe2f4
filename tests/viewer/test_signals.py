"""Signals of charts: which there are, what they are worth, and which page is sent what."""

import math
from dataclasses import replace

import numpy as np
import pytest

from grouser.control import Sticks
from grouser.drawing.playback import Playback
from grouser.log import Log
from grouser.models.model import LEAST_SHOWN_BELT
from grouser.scenario import Scenario
from grouser.viewer.pictures import Pictures
from grouser.viewer.recordings import Player
from grouser.viewer.session import Session
from grouser.viewer.signals import MOST_SIGNALS, SPACING, SPAN, Recorder
from grouser.viewer.subscriptions import Subscriptions


def drive(session: Session, recorder: Recorder, ticks: int) -> None:
    for _ in range(ticks):
        session.advance(Sticks(forward=1.0, turn=0.3))
        recorder.add(session.snapshot(), session.robot, 1.0)


@pytest.fixture(scope="module")
def session() -> Session:
    return Session(Scenario(robot="absolem", course="flat", model="csm"), ("slip",))


@pytest.fixture(scope="module")
def recorder(session: Session) -> Recorder:
    recorder = Recorder()
    drive(session, recorder, 101)
    return recorder


def test_points_come_no_denser_than_the_charts_show(recorder: Recorder):
    _, _, rows = recorder.rows(())
    times = [row[0] for row in rows]
    assert len(times) == round(1.0 / SPACING) + 1
    assert np.all(np.diff(times) >= SPACING - 1e-9)


@pytest.mark.parametrize(
    ("ghost", "columns"),
    [
        (0, ("x", "yaw", "vx", "yaw_rate", "belt_speed.left", "belt_travel.right", "slip.left",
             "belt_speed_commanded.right", "flipper_angle.front-left")),
        (1, ("x", "vx", "slip.right")),
    ],
)  # fmt: skip
def test_signals_have_the_names_and_values_of_the_log(
    session: Session, recorder: Recorder, ghost: int, columns: tuple[str, ...]
):
    log = session.simulations[ghost].log()
    names = [f"{name}@slip" if ghost else name for name in columns]
    _, _, rows = recorder.rows(names)
    assert rows
    for time, *values in rows:
        row = round(time / session.tick)
        expected = [shown(log, name, row) for name in columns]
        seen = [math.nan if value is None else value for value in values]
        assert seen == pytest.approx(expected, rel=1e-8, abs=1e-12, nan_ok=True)


def shown(log: Log, name: str, row: int) -> float:
    """Return what people see of a column of a log: no slip of a belt that nearly stands."""
    _, is_slip, drive = name.partition("slip.")
    stands = bool(is_slip) and abs(log[f"belt_speed.{drive}"][row]) < LEAST_SHOWN_BELT
    return math.nan if stands else float(log[name][row])


def test_forces_power_margin_and_distance_are_signals(session: Session, recorder: Recorder):
    names = ("normal_force.left", "power.right", "tip_over_angle", "distance@slip")
    _, _, rows = recorder.rows(names)
    load, power, margin, distance = rows[-1][1:]
    motion = session.motion
    assert load == pytest.approx(motion.force_on("left")[0], rel=1e-8)
    assert margin == pytest.approx(motion.tip_over_angle, rel=1e-8)
    assert 0.0 < power < 500.0
    assert distance == pytest.approx(session.snapshot().gaps[0].distance, rel=1e-8)
    _, _, rows = recorder.rows(("normal_force.left@slip", "no such signal"))
    assert rows[-1][1:] == [None, None]  # a model without forces


def test_every_signal_has_a_least_range_and_a_name_of_its_own(recorder: Recorder):
    names = [signal.name for signal in recorder.signals]
    assert len(names) == len(set(names))
    assert all(signal.least > 0.0 and signal.group for signal in recorder.signals)


def test_sensors_are_signals_with_the_units_of_their_columns():
    session = Session(Scenario(robot="tp100", course="flat", model="ideal"))
    recorder = Recorder()
    drive(session, recorder, 11)
    units = {signal.name: signal.unit for signal in recorder.signals if signal.group == "sensors"}
    assert units == dict(session.simulation.sensor_columns)
    _, _, rows = recorder.rows(tuple(units))
    reading = session.simulation.reading
    assert rows[-1][1:] == [
        pytest.approx(value, rel=1e-8) if math.isfinite(value) else None for value in reading.values
    ]


def test_only_the_last_seconds_are_kept_and_a_new_run_begins_anew():
    session = Session(Scenario(robot="tp100", course="flat", model="ideal"))
    recorder, snapshot = Recorder(), session.snapshot()
    for number in range(round(SPAN / SPACING) + 50):
        recorder.add(replace(snapshot, time=SPACING * number), session.robot, 1.0)
    _, epoch, rows = recorder.rows(())
    assert rows[-1][0] - rows[0][0] <= SPAN
    recorder.add(replace(snapshot, time=rows[3][0] + 0.01), session.robot, 1.0)
    _, after, left = recorder.rows(())
    assert (after, left[:-1]) == (epoch + 1, rows[:4])  # it went back
    recorder.add(replace(snapshot, run=snapshot.run + 1, time=0.0), session.robot, 1.0)
    _, after, left = recorder.rows(())
    assert (after, left) == (epoch + 2, [[0.0]])


def test_a_new_ghost_adds_signals_and_keeps_what_is_known():
    session = Session(Scenario(robot="tp100", course="flat", model="ideal"))
    recorder = Recorder()
    drive(session, recorder, 20)
    _, _, before = recorder.rows(("vx",))
    version = recorder.version
    session.set_ghosts(("slip",))
    drive(session, recorder, 10)
    assert recorder.version != version
    _, _, rows = recorder.rows(("vx", "vx@slip"))
    assert [row[:2] for row in rows[: len(before)]] == before
    assert rows[0][2] is None
    assert rows[-1][2] is not None


def test_a_replay_offers_the_columns_of_its_log():
    session = Session(Scenario(robot="tp100", course="flat", model="slip"))
    drive(session, Recorder(), 60)
    log = session.simulation.log()
    player, recorder = Player(Playback(log), "a log"), Recorder()
    for _ in range(5):
        player.advance(0.1)
        recorder.add(player.snapshot(), player.robot, 1.0)
    names = {signal.name for signal in recorder.signals}
    assert set(log.columns) - {"tick", "time", "wall_time"} <= names
    assert len(names) <= MOST_SIGNALS
    _, _, rows = recorder.rows(("x", "vx"))
    row = round(rows[-1][0] / session.tick)
    assert rows[-1][1:] == pytest.approx([log["x"][row], log["vx"][row]], rel=1e-6)


def test_a_page_is_sent_only_new_rows_of_its_own_signals(recorder: Recorder, session: Session):
    clock = [0.0]
    pages = Subscriptions(recorder, Pictures(), lambda: clock[0])
    assert pages.charts(1) is None
    pages.choose_signals(1, ("vx", "vx@slip"))
    first = pages.charts(1)
    assert first is not None
    assert (first["kind"], first["names"]) == ("charts", ("vx", "vx@slip"))
    assert {row[0] for row in first["signals"]} == {signal.name for signal in recorder.signals}
    assert all(len(row) == 3 for row in first["rows"])
    assert pages.charts(1) is None
    drive(session, recorder, 10)
    later = pages.charts(1)
    assert later is not None
    assert set(later) == {"kind", "rows"}
    assert len(later["rows"]) == 2
    pages.choose_signals(2, ())
    assert len(pages.charts(2)["rows"][0]) == 1  # pyright: ignore[reportOptionalSubscript]
    pages.choose_signals(1, ("vy", "vy"))
    assert pages.charts(1) is None  # too soon after all rows were sent
    clock[0] = 1.0
    assert pages.charts(1)["names"] == ("vy",)  # pyright: ignore[reportOptionalSubscript]
    pages.choose_signals(1, None)
    drive(session, recorder, 10)
    assert pages.charts(1) is None
    pages.forget(2)
    assert pages.charts(2) is None

"""The last seconds of a run, to be shown again."""

from dataclasses import replace

import pytest

from grouser.live.rewind import SPAN
from grouser.scenario import Scenario
from grouser.viewer.past import SPACING, Past
from grouser.viewer.session import Session, Snapshot


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return Session(Scenario(robot="absolem", course="flat", model="slip")).snapshot()


def test_the_past_is_as_long_as_one_can_go_back_and_no_longer(snapshot):
    past = Past()
    ticks = round(2.0 * SPAN / 0.01)
    for tick in range(ticks + 1):
        past.add(replace(snapshot, time=tick * 0.01))
    past.show(0.0)
    assert past.shown is not None
    assert past.shown.time == pytest.approx(SPAN)
    assert past.shown.is_past
    assert past.shown.frames[0].contacts == ()


def test_the_last_snapshot_before_a_time_is_shown(snapshot):
    past = Past()
    for tick in range(100):
        past.add(replace(snapshot, time=tick * 0.01))
    past.show(0.5 * SPACING + 0.5)
    assert past.shown is not None
    assert past.shown.time == pytest.approx(0.5)
    past.show_now()
    assert past.shown is None


@pytest.mark.parametrize("change", ["run", "scene"])
def test_a_new_run_or_scene_has_no_past(snapshot, change):
    past = Past()
    past.add(snapshot)
    past.show(0.0)
    past.add(replace(snapshot, time=3.0, **{change: 10**6}))
    assert past.shown is None
    past.show(0.0)
    assert past.shown is not None
    assert past.shown.time == 3.0

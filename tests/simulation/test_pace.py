"""Pacing of ticks in wall time, and its statistics."""

import pytest

from grouser.simulation import pace
from grouser.simulation.pace import RESTART_LATENESS, Clock, gc_frozen

TICK = 0.01


class Wall:
    """A wall clock that only moves when somebody sleeps or works."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time

    def sleep(self, duration: float) -> None:
        self.time += duration


def run(clock: Clock, wall: Wall, ticks: int, work: float) -> None:
    for _ in range(ticks):
        clock.wait()
        wall.time += work


def make() -> tuple[Clock, Wall]:
    wall = Wall()
    return Clock(TICK, wall.now, wall.sleep), wall


def test_quick_work_keeps_step_with_the_wall_clock():
    clock, wall = make()
    run(clock, wall, 301, 0.2 * TICK)
    assert wall.time == pytest.approx(3.0 + 0.2 * TICK)
    assert clock.punctuality.real_time_factor == pytest.approx(1.0)
    assert clock.punctuality.missed_share == clock.missed == 0


@pytest.mark.parametrize("factor", [0.1, 0.5, 4.0])
def test_time_may_pass_slower_or_faster(factor):
    clock, wall = make()
    clock.set_factor(factor)
    run(clock, wall, 201, 0.1 * TICK)
    assert clock.punctuality.real_time_factor == pytest.approx(factor, rel=1e-6)


def test_work_that_is_too_slow_is_told_as_such():
    clock, wall = make()
    run(clock, wall, 400, 2.0 * TICK)
    assert clock.punctuality.real_time_factor == pytest.approx(0.5, rel=0.05)
    assert clock.missed > 300
    assert clock.punctuality.worst_lateness > 0.1


def test_one_slow_tick_is_caught_up_with():
    clock, wall = make()
    run(clock, wall, 10, 0.0)
    wall.time += 5.5 * TICK
    run(clock, wall, 90, 0.0)
    assert wall.time == pytest.approx(99 * TICK)
    assert clock.missed == 4  # five were late; a tick is missed when it is a whole period late


def test_a_long_stop_is_not_caught_up_with():
    clock, wall = make()
    run(clock, wall, 10, 0.0)
    wall.time += 60.0
    run(clock, wall, 101, 0.0)
    assert wall.time == pytest.approx(60.0 + 0.09 + 1.0, abs=2.0 * TICK + RESTART_LATENESS)


def test_a_clock_that_has_not_run_claims_nothing():
    clock, _ = make()
    assert clock.punctuality.real_time_factor == 0.0


class Collector:
    """Stands in for the module `gc`, with a number of frozen objects."""

    def __init__(self, frozen: int) -> None:
        self.frozen = frozen
        self.collected = 0

    def get_freeze_count(self) -> int:
        return self.frozen

    def collect(self) -> None:
        self.collected += 1

    def freeze(self) -> None:
        self.frozen += 1000

    def unfreeze(self) -> None:
        self.frozen = 0


def test_garbage_is_collected_first_and_objects_thaw_in_the_end(monkeypatch):
    collector = Collector(0)
    monkeypatch.setattr(pace, "gc", collector)
    with gc_frozen():
        assert (collector.collected, collector.frozen) == (1, 1000)
    assert collector.frozen == 0


def test_what_the_program_froze_stays_frozen(monkeypatch):
    collector = Collector(7)
    monkeypatch.setattr(pace, "gc", collector)
    with gc_frozen():
        pass
    assert collector.frozen == 7

"""The loop of ticks in real time."""

import pytest

from grouser.errors import InvalidValue
from grouser.live import TickLoop
from grouser.simulation.pace import Clock


class Counted(TickLoop):
    """Counts ticks, and ends after some of them."""

    def __init__(self, ticks: int, **options: float) -> None:
        super().__init__(**options)
        self.now, self.ticks, self.left, self.is_paused = 0.0, 0, ticks, False
        self.published, self.rejected = 0, list[str]()
        self.clock = Clock(0.01, lambda: self.now, self.sleep)

    def sleep(self, duration: float) -> None:
        self.now += duration

    def _stands(self) -> bool:
        return self.is_paused

    def _tick(self) -> None:
        self.ticks += 1
        if self.ticks == self.left:
            self.end()

    def _publish(self) -> None:
        self.published += 1
        self.request(lambda loop: setattr(loop, "is_paused", False))

    def _reject(self, error: Exception) -> None:
        self.rejected.append(str(error))


def test_ticks_follow_the_clock():
    loop = Counted(11)
    loop.run()
    assert (loop.ticks, loop.now) == (11, pytest.approx(0.1))


def test_requests_are_handled_between_ticks_and_one_that_fails_does_not_end_the_loop():
    def fail(_: Counted) -> None:
        raise InvalidValue("wish", "moon", "be reachable")

    loop = Counted(3)
    seen = []
    loop.request(fail)
    loop.request(lambda asked: seen.append(asked.ticks))
    loop.run()
    assert (seen, loop.ticks) == ([0], 3)
    assert "moon" in loop.rejected[0]


def test_the_time_of_a_pause_is_not_caught_up():
    loop = Counted(5)
    loop.is_paused = True
    loop.now = 7.0
    loop.run()
    assert loop.published == 1
    assert loop.now == pytest.approx(7.04)


def test_too_many_requests_are_not_kept():
    loop = Counted(1, most=2)
    assert [loop.request(lambda _: None) for _ in range(3)] == [True, True, False]


def test_a_clock_without_a_limit_never_sleeps():
    loop = Counted(1000)
    loop.clock.set_factor(float("inf"))
    loop.run()
    assert loop.now == 0.0

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
        self.published, self.rejected, self.halts = 0, list[str](), list[tuple[str, bool]]()
        self.breaks_at, self.breaks = -1, 1
        self.clock = Clock(0.01, lambda: self.now, self.sleep)

    def sleep(self, duration: float) -> None:
        self.now += duration

    def _stands(self) -> bool:
        return self.is_paused

    def _tick(self) -> None:
        if self.ticks == self.breaks_at and self.breaks:
            self.breaks -= 1
            raise ZeroDivisionError("the wheel came off")
        self.ticks += 1
        if self.ticks == self.left:
            self.end()

    def _publish(self) -> None:
        self.published += 1
        self.request(lambda loop: setattr(loop, "is_paused", False))

    def _halt(self, sentence: str, *, is_new: bool) -> None:
        self.is_paused = True
        self.halts.append((sentence, is_new))
        self.wake()  # somebody looks

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


def test_a_tick_that_raises_lets_time_stand_and_is_told_with_its_place():
    loop = Counted(5)
    loop.breaks_at = 3
    loop.run()
    ((sentence, is_new),) = loop.halts
    assert "ZeroDivisionError at tests.live.test_tick_loop:" in sentence
    assert "called by grouser.live.tick_loop:" in sentence
    assert sentence.endswith(": the wheel came off")
    assert is_new
    assert (loop.ticks, loop.failure) == (5, "")  # it went on when somebody let it


def test_the_tick_after_the_one_that_raised_is_not_done_while_time_stands():
    loop, seen = Counted(5), []
    loop.breaks_at = 3
    halt = loop._halt
    loop._halt = lambda *given, **more: (seen.append(loop.ticks), halt(*given, **more))
    loop._publish = lambda: (seen.append(loop.ticks), loop.end())
    loop.run()
    assert seen == [3, 3]
    assert "wheel" in loop.failure


def test_a_failure_that_repeats_while_time_stands_is_told_once_until_somebody_asks():
    loop = Counted(1)
    loop.is_paused, loop.published = True, 0

    def publish() -> None:
        loop.published += 1
        if loop.published == 3:
            loop.request(lambda _: None)
        if loop.published == 5:
            loop.end()
        raise KeyError("picture")

    loop._publish = publish
    loop.run()
    assert [is_new for _, is_new in loop.halts] == [True, False, False, True, False]


def test_a_request_with_a_mistake_in_the_program_stops_the_robot_and_the_loop_goes_on():
    def fail(_: Counted) -> None:
        raise AttributeError("no such thing")

    loop = Counted(3)
    loop.request(fail)
    loop.run()
    assert loop.rejected == []
    assert "AttributeError" in loop.halts[0][0]
    assert loop.ticks == 3


def test_a_loop_goes_on_when_what_tells_people_fails_too():
    loop = Counted(4)
    loop.breaks_at = 2

    def tell(sentence: str, *, is_new: bool) -> None:
        loop.wake()
        raise OSError("the page is gone")

    loop._halt = tell
    loop.run()
    assert loop.ticks == 4

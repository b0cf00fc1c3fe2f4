"""Who drives."""

from grouser.control import LET_GO, Sticks
from grouser.viewer.input import PATIENCE, Seat

PUSH = Sticks(forward=1.0)


class Watch:
    """A clock that a test turns."""

    time = 0.0

    def __call__(self) -> float:
        return self.time


def test_the_first_to_come_drives_and_the_second_watches():
    seat = Seat()
    assert seat.take(1)
    assert not seat.take(2)
    assert not seat.hold(2, PUSH)
    assert seat.sticks == LET_GO
    assert seat.hold(1, PUSH)
    assert seat.sticks == PUSH


def test_a_driver_who_goes_lets_go_of_everything():
    seat = Seat()
    seat.take(1)
    seat.hold(1, PUSH)
    seat.leave(1)
    assert seat.driver is None
    assert seat.sticks == LET_GO


def test_a_watcher_who_goes_changes_nothing():
    seat = Seat()
    seat.take(1)
    seat.hold(1, PUSH)
    seat.leave(2)
    assert seat.sticks == PUSH


def test_reaching_for_the_sticks_of_a_free_seat_is_sitting_down():
    seat = Seat()
    assert not seat.hold(3, LET_GO)
    assert seat.driver is None
    assert seat.hold(3, PUSH)
    assert seat.driver == 3


def test_silence_means_let_go():
    watch = Watch()
    seat = Seat(watch)
    seat.take(1)
    seat.hold(1, PUSH)
    watch.time = 0.9 * PATIENCE
    assert seat.sticks == PUSH
    watch.time = 1.1 * PATIENCE
    assert seat.sticks == LET_GO


def test_whoever_is_handed_the_wheel_starts_with_sticks_let_go():
    seat = Seat()
    seat.take(1)
    seat.hold(1, PUSH)
    seat.hand_over(2)
    assert (seat.driver, seat.sticks) == (2, LET_GO)
    assert not seat.hold(1, PUSH)

"""Who drives."""

from grouser.control import LET_GO, Sticks
from grouser.viewer.input import TIMEOUT, DriverLock

PUSH = Sticks(forward=1.0)


class Watch:
    """A clock that a test turns."""

    time = 0.0

    def __call__(self) -> float:
        return self.time


def test_the_first_to_come_drives_and_the_second_watches():
    lock = DriverLock()
    assert lock.acquire(1)
    assert not lock.acquire(2)
    assert not lock.set_sticks(2, PUSH)
    assert lock.sticks == LET_GO
    assert lock.set_sticks(1, PUSH)
    assert lock.sticks == PUSH


def test_a_driver_who_goes_lets_go_of_everything():
    lock = DriverLock()
    lock.acquire(1)
    lock.set_sticks(1, PUSH)
    lock.release(1)
    assert lock.driver is None
    assert lock.sticks == LET_GO


def test_a_watcher_who_goes_changes_nothing():
    lock = DriverLock()
    lock.acquire(1)
    lock.set_sticks(1, PUSH)
    lock.release(2)
    assert lock.sticks == PUSH


def test_reaching_for_the_sticks_of_a_free_seat_is_sitting_down():
    lock = DriverLock()
    assert not lock.set_sticks(3, LET_GO)
    assert lock.driver is None
    assert lock.set_sticks(3, PUSH)
    assert lock.driver == 3


def test_silence_means_let_go():
    watch = Watch()
    lock = DriverLock(now=watch)
    lock.acquire(1)
    lock.set_sticks(1, PUSH)
    watch.time = 0.9 * TIMEOUT
    assert lock.sticks == PUSH
    watch.time = 1.1 * TIMEOUT
    assert lock.sticks == LET_GO


def test_whoever_is_handed_the_wheel_starts_with_sticks_let_go():
    lock = DriverLock()
    lock.acquire(1)
    lock.set_sticks(1, PUSH)
    lock.give_to(2)
    assert (lock.driver, lock.sticks) == (2, LET_GO)
    assert not lock.set_sticks(1, PUSH)

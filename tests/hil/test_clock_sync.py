"""The board's clock as seen from the host."""

import pytest

from grouser.hil.clock_sync import LONGEST_RTT, ClockSync
from grouser.hil.frames import Unwrapped


def ask(sync: ClockSync, host: float, board, there: float = 0.001, back: float = 0.001) -> bool:
    return sync.add(host, host + there + back, board(host + there), board(host + there))


def test_a_clock_that_drifts_by_a_percent_is_followed():
    def board(host: float) -> float:
        return 1.01 * host + 5.0

    sync = ClockSync()
    for second in range(11):
        ask(sync, 100.0 + second, board)
    assert sync.offset(110.5) == pytest.approx(board(110.5) - 110.5, abs=1e-4)
    assert sync.to_host(board(110.5)) == pytest.approx(110.5, abs=1e-4)


def test_slow_answers_do_not_count():
    sync = ClockSync()
    assert not ask(sync, 0.0, lambda host: host, there=0.009, back=0.002)
    assert sync.unused == 1
    with pytest.raises(LookupError):
        sync.offset(0.0)
    assert sync.rtts == [pytest.approx(0.011)]
    assert sync.rtts[0] > LONGEST_RTT


def test_one_way_delays_of_single_answers_are_not_believed():
    sync = ClockSync()
    for second in range(10):
        late = 0.006 if second % 2 else 0.0
        ask(sync, float(second), lambda host: host + 3.0, back=0.001 + late)
    assert sync.offset(9.0) == pytest.approx(3.0, abs=1e-6)


@pytest.mark.parametrize("bits", [16, 32])
def test_a_counter_goes_on_where_the_wire_wraps(bits):
    counter, size = Unwrapped(bits), 1 << bits
    assert [counter.update(n % size) for n in (size - 2, size + 1, size - 1, 2 * size)][:3] == [
        size - 2,
        size + 1,
        size - 1,
    ]

"""What every board does: the one in Python, the real firmware, and the one at `--port`."""

import pytest

from grouser.hil.conversation import LinkLost, Refused, StateArrived
from grouser.hil.messages import BoardState, Cmd, Fault, Reason


def test_states_come_at_the_agreed_rate_in_the_boards_own_time(any_bench):
    any_bench.wait(0.5)
    states = any_bench.seen(StateArrived)
    assert any_bench.ack.period_us == 10_000
    assert len(states) == pytest.approx(50, abs=3)
    steps = [after.time - before.time for before, after in zip(states, states[1:], strict=False)]
    assert steps == pytest.approx([0.01] * len(steps), abs=1e-3)
    assert any_bench.talk.counts.missing == 0


def test_belts_reach_what_is_asked_for(any_bench):
    any_bench.arm().drive(1.5, 0.1, -0.15)
    assert any_bench.state.state == BoardState.ARMED
    assert any_bench.state.speeds == pytest.approx((0.1, -0.15), abs=0.015)
    assert any_bench.state.setpoints == pytest.approx((0.1, -0.15))


def test_a_board_that_is_not_armed_refuses_to_drive(any_bench):
    any_bench.wait(1.0)  # a board on the bench may still be running out
    before = any_bench.state.encoder_left
    any_bench.drive(0.3)
    assert any_bench.state.state == BoardState.IDLE
    assert (any_bench.state.encoder_left, any_bench.state.duty_left) == (before, 0)
    assert {event.nak.reason for event in any_bench.seen(Refused)} == {Reason.NOT_ARMED}


def test_without_a_command_the_lease_runs_out_and_stays_out(any_bench):
    any_bench.arm().drive(0.5)
    any_bench.wait(0.2)
    assert any_bench.state.state == BoardState.SAFE
    assert any_bench.state.faults & Fault.COMMAND_TIMEOUT
    any_bench.drive(0.2)
    assert any_bench.state.state == BoardState.SAFE


def test_a_stop_holds_until_the_next_arm(any_bench):
    any_bench.arm().drive(0.3)
    any_bench.talk.estop()
    any_bench.drive(0.2)
    assert any_bench.state.state == BoardState.SAFE
    assert any_bench.state.faults & Fault.ESTOP
    any_bench.arm().drive(0.1, 0.0, 0.0)
    assert any_bench.state.state == BoardState.ARMED
    assert not any_bench.state.faults & Fault.ESTOP


def test_a_command_out_of_range_or_said_twice_is_refused(any_bench):
    any_bench.arm().drive(0.1, 0.0, 0.0)
    before = any_bench.talk.counts.naks
    any_bench.talk.command_raw(6000, 0, any_bench.line.now)
    any_bench.talk.send(Cmd(any_bench.talk.link_id, any_bench.state.cmd_seq, 0, 0, 0))
    any_bench.line.flush()
    any_bench.drive(0.05, 0.0, 0.0)
    reasons = [event.nak.reason for event in any_bench.seen(Refused)]
    assert any_bench.talk.counts.naks == before + 2
    assert reasons[-2:] == [Reason.OUT_OF_RANGE, Reason.OLD_SEQ]


def test_its_clock_is_known_after_a_ping(any_bench):
    any_bench.wait(1.2)
    assert any_bench.talk.clock.is_known
    arrived = any_bench.talk.last
    age = any_bench.line.now - any_bench.talk.clock.to_host(arrived.time)
    assert -0.001 <= age <= 0.025


def test_nothing_is_lost_while_nothing_is_wrong(any_bench):
    any_bench.arm().drive(0.5)
    assert not any_bench.seen(LinkLost)
    assert any_bench.talk.frames.bad <= 1  # what was said before the line was opened

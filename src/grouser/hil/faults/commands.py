"""Faults 1 to 9: lost and wrong commands."""

import random
from collections.abc import Callable

from grouser.hil.faults.bench import LINK_ID, SPEED, Bench, Finding, after, fault_row
from grouser.hil.messages import Arm, BoardState, Cmd, Fault, Mode, Reason

TIMEOUT_MS, TICK_MS = 100.0, 1.0
"""Command timeout, and period of the timer interrupt that checks it [ms]."""


@fault_row(
    1,
    "cable pulled, host dead",
    "stop, latch SAFE",
    "≤ 100 ms after the last CMD (+ 1 ms)",
    "lease",
)
def pull_cable(without: str) -> Finding:
    """Cut the link at several times of a period; measure when the drivers are switched off."""
    worst, latched = 0.0, True
    for phase_ms in (1, 4, 9):
        with Bench(without).start_driving() as bench:
            bench.command()
            bench.wait(phase_ms * 1e-3)
            arrived = bench.arrived_us
            bench.fault("link down")
            bench.wait(0.5)
            worst = max(worst, (bench.off_us - arrived) / 1000.0)
            bench.fault("link up")
            bench.wait(0.03)
            latched &= bench.state.state == BoardState.SAFE
            latched &= bool(bench.state.faults & Fault.COMMAND_TIMEOUT)
    kept = worst <= TIMEOUT_MS + TICK_MS and latched
    words = f"off {after(worst, 2)}, {'SAFE' if latched else 'not latched'}"
    return Finding(kept, words, {"off_ms": worst, "latched": latched})


@fault_row(2, "cable back, no re-arm", "stays off", "never moves", "lease-latch", "lease")
def plug_cable_back(without: str) -> Finding:
    """Send commands after the link is back, without arming."""
    with Bench(without).start_driving() as bench:
        bench.fault("link down")
        bench.drive(0.5)
        bench.fault("link up")
        bench.wait(0.5)  # until the belts stand
        bench.watch()
        bench.drive(2.0)
        refused = sum(nak.reason == Reason.NOT_ARMED for nak in bench.naks)
        kept = not bench.was_on and bench.fastest < 1e-3
        moved = "moves" if bench.was_on else "does not move"
        words = f"{moved} in 2 s of commands, {refused} rejected"
        return Finding(kept, words, {"fastest_m_s": bench.fastest, "refused": refused})


@fault_row(3, "host stalls 50 / 150 ms", "drives / stops", "exact", "lease")
def stall_host(without: str) -> Finding:
    """Send no command for 50 ms, later none for 150 ms."""
    with Bench(without).start_driving() as bench:
        bench.wait(0.04)  # 50 ms since the last command
        drives = not bench.was_off
        bench.drive(0.3)
        drives &= not bench.was_off and bench.state.state == BoardState.ARMED
        bench.wait(0.14)
        off_ms = (bench.off_us - bench.arrived_us) / 1000.0
    kept = drives and 50.0 < off_ms <= TIMEOUT_MS + TICK_MS
    words = f"50 ms: {'drives' if drives else 'stops'}; 150 ms: off {after(off_ms, 2)}"
    return Finding(kept, words, {"drives_through_50_ms": drives, "off_ms": off_ms})


@fault_row(4, "2 % of bytes lost, 20 s", "counted, drives", "no stop up to 2 %", "repetition")
def lose_bytes(without: str) -> Finding:
    """Lose 2 % of all bytes in both directions for 20 s."""
    every = 5 if without == "repetition" else 1
    with Bench().start_driving() as bench:
        bench.fault("link lose 0.02")
        bench.drive(20.0, every=every)
        bench.fault("link clear")
        stops = bench.was_off
        bench.wait(0.02)
        counted = bench.state.crc_errors
        kept = not stops and counted > 0 and bench.state.state == BoardState.ARMED
        words = f"{'stops' if stops else 'drives on'}, {counted} frames counted as damaged"
        return Finding(kept, words, {"stopped": stops, "damaged_frames": counted})


ALIEN = 3000
"""A set-point that no valid command has [0.1 mm/s]."""
BYTES_PER_MS = 25
"""Bytes per millisecond at the baud rate [1/ms]."""


@fault_row(5, "bit flips in 1 % of bytes", "no wrong command", "speed ≤ set-point + 5 %", "crc")
def flip_bits(without: str) -> Finding:
    """Flip a bit in 1 % of all bytes for 20 s while driving."""
    with Bench(without).start_driving(1.5) as bench:
        bench.fault("link flip 0.01")
        seen = len(bench.states)
        bench.drive(20.0)
        wrong, armed = bench.count_wrong(seen)
        excess = bench.fastest / SPEED - 1.0
        kept = excess <= 0.05 and wrong == 0 and armed > 0
        words = f"speed at most set-point {excess:+.1%}, {wrong} of {armed} states wrong"
        return Finding(kept, words, {"excess": excess, "wrong_states": wrong})


@fault_row(6, "duplicate, replayed, old seq", "NAK", "0 taken", "seq-check", "link-id")
def replay_commands(without: str) -> Finding:
    """Send set-points with repeated and old sequence numbers and of another connection."""

    def make(bench: Bench) -> list[Cmd]:
        olds = ((LINK_ID, bench.seq), (LINK_ID, bench.seq - 5), (LINK_ID + 1, bench.seq + 1))
        return [Cmd(link, seq % 65536, 0, ALIEN, ALIEN) for link, seq in olds]

    return _mix_commands(without, make, {Reason.OLD_SEQ, Reason.WRONG_LINK_ID})


@fault_row(7, "set-point out of range", "NAK", "0 taken", "range-check")
def exceed_range(without: str) -> Finding:
    """Send set-points beyond the limits, forward and backward, and in unknown modes."""
    wrong = (
        (5001, 0, Mode.SPEED),
        (0, -5001, Mode.SPEED),
        (32767, -32768, Mode.SPEED),
        (1001, 1001, Mode.DUTY),
        (500, 500, 2),
        (500, 500, 255),
    )

    def make(bench: Bench) -> list[Cmd]:
        return [Cmd(LINK_ID, (bench.seq + 1) % 65536, 0, *numbers) for numbers in wrong]

    return _mix_commands(without, make, {Reason.OUT_OF_RANGE})


def _mix_commands(
    without: str, make: Callable[[Bench], list[Cmd]], reasons: set[Reason]
) -> Finding:
    """Send wrong set-points between valid ones for half a second, then only wrong ones."""
    with Bench(without).start_driving() as bench:
        sent, good_us = 0, bench.arrived_us
        seen = len(bench.states)

        def send_wrong() -> None:
            nonlocal sent
            for command in make(bench):
                bench.send(command)
                sent += 1
                bench.step()

        for _ in range(50):
            bench.command()
            good_us = bench.arrived_us
            bench.step(3000)
            send_wrong()
        for _ in range(30):
            send_wrong()
            bench.step(2000)
        refused = sum(nak.reason in reasons or nak.reason == Reason.NOT_ARMED for nak in bench.naks)
        taken, _ = bench.count_wrong(seen)
        off_ms = (bench.off_us - good_us) / 1000.0
    kept = taken == 0 and refused == sent and off_ms <= 101.0
    words = f"{sent} sent, {refused} rejected, {taken} states follow; off {after(off_ms)}"
    return Finding(kept, words, {"sent": sent, "refused": refused, "states_that_obey": taken})


@fault_row(8, "wrong protocol version", "no arming", "never moves", "protocol-check")
def greet_wrongly(without: str) -> Finding:
    """Send HELLO of a later protocol, then arm and command."""
    with Bench(without) as bench:
        bench.connect(protocol=2)
        refused = any(nak.reason == Reason.WRONG_PROTOCOL for nak in bench.naks)
        bench.watch()
        bench.drive(1.0, also=lambda: bench.send(Arm(LINK_ID)))
        kept = refused and not bench.was_on and not bench.acks
        words = (
            f"{'rejected' if refused else 'accepted'}, {'moves' if bench.was_on else 'never on'}"
        )
        return Finding(kept, words, {"refused": refused, "moved": bench.was_on})


@fault_row(
    9, "garbage at line rate", "command timeout, loop runs on", "loop ≤ 1 ms, 0 resets", "lease"
)
def send_garbage(without: str) -> Finding:
    """Send random bytes at the baud rate for two seconds."""
    noise = random.Random(1)
    with Bench(without).start_driving() as bench:
        good_us, seen = bench.arrived_us, len(bench.states)
        for _ in range(2000):
            bench.send_bytes(noise.randbytes(BYTES_PER_MS))
            bench.step()
        states = [state for _, state in bench.states[seen:]]
        loop_us = max(state.worst_loop_us for state in states)
        off_ms = (bench.off_us - good_us) / 1000.0
        resets = bench.last.resets if bench.last else 0
    alive = len(states) >= 198
    kept = off_ms <= 101.0 and loop_us <= 1000 and resets == 0 and alive
    words = f"off {after(off_ms)}, loop ≤ {loop_us} µs, {resets} resets, {len(states)} states"
    return Finding(kept, words, {"off_ms": off_ms, "worst_loop_us": loop_us, "resets": resets})

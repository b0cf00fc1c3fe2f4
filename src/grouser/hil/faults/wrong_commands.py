"""Rows 5 to 9: commands that are damaged, old, wrong or no commands at all."""

import random
from collections.abc import Callable

from grouser.hil.faults.bench import LINK_ID, SPEED, Bench
from grouser.hil.faults.fault_row import FaultRow
from grouser.hil.faults.finding import Finding, after
from grouser.hil.messages import SPEED_STEP, Arm, BoardState, Cmd, Mode, Reason

ALIEN = 3000
"""A set-point that nobody means, in steps of the wire [1]."""
BYTES_PER_MS = 25
"""What the line carries [1/ms]."""


def flip_bits(without: str) -> Finding:
    """Flip a bit in 1 % of all bytes for 20 s while driving."""
    with Bench(without).set_off(1.5) as bench:
        bench.fault("link flip 0.01")
        seen = len(bench.states)
        bench.drive(20.0)
        asked = round(SPEED / SPEED_STEP)
        states = [state for _, state in bench.states[seen:] if state.state == BoardState.ARMED]
        wrong = sum({state.setpoint_left, state.setpoint_right} != {asked} for state in states)
        excess = bench.fastest / SPEED - 1.0
        kept = excess <= 0.05 and wrong == 0 and bool(states)
        words = f"speed at most set-point {excess:+.1%}, {wrong} of {len(states)} states wrong"
        return Finding(kept, words, {"excess": excess, "wrong_states": wrong})


def replay_commands(without: str) -> Finding:
    """Send each set-point again, an old one, and one of another link, all with other speeds."""

    def make(bench: Bench) -> list[Cmd]:
        olds = ((LINK_ID, bench.seq), (LINK_ID, bench.seq - 5), (LINK_ID + 1, bench.seq + 1))
        return [Cmd(link, seq % 65536, 0, ALIEN, ALIEN) for link, seq in olds]

    return _intrude(without, make, {Reason.OLD_SEQ, Reason.WRONG_LINK_ID})


def exceed_range(without: str) -> Finding:
    """Ask for more than there is, forward and backward, and in modes that do not exist."""
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

    return _intrude(without, make, {Reason.OUT_OF_RANGE})


def _intrude(without: str, make: Callable[[Bench], list[Cmd]], reasons: set[Reason]) -> Finding:
    """Send wrong set-points between good ones for half a second, then only wrong ones."""
    with Bench(without).set_off() as bench:
        sent, good_us = 0, bench.arrived_us
        seen = len(bench.states)

        def intrude() -> None:
            nonlocal sent
            for command in make(bench):
                bench.say(command)
                sent += 1
                bench.step()

        for _ in range(50):
            bench.command()
            good_us = bench.arrived_us
            bench.step(3000)
            intrude()
        for _ in range(30):
            intrude()
            bench.step(2000)
        refused = sum(nak.reason in reasons or nak.reason == Reason.NOT_ARMED for nak in bench.naks)
        asked = round(SPEED / SPEED_STEP)
        states = [state for _, state in bench.states[seen:] if state.state == BoardState.ARMED]
        taken = sum({state.setpoint_left, state.setpoint_right} != {asked} for state in states)
        off_ms = (bench.off_us - good_us) / 1000.0
    kept = taken == 0 and refused == sent and off_ms <= 101.0
    words = f"{sent} sent, {refused} refused, {taken} states obey; off {after(off_ms)}"
    return Finding(kept, words, {"sent": sent, "refused": refused, "states_that_obey": taken})


def greet_wrongly(without: str) -> Finding:
    """Speak a protocol of tomorrow, arm and command all the same."""
    with Bench(without) as bench:
        bench.connect(protocol=2)
        refused = any(nak.reason == Reason.WRONG_PROTOCOL for nak in bench.naks)
        bench.watch()
        bench.drive(1.0, also=lambda: bench.say(Arm(LINK_ID)))
        kept = refused and not bench.was_on and not bench.acks
        words = f"{'refused' if refused else 'accepted'}, {'moves' if bench.was_on else 'never on'}"
        return Finding(kept, words, {"refused": refused, "moved": bench.was_on})


def send_garbage(without: str) -> Finding:
    """Fill the line with random bytes for two seconds."""
    noise = random.Random(1)
    with Bench(without).set_off() as bench:
        good_us, seen = bench.arrived_us, len(bench.states)
        for _ in range(2000):
            bench.say_bytes(noise.randbytes(BYTES_PER_MS))
            bench.step()
        states = [state for _, state in bench.states[seen:]]
        loop_us = max(state.worst_loop_us for state in states)
        off_ms = (bench.off_us - good_us) / 1000.0
        resets = bench.last.resets if bench.last else 0
    alive = len(states) >= 198
    kept = off_ms <= 101.0 and loop_us <= 1000 and resets == 0 and alive
    words = f"off {after(off_ms)}, loop ≤ {loop_us} µs, {resets} resets, {len(states)} states"
    return Finding(kept, words, {"off_ms": off_ms, "worst_loop_us": loop_us, "resets": resets})


ROWS = (
    FaultRow(
        number=5,
        fault="bit flips in 1 % of bytes",
        behaviour="no wrong command",
        promise="speed ≤ set-point + 5 %",
        check=flip_bits,
        twins=("crc",),
    ),
    FaultRow(
        number=6,
        fault="duplicate, replayed, old seq",
        behaviour="NAK",
        promise="0 taken",
        check=replay_commands,
        twins=("seq-check", "link-id"),
    ),
    FaultRow(
        number=7,
        fault="set-point out of range",
        behaviour="NAK",
        promise="0 taken",
        check=exceed_range,
        twins=("range-check",),
    ),
    FaultRow(
        number=8,
        fault="wrong protocol version",
        behaviour="no arming",
        promise="never moves",
        check=greet_wrongly,
        twins=("protocol-check",),
    ),
    FaultRow(
        number=9,
        fault="garbage at line rate",
        behaviour="lease stop, loop alive",
        promise="loop ≤ 1 ms, 0 resets",
        check=send_garbage,
        twins=("lease",),
    ),
)
"""What is promised of commands that are none."""

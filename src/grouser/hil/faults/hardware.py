"""Faults 10 to 17 and 23: broken hardware, resets, hangs and the emergency stop."""

from collections.abc import Sequence
from contextlib import closing
from itertools import product

from grouser.hil.conversation import Connected, Conversation
from grouser.hil.faults.bench import (
    BYTE_US,
    LINK_ID,
    Bench,
    Finding,
    after,
    fault_row,
)
from grouser.hil.frames import encode_message
from grouser.hil.links import LockstepLink
from grouser.hil.messages import PROTOCOL, Arm, BoardState, Estop, Fault, Hello, Reason, ResetCause
from grouser.hil.simulated_board import SimulatedBoard

SIDES = ("left", "right")
PERIOD_MS = 10.0


@fault_row(10, "encoder stuck, track blocked", "stop", "≤ 300 ms + 1 period", "stall")
def block_tracks(without: str) -> Finding:
    """Stop each encoder, then block each track, while driving."""
    return _stop_by(without, ("encoder {} stuck", "track {} blocked"), "STALL", limit_ms=300.0)


@fault_row(11, "encoder or motor leads swapped", "stop, RUNAWAY", "≤ 200 ms + 1 period", "runaway")
def swap_leads(without: str) -> Finding:
    """Swap the leads of each encoder and motor, while driving and before the start."""
    cases = ("encoder {} swapped", "motor {} swapped")
    return _stop_by(without, cases, "RUNAWAY", limit_ms=200.0, also_from_rest=True)


def _stop_by(
    without: str, cases: Sequence[str], flag: str, *, limit_ms: float, also_from_rest: bool = False
) -> Finding:
    """Inject each fault on each side; measure when the drivers are switched off, and the flag."""
    figures: dict[str, float] = {}
    flagged = True
    for case, side, at_rest in product(cases, SIDES, range(1 + also_from_rest)):
        words = case.format(side)
        off_ms, faults = _time_stop(without, words, at_rest=bool(at_rest))
        figures[f"{words}{' from rest' if at_rest else ''}_ms"] = off_ms
        flagged &= bool(faults & Fault[f"{flag}_{side.upper()}"])
    worst = max(figures, key=lambda name: figures[name])
    kept = figures[worst] <= limit_ms + PERIOD_MS and flagged
    words = f"off {after(figures[worst])} ({worst.removesuffix('_ms')})"
    return Finding(kept, words if flagged else f"{words}, not flagged", figures)


def _time_stop(without: str, words: str, *, at_rest: bool) -> tuple[float, int]:
    """Return the time from a fault to the stop of the motors [ms], and the fault flags."""
    with Bench(without) as bench:
        if at_rest:
            bench.connect()
            bench.fault(words)
            bench.send(Arm(7))
            bench.wait(0.01)
            began = bench.now_us
        else:
            bench.start_driving()
            began = bench.fault(words)
        bench.drive(0.5)
        return (bench.off_us - began) / 1000.0, bench.state.faults


@fault_row(12, "IMU lost / back", "flag, drive on, recover", "≤ 3 periods / ≤ 100 ms", "imu-flag")
def lose_imu(without: str) -> Finding:
    """Disconnect the IMU, and connect it again."""
    with Bench(without).start_driving() as bench:
        lost_ms = _time_flag(bench, "imu off", wanted=True)
        back_ms = _time_flag(bench, "imu on", wanted=False) if lost_ms < 500.0 else float("inf")
        drives = not bench.was_off
    kept = lost_ms <= 3 * PERIOD_MS and back_ms <= 100.0 and drives
    words = f"flag {after(lost_ms, 0)}, gone {after(back_ms, 0)}"
    words += ", drives on" if drives else ", stops"
    return Finding(kept, words, {"flag_ms": lost_ms, "recovery_ms": back_ms, "drives": drives})


def _time_flag(bench: Bench, words: str, *, wanted: bool) -> float:
    """Return the time until the flag of the IMU is as wanted [ms]."""
    began = bench.fault(words)
    seen = len(bench.states)
    bench.drive(0.5)
    for time_us, state in bench.states[seen:]:
        if bool(state.faults & Fault.IMU) == wanted:
            return (time_us - began) / 1000.0
    return float("inf")


@fault_row(23, "battery sags to 4 V", "flag, stop", "≤ 1 s", "battery")
def sag_battery(without: str) -> Finding:
    """Lower the battery to 4 V while driving."""
    with Bench(without).start_driving() as bench:
        began = bench.fault("battery 4")
        bench.drive(1.2)
        off_ms = (bench.off_us - began) / 1000.0
        flagged = bool(bench.state.faults & Fault.BATTERY)
    kept = off_ms <= 1000.0 and flagged
    words = f"off {after(off_ms, 0)}, {'flagged' if flagged else 'not flagged'}"
    return Finding(kept, words, {"off_ms": off_ms, "flagged": flagged})


BOOTLOADER = 1.5
"""Time in which the bootloader reads the line after a reset [s]."""


@fault_row(
    13,
    "brown-out reset",
    "off, WAIT_HELLO, reports BORF",
    "off at reset; stale CMDs rejected",
    "wait-hello",
)
def brown_out(without: str) -> Finding:
    """Reset by a drop of the supply voltage while driving, and send commands on."""
    with Bench(without).start_driving() as bench:
        bench.wait(0.005)
        began = bench.fault("reset brownout")
        bench.step(10)
        off_us = bench.off_us - began
        bench.boots.clear()
        bench.watch()
        bench.drive(1.0)
        moved, refused = bench.was_on, sum(n.reason == Reason.WRONG_LINK_ID for n in bench.naks)
        reported = bool(bench.boots) and bool(bench.boots[0].mcusr & ResetCause.BROWNOUT)
    kept = off_us <= 10.0 and not moved and refused >= 95 and reported
    words = f"off {off_us:.0f} µs after the reset, {refused} stale commands rejected"
    words += ", BORF reported" if reported else ", cause not reported"
    words += ", moves again" if moved else ""
    return Finding(kept, words, {"off_us": off_us, "refused": refused, "moved": moved})


@fault_row(
    14, "reset by opening the port", "as 13; host waits for BOOT", "connect ≤ 3 s", "boot-wait"
)
def open_port(without: str) -> Finding:
    """Reset the board by opening its port: the bootloader runs first, then the firmware."""
    with closing(LockstepLink(SimulatedBoard())) as link:
        link.fault("link down")
        conversation = Conversation(LINK_ID, boot_wait=2.0)
        conversation.open(link.now())
        if without == "boot-wait":
            conversation.take_outgoing()
            link.send(encode_message(Hello(PROTOCOL, LINK_ID, 100, 100)))
        connected, was_on = float("inf"), False
        while link.now() < 4.0 and connected > 4.0:
            if link.now() >= BOOTLOADER and link.last and link.last.resets == 0:
                link.fault("reset external")
                link.fault("link up")
            step = link.step(5000)
            was_on |= any(step.enabled)
            events = conversation.receive(step.sent, link.now())
            if without != "boot-wait":
                events += conversation.tick(link.now())
                link.send(conversation.take_outgoing())
            if any(isinstance(event, Connected) for event in events):
                connected = link.now()
    kept = connected <= 3.0 and not was_on
    words = f"connected {after(1e3 * connected, 0)}, {'moves' if was_on else 'never on'}"
    return Finding(kept, words, {"connected_s": connected, "moved": was_on})


@fault_row(
    15, "main loop hangs", "command timeout, then watchdog", "≤ 100 / ≤ 150 ms", "lease", "watchdog"
)
def hang_loop(without: str) -> Finding:
    """Let the main loop hang with interrupts enabled."""
    return _hang(without, "hang loop", limit_ms=100.0)


@fault_row(16, "hang with interrupts off", "watchdog", "≤ 150 ms", "watchdog")
def hang_all(without: str) -> Finding:
    """Let the main loop hang with interrupts disabled."""
    return _hang(without, "hang all", limit_ms=150.0)


def _hang(without: str, words: str, *, limit_ms: float) -> Finding:
    with Bench(without).start_driving() as bench:
        bench.command()
        bench.wait(0.002)
        bench.boots.clear()
        began = bench.fault(words)
        resets, reset_ms = bench.last.resets if bench.last else 0, float("inf")
        off_ms = float("inf")
        for period in range(40):
            if period % 2 == 0:
                bench.command()
            bench.step(5000)
            now_ms = (bench.now_us - began) / 1000.0
            if bench.last and bench.last.resets > resets and now_ms < reset_ms:
                reset_ms = now_ms
            if off_ms == float("inf"):
                off_ms = (bench.off_us - began) / 1000.0
        reported = bool(bench.boots) and bool(bench.boots[0].mcusr & ResetCause.WATCHDOG)
    kept = off_ms <= limit_ms and reset_ms <= 150.0 and reported
    words = f"off {after(off_ms)}, reset {after(reset_ms, 0)}"
    return Finding(kept, words, {"off_ms": off_ms, "reset_ms": reset_ms})


@fault_row(17, "ESTOP", "stop, latch", "≤ 2 ms + wire", "estop-latch")
def stop_on_request(without: str) -> Finding:
    """Send ESTOP while driving, and send commands on."""
    with Bench(without).start_driving() as bench:
        bench.wait(0.004)
        wire_us = BYTE_US * len(encode_message(Estop()))
        began = bench.now_us
        bench.send(Estop())
        bench.step(5000)
        off_ms = (bench.off_us - began - wire_us) / 1000.0
        bench.watch()
        bench.drive(1.0)
        moved, latched = bench.was_on, bench.state.state == BoardState.SAFE
        bench.send(Arm(LINK_ID))
        bench.drive(0.1)
        again = bench.state.state == BoardState.ARMED
    kept = off_ms <= 2.0 and not moved and latched and again
    words = f"off {off_ms:.2f} ms after the wire, {'latched' if latched else 'not latched'}"
    words += ", moves again without arming" if moved else ""
    return Finding(kept, words, {"off_ms": off_ms, "wire_ms": wire_us / 1000.0, "moved": moved})

"""Rows 10, 11, 12 and 23: tracks, sensors and a battery that fail."""

from collections.abc import Iterable

from grouser.hil.faults.bench import Bench
from grouser.hil.faults.fault_row import FaultRow
from grouser.hil.faults.finding import Finding, after
from grouser.hil.messages import Arm, Fault

SIDES = ("left", "right")
PERIOD_MS = 10.0


def block_tracks(without: str) -> Finding:
    """Hold each encoder, then each track, while driving."""
    flags = {"left": Fault.STALL_LEFT, "right": Fault.STALL_RIGHT}
    cases = [(f"encoder {side} stuck", flags[side]) for side in SIDES]
    cases += [(f"track {side} blocked", flags[side]) for side in SIDES]
    return _stop_by(without, cases, limit_ms=300.0 + PERIOD_MS)


def swap_leads(without: str) -> Finding:
    """Exchange the leads of each encoder and motor, while driving and before the start."""
    flags = {"left": Fault.RUNAWAY_LEFT, "right": Fault.RUNAWAY_RIGHT}
    cases = [
        (f"{part} {side} swapped", flags[side]) for part in ("encoder", "motor") for side in SIDES
    ]
    return _stop_by(without, cases, limit_ms=200.0 + PERIOD_MS, also_from_rest=True)


def _stop_by(
    without: str,
    cases: Iterable[tuple[str, Fault]],
    *,
    limit_ms: float,
    also_from_rest: bool = False,
) -> Finding:
    figures: dict[str, float] = {}
    flagged = True
    for words, flag in cases:
        for at_rest in (False, True) if also_from_rest else (False,):
            off_ms, faults = _time_stop(without, words, at_rest=at_rest)
            figures[f"{words}{' from rest' if at_rest else ''}_ms"] = off_ms
            flagged &= bool(faults & flag)
    worst = max(figures, key=lambda name: figures[name])
    kept = figures[worst] <= limit_ms and flagged
    words = f"off {after(figures[worst])} ({worst.removesuffix('_ms')})"
    return Finding(kept, words if flagged else f"{words}, not flagged", figures)


def _time_stop(without: str, words: str, *, at_rest: bool) -> tuple[float, int]:
    """Return after what time a fault stops the motors [ms], and what the board says of it."""
    with Bench(without) as bench:
        if at_rest:
            bench.connect()
            bench.fault(words)
            bench.say(Arm(7))
            bench.wait(0.01)
            began = bench.now_us
        else:
            bench.set_off()
            began = bench.fault(words)
        bench.drive(0.5)
        return (bench.off_us - began) / 1000.0, bench.state.faults


def lose_imu(without: str) -> Finding:
    """Take the inertial sensor off its bus, and put it back."""
    with Bench(without).set_off() as bench:
        lost_ms = _time_flag(bench, "imu off", wanted=True)
        back_ms = _time_flag(bench, "imu on", wanted=False) if lost_ms < 500.0 else float("inf")
        drives = not bench.was_off
    kept = lost_ms <= 3 * PERIOD_MS and back_ms <= 100.0 and drives
    words = f"flag {after(lost_ms, 0)}, gone {after(back_ms, 0)}"
    words += ", drives on" if drives else ", stops"
    return Finding(kept, words, {"flag_ms": lost_ms, "recovery_ms": back_ms, "drives": drives})


def _time_flag(bench: Bench, words: str, *, wanted: bool) -> float:
    """Return how long the flag of the sensor takes to become as wanted [ms]."""
    began = bench.fault(words)
    seen = len(bench.states)
    bench.drive(0.5)
    for moment, state in bench.states[seen:]:
        if bool(state.faults & Fault.IMU) == wanted:
            return (moment - began) / 1000.0
    return float("inf")


def sag_battery(without: str) -> Finding:
    """Let the battery fall to 4 V while driving."""
    with Bench(without).set_off() as bench:
        began = bench.fault("battery 4")
        bench.drive(1.2)
        off_ms = (bench.off_us - began) / 1000.0
        flagged = bool(bench.state.faults & Fault.BATTERY)
    kept = off_ms <= 1000.0 and flagged
    words = f"off {after(off_ms, 0)}, {'flagged' if flagged else 'not flagged'}"
    return Finding(kept, words, {"off_ms": off_ms, "flagged": flagged})


ROWS = (
    FaultRow(
        number=10,
        fault="encoder stuck, track blocked",
        behaviour="stop",
        promise="≤ 300 ms + 1 period",
        check=block_tracks,
        twins=("stall",),
    ),
    FaultRow(
        number=11,
        fault="encoder or motor leads swapped",
        behaviour="stop, RUNAWAY",
        promise="≤ 200 ms + 1 period",
        check=swap_leads,
        twins=("runaway",),
    ),
    FaultRow(
        number=12,
        fault="IMU lost / back",
        behaviour="flag, drive on, recover",
        promise="≤ 3 periods / ≤ 100 ms",
        check=lose_imu,
        twins=("imu-flag",),
    ),
    FaultRow(
        number=23,
        fault="battery sags to 4 V",
        behaviour="flag, stop",
        promise="≤ 1 s",
        check=sag_battery,
        twins=("battery",),
    ),
)
"""What is promised of hardware that breaks."""

"""Rows 1 to 4: commands that do not come."""

from grouser.hil.faults.bench import Bench
from grouser.hil.faults.fault_row import FaultRow
from grouser.hil.faults.finding import Finding, after
from grouser.hil.messages import BoardState, Fault, Reason

LEASE_MS, TICK_MS = 100.0, 1.0


def pull_cable(without: str) -> Finding:
    """Cut the line at several moments of a period; measure when the drivers go off."""
    worst, latched = 0.0, True
    for phase_ms in (1, 4, 9):
        with Bench(without).set_off() as bench:
            bench.command()
            bench.wait(phase_ms * 1e-3)
            arrived = bench.arrived_us
            bench.fault("link down")
            bench.wait(0.5)
            worst = max(worst, (bench.off_us - arrived) / 1000.0)
            bench.fault("link up")
            bench.wait(0.03)
            latched &= bench.state.state == BoardState.SAFE
            latched &= bool(bench.state.faults & Fault.LEASE)
    kept = worst <= LEASE_MS + TICK_MS and latched
    words = f"off {after(worst, 2)}, {'SAFE' if latched else 'not latched'}"
    return Finding(kept, words, {"off_ms": worst, "latched": latched})


def plug_cable_back(without: str) -> Finding:
    """Go on commanding after the line is back, without arming."""
    with Bench(without).set_off() as bench:
        bench.fault("link down")
        bench.drive(0.5)
        bench.fault("link up")
        bench.wait(0.5)  # belts come to rest
        bench.watch()
        bench.drive(2.0)
        refused = sum(nak.reason == Reason.NOT_ARMED for nak in bench.naks)
        kept = not bench.was_on and bench.fastest < 1e-3
        moved = "moves" if bench.was_on else "does not move"
        words = f"{moved} in 2 s of commands, {refused} refused"
        return Finding(kept, words, {"fastest_m_s": bench.fastest, "refused": refused})


def stall_host(without: str) -> Finding:
    """Send nothing for 50 ms, then nothing for 150 ms."""
    with Bench(without).set_off() as bench:
        bench.wait(0.04)  # the fifth millisecond of ten since the last command is over
        drives = not bench.was_off
        bench.drive(0.3)
        drives &= not bench.was_off and bench.state.state == BoardState.ARMED
        bench.wait(0.14)
        off_ms = (bench.off_us - bench.arrived_us) / 1000.0
    kept = drives and 50.0 < off_ms <= LEASE_MS + TICK_MS
    words = f"50 ms: {'drives' if drives else 'stops'}; 150 ms: off {after(off_ms, 2)}"
    return Finding(kept, words, {"drives_through_50_ms": drives, "off_ms": off_ms})


def lose_bytes(without: str) -> Finding:
    """Lose 2 % of all bytes, both ways, for 20 s."""
    every = 5 if without == "repetition" else 1
    with Bench().set_off() as bench:
        bench.fault("link lose 0.02")
        bench.drive(20.0, every=every)
        bench.fault("link clear")
        stops = bench.was_off
        bench.wait(0.02)
        counted = bench.state.crc_errors
        kept = not stops and counted > 0 and bench.state.state == BoardState.ARMED
        words = f"{'stops' if stops else 'drives on'}, {counted} frames counted as damaged"
        return Finding(kept, words, {"stopped": stops, "damaged_frames": counted})


ROWS = (
    FaultRow(
        number=1,
        fault="cable pulled, host dead",
        behaviour="stop, latch SAFE",
        promise="≤ 100 ms after the last CMD (+ 1 ms)",
        check=pull_cable,
        twins=("lease",),
    ),
    FaultRow(
        number=2,
        fault="cable back, no re-arm",
        behaviour="stays off",
        promise="never moves",
        check=plug_cable_back,
        twins=("lease-latch", "lease"),
    ),
    FaultRow(
        number=3,
        fault="host stalls 50 / 150 ms",
        behaviour="drives / stops",
        promise="exact",
        check=stall_host,
        twins=("lease",),
    ),
    FaultRow(
        number=4,
        fault="2 % of bytes lost, 20 s",
        behaviour="counted, drives",
        promise="no stop up to 2 %",
        check=lose_bytes,
        twins=("repetition",),
    ),
)
"""What is promised of commands that do not come."""

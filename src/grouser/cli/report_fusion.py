"""What a fusion found, at its end."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from grouser.cli.terminal import Terminal
from grouser.control import STATE_NAMES, STATE_UNITS
from grouser.log import Log

if TYPE_CHECKING:
    from grouser.identify.fusion import Fusion

LEARNT = ("gyro_bias", "slip_left", "slip_right", "slip_angle")
"""States of which nothing is known before a drive."""
LEARNT_SHARE = 0.5
"""Deviation over that of the start from which on such a state is known [1]."""


def report_fusion(fusion: "Fusion", out: Path, *, as_json: bool) -> None:
    """Tell each state at the end of the log with its standard deviation, and where the log is."""
    terminal, states = Terminal(), fused_states(fusion.log)
    if as_json:
        content: dict[str, Any] = {"sightings": fusion.sightings, "rejected": fusion.rejected}
        content |= {"offset_s": fusion.offset, "offset_known": not fusion.note}
        content |= {"offset_note": fusion.note or None}
        if (found := fusion.found) is not None:
            content |= {"clock_ahead_s": [found.low, found.high]}
        terminal.json({**content, "states": states, "log": out, **_truth(fusion.log)})
        return
    terminal.heading(f"{fusion.sightings} poses, {fusion.rejected} of them outliers")
    if fusion.found is not None:
        span = f"{1e3 * fusion.found.low:.1f} to {1e3 * fusion.found.high:.1f} ms"
        terminal.line(f"the clock of the track is ahead by {span} (95 %)")
    if fusion.note:
        terminal.line(fusion.note)
    if fusion.offset:
        terminal.line(f"added to the times of the track: {1e3 * fusion.offset:.1f} ms")
    write_states(terminal, states)
    for name, value in _truth(fusion.log).items():
        terminal.line(f"{name.replace('_', ' ')}: {value:.3g}")
    terminal.line(f"log: {out}")


def is_fused(log: Log) -> bool:
    """Return whether a log holds the states of a filter."""
    return any(name.startswith("fused.") for name in log)


def fused_states(log: Log) -> dict[str, dict[str, Any]]:
    """Return value and standard deviation of each state at the end of a fused log.

    What is learnt only from the drive is `known` once its deviation is half that of the start.
    """
    found = {}
    for name in STATE_NAMES:
        deviations = log[f"fused.{name}_deviation"]
        first, last = float(deviations[0]), float(deviations[-1])
        found[name] = {
            "value": float(log[f"fused.{name}"][-1]),
            "deviation": last,
            "unit": STATE_UNITS[name],
            "known": name not in LEARNT or last <= LEARNT_SHARE * first,
        }
    return found


def write_states(terminal: Terminal, states: dict[str, dict[str, Any]]) -> None:
    """Write the states as a table."""
    rows = [
        (name.replace("_", " "), f"{s['value']:.5f}", f"{s['deviation']:.5f}", s["unit"])
        for name, s in states.items()
    ]
    headings = ("state at the end", "value", "deviation", "unit")
    terminal.table(headings, rows, numbers=(1, 2))
    if unknown := [name.replace("_", " ") for name, s in states.items() if not s["known"]]:
        terminal.line(f"this drive cannot tell {', '.join(unknown)}: about as at the start")


def _truth(log: Log) -> dict[str, float]:
    """Return how far the fused position is from that of the log, if it has one."""
    if not {"x", "y"} <= set(log):
        return {}
    gaps = np.hypot(log["fused.x"] - log["x"], log["fused.y"] - log["y"])[len(log) // 10 :]
    return {"position_error_rms_mm": 1e3 * float(np.sqrt(np.nanmean(gaps**2)))}

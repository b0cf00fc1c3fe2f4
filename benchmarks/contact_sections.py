"""Sections of our own contact engine, each with its table."""

from collections.abc import Callable
from typing import Any

from benchmarks.make_table import Asked, Measured, make_table, optional, tell, tell_load

NO_PEERS = " Other programs were left out: give their folder with --peers."


def contact(asked: Asked) -> Measured:
    """Return the time of a step of one robot, beside other programs."""
    from benchmarks.contact import measure_contact

    rows = measure_contact(asked.peers, quick=asked.quick, tell=tell)
    columns: dict[str, Callable[[Any], str]] = {
        "drive": lambda row: row.drive,
        "by": lambda row: row.case,
        "step [µs]": lambda row: f"{row.step_us:.2f}",
        "real-time factor [1]": lambda row: f"{row.real_time_factor:.0f}",
        "÷ ODE or MuJoCo [1]": lambda row: optional(row.ratio),
        "target": lambda row: row.target,
        "end": lambda row: row.end,
    }
    title = "csm, one robot, steps of 1 ms in ticks of 10 ms from Python, processor time, one run"
    table = make_table(title, rows, columns, words=2, sections=lambda row: row.drive)
    table.caption = tell_load() + (NO_PEERS if asked.peers is None else "")
    return rows, table


def batches(asked: Asked) -> Measured:
    """Return times of many robots at once."""
    from benchmarks.batches import measure_batches

    rows = measure_batches(asked.peers, quick=asked.quick, tell=tell)
    columns: dict[str, Callable[[Any], str]] = {
        "what": lambda row: row.what,
        "case": lambda row: row.case,
        "value": lambda row: f"{row.value:,.3g} {row.unit}" if row.value < 1e3
        else f"{row.value:,.0f} {row.unit}",
        "ratio [1]": lambda row: optional(row.ratio),
        "target": lambda row: row.target,
    }  # fmt: skip
    title = "csm, many robots at once, ticks of 10 ms from Python, processor time of one thread"
    table = make_table(title, rows, columns, words=2, sections=lambda row: row.what)
    table.caption = tell_load() + (NO_PEERS if asked.peers is None else "")
    return rows, table


def growth(asked: Asked) -> Measured:
    """Return how the time of a step grows with the ground."""
    from benchmarks.growth import ROBOTS, TARGET, measure_growth

    rows = measure_growth(quick=asked.quick, tell=tell)
    columns: dict[str, Callable[[Any], str]] = {
        "ground": lambda row: row.kind,
        "size": lambda row: row.size,
        "step, one [µs]": lambda row: f"{row.step_us:.2f}",
        "÷ smallest [1]": lambda row: f"{row.ratio:.2f}",
        f"step, of {ROBOTS} [µs]": lambda row: f"{row.batch_us:.2f}",
        "÷ its smallest [1]": lambda row: f"{row.batch_ratio:.2f}",
        "start, one [s]": lambda row: f"{row.start:.3f}",
        f"start, {ROBOTS} [s]": lambda row: f"{row.batch_start:.3f}",
    }
    title = f"csm on growing ground, processor time; target: at most {TARGET:g} of the smallest"
    table = make_table(title, rows, columns, sections=lambda row: row.kind)
    table.caption = tell_load()
    return rows, table


def compare(asked: Asked) -> Measured:
    """Return where drives end by each engine of csm."""
    from benchmarks.outcomes import ENGINES, measure_outcomes

    rows = measure_outcomes(tell)
    columns: dict[str, Callable[[Any], str]] = {
        "drive": lambda row: row.drive,
        "old csm": lambda row: "" if row.old is None else str(row.old),
    }
    for n, engine in enumerate(ENGINES):
        columns[engine] = lambda row, n=n: str(row.ends[n])
    columns["why it is not the old"] = lambda row: row.reason
    title = "Where robots end: x, y, z [m]; yaw [rad]; of steps whether and when they are climbed"
    return rows, make_table(title, rows, columns, words=len(columns))

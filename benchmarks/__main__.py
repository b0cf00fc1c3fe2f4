"""Print the tables: `make bench`, or `python -m benchmarks SECTION ...`.

`page` needs Chromium, `idle`, `steps` and `recovery` take ten minutes, `recovery-simulated` an
hour: they only run when they are named.

Other programs that simulate the vehicle of the contact table are run beside it if their folder
is given: `--peers FOLDER`, or the environment variable GROUSER_PEERS.
"""

import argparse
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.contact import ContactRow, measure_contact
from benchmarks.idle import IdleRow, measure_idle
from benchmarks.kinematics import Row, measure
from benchmarks.models import ModelRow, measure_models
from benchmarks.packbot import Row as PackbotRow
from benchmarks.packbot import measure_packbot
from benchmarks.page import PageRow, measure_page
from benchmarks.pivot import SPEEDS, end_contacts, measure_pivot
from benchmarks.pivot import Row as PivotRow
from benchmarks.planar import PlanarRow, measure_planar
from benchmarks.recovery import measure_recovery, recovery_cases
from benchmarks.steps import MODELS as STEP_MODELS
from benchmarks.steps import Row as StepsRow
from benchmarks.steps import measure_steps
from grouser.identify.recovery import Recovery

USUAL = ("kinematics", "planar", "contact", "pivot", "models", "packbot")
SECTIONS = (*USUAL, "steps", "page", "idle", "recovery", "recovery-simulated")


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("sections", nargs="*", help=f"which of {', '.join(SECTIONS)}")
    parser.add_argument("--json", action="store_true", help="numbers instead of tables")
    parser.add_argument("--peers", type=Path, default=os.environ.get("GROUSER_PEERS"))
    asked = parser.parse_args()
    sections = asked.sections or USUAL
    if unknown := set(sections) - set(SECTIONS):
        parser.error(f"{', '.join(unknown)} is no section; sections are {', '.join(SECTIONS)}")
    kinematics = measure() if "kinematics" in sections else []
    planar = measure_planar() if "planar" in sections else []
    peers = Path(asked.peers) if asked.peers else None
    contact = measure_contact(peers) if "contact" in sections else []
    pivot = measure_pivot() if "pivot" in sections else []
    models = measure_models() if "models" in sections else []
    packbot = measure_packbot() if "packbot" in sections else []
    steps = measure_steps(lambda text: print(text, file=sys.stderr)) if "steps" in sections else []
    page = measure_page() if "page" in sections else []
    idle = measure_idle() if "idle" in sections else []
    recovered = measure_recovery(recovery_cases(sections))
    if asked.json:
        rows = [*kinematics, *planar, *contact, *pivot, *models, *packbot, *steps, *page, *idle]
        rows += recovered
        print(json.dumps([asdict(row) for row in rows], indent=2))
        return
    console = Console(width=130)
    tables = (
        (kinematics, kinematic_table),
        (planar, planar_table),
        (contact, contact_table),
        (pivot, pivot_table),
        (models, models_table),
        (packbot, packbot_table),
        (steps, steps_table),
        (page, page_table),
        (idle, idle_table),
        (recovered, recovery_table),
    )
    for rows, draw in tables:
        if rows:
            console.print(draw(rows))
    if contact and peers is None:
        console.print("Other programs were left out: give their folder with --peers.")


def recovery_table(rows: list[Recovery]) -> Table:
    table = Table(title="Random robots with noise, 5 % gross errors, a gap and another clock")
    table.add_column("family")
    table.add_column("observed")
    heads = ("robots", "inside 95 % [%]", "worst parameter [%]", "clock off [ms]", "unsettled")
    for head in heads:
        table.add_column(head, justify="right")
    for row in rows:
        table.add_row(
            row.family,
            row.kind,
            str(row.robots),
            f"{100.0 * row.coverage:.1f}",
            f"{100.0 * min(row.held.values()):.0f}",
            f"{1e3 * row.largest_offset_error:.1f}",
            str(row.unsettled),
        )
    return table


def kinematic_table(rows: list[Row]) -> Table:
    baseline = rows[0].step_us
    table = Table(title="Kinematic models, one core, one run")
    table.add_column("case")
    for head in ("step [µs]", "÷ first line", "robot-steps/s [10⁶]", "real-time factor [1]"):
        table.add_column(head, justify="right")
    for row in rows:
        table.add_row(
            row.case,
            f"{row.step_us:.1f}",
            f"{row.step_us / baseline:.2f}",
            f"{row.robot_steps_per_second / 1e6:.2f}",
            f"{row.real_time_factor:,.0f}",
        )
    return table


def planar_table(rows: list[PlanarRow]) -> Table:
    table = Table(title="tankbot with its controller, steps of 1.25 ms or less, one core, one run")
    table.add_column("case")
    for head in ("robots", "real-time factor, all robots [1]", "÷ first line [1]"):
        table.add_column(head, justify="right")
    for row in rows:
        table.add_row(
            row.case, str(row.robots), f"{row.real_time_factor:,.1f}", f"{row.ratio:,.0f}"
        )
    return table


def contact_table(rows: list[ContactRow]) -> Table:
    table = Table(title="csm and other programs, steps of 1 ms, one core, one run")
    table.add_column("drive")
    table.add_column("by")
    heads = ("step [µs]", "real-time factor [1]", "÷ fastest other [1]", "end")
    for head in heads:
        table.add_column(head, justify="right")
    drive = ""
    for row in rows:
        if drive and row.drive != drive:
            table.add_section()
        drive = row.drive
        table.add_row(
            row.drive,
            row.case,
            f"{row.step_us:.2f}",
            f"{row.real_time_factor:.1f}",
            "" if row.ratio is None else f"{row.ratio:.2f}",
            row.end,
        )
    return table


def pivot_table(rows: list[PivotRow]) -> Table:
    table = Table(title=f"Turning on the spot; carried by the track ends: {end_contacts():.3f} /m")
    table.add_column("friction")
    table.add_column("boxes", justify="right")
    for speed in SPEEDS:
        table.add_column(f"turn ÷ belt at {speed:g} m/s [1/m]", justify="right")
        table.add_column("airborne [1]", justify="right")
    for row in rows:
        cells = zip(row.turn_per_belt, row.airborne, strict=True)
        words = [word for turn, air in cells for word in (f"{turn:.3f}", f"{air:.2f}")]
        table.add_row(row.friction, str(row.boxes), *words)
    return table


def models_table(rows: list[ModelRow]) -> Table:
    table = Table(title="Models in three dimensions: Absolem straight, on the spot, on stairs")
    table.add_column("model")
    for head in ("real-time factor [1]", "÷ csm [1]", "P1 [1]", "P1 ÷ its csm [1]"):
        table.add_column(head, justify="right")
    for row in rows:
        theirs = (row.printed, row.printed_ratio)
        words = ["" if value is None else f"{value:.2f}" for value in theirs]
        table.add_row(row.model, f"{row.real_time_factor:.2f}", f"{row.ratio:.3f}", *words)
    return table


def page_table(rows: list[PageRow]) -> Table:
    table = Table(title="With the page open in a browser without a graphics card, one run")
    table.add_column("driven")
    heads = ("real-time factor [1]", "missed [%]", "late [ms]", "frames/s", "server CPU [%]")
    for head in heads:
        table.add_column(head, justify="right")
    for row in rows:
        table.add_row(
            row.case,
            f"{row.real_time_factor:.3f}",
            f"{row.missed_percent:.2f}",
            f"{row.worst_lateness_ms:.1f}",
            f"{row.frames_per_second:.1f}",
            f"{row.server_cpu_percent:.0f}",
        )
    return table


def idle_table(rows: list[IdleRow]) -> Table:
    table = Table(title="The server without a driver")
    table.add_column("case")
    for head in ("CPU [%]", "memory before [MB]", "memory after [MB]"):
        table.add_column(head, justify="right")
    for row in rows:
        cells = (row.cpu_percent, row.memory_before_mb, row.memory_after_mb)
        table.add_row(row.case, f"{cells[0]:.2f}", f"{cells[1]:.1f}", f"{cells[2]:.1f}")
    return table


def packbot_table(rows: list[PackbotRow]) -> Table:
    table = Table(title="PackBot 510, 80 grousers, 0.3 m/s on flat ground, steps of 1 ms, one core")
    table.add_column("model")
    for head in ("real-time factor [1]", "÷ csm [1]", "P4 [1]", "P4 ÷ csm [1]"):
        table.add_column(head, justify="right")
    for row in rows:
        theirs = (row.published, row.published_over_csm)
        words = ["" if value is None else f"{value:.2f}" for value in theirs]
        table.add_row(row.model, f"{row.real_time_factor:.1f}", f"{row.over_csm:.2f}", *words)
    return table


def steps_table(rows: list[StepsRow]) -> Table:
    table = Table(title="Highest step that Quince climbs, friction 0.6; mm")
    for head in ("front sub-tracks, deg", *STEP_MODELS, "grousers can hook up to"):
        table.add_column(head, justify="right")
    for row in rows:
        heights = [*row.heights, row.hooking]
        table.add_row(f"{row.angle_deg:g}", *(f"{1e3 * height:.0f}" for height in heights))
    return table


if __name__ == "__main__":
    main()

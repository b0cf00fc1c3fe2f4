"""Print the tables: `make bench`, or `python -m benchmarks [kinematics] [contact] [pivot]`.

Other programs that simulate the vehicle of the contact table are run beside it if their folder
is given: `--peers FOLDER`, or the environment variable GROUSER_PEERS.
"""

import argparse
import json
import os
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.contact import ContactRow, measure_contact
from benchmarks.kinematics import Row, measure
from benchmarks.pivot import SPEEDS, end_contacts, measure_pivot
from benchmarks.pivot import Row as PivotRow

SECTIONS = ("kinematics", "contact", "pivot")


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("sections", nargs="*", help=f"which of {', '.join(SECTIONS)}; all if none")
    parser.add_argument("--json", action="store_true", help="numbers instead of tables")
    parser.add_argument("--peers", type=Path, default=os.environ.get("GROUSER_PEERS"))
    asked = parser.parse_args()
    sections = asked.sections or SECTIONS
    if unknown := set(sections) - set(SECTIONS):
        parser.error(f"{', '.join(unknown)} is no section; sections are {', '.join(SECTIONS)}")
    kinematics = measure() if "kinematics" in sections else []
    peers = Path(asked.peers) if asked.peers else None
    contact = measure_contact(peers) if "contact" in sections else []
    pivot = measure_pivot() if "pivot" in sections else []
    if asked.json:
        print(json.dumps([asdict(row) for row in [*kinematics, *contact, *pivot]], indent=2))
        return
    console = Console(width=130)
    if kinematics:
        console.print(kinematic_table(kinematics))
    if contact:
        console.print(contact_table(contact))
        if peers is None:
            console.print("Other programs were left out: give their folder with --peers.")
    if pivot:
        console.print(pivot_table(pivot))


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


if __name__ == "__main__":
    main()

"""Print the table: `make bench`, or `python -m benchmarks --json`."""

import json
import sys
from dataclasses import asdict

from rich.console import Console
from rich.table import Table

from benchmarks.kinematics import measure


def main() -> None:
    rows = measure()
    if "--json" in sys.argv[1:]:
        print(json.dumps([asdict(row) for row in rows], indent=2))
        return
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
    Console(width=100).print(table)


if __name__ == "__main__":
    main()

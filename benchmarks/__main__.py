"""Print the tables for developers: `python -m benchmarks SECTION ...`.

`grouser bench` measures the speed of models, batches, environments and the command line.

`page` needs Chromium, `rides`, `pallet`, `steps`, `mppi-goals`, `idle` and `recovery` take minutes,
`recovery-simulated` an hour: they only run when they are named.

Other programs that simulate the vehicle of the contact table are run beside it if their folder
is given: `--peers FOLDER`, or the environment variable GROUSER_PEERS.
"""

import argparse
import json
import os
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from benchmarks.sections import SECTIONS, USUAL


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("sections", nargs="*", help=f"which of {', '.join(SECTIONS)}")
    parser.add_argument("--json", action="store_true", help="numbers instead of tables")
    parser.add_argument("--peers", type=Path, default=os.environ.get("GROUSER_PEERS"))
    asked = parser.parse_args()
    names = asked.sections or list(USUAL)
    if unknown := set(names) - set(SECTIONS):
        parser.error(f"{', '.join(unknown)} is no section; sections are {', '.join(SECTIONS)}")
    peers = Path(asked.peers) if asked.peers else None
    measured = [SECTIONS[name](peers) for name in SECTIONS if name in names]
    if asked.json:
        print(json.dumps([asdict(row) for rows, _ in measured for row in rows], indent=2))
        return
    console = Console(width=130)
    for _, table in measured:
        console.print(table)


if __name__ == "__main__":
    main()

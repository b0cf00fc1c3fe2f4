"""Print the tables for developers: `python -m benchmarks SECTION ...`.

`grouser bench` measures the speed of models, batches, environments and the command line.

`page` needs Chromium, `batches`, `growth`, `compare`, `rides`, `pallet`, `agreement`, `steps`,
`mppi-goals`, `idle`, `foxglove`, `ins`, `plan`, `recovery` and `ardupilot` take minutes,
`recovery-choice` and `recovery-simulated` an hour: they only run when they are named.

`fuzz` drives random robots over random courses, `soil-fuzz` on random soils, `equality` compares
robots of batches with lone ones; `--cases` or `--scenes` says how many, `--seed` which.

Other programs that simulate the vehicle of `contact` and `batches` are run beside it if their
folder is given: `--peers FOLDER`, or the environment variable GROUSER_PEERS. `--quick` makes
`contact`, `batches` and `growth` shorter: fewer repeats, no ground of gigabytes.
"""

import argparse
import json
import os
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from benchmarks.make_table import Asked
from benchmarks.sections import RANDOM, SECTIONS, USUAL


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("sections", nargs="*", help=f"which of {', '.join((*SECTIONS, *RANDOM))}")
    parser.add_argument("--json", action="store_true", help="numbers instead of tables")
    parser.add_argument("--peers", type=Path, default=os.environ.get("GROUSER_PEERS"))
    parser.add_argument("--cases", "--scenes", type=int, help="of fuzz, soil-fuzz or equality")
    parser.add_argument("--seed", type=int, default=0, help="the first of them")
    parser.add_argument("--minutes", type=float, default=10.0, help="simulated, of ardupilot")
    parser.add_argument("--quick", action="store_true", help="fewer repeats, smaller cases")
    asked = parser.parse_args()
    names = asked.sections or list(USUAL)
    if unknown := set(names) - {*SECTIONS, *RANDOM}:
        known = ", ".join((*SECTIONS, *RANDOM))
        parser.error(f"{', '.join(unknown)} is no section; sections are {known}")
    peers = Path(asked.peers) if asked.peers else None
    options = Asked(peers=peers, quick=asked.quick, minutes=asked.minutes)
    measured = [SECTIONS[name](options) for name in SECTIONS if name in names]
    for name, (measure, count) in RANDOM.items():
        if name in names:
            measured.append(measure(asked.cases or count, asked.seed))
    if asked.json:
        print(json.dumps([asdict(row) for rows, _ in measured for row in rows], indent=2))
        return
    console = Console(width=130)
    for _, table in measured:
        console.print(table)


if __name__ == "__main__":
    main()

"""`python -m tests.soak.editing --minutes N`: a course that is edited all the time, and its memory.

Pieces are placed, moved, stretched, copied, undone, repeated and deleted on an open page, several
times a second. Resident memory, nodes of the scene and messages that wait for new pages are
sampled; exit code 1 if the memory grows for certain.
"""

import argparse
import random
import sys
import tempfile
import time

import psutil

from grouser.description import load
from grouser.scenario import Scenario
from grouser.viewer import building
from grouser.viewer.app import DriveApp
from grouser.viewer.builder import Builder
from grouser.viewer.building import Placing
from grouser.viewer.palette import PALETTE
from tests.soak.slopes import fit_slope
from tests.viewer.browser import wait_until
from tests.viewer.visitor import Visitor, drain

MOST = 12
"""Pieces of the course; then some are deleted [1]."""
GROWTH = 40.0, 3.0
"""Slope of the memory that is permitted [MB/h], and growth below which nothing is said [MB]."""
ACTS = ("place", "place", "move", "move", "size", "copy", "undo", "redo", "delete")
KINDS = [entry for entry in PALETTE if entry.label not in ("Sand",)]


def edit(builder: Builder, chance: random.Random) -> None:
    """Make one edit, any one."""
    state = builder.state
    count = 0 if state.draft is None else len(state.draft.pieces)
    act = chance.choice(
        ("place", "place", "move", "move", "size", "copy", "undo", "redo", "delete")
    )
    if act == "place" and count < MOST:
        builder.show(tool=chance.choice(KINDS))
        builder.click((chance.uniform(2.0, 9.0), chance.uniform(-4.0, 4.0), 0.0), None)
        builder.show(tool=None)
    elif act in ("undo", "redo"):
        builder.act(act)
    elif count > 1:
        builder.show(
            selected=chance.randrange(1, count), grip=chance.choice(("Move and turn", "Size"))
        )
        if act == "move":
            builder.move(
                Placing(chance.uniform(2.0, 9.0), chance.uniform(-4.0, 4.0), chance.uniform(-3, 3))
            )
        elif act == "size":
            builder.stretch("x", chance.uniform(0.8, 1.25))
        elif act == "copy" and count < MOST:
            builder.duplicate()
        else:
            builder.delete()
    builder.wait()


def measure(page: DriveApp, visitor: Visitor) -> tuple[float, float, float]:
    """Return resident memory [MB], nodes of both scenes, and messages for new pages."""
    own = page.server.get_clients()[visitor.number].scene
    nodes = len(page.server.scene._handle_from_node_name) + len(own._handle_from_node_name)
    waiting = len(page.server._websock_server._broadcast_buffer.message_from_id)
    return psutil.Process().memory_info().rss / 1e6, nodes, waiting


def soak(minutes: float, seed: int) -> bool:
    """Edit for so long; print what was measured, and return whether nothing grew."""
    # Caches that would fill for the first 200 edits are made small: what grows then is a leak.
    load.KEPT, building.DEPTH = 8, 20
    chance, edits, samples = random.Random(seed), 0, []
    scenario = Scenario(robot="absolem", course="flat", model="csm", driver="person")
    with (
        tempfile.TemporaryDirectory() as folder,
        DriveApp(scenario, port=0, folder=folder) as page,
        Visitor(page) as visitor,
    ):
        wait_until(lambda: page.loop.session.note is None, "it is compiled", 120.0)
        wait_until(lambda: page.lock.driver == visitor.number, "it drives")
        drain(visitor)
        page.builder.show(is_on=True)
        start = time.monotonic()
        while (now := time.monotonic() - start) < 60.0 * minutes:
            edit(page.builder, chance)
            edits += 1
            samples.append((now, *measure(page, visitor)))
            time.sleep(0.05)
        late = page.loop.clock.punctuality
        print(f"{edits} edits in {minutes:g} min, missed ticks {100 * late.missed_share:.2f} %")
    return report(samples)


def report(samples: list[tuple[float, float, float, float]]) -> bool:
    """Print first and last values; return whether none of them grows."""
    settled = [sample for sample in samples if sample[0] > min(60.0, 0.3 * samples[-1][0])]
    half = len(settled) // 2
    for column, what in enumerate(("RSS [MB]", "nodes", "messages"), 1):
        first, last = (
            max(sample[column] for sample in some) for some in (settled[:half], settled[half:])
        )
        print(f"{what}: at most {first:.1f} in the first half, {last:.1f} in the second")
    slope = fit_slope([sample[0] for sample in samples], [sample[1] for sample in samples])
    print(f"RSS: {slope}")
    return slope is None or not slope.exceeds(*GROWTH)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    sys.exit(0 if soak(given.minutes, given.seed) else 1)

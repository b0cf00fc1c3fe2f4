"""Steps of robots: settle, gather the shear, solve for the twist, slide, move."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grouser.limits import SUBSTEPS
from grouser.models.planar.share import share_robots
from grouser.models.planar_tracks.compiled import compiled, inlined
from grouser.models.planar_tracks.lines import Body, Lines
from grouser.models.planar_tracks.settle import sweep
from grouser.models.planar_tracks.shear import gather, rotation, slide

STEPS_AT_ONCE = 20_000
"""Steps of one call, so that Ctrl-C ends a run within a second."""
MOST_CARRIED = 0.5
"""Most of a patch that a belt may run in a step [1]."""

Array = NDArray[np.float64]


class Machine(NamedTuple):
    """What all robots of a plant share."""

    body: Body
    """Mass and contact."""
    lines: Lines
    """Patches."""
    grounds: Array
    """Rows of `ground`, by surface and drive."""
    wong: bool
    """Whether shear is after Wong and Chiang."""
    longest: float
    """Longest step [s]."""


class Numbers(NamedTuple):
    """What changes; robots along the first axis."""

    twists: Array
    """Speed forward and left of the centre of mass [m/s], yaw rate [rad/s]."""
    trims: Array
    """Sinkage at the centre of mass [m], pitch and roll into the ground [rad]."""
    shear: Array
    """Mobilised share of strength [1], or shear displacement [m]: line, patch, along and across;
    then that of the resistance of the soil [1]."""
    forces: Array
    """Force of the ground along x and y of the last step [N]."""
    thrusts: Array
    """Force of the ground on each drive along and across, of the last step [N]."""
    works: Array
    """Work of each drive since the start [J]."""


class Scratch(NamedTuple):
    """Room for one step of each robot."""

    pressures: Array
    """Pressure under each patch [Pa]."""
    held: Array
    """What `gather` keeps for `slide`."""
    moved: Array
    """Way forward and left [m] and turn [rad] since the beginning of the tick."""


def advance_all(
    machine: Machine, numbers: Numbers, scratch: Scratch, under: NDArray[np.int64], loads: Array,
    belts: Array, duration: float,
) -> int | None:  # fmt: skip
    """Advance robots in place; return the number of the first that needs too many steps, or None.

    Args:
        machine: What they share.
        numbers: Their states.
        scratch: Room to work in.
        under: Number of the surface under each drive.
        loads: Weight along x, along y and into the ground, factor on friction, and moment about
            the centre of mass, a row each.
        belts: Speed of each drive [m/s].
        duration: How long [s].
    """
    failed: list[int] = []

    def advance(first: int, end: int) -> Iterator[None]:
        while 0 <= first < end:
            first = advance_robots(
                first, end, machine, numbers, scratch, under, loads, belts, duration
            )
            yield
        if first < 0:
            failed.append(-1 - first)

    share_robots(len(belts), advance)
    return min(failed, default=None)


@compiled
def advance_robots(
    first: int, end: int, machine: Any, numbers: Any, scratch: Any, under: Any, loads: Any,
    belts: Any, duration: float,
) -> int:  # fmt: skip
    """Advance robots from `first` up to `end`; return up to which, or -1 less one that fails."""
    done = 0
    for i in range(first, end):
        steps = _count_steps(machine, belts[i], duration)
        if steps > SUBSTEPS:
            return -1 - i
        scratch.moved[i, :] = 0.0
        x, y = loads[i, 0], loads[i, 1]
        for _ in range(steps):
            x, y = _step(i, machine, numbers, scratch, under[i], loads[i], x, y, belts[i],
                         duration / steps)  # fmt: skip
        done += steps
        if done > STEPS_AT_ONCE:
            return i + 1
    return end


@inlined
def _count_steps(machine: Any, belts: Any, duration: float) -> int:
    """Return how many steps a tick needs: none is too long, and no belt runs too far in it."""
    steps = duration / machine.longest
    for line in range(machine.lines.front.shape[0]):
        run = abs(belts[machine.lines.drive[line]]) * duration
        steps = max(steps, run / (MOST_CARRIED * machine.lines.pitch[line]))
    return int(np.ceil(min(steps, 1e9) - 1e-9)) if steps > 1.0 else 1


@compiled
def _step(
    i: int, machine: Any, numbers: Any, scratch: Any, under: Any, load: Any, x: float, y: float,
    belts: Any, h: float,
) -> Any:  # fmt: skip
    """Advance one robot by a step; return the weight along its axes at the end of it [N]."""
    body, lines, grounds, wong, _ = machine
    trim, shear, held = numbers.trims[i], numbers.shear[i], scratch.held[i]
    pressures, now = scratch.pressures[i], numbers.twists[i]
    sweep(body, lines, grounds, under, load[2], trim, pressures, numbers.forces[i])
    old = (now[0], now[1], now[2])
    a00 = a02 = a11 = a12 = a22 = b0 = b1 = b2 = 0.0
    for line in range(len(shear)):
        drive = lines.drive[line]
        part = gather(
            line, grounds[under[drive], drive], load[3], lines, trim, old, belts[drive], h, wong,
            pressures[line], shear[line], held[line],
        )  # fmt: skip
        a00, a02, a11 = a00 + part[0], a02 + part[1], a11 + part[2]
        a12, a22, b0 = a12 + part[3], a22 + part[4], b0 + part[5]
        b1, b2 = b1 + part[6], b2 + part[7]
    new = _solve(body, old, h, (a00, a02, a11, a12, a22), (b0 + x, b1 + y, b2 + load[4]))
    now[0], now[1], now[2] = new
    _account(i, machine, numbers, held, under, new, belts, h)
    _move(scratch.moved[i], new, body.com_x, body.com_y, h)
    even, turn = rotation(new[2] * h)
    return x * even + y * turn, y * even - x * turn


@inlined
def _solve(body: Any, old: Any, h: float, a: Any, b: Any) -> Any:
    """Return the twist at the end of a step, at which the forces of the ground balance."""
    even, turn = rotation(old[2] * h)
    mass, inertia = body.mass / h, body.inertia / h
    m00, m11, m22 = mass + a[0], mass + a[2], inertia + a[4]
    r0 = b[0] + mass * (old[0] * even + old[1] * turn)
    r1 = b[1] + mass * (old[1] * even - old[0] * turn)
    r2 = b[2] + inertia * old[2]
    yaw = (r2 - a[1] * r0 / m00 - a[3] * r1 / m11) / (m22 - a[1] * a[1] / m00 - a[3] * a[3] / m11)
    return (r0 - a[1] * yaw) / m00, (r1 - a[3] * yaw) / m11, yaw


@compiled
def _account(
    i: int, machine: Any, numbers: Any, held: Any, under: Any, twist: Any, belts: Any, h: float
) -> None:
    """Slide the patches, and keep forces and works."""
    lines, shear = machine.lines, numbers.shear[i]
    forces, thrusts, works = numbers.forces[i], numbers.thrusts[i], numbers.works[i]
    forces[:] = 0.0
    thrusts[:] = 0.0
    for line in range(len(shear)):
        drive = lines.drive[line]
        along, lateral, resisted = slide(
            line, lines, twist, belts[drive], machine.wong, shear[line], held[line]
        )
        thrusts[drive, 0] += along
        thrusts[drive, 1] += lateral
        forces[0] += along - resisted
        forces[1] += lateral
        works[drive] += along * belts[drive] * h


@inlined
def _move(moved: Any, twist: Any, com_x: float, com_y: float, h: float) -> None:
    """Move the body's origin on, along the arc of the step."""
    ahead, left = twist[0] + twist[2] * com_y, twist[1] - twist[2] * com_x
    yaw = moved[2] + 0.5 * twist[2] * h
    cos, sin = np.cos(yaw), np.sin(yaw)
    moved[0] += (ahead * cos - left * sin) * h
    moved[1] += (ahead * sin + left * cos) * h
    moved[2] += twist[2] * h

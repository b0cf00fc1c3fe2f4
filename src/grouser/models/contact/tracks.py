"""How tracks are represented: one belt, a row of wheels, a belt with grousers."""

from collections.abc import Callable
from functools import partial

import numpy as np

from grouser.description.loop import Arc
from grouser.description.track import Belt
from grouser.models.contact.scene import BeltSurface, GrouserRow, TrackShape, rim


def belts(*, patches: int) -> TrackShape:
    """Return how a belt is one smooth profile."""

    def shape(belt: Belt, *, name: str, body: int, drive: int, y: float) -> tuple[BeltSurface, ...]:
        return (
            BeltSurface(
                name=name, body=body, drive=drive, y=y, width=belt.width, loop=belt.loop,
                patches=patches,
            ),
        )  # fmt: skip

    return shape


def wheel_rows(*, count: int) -> TrackShape:
    """Return how a belt is a row of wheels between its end pulleys, one at every other pulley."""

    def shape(belt: Belt, *, name: str, body: int, drive: int, y: float) -> tuple[BeltSurface, ...]:
        front, rear = belt.loop.end_arcs
        others = [s for s in belt.loop.segments if isinstance(s, Arc) and s not in (front, rear)]
        ends = [(*rear.centre, rear.radius), (*front.centre, front.radius)]
        row = np.linspace(*np.array(ends), count) if front is not rear else np.array(ends[:1])
        discs = [*row.tolist(), *((*arc.centre, arc.radius) for arc in others)]
        wheel: Callable[..., BeltSurface] = partial(
            BeltSurface, name=name, body=body, drive=drive, y=y, width=belt.width
        )
        return tuple(wheel(loop=rim((x, z), radius)) for x, z, radius in discs)

    return shape


def grousered_belts(
    *, patches: int, follows_loop: bool, stiffness: float | None = None
) -> TrackShape:
    """Return how a belt is a profile with its grousers."""
    smooth = belts(patches=patches)

    def shape(belt: Belt, *, name: str, body: int, drive: int, y: float) -> tuple[BeltSurface, ...]:
        (surface,) = smooth(belt, name=name, body=body, drive=drive, y=y)
        if belt.grousers is None or belt.pitch is None:
            return (surface,)
        row = GrouserRow(
            count=belt.grousers.count,
            pitch=belt.pitch,
            first=0.5 * belt.pitch,
            profile=belt.grousers.profile,
            width=belt.grousers.width or belt.width,
            follows_loop=follows_loop,
            stiffness=stiffness,
        )
        return (_with_grousers(surface, row),)

    return shape


def _with_grousers(surface: BeltSurface, row: GrouserRow) -> BeltSurface:
    from dataclasses import replace

    return replace(surface, grousers=row)

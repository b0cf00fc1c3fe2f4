"""Pieces of drives: one record from several, blocks of pieces, and folds of blocks.

Errors of neighbouring stretches of a drive are alike: same ground, same manoeuvre. So what judges a
fit is held out as whole blocks, and confidence intervals count blocks. A block is a group of pieces
if the log names groups; else some neighbouring pieces, or a stretch of a long piece.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidValue
from grouser.geometry import Array
from grouser.identify.record import PIECE_GAP, Observation, Record

MAX_CLOCK_OFFSET = 2.0
"""Largest clock offset between belt speeds and observations, either way [s]."""
USUAL_CLOCK_OFFSET = 0.5
"""Clock offset that is believed without more ado; a larger one must be clearly better [s]."""
HELD_STEP = 0.1
"""Time between two samples of a belt speed that is held beyond its piece [s]."""
LEVEL_PITCH = 1e-3
"""Largest pitch of a drive on level ground [rad]."""
FOLDS = 5
"""Number of folds."""
TARGET_BLOCKS = 10
"""Number of blocks of one long drive that the length of a block is chosen for."""
MIN_BLOCK_LENGTH, MAX_BLOCK_LENGTH = 3.0, 12.0
"""Limits of the length of a block that is cut from a long piece [s]."""
MOST_BLOCKS = 40
"""Number of blocks above which neighbouring pieces are taken together."""
MIN_GROUPS = 5
"""Number of named groups below which they are not used as blocks."""


def join_records(records: Sequence[Record]) -> Record:
    """Return all pieces of some records as one record.

    InvalidValue if there is none, or if they hold different kinds of observation.
    """
    kinds = {(record.observation.kind, record.steady) for record in records}
    if len(kinds) != 1:
        found = ", ".join(sorted(kind for kind, _ in kinds))
        raise InvalidValue("logs", found or "none", "have the same kind of observation")
    if len(records) == 1:
        return replace(records[0], pitch=_join_pitch(records))
    shifts = _shifts(records)
    sizes = np.cumsum([0, *(record.time.size for record in records[:-1])])
    commanded = [record.commanded for record in records if record.commanded is not None]
    drives = set.intersection(*(set(record.wheels) for record in records))
    return Record(
        name=_join_names(records),
        time=np.concatenate([r.time + s for r, s in zip(records, shifts, strict=True)]),
        left=np.concatenate([record.left for record in records]),
        right=np.concatenate([record.right for record in records]),
        observation=_join_observations(records, shifts),
        commanded=np.concatenate(commanded, axis=1) if len(commanded) == len(records) else None,
        pitch=_join_pitch(records),
        wheels={d: np.concatenate([r.wheels[d] for r in records]) for d in sorted(drives)},
        first=np.concatenate([r.first + n for r, n in zip(records, sizes, strict=True)]),
        group=_join_groups(records),
        steady=records[0].steady,
    )


def _shifts(records: Sequence[Record]) -> list[float]:
    """Return what to add to the times of each record [s]."""
    gap, at, found = 1.0 if records[0].steady else PIECE_GAP, 0.0, []
    for record in records:
        found.append(at - float(record.time[0]))
        at += float(record.time[-1] - record.time[0]) + gap
    return found


def _join_names(records: Sequence[Record]) -> str:
    names = list(dict.fromkeys(record.name for record in records))
    return ", ".join(names) if len(names) <= 3 else f"{names[0]} and {len(names) - 1} more"


def _join_observations(records: Sequence[Record], shifts: Sequence[float]) -> Observation:
    """Return the observations near the belt speeds of each record, on the joint axis."""
    times, values = [], []
    for record, shift in zip(records, shifts, strict=True):
        seen = record.observation
        reach = 0.5 * PIECE_GAP if not record.steady else 0.0
        near = (seen.time > record.time[0] - reach - 1e-9) & (
            seen.time < record.time[-1] + reach + 1e-9
        )
        times.append(seen.time[near] + shift)
        values.append(seen.values[:, near])
    kind = records[0].observation.kind
    return Observation(kind=kind, time=np.concatenate(times), values=np.concatenate(values, axis=1))


def _join_pitch(records: Sequence[Record]) -> Array | None:
    """Return the pitch over all records, 0 where not logged; None if all is level [rad]."""
    pitches = [np.zeros(r.time.size) if r.pitch is None else r.pitch for r in records]
    joined = np.concatenate(pitches)
    return joined if np.max(np.abs(joined)) >= LEVEL_PITCH else None


def _join_groups(records: Sequence[Record]) -> NDArray[np.intp] | None:
    """Return the group of each piece; a record without groups is a group of its own."""
    if all(record.group is None for record in records):
        return None
    free = 1 + max(int(record.group.max()) for record in records if record.group is not None)
    found = [
        record.group if record.group is not None else np.full(record.first.size, free + number)
        for number, record in enumerate(records)
    ]
    return np.concatenate(found).astype(np.intp)


def extend_record(record: Record, reach: float) -> Record:
    """Return the record with the first and last belt speeds of each piece held longer [s].

    Observations may then refer to times outside of the belt speeds, by the offset of their clock.
    """
    if record.steady:
        return record
    free = 0.45 * (record.time[record.first[1:]] - record.time[record.last[:-1]])
    count = max(int(np.ceil(reach / HELD_STEP)), 1)  # short steps, as motion follows arcs
    share = np.arange(1, count + 1)[:, None] / count
    before = share * np.minimum(reach, np.append(np.inf, free))
    after = share * np.minimum(reach, np.append(free, np.inf))
    rows = np.arange(record.time.size)
    first, last = (np.broadcast_to(ends, before.shape) for ends in (record.first, record.last))
    at = np.concatenate([rows, (first - 0.4 * share).ravel(), (last + 0.4 * share).ravel()])
    source = np.concatenate([rows, first.ravel(), last.ravel()])
    shift = np.concatenate([np.zeros(rows.size), -before.ravel(), after.ravel()])
    order = np.argsort(at, kind="stable")
    rows = source[order]
    return replace(
        record, time=record.time[rows] + shift[order], left=record.left[rows],
        right=record.right[rows],
        commanded=None if record.commanded is None else record.commanded[:, rows],
        pitch=None if record.pitch is None else record.pitch[rows],
        wheels={name: speed[rows] for name, speed in record.wheels.items()},
        first=record.first + 2 * count * np.arange(record.first.size),
    )  # fmt: skip


def beginning(record: Record, duration: float) -> Record:
    """Return pieces spread over a record, each from its beginning, of a total duration [s]."""
    count = int(np.clip(np.ceil(duration / np.median(record.durations)), 1, record.first.size))
    chosen = np.unique(np.linspace(0, record.first.size - 1, count).round().astype(np.intp))
    end = record.time[record.first] + duration / chosen.size
    kept = np.isin(record.piece, chosen) & (record.time <= end[record.piece])
    piece = piece_of_observations(record)
    seen = np.isin(piece, chosen) & (record.observation.time <= end[piece])
    sizes = np.bincount(record.piece[kept], minlength=record.first.size)[chosen]
    old = record.observation
    return replace(
        record, time=record.time[kept], left=record.left[kept], right=record.right[kept],
        observation=replace(old, time=old.time[seen], values=old.values[:, seen]),
        commanded=None if record.commanded is None else record.commanded[:, kept],
        pitch=None if record.pitch is None else record.pitch[kept],
        wheels={name: speed[kept] for name, speed in record.wheels.items()},
        first=np.cumsum(np.append(0, sizes[:-1])),
        group=None if record.group is None else record.group[chosen],
        starts=None if record.starts is None else record.starts[chosen],
    )  # fmt: skip


def piece_of_observations(record: Record) -> NDArray[np.intp]:
    """Return the piece of each observation; -1 if it is too far from all belt speeds."""
    times, first, last = (
        record.observation.time,
        record.time[record.first],
        record.time[record.last],
    )
    edges = 0.5 * (last[:-1] + first[1:])
    piece = np.searchsorted(edges, times, side="right")
    reach = MAX_CLOCK_OFFSET + 1e-9
    near = (times >= first[piece] - reach) & (times <= last[piece] + reach)
    return np.where(near, piece, -1)


@dataclass(frozen=True, slots=False, kw_only=True, eq=False)
class Blocks:
    """Blocks of a record that are held out together."""

    number: NDArray[np.intp]
    """Block of each observation; -1 for those that belong to no piece [1]."""
    cell: NDArray[np.intp]
    """Stretch of each observation, within one piece and one block; -1 as above [1]."""
    count: int
    kind: str
    """What a block is, in words."""
    is_named: bool = False
    """Whether blocks are groups that the log names."""

    @cached_property
    def fold(self) -> NDArray[np.intp]:
        """Fold of each block, at random but always the same [1]."""
        fold = np.empty(self.count, dtype=np.intp)
        fold[np.random.default_rng(0).permutation(self.count)] = np.arange(self.count) % self.folds
        return fold

    @property
    def folds(self) -> int:
        """Number of folds."""
        return min(FOLDS, self.count)

    def held_out(self, fold: int) -> NDArray[np.bool_]:
        """Return for each observation whether a fold holds it out."""
        inside = self.number >= 0
        return inside & (self.fold[np.where(inside, self.number, 0)] == fold)


def cut_blocks(record: Record) -> Blocks:
    """Return the blocks of a record."""
    if record.steady:
        count = record.observation.time.size
        rows = np.arange(count)
        return Blocks(number=rows, cell=rows, count=count, kind="rows")
    piece = piece_of_observations(record)
    length = float(np.clip(record.duration / TARGET_BLOCKS, MIN_BLOCK_LENGTH, MAX_BLOCK_LENGTH))
    parts = np.maximum(np.floor(record.durations / length + 1e-9), 1.0)
    since = record.observation.time - record.time[record.first][piece]
    share = since / np.maximum(record.durations[piece], 1e-9)
    part = np.clip(np.floor(share * parts[piece]), 0, parts[piece] - 1).astype(np.intp)
    before = np.cumsum(np.append(0, parts[:-1])).astype(np.intp)
    cell = np.where(piece >= 0, before[piece] + part, -1)
    of_cell = np.repeat(np.arange(record.first.size), parts.astype(np.intp))
    is_named = record.group is not None and np.unique(record.group).size >= MIN_GROUPS
    block, kind = _blocks_of_cells(record, of_cell, length, is_named=is_named)
    used, number = np.unique(block[cell[cell >= 0]], return_inverse=True)
    numbers = np.full(cell.size, -1, dtype=np.intp)
    numbers[cell >= 0] = number
    return Blocks(
        number=numbers, cell=cell, count=used.size, kind=kind, is_named=is_named
    )  # fmt: skip


def _blocks_of_cells(
    record: Record, piece: NDArray[np.intp], length: float, *, is_named: bool
) -> tuple[NDArray[np.intp], str]:
    """Return the block of each cell, whose pieces are given, and what a block is."""
    if record.group is not None and is_named:
        return record.group[piece], "groups of pieces"
    size = int(np.ceil(piece.size / MOST_BLOCKS))
    if piece.size > record.first.size:
        return np.arange(piece.size) // size, f"stretches of {size * length:.3g} s"
    return np.arange(piece.size) // size, f"{size} neighbouring pieces" if size > 1 else "pieces"


def describe_pieces(record: Record) -> Mapping[str, float]:
    """Return number, total and median length of the pieces, for reports."""
    return {
        "pieces": float(record.first.size),
        "driven_s": record.duration,
        "median_piece_s": float(np.median(record.durations)),
    }

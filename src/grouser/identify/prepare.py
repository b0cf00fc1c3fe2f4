"""What all families share: one record, its blocks, and a linear fit that gives them their start."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from typing import ClassVar, cast

import numpy as np
from numpy.random import Generator

from grouser.errors import InvalidValue
from grouser.geometry import Array, wrap_angle
from grouser.identify.clock_offset import best_offset
from grouser.identify.families.kinematic import (
    Column,
    KinematicFamily,
    Velocity,
    observed_sides,
)
from grouser.identify.families.simulated import TICK
from grouser.identify.family import Family, KnownRobot, LinearMotion, Parameter
from grouser.identify.pieces import (
    MAX_CLOCK_OFFSET,
    Blocks,
    cut_blocks,
    extend_record,
    join_records,
)
from grouser.identify.record import Record, Records
from grouser.identify.residuals import ResidualModel
from grouser.identify.solve import Normal, irls_weights, solve_robustly
from grouser.identify.windows import (
    HELD_BELTS,
    MIN_DURATION,
    MIN_WINDOWS,
    Windows,
    cut_windows,
    window_length,
)

SIMULATED_REACH = 0.1
"""How far the clock offset of a simulated family may be from that of the linear fit [s]."""
KNOWN_DEVIATION = 0.3
"""Standard error, over the span, above which a coefficient stays at that of an ideal drive [1]."""


class LinearFamily(KinematicFamily):
    """Motion that is linear in the belt speeds; not offered, but where all others begin."""

    name: ClassVar[str] = "linear"
    summary: ClassVar[str] = "motion that is linear in the belt speeds"
    cost: ClassVar[int] = 0
    model: ClassVar[str] = ""

    def parameters(self, known_robot: KnownRobot, records: Records) -> tuple[Parameter, ...]:
        """Return the coefficients of `LinearMotion`."""
        ideal = LinearMotion(yaw_half=2.0 / known_robot.gauge)
        spans = {"yaw_half": 1.0, "yaw_mean": 1.0, "leftward_half": 0.5 * known_robot.gauge}
        return tuple(
            Parameter(
                name=f.name, unit="1", start=getattr(ideal, f.name),
                span=spans.get(f.name, 0.5) * (2.0 / known_robot.gauge if "yaw" in f.name else 1.0),
            )
            for f in fields(LinearMotion)
            if f.name != "time_offset"
        )  # fmt: skip

    def velocity(self, values: list[Column], record: Record, known_robot: KnownRobot) -> Velocity:
        """Return the velocity by `LinearMotion`."""
        left, right = observed_sides(record)
        mean, half = (0.5 * (left + right))[None], (0.5 * (right - left))[None]
        v_mean, v_half, w_half, w_mean, y_half, y_product = values
        return (
            v_mean * mean + v_half * half,
            y_half * half + y_product * mean * half,
            w_half * half + w_mean * mean,
        )

    def draw(self, known_robot: KnownRobot, generator: Generator) -> list[float]:
        """Return the coefficients of an ideal drive."""
        return [p.start for p in self.parameters(known_robot, ())]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prepared:
    """A record with its blocks, windows and linear fit."""

    record: Record
    """All pieces."""
    known_robot: KnownRobot
    blocks: Blocks
    linear: LinearMotion
    known: tuple[str, ...]
    """Names of parameters that keep their start value."""
    loss: float = 0.0
    """Sum of the residuals of the linear fit, angles times half the gauge [m or m/s]."""

    def model(self, family: Family) -> ResidualModel:
        """Return the residuals of a family."""
        reach = HELD_BELTS + MAX_CLOCK_OFFSET
        if family.is_simulated:  # whole ticks, so that they end with belt speeds if those do
            reach = TICK * np.ceil((HELD_BELTS + SIMULATED_REACH) / TICK)
        record = extend_record(self.record, reach)
        return ResidualModel(family, record, self.windows(), self.known_robot)

    def windows(self) -> Windows:
        """Return the windows of observations at times with belt speeds."""
        return cut_windows(self.record, window_length(self.record), None, self.linear.time_offset)

    def start_values(self, model: ResidualModel) -> Array:
        """Return where the search of a family begins, within the limits of its parameters."""
        begin = getattr(model.family, "begin", None)
        found = {} if begin is None else begin(self.linear, self.record, self.known_robot)
        if "time_offset" not in self.known:
            found = {**found, "time_offset": self.linear.time_offset}
        start = np.array([found.get(p.name, p.start) for p in model.parameters])
        low, high = (
            np.array([getattr(p, name) for p in model.parameters]) for name in ("low", "high")
        )
        usual = np.array([p.start for p in model.parameters])
        start = np.where(np.isfinite(start), start, usual)
        fixed = [p.name in self.known for p in model.parameters]
        return np.where(fixed, usual, np.clip(start, low, high))


def prepare(
    records: Sequence[Record], known_robot: KnownRobot, known: Collection[str] = ()
) -> Prepared:
    """Return what all families share.

    `known` names parameters that keep their start value (`time_offset` may be among them).
    InvalidValue if the records are too short, InvalidLog if a number is out of range.
    """
    record = join_records(records)
    record.check()
    if not record.duration > 0.0:
        raise InvalidValue(record.name, f"{record.time.size} rows", "have rows at different times")
    length = window_length(record)
    reach = HELD_BELTS + MAX_CLOCK_OFFSET
    record_held, windows = extend_record(record, reach), cut_windows(record, length)
    family = cast("Family", LinearFamily())
    model = ResidualModel(family, record_held, windows, known_robot)
    if len(model.windows) < MIN_WINDOWS:
        found = f"{len(model.windows)} windows of {length:g} s with observations"
        raise InvalidValue(record.name, found, f"have at least {MIN_WINDOWS}: drive for longer")
    if record.duration < MIN_DURATION and not record.steady:
        found = f"{record.duration:g} s of driving"
        raise InvalidValue(
            record.name, found, f"have at least {MIN_DURATION:g} s: drive for longer"
        )
    linear, loss = _fit_linear(model, tuple(known))
    return Prepared(
        record=record, known_robot=known_robot, blocks=cut_blocks(record), linear=linear,
        known=tuple(known), loss=loss,
    )  # fmt: skip


def _fit_linear(model: ResidualModel, known: tuple[str, ...]) -> tuple[LinearMotion, float]:
    """Return the linear fit, and the sum of its residuals."""
    values = np.array([p.start for p in model.parameters])
    free = [k for k, p in enumerate(model.parameters) if p.name not in ("time_offset", *known)]
    values = _start_turning(model, values)
    if "time_offset" not in known:
        values = best_offset(model, values, known)
    solution = solve_robustly(model, values, free, most_steps=20)
    normal = Normal.of(
        solution.jacobian, solution.residuals, irls_weights(solution.residuals),
        np.zeros(len(free)), np.zeros(len(free)),
    )  # fmt: skip
    values = solution.values.copy()
    for place, error in zip(free, normal.standard_errors, strict=True):
        if not 0.0 < error < KNOWN_DEVIATION:
            values[place] = model.parameters[place].start
    found = {p.name: float(v) for p, v in zip(model.parameters, values, strict=True)}
    found.pop("gyro_bias", None)
    linear = LinearMotion(**found)
    if not 0.0 < linear.yaw_half * model.known_robot.gauge < 2e2:
        linear = LinearMotion(
            yaw_half=2.0 / model.known_robot.gauge, time_offset=linear.time_offset
        )
    raw = solution.residuals * (solution.scale * model.levers)[model.channel]
    return linear, float(np.sum(np.abs(raw)))


def _start_turning(model: ResidualModel, values: Array) -> Array:
    """Return the values with the turn of all windows over that of the belts.

    Residuals of headings are wrapped: belts in a wrong unit turn several times in a window, and
    would otherwise be fitted to a multiple.
    """
    record, windows = model.record, model.windows
    if record.observation.kind != "pose":
        return values
    time, yaw = record.observation.time[windows.rows], model.observed[2]
    travels = np.stack(
        [
            np.interp(time, record.time, np.cumsum(speed * record.steps))
            for speed in (0.5 * (record.right - record.left), 0.5 * (record.right + record.left))
        ]
    )
    rows = np.arange(time.size)
    known = np.isfinite(yaw)
    inside = known[1:] & known[:-1] & (windows.number[1:] == windows.number[:-1])
    before, after = rows[:-1][inside], rows[1:][inside]
    if before.size < len(windows):
        return values
    turned = np.bincount(windows.number[after], wrap_angle(yaw[after] - yaw[before]))
    moved = [np.bincount(windows.number[after], part[after] - part[before]) for part in travels]
    (half, mean), *_ = np.linalg.lstsq(np.stack(moved, axis=1), turned, rcond=1e-6)
    if not half > 0.0:
        return values
    found = values.copy()
    found[model.places["yaw_half"]], found[model.places["yaw_mean"]] = half, mean
    return found

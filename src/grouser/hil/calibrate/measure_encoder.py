"""The encoders, against a distance that somebody measured."""

import math
from collections.abc import Callable

from grouser.description import Robot
from grouser.errors import InvalidValue, LinkBroken
from grouser.hil.belt_scale import BeltScale
from grouser.hil.calibrate.board_session import BoardSession
from grouser.hil.calibrate.calibration import Calibration, Item

TAPE = 0.001
"""Standard deviation of a distance by a tape measure [m] [A]."""
LARGEST_CORRECTION = 0.5
"""Change of scale beyond which something else must be wrong [1]."""


def measure_encoder(
    session: BoardSession,
    robot: Robot,
    measured: Callable[[], tuple[float, float]],
    *,
    distance: float = 1.0,
    speed: float = 0.1,
) -> Calibration:
    """Return how far the belts run for a count, by a drive whose length is measured.

    Args:
        session: A board that may be driven.
        robot: Whose file is to be changed.
        measured: Asked after the drive: how far the left and the right belt ran [m].
        distance: How far to drive, by the encoders as they are [m].
        speed: How fast [m/s].

    Raises:
        InvalidValue: The robot has no encoders, or the distance makes no sense.
        LinkBroken: The board stopped.
    """
    encoder = robot.sensors.encoder
    if encoder is None:
        raise InvalidValue("robot", robot.name, "have [sensors.encoder] to calibrate encoders")
    scale = BeltScale.of(robot)
    lengths = scale.count_lengths(session.counts_per_revolution)
    states = session.watch(0.2)
    if not states:
        raise LinkBroken(session.name, "the board says nothing")
    start = states[-1]
    begin = start.encoder_left, start.encoder_right
    session.arm()
    session.drive(
        2.0 + 2.0 * distance / speed,
        *scale.setpoints(speed, speed),
        until=lambda state: (state.encoder_left - begin[0]) * lengths[0] >= distance,
    )
    end = session.drive(1.5, 0.0, 0.0)[-1]
    counts = end.encoder_left - begin[0], end.encoder_right - begin[1]
    believed = tuple(count * length for count, length in zip(counts, lengths, strict=True))
    true = measured()
    items, after = [], []
    sides = zip(("left", "right"), believed, true, lengths, strict=True)
    for side, here, there, count in sides:
        old = encoder.scale_left if side == "left" else encoder.scale_right
        new = round(old * _ratio(side, there, here), 5)
        # Begin and end of the drive lie somewhere within a count.
        spread = new * math.hypot(TAPE / there, count / here / math.sqrt(6.0))
        key = f"sensors.encoder.scale_{side}"
        items.append(Item(key=key, before=old, after=new, deviation=round(spread, 5)))
        after.append(here * new / old)
    return Calibration(
        method=f"{distance:g} m driven and measured",
        items=tuple(items),
        error=f"travel over {true[0]:.4g} m",
        unit="m",
        error_before=_largest(believed, true),
        error_after=_largest(after, true),
    )


def _ratio(side: str, true: float, believed: float) -> float:
    if not believed > 0.0:
        required = "count forward while the belts run forward; check its wiring and its sign"
        raise InvalidValue(f"encoder {side}", f"{believed:.3g} m", required)
    ratio = true / believed
    if not abs(ratio - 1.0) <= LARGEST_CORRECTION:
        raise InvalidValue(
            f"measured distance {side}", true, f"be near {believed:.3g} m, what the encoder counted"
        )
    return ratio


def _largest(one: tuple[float, ...] | list[float], other: tuple[float, float]) -> float:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))

"""The motors: how fast the free belts run at which duty."""

from collections.abc import Sequence

import numpy as np

from grouser.description import Robot
from grouser.errors import InvalidValue
from grouser.hil.belt_scale import BeltScale
from grouser.hil.calibrate.board_session import BoardSession
from grouser.hil.calibrate.calibration import Calibration, Item
from grouser.hil.messages import Mode

DUTIES = (0.25, 0.4, 0.6, 0.8, 1.0)
"""Duties to measure at, unless others are asked for [1]."""
SIDES = ("left", "right")
"""Both belts."""
ROUNDING = 1e-4
"""Step of the speeds that are written [m/s]."""
SETTLING, PAUSE = 0.9, 1.0
"""Time that belts get to reach a speed, six times their lag; and to come to rest [s]."""


def measure_speed_map(
    session: BoardSession, robot: Robot, duties: Sequence[float] = DUTIES, hold: float = 0.5
) -> Calibration:
    """Return the speeds of both belts, forward and backward, at some duties.

    The error is that of the speed at a duty between two of them, which is measured once more:
    what the old map says of it, or a share of the robot's speed limit if there is none.

    Args:
        session: A board that may be driven; put the robot on a stand.
        robot: Whose file is to be changed.
        duties: Duties to measure at, rising.
        hold: How long to measure once a speed is reached [s].

    Raises:
        InvalidValue: The duties make no sense.
        LinkBroken: The board stopped.
    """
    rising = len(duties) >= 2 and all(a < b for a, b in zip(duties, duties[1:], strict=False))
    if not rising or not 0.0 < duties[0] <= duties[-1] <= 1.0:
        raise InvalidValue("duties", list(duties), "be two or more that rise from above 0 to 1")
    scale = BeltScale.of(robot)
    found: dict[str, list[float]] = {}
    spreads: dict[str, list[float]] = {"duty": [0.0] * len(duties)}
    session.arm()
    for word, sign in (("", 1.0), ("_backward", -1.0)):
        for duty in duties:
            speeds, deviations = _measure(session, scale, sign * duty, hold)
            for side, speed, deviation in zip(SIDES, speeds, deviations, strict=True):
                key = f"{side}{word}_m_s"
                found.setdefault(key, []).append(round(sign * speed, 4))
                spreads.setdefault(key, []).append(round(deviation, 5))
                _check(side, sign * duty, found[key])
        session.drive(PAUSE, 0.0, 0.0)
    known = robot.drive.speed_map
    before = None if known is None else known.model_dump(by_alias=True)
    table = {"duty": list(duties), **found}
    between = 0.5 * (duties[-1] + duties[-2])
    (true, _), _ = _measure(session, scale, between, hold)
    believed = robot.drive.speed_limit * between
    if known is not None:
        believed = float(np.interp(between, known.duty, known.left))
    return Calibration(
        method=f"free belts at {len(duties)} duties each way",
        items=tuple(
            Item(
                key=f"drive.speed_map.{key}",
                before=before[key] if before else None,
                after=value,
                deviation=spreads[key],
            )
            for key, value in table.items()
        ),
        error=f"speed of the left belt at duty {between:.4g}",
        unit="m/s",
        error_before=abs(believed - true),
        error_after=abs(float(np.interp(between, duties, found["left_m_s"])) - true),
    )


def _check(side: str, duty: float, speeds: list[float]) -> None:
    """Refuse speeds that no belt has: against the duty, none, or slower at a higher duty."""
    before = speeds[-2] if len(speeds) > 1 else 0.0
    if not speeds[-1] > before:
        what = f"speed of the {side} belt at duty {duty:g}"
        required = f"be above {before:g} m/s in that direction; check motor, encoder and its sign"
        raise InvalidValue(what, speeds[-1], required)


def _measure(
    session: BoardSession, scale: BeltScale, duty: float, hold: float
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the mean speeds, left and right, and their standard deviations [m/s]."""
    session.drive(SETTLING, duty, duty, mode=Mode.DUTY)
    states = session.drive(hold, duty, duty, mode=Mode.DUTY)
    speeds = np.array([scale.speeds(state) for state in states])
    means, spread = speeds.mean(axis=0), speeds.std(axis=0) / np.sqrt(len(speeds))
    spread = np.hypot(spread, ROUNDING / np.sqrt(12.0))
    return (float(means[0]), float(means[1])), (float(spread[0]), float(spread[1]))

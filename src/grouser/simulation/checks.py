"""What a simulation checks: ticks, durations, commands and motions."""

import math
from collections.abc import Sequence
from typing import Any

from grouser.description import Robot
from grouser.errors import InvalidValue
from grouser.limits import DURATION, TICK
from grouser.models import Command, Motion
from grouser.units import is_number


def find_not_finite(motion: Motion) -> str | None:
    """Return the name of the first quantity of a motion that is not finite; None if all are."""
    pose, twist = motion.pose, motion.twist
    total = (
        pose.x + pose.y + pose.z + pose.roll + pose.pitch + pose.yaw
        + twist.vx + twist.vy + twist.vz + twist.roll_rate + twist.pitch_rate + twist.yaw_rate
        + sum(motion.belt_speeds) + sum(motion.flipper_angles) + sum(motion.slips)
    )  # fmt: skip
    if math.isfinite(total):
        return None
    for kind, value in (("pose", pose), ("twist", twist)):
        for name in value.__dataclass_fields__:
            if not math.isfinite(getattr(value, name)):
                return f"{kind}.{name}"
    for kind in ("belt_speeds", "flipper_angles", "slips"):
        for index, number in enumerate(getattr(motion, kind)):
            if not math.isfinite(number):
                return f"{kind}[{index}]"
    return None


def check_tick(dt: float) -> None:
    """Check the length of a tick.

    Raises:
        InvalidValue: It is not a number within `limits.TICK`.
    """
    shortest, longest = TICK
    if not (is_number(dt) and shortest <= dt <= longest):
        raise InvalidValue("dt", dt, f"be from {shortest:g} to {longest:g} s")


def count_ticks(duration: float, dt: float) -> int:
    """Return the number of ticks in a duration.

    Raises:
        InvalidValue: It is negative, or longer than `limits.DURATION`.
    """
    if not (is_number(duration) and 0.0 <= duration <= DURATION):
        raise InvalidValue("duration", duration, f"be from 0 to {DURATION:g} s")
    return round(duration / dt)


def check_command(command: Command, robot: Robot) -> None:
    """Check that a command fits a robot.

    Raises:
        InvalidValue: It is no command, has too few or too many numbers, or one not finite.
    """
    if not isinstance(command, Command):
        required = "be a Command, as command_sides(robot, left, right) returns; None ends a run"
        raise InvalidValue("a driver's command", command, required)
    speeds, angles, volts = command.belt_speeds, command.flipper_angles, command.motor_voltages
    drives, flippers = len(robot.drives), len(robot.flippers)
    _check_numbers("belt_speeds", speeds, robot.drives, (drives,))
    _check_numbers("flipper_angles", angles, robot.flippers, (0, flippers))
    _check_numbers("motor_voltages", volts, robot.drives, (0, drives))


def _check_numbers(
    name: str, numbers: tuple[Any, ...], owners: Sequence[Any], counts: tuple[int, ...]
) -> None:
    if len(numbers) not in counts:
        names = ", ".join(owner.name for owner in owners) or "no flippers"
        optional = ", or none" if 0 in counts else ""
        raise InvalidValue(f"command.{name}", numbers, f"have one for each of {names}{optional}")
    for number in numbers:
        if not is_number(number):
            raise InvalidValue(f"command.{name}", number, "have finite numbers only")

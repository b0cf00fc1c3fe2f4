"""What stopped a robot, found from the attempt that failed: forces, slip, tilt, what touches."""

import math
from collections import deque
from dataclasses import dataclass
from typing import Literal, TypeAlias

from grouser.datasheet.attempt import TICK, TIPPED, Ending, tilt_of
from grouser.description import Robot
from grouser.models import Motion

Limit: TypeAlias = Literal[
    "friction", "torque", "tipping", "hull contact", "shape", "time", "divergence", "none found"
]
"""What limits: belts slip, motors stall, it falls over, its hull carries it, belts meet the
obstacle and neither slip nor stall, no time left, numbers that are no longer finite, all that was
tried is passed."""
WATCHED = 2.0
"""Last part of an attempt in which forces and slip are averaged [s]."""
SLIPS, STALLS, CARRIES = 0.5, 0.5, 0.1
"""Slip speed over belt speed from which belts slip; belt speed over its command below which motors
stall; share of all normal forces from which the hull carries the robot; assumed [1]."""
_HULL = "hull"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What limits a robot, and the evidence."""

    limit: Limit
    """What limits it."""
    evidence: str
    """What the failing attempt showed, in one sentence."""


@dataclass(slots=True)
class _Sample:
    """Sums of one tick."""

    load: float = 0.0
    """Normal forces of all contacts [N]."""
    hull: float = 0.0
    """Normal forces of the hull [N]."""
    slip: float = 0.0
    """Slip speed over belt speed, mean by force [1]."""
    belts: float = 1.0
    """Belt speed over its command, least of all drives [1]."""


class Witness:
    """Watches an attempt, tick by tick, and judges in the end."""

    def __init__(self, robot: Robot, speed: float) -> None:
        """Watch a robot whose belts are commanded to run at `speed` [m/s]."""
        self._robot, self._speed = robot, speed
        self._last: deque[_Sample] = deque(maxlen=round(WATCHED / TICK))
        self._ticks, self._tilt, self._tipped_at = 0, 0.0, math.nan

    def watch(self, motion: Motion) -> None:
        """Take the motion after a tick into account."""
        self._ticks += 1
        tilt = tilt_of(motion.pose)
        self._tilt = max(self._tilt, tilt)
        if tilt > TIPPED and math.isnan(self._tipped_at):
            self._tipped_at = self._ticks * TICK
        self._last.append(self._sum(motion))

    def _sum(self, motion: Motion) -> _Sample:
        sample = _Sample()
        pushed = slipped = 0.0
        for contact in motion.contacts:
            force, normal = contact.force_in_world, contact.normal_in_world
            load = sum(f * n for f, n in zip(force, normal, strict=True))
            sample.load += load
            if contact.drive == _HULL:
                sample.hull += load
                continue
            size = math.hypot(*force)
            pushed += size
            slipped += size * math.hypot(*contact.slip_in_world)
        if pushed > 0.0:
            sample.slip = slipped / pushed / self._speed
        elif not motion.contacts and motion.slips:
            sample.slip = sum(abs(float(s)) for s in motion.slips) / len(motion.slips)
        pairs = zip(motion.belt_speeds, motion.belt_speeds_commanded, strict=True)
        ratios = [float(now) / float(asked) for now, asked in pairs if abs(float(asked)) > 1e-9]
        sample.belts = min(ratios, default=1.0)
        return sample

    def judge(self, ending: Ending) -> Verdict:
        """Return what ended the attempt."""
        if ending == "diverged":
            words = f"the model's numbers are no longer finite after {self._ticks * TICK:.2f} s"
            return Verdict(limit="divergence", evidence=words)
        if ending == "tipped" or self._tilt > TIPPED:
            return self._judge_tipping()
        return self._judge_forces(ending)

    def _judge_forces(self, ending: Ending) -> Verdict:
        count = max(len(self._last), 1)
        slip = sum(s.slip for s in self._last) / count
        belts = sum(s.belts for s in self._last) / count
        load = sum(s.load for s in self._last)
        hull = sum(s.hull for s in self._last) / load if load > 0.0 else 0.0
        torque = torque_limit(self._robot)
        limit: Limit = "shape"
        words = f"it stands, and {describe_slip(slip)} only: their shape holds it"
        if torque is not None and belts < STALLS:
            limit = "torque"
            share = format_share(belts)
            words = f"belts run at {share} of their command, at the limit of {torque:g} N m"
        elif hull > CARRIES:
            limit = "hull contact"
            words = f"the hull carries {format_share(hull)} of the load, and {describe_slip(slip)}"
        elif slip > SLIPS:
            limit = "friction"
            words = f"{describe_slip(slip)}, mean by force over the last {WATCHED:g} s"
        elif ending == "late":
            limit = "time"
            words = f"no time left after {self._ticks * TICK:.0f} s; {describe_slip(slip)}"
        return Verdict(limit=limit, evidence=words)

    def _judge_tipping(self) -> Verdict:
        words = f"it tilts by {math.degrees(self._tilt):.0f}°"
        if math.isfinite(self._tipped_at):
            words = f"it tilts by more than 80° after {self._tipped_at:.1f} s"
        return Verdict(limit="tipping", evidence=words)


def format_share(share: float) -> str:
    """Return a share as a percentage."""
    return f"{100.0 * share:.0f} %"


def describe_slip(slip: float) -> str:
    """Return in words how fast belts slip over the ground, as a ratio to their own speed [1]."""
    if slip > 1.05:
        return f"belts slide over the ground {slip:.1f} times as fast as they run"
    return f"belts slip by {format_share(slip)} of their speed"


def torque_limit(robot: Robot) -> float | None:
    """Return the largest torque at a sprocket; None if its file states none [N m]."""
    motor = robot.drive.motor
    if robot.drive.torque_limit is None and motor is not None:
        return motor.torque_limit
    return robot.drive.torque_limit

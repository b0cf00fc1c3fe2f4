"""Currents of the motors, from the force on their belts.

    I = F r / (i k eta) + I0 sign(v)        F = work / travel over the last tick

with the sprocket's radius r, gear ratio i, torque constant k and efficiency eta. Left out: the
current that holds a belt at standstill, which does no work, and that which speeds up rotors.
"""

import math
from collections.abc import Sequence

from numpy.random import Generator

from grouser.description import Course, Robot
from grouser.description.sensors import MotorCurrent
from grouser.models import Motion
from grouser.simulation.sensors.sensor import Moment, Sensor

STANDSTILL = 1e-4
"""Belt speed below which no current is shown [m/s]."""


class CurrentMeter(Sensor):
    """Current of each drive's motor [A]; NaN in models without forces."""

    def __init__(
        self, robot: Robot, course: Course | None, table: MotorCurrent, generator: Generator
    ) -> None:
        self.name, self.rate, self.latency = table.name, table.rate, table.latency
        self._generator, self._noise = generator, table.noise
        self._limit, self._idle = table.limit or math.inf, table.idle_current
        self._efficiency = table.efficiency
        self._ampere_per_newton = robot.sprocket_radius / table.gear_ratio / table.torque_constant
        self.columns = tuple((f"{self.name}.{drive.name}", "A") for drive in robot.drives)

    def sample(self, moment: Moment) -> Sequence[float]:
        """Return the current of each motor; positive drives forward [A]."""
        noise = self._generator.normal(0.0, self._noise, len(self.columns)).tolist()
        forces = belt_forces(moment.previous, moment.motion, moment.tick)
        speeds = moment.motion.belt_speeds
        pairs = zip(forces or [math.nan] * len(speeds), speeds, noise, strict=True)
        return [self._limited(self._current(f, float(v)) + n) for f, v, n in pairs]

    def _current(self, force: float, speed: float) -> float:
        """Return the current of a motor whose belt pushes the robot by a force [N] [A]."""
        # A motor that brakes gets from the belt only what the gears leave over.
        share = self._efficiency if force * speed < 0.0 else 1.0 / self._efficiency
        idle = math.copysign(self._idle, speed) if abs(speed) >= STANDSTILL else 0.0
        return force * self._ampere_per_newton * share + idle

    def _limited(self, current: float) -> float:
        is_known = not math.isnan(current)
        return min(max(current, -self._limit), self._limit) if is_known else current


def belt_forces(before: Motion, now: Motion, tick: float) -> list[float]:
    """Return the mean force of each motor on its belt over a tick; none without work [N]."""
    if not now.works:
        return []
    forces = []
    travels = zip(before.belt_travels, now.belt_travels, strict=True)
    works = zip(before.works or now.works, now.works, strict=True)
    for (first, last), (start, end) in zip(travels, works, strict=True):
        travel = float(last) - float(first)
        moves = abs(travel) >= STANDSTILL * tick
        forces.append((float(end) - float(start)) / travel if moves else 0.0)
    return forces

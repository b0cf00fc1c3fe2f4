"""Model-predictive path integral control (MPPI): plan by weighing many rollouts.

Around the commands of the last plan, many sequences are drawn with smooth noise; each is rolled out
by a model from the live state, and the mean of all, weighted by exp(-cost / temperature), becomes
the new plan (Williams et al. 2017, "Information theoretic MPC"). The model is a function that is
given: this module neither knows how rollouts are made nor by which model.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

import numpy as np

from grouser.description import Robot
from grouser.description.path import Path
from grouser.errors import InvalidValue
from grouser.geometry import Array, Pose, Twist, wrap_angle
from grouser.models import Command, Motion
from grouser.units import check_seed


class Foreseen(Protocol):
    """What rollouts return; axis 0 counts robots, axis 1 samples."""

    @property
    def pose(self) -> Pose:
        """Body frames; fields are arrays (robots, samples)."""
        ...

    @property
    def twist(self) -> Twist:
        """Velocities; fields are arrays (robots, samples)."""
        ...

    @property
    def flipper_angles(self) -> Array:
        """Angles (robots, samples, flippers) [rad]."""
        ...


Roll: TypeAlias = Callable[[Array, Array | None], Foreseen]
"""Rolls out belt speeds (robots, commands, drives) [m/s] and flipper angles (robots, commands,
flippers) [rad], None for a robot without flippers; each command lasts `MppiSettings.period`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MppiWeights:
    """What a plan costs; each term is a mean over the horizon but progress and tipping over."""

    progress: float = 10.0
    """For the path length gained in the horizon, over that at full speed [1]."""
    lateral: float = 60.0
    """For the squared distance from the path [1/m^2]."""
    heading: float = 4.0
    """For the squared angle between heading and path [1/rad^2]."""
    tilt: float = 40.0
    """For the squared tilt beyond `level_tilt` [1/rad^2]."""
    tipping: float = 100.0
    """For a robot that is beyond `largest_tilt` at any time [1]."""
    bumps: float = 0.3
    """For the squared rates of roll and pitch [s^2/rad^2]."""
    flippers: float = 0.3
    """For the squared rates of the flippers [s^2/rad^2]."""
    stretch: float = 0.2
    """For the squared angles of the flippers from rest [1/rad^2]."""
    change: float = 2.0
    """For the squared change from command to command, of belt speeds over the speed [1]."""
    level_tilt: float = 0.6
    """Angle of the hull from level that costs nothing, as on usual stairs [rad]."""
    largest_tilt: float = 1.2
    """Angle of the hull from level beyond which it tips over [rad]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MppiSettings:
    """How plans are made."""

    rollouts: int = 256
    """Number of rollouts of a plan [1]."""
    commands: int = 10
    """Number of commands of a plan [1]."""
    period: float = 0.1
    """How long a command lasts, and time between two plans [s]."""
    speed: float = 0.3
    """Largest mean speed of the belts [m/s]."""
    speed_noise: float = 0.4
    """Standard deviation of the mean belt speed, over `speed` [1]."""
    turn_noise: float = 0.25
    """Standard deviation of half the difference of belt speeds, over `speed` [1]."""
    flipper_noise: float = 0.35
    """Standard deviation of the angles of front and of rear flippers; 0 leaves them [rad]."""
    smoothness: float = 0.8
    """Correlation of the noise from command to command [1]."""
    temperature: float = 0.5
    """Cost by which a rollout may be worse than the best to have 1/e of its weight [1]."""
    arrival: float = 0.15
    """Distance from the end of the path at which the robot has arrived [m]."""
    seed: int = 0
    """Seed of the noise."""
    weights: MppiWeights = field(default=MppiWeights())
    """What a plan costs."""

    def __post_init__(self) -> None:
        for name in ("rollouts", "commands"):
            if getattr(self, name) < 2:
                raise InvalidValue(name, getattr(self, name), "be at least 2")
        for name in ("period", "speed", "temperature", "arrival"):
            if not getattr(self, name) > 0.0:
                raise InvalidValue(name, getattr(self, name), "be above 0")
        if not 0.0 <= self.smoothness < 1.0:
            raise InvalidValue("smoothness", self.smoothness, "be from 0 to below 1")


class Mppi:
    """A driver that plans by rollouts along a path and is done at its end.

    A plan is a row for each command: mean belt speed and half the difference of the sides, both
    over `speed`; then one angle of all front flippers and one of all rear flippers, from rest.
    """

    def __init__(
        self, robot: Robot, path: Path | None, roll: Roll, settings: MppiSettings | None = None
    ) -> None:
        """Plan with the rollouts of `roll`.

        Raises:
            InvalidValue: There is no path, or the speed is beyond the robot's limit.
        """
        settings = settings or MppiSettings()
        if path is None:
            raise InvalidValue("path", None, "be there; choose a course that has one")
        if settings.speed > robot.drive.speed_limit:
            required = f"be within the limit of robot {robot.name!r}"
            raise InvalidValue("speed", settings.speed, required)
        self.settings, self._robot, self._path, self._roll = settings, robot, path, roll
        self._sides = np.array([-1.0 if d.side == "left" else 1.0 for d in robot.drives])
        self._rest = np.array([flipper.rest_angle for flipper in robot.flippers])
        self._groups = _group_flippers(robot) if settings.flipper_noise > 0.0 else np.zeros((0, 0))
        self._noise = np.random.default_rng(check_seed(settings.seed))
        spreads = [settings.speed_noise, settings.turn_noise]
        self._spread = np.array([*spreads, *[settings.flipper_noise] * len(self._groups)])
        self.plan: Array = np.zeros((settings.commands, len(self._spread)))
        """The plan: a row for each command."""
        self.s = 0.0
        """Path length of the point of the path that is nearest to the robot [m]."""
        self.foreseen: Foreseen | None = None
        """Rollouts of the last plan; the first one is that of the plan before."""
        self.costs: Array = np.zeros(settings.rollouts)
        """Cost of each of them [1]."""
        self.weights: Array = np.zeros(settings.rollouts)
        """Weight of each of them; their sum is 1 [1]."""
        self.plans = 0
        """Number of plans so far [1]."""
        self._next = 0.0

    def __call__(self, time: float, motion: Motion) -> Command | None:
        """Return the command of a tick, from a new plan once in a period; None at the end."""
        pose = motion.pose
        self.s = float(self._path.nearest(pose.x, pose.y, near=self.s, window=0.5))
        if self._has_arrived(pose):
            return None
        if time >= self._next - 1e-9:
            self._next = time + self.settings.period
            self.update(motion)
        speeds, angles = self.commands(self.plan[None, :1])
        return Command(
            belt_speeds=tuple(speeds[0, 0].tolist()),
            flipper_angles=() if angles is None else tuple(angles[0, 0].tolist()),
        )

    def _has_arrived(self, pose: Pose) -> bool:
        """Return whether the robot is at the end of the path, or abeam of it."""
        x, y, _ = self._path.at(self._path.length)
        away = float(np.hypot(pose.x - x, pose.y - y))
        return away < self.settings.arrival or self._path.length - self.s < 1e-3

    def update(self, motion: Motion) -> None:
        """Make a new plan: shift the last one by a command, draw, roll out, weigh."""
        settings = self.settings
        if self.plans:
            self.plan = np.concatenate([self.plan[1:], self.plan[-1:]])
        else:
            self.plan[:, 0] = 1.0
        drawn = self._clip(self.plan + self._draw())
        speeds, angles = self.commands(drawn)
        self.foreseen = self._roll(speeds, angles)
        self.costs = self.cost(drawn, self.foreseen, motion)
        self.weights = path_integral_weights(self.costs, settings.temperature)
        self.plan = np.tensordot(self.weights, drawn, axes=1)
        self.plans += 1

    def commands(self, plans: Array) -> tuple[Array, Array | None]:
        """Return belt speeds [m/s] and flipper angles [rad] of plans (robots, commands, ...)."""
        mean, half = plans[..., 0, None], plans[..., 1, None]
        limit = self._robot.drive.speed_limit
        speeds = np.clip(self.settings.speed * (mean + half * self._sides), -limit, limit)
        if not len(self._rest):
            return speeds, None
        return speeds, self._rest + plans[..., 2:] @ self._groups.reshape(-1, len(self._rest))

    def cost(self, plans: Array, foreseen: Foreseen, motion: Motion) -> Array:
        """Return the cost of each rollout; infinite where it is not finite [1]."""
        settings, weights, pose = self.settings, self.settings.weights, foreseen.pose
        horizon = settings.period * settings.commands
        reach = settings.speed * horizon
        with np.errstate(invalid="ignore"):
            near = self._path.nearest(pose.x, pose.y, near=self.s, window=reach + 0.5)
            s = np.asarray(near)
            x, y, heading = self._path.at(s)
            away = (pose.x - x) ** 2 + (pose.y - y) ** 2
            turned = wrap_angle(heading - pose.yaw) ** 2
            tilt = np.arccos(np.clip(np.cos(pose.roll) * np.cos(pose.pitch), -1.0, 1.0))
            steep = np.maximum(tilt - weights.level_tilt, 0.0) ** 2
            rates = foreseen.twist.roll_rate**2 + foreseen.twist.pitch_rate**2
            each = (
                weights.lateral * away + weights.heading * turned + weights.tilt * steep
                + weights.bumps * rates
            )  # fmt: skip
            gained = np.minimum((s[:, -1] - self.s) / reach, 1.0)  # sliding gains no more
            total = each.mean(axis=1) - weights.progress * gained
            total += weights.tipping * (tilt > weights.largest_tilt).any(axis=1)
            total += self._effort(plans, foreseen, motion)
        return np.where(np.isfinite(total), total, np.inf)

    def _effort(self, plans: Array, foreseen: Foreseen, motion: Motion) -> Array:
        """Return what the commands themselves cost, of each rollout [1]."""
        weights = self.settings.weights
        changes = np.diff(plans[..., :2], axis=1) ** 2
        total = weights.change * changes.sum(axis=2).mean(axis=1)
        angles = foreseen.flipper_angles
        if angles.shape[2]:
            angles_now = np.array(motion.flipper_angles, np.float64)
            now = np.broadcast_to(angles_now, (len(angles), 1, angles.shape[2]))
            lasted = self.settings.period * self.settings.commands / angles.shape[1]
            rates = np.diff(np.concatenate([now, angles], axis=1), axis=1) / lasted
            total = total + weights.flippers * (rates**2).mean(axis=(1, 2))
            total = total + weights.stretch * ((angles - self._rest) ** 2).mean(axis=(1, 2))
        return total

    def _draw(self) -> Array:
        """Return smooth noise (rollouts, commands, ...), none for the first rollout."""
        settings = self.settings
        shape = settings.rollouts, settings.commands, len(self._spread)
        noise = self._noise.standard_normal(shape)
        keep = settings.smoothness
        for k in range(1, settings.commands):
            noise[:, k] = keep * noise[:, k - 1] + np.sqrt(1.0 - keep * keep) * noise[:, k]
        noise[0] = 0.0
        return noise * self._spread

    def _clip(self, plans: Array) -> Array:
        plans[..., 0] = np.clip(plans[..., 0], -1.0, 1.0)
        plans[..., 1] = np.clip(plans[..., 1], -1.0, 1.0)
        plans[..., 2:] = np.clip(plans[..., 2:], -LARGEST_SWING, LARGEST_SWING)
        return plans


LARGEST_SWING = 1.2
"""Largest angle of a flipper from rest that is planned [rad]."""


def path_integral_weights(costs: Array, temperature: float) -> Array:
    """Return the weight of each rollout, exp(-(cost - least) / temperature), of sum 1 [1].

    Raises:
        InvalidValue: No rollout has a finite cost.
    """
    least = np.min(costs)
    if not np.isfinite(least):
        raise InvalidValue("rollouts", "none finite", "have at least one that stays finite")
    weights = np.exp(-(costs - least) / temperature)
    return weights / weights.sum()


def _group_flippers(robot: Robot) -> Array:
    """Return a row for the front and for the rear flippers, 1 for those that are in it."""
    if not robot.flippers:
        return np.zeros((0, 0))
    ahead = np.array([flipper.hinge[0] > 0.0 for flipper in robot.flippers])
    rows = [group for group in (ahead, ~ahead) if group.any()]
    return np.stack(rows).astype(np.float64)

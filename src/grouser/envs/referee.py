"""Who says what a step was worth, and when an episode is over."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grouser.control import PathProgress
from grouser.envs.observer import off_path
from grouser.envs.setting import PERIOD, Setting
from grouser.models import Motion

TIPPED = 1.3
"""Tilt of the robot's z axis from the vertical beyond which it has tipped over [rad]."""
OUTCOMES = ("", "goal", "tipped over", "left the course", "time")
"""How an episode ended, by number; nothing while it goes on."""
GOING_ON, GOAL, TIPPED_OVER, LEFT, TIME = range(len(OUTCOMES))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Verdict:
    """What a step was worth; an entry for each robot."""

    s: NDArray[np.float64]
    """Path length of the nearest point [m]."""
    reward: NDArray[np.float64]
    """Worth of the step [1]."""
    outcome: NDArray[np.int64]
    """How the episode ended, as index of `OUTCOMES`."""

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """Whether the robot itself ended the episode."""
        return (self.outcome != GOING_ON) & (self.outcome != TIME)

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """Whether time is over."""
        return self.outcome == TIME


class Referee:
    """Follows robots along the path; robots in rows.

        reward = 1 - |1 - progress / (reference speed x period)|
                 - w_offset (offset / corridor)^2 - w_heading heading^2
                 - w_shaking (roll rate^2 + pitch rate^2)
                 + w_goal at the goal, - w_failure for tipping over or leaving the course

    A robot on the path at the reference speed gets 1 each step, one that stands gets 0.
    """

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        farthest = 2.0 * setting.robot.drive.speed_limit * PERIOD
        self._window = max(0.3, farthest)

    def begin(self, motion: Motion, count: int) -> NDArray[np.float64]:
        """Return the path length of the point that is nearest to each start [m]."""
        x, y = (np.broadcast_to(place, count) for place in (motion.pose.x, motion.pose.y))
        return np.asarray(self._setting.path.nearest(x, y, near=np.zeros(count)))

    def judge(
        self,
        motion: Motion,
        s_before: NDArray[np.float64],
        speeds: NDArray[np.float64],
        steps: NDArray[np.int64],
    ) -> Verdict:
        """Return what the last step was worth.

        Args:
            motion: How the robots move now.
            s_before: Path length of each before the step [m].
            speeds: Reference speed of each [m/s].
            steps: How many steps each has done in its episode.
        """
        setting, weights, pose = self._setting, self._setting.task.weights, motion.pose
        x, y = (np.broadcast_to(place, len(s_before)) for place in (pose.x, pose.y))
        s = np.asarray(setting.path.nearest(x, y, near=s_before, window=self._window))
        offset, heading = off_path(setting, pose, s)
        rates = motion.twist.roll_rate, motion.twist.pitch_rate
        outcome = self._outcome(motion, s, steps)
        failed = (outcome == TIPPED_OVER) | (outcome == LEFT)
        reward = (
            1.0
            - np.abs(1.0 - (s - s_before) / (speeds * PERIOD))
            - weights.offset * np.square(offset / setting.task.corridor)
            - weights.heading * np.square(heading)
            - weights.shaking * (np.square(rates[0]) + np.square(rates[1]))
            + weights.goal * (outcome == GOAL)
            - weights.failure * failed
        )
        return Verdict(s=s, reward=reward, outcome=outcome)

    def _outcome(
        self, motion: Motion, s: NDArray[np.float64], steps: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        setting, pose = self._setting, motion.pose
        x, y, _ = setting.path.at(s)
        away = np.hypot(pose.x - x, pose.y - y)
        upright = np.cos(pose.roll) * np.cos(pose.pitch)
        outcome = np.where(steps >= setting.most_steps, TIME, GOING_ON)
        outcome = np.where(s >= setting.goal - PathProgress.goal_tolerance, GOAL, outcome)
        outcome = np.where(away > setting.task.corridor, LEFT, outcome)
        return np.where(upright < np.cos(TIPPED), TIPPED_OVER, outcome)

"""Reward of a step, and when an episode ends."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grouser.control import PathProgress
from grouser.envs.path_view import PathView, view_path
from grouser.envs.task import PERIOD, LoadedTask
from grouser.geometry import Pose
from grouser.models import Motion

TIPPED = 1.3
"""Tilt of the robot's z axis beyond which it has tipped over [rad]."""
OUTCOMES = ("", "goal", "tipped over", "left the course", "time")
"""How an episode ended, by number; empty while it goes on."""
GOING_ON, GOAL, TIPPED_OVER, LEFT, TIME = range(len(OUTCOMES))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StepResult:
    """Progress, reward and outcome of a step; an entry per robot."""

    view: PathView
    """Where the robots are beside the path."""
    reward: NDArray[np.float64]
    """Reward of the step [1]."""
    outcome: NDArray[np.int64]
    """How the episode ended, as index of `OUTCOMES`."""

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """Whether the episode ended by goal or failure."""
        return (self.outcome != GOING_ON) & (self.outcome != TIME)

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """Whether the episode ended by its time limit."""
        return self.outcome == TIME


class Reward:
    """Reward and end of an episode; an entry per robot.

        reward = 1 - |1 - progress / (reference speed x period)|
                 - w_offset (offset / corridor)^2 - w_heading heading^2
                 - w_shaking (roll rate^2 + pitch rate^2)
                 + w_goal at the goal, - w_failure for tipping over or leaving the course

    A robot on the path at the reference speed gets 1 per step, one that stands gets 0.
    """

    def __init__(self, loaded: LoadedTask) -> None:
        self._loaded = loaded
        farthest = 2.0 * loaded.robot.drive.speed_limit * PERIOD
        self._window = max(0.3, farthest)

    def start_progress(self, motion: Motion, count: int) -> NDArray[np.float64]:
        """Return the path length of the point nearest to each start [m]."""
        x, y = (np.broadcast_to(place, count) for place in (motion.pose.x, motion.pose.y))
        return np.asarray(self._loaded.path.nearest(x, y, near=np.zeros(count)))

    def evaluate(
        self,
        motion: Motion,
        s_before: NDArray[np.float64],
        speeds: NDArray[np.float64],
        steps: NDArray[np.int64],
    ) -> StepResult:
        """Return the result of the last step.

        Args:
            motion: Current motion of the robots.
            s_before: Path length of each before the step [m].
            speeds: Reference speed of each [m/s].
            steps: Steps of each in its episode [1].
        """
        loaded, weights, pose = self._loaded, self._loaded.task.weights, motion.pose
        x, y = (np.broadcast_to(place, len(s_before)) for place in (pose.x, pose.y))
        s = np.asarray(loaded.path.nearest(x, y, near=s_before, window=self._window))
        view = view_path(loaded, pose, s)
        rates = motion.twist.roll_rate, motion.twist.pitch_rate
        outcome = self._outcome(pose, view, steps)
        failed = (outcome == TIPPED_OVER) | (outcome == LEFT)
        reward = (
            1.0
            - np.abs(1.0 - (s - s_before) / (speeds * PERIOD))
            - weights.offset * np.square(view.offset / loaded.task.corridor)
            - weights.heading * np.square(view.heading)
            - weights.shaking * (np.square(rates[0]) + np.square(rates[1]))
            + weights.goal * (outcome == GOAL)
            - weights.failure * failed
        )
        return StepResult(view=view, reward=reward, outcome=outcome)

    def _outcome(self, pose: Pose, view: PathView, steps: NDArray[np.int64]) -> NDArray[np.int64]:
        loaded = self._loaded
        upright = np.cos(pose.roll) * np.cos(pose.pitch)
        outcome = np.where(steps >= loaded.max_steps, TIME, GOING_ON)
        outcome[view.s >= loaded.goal - PathProgress.goal_tolerance] = GOAL
        outcome[view.distance > loaded.task.corridor] = LEFT
        outcome[np.broadcast_to(upright < np.cos(TIPPED), outcome.shape)] = TIPPED_OVER
        return outcome

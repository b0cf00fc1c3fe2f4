"""Extended Kalman filter: encoders and gyroscope predict, a late camera corrects.

It depends on neither simulation nor board: a simulation runs it as an observer, hardware in the
loop passes it the readings of board and camera.
"""

from collections import deque
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grouser.control.slip_filter_model import (
    YAW,
    Belief,
    FusionSettings,
    X,
    Y,
    correct_by_gyro,
    correct_by_pose,
    predict_belief,
)
from grouser.errors import InvalidValue
from grouser.geometry import Scalar

SLACK = 1e-9
"""Times that differ by less are equal [s]."""
MAX_OUTLIERS = 15
"""Consecutive outliers after which the estimate, not the camera, is taken as wrong [1]."""
LOST_DEVIATIONS = (0.3, 0.3, 0.5)
"""Deviations of x, y and yaw that are then added to the estimate [m and rad]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _CameraPose:
    time: float
    pose: NDArray[np.float64]
    deviations: NDArray[np.float64]


@dataclass(slots=True, kw_only=True, eq=False)
class _Step:
    """Measurements of a step, and the estimates before and after it."""

    time: float
    duration: float
    left: Scalar
    right: Scalar
    gyro: Scalar | None
    before: Belief
    after: Belief
    poses: list[_CameraPose] = field(default_factory=list)
    rejected: int = 0


class SlipFilter:
    """Extended Kalman filter over pose, speeds, gyroscope bias and slip.

    A late pose is inserted at its own time: the steps since then are buffered and filtered again.
    """

    def __init__(
        self, settings: FusionSettings, start: Belief, time: float = 0.0, memory: float = 1.0
    ) -> None:
        """Start the filter.

        Args:
            settings: Noise of the measurements.
            start: Initial estimate.
            time: Time of that estimate [s].
            memory: Largest delay of a pose, the length of the buffer [s].
        """
        self._settings, self._memory = settings, memory
        first = _Step(
            time=time, duration=0.0, left=0.0, right=0.0, gyro=None, before=start, after=start
        )
        self._steps: deque[_Step] = deque([first])
        self._waiting: list[_CameraPose] = []
        self._outliers = 0
        self.rejected = 0
        """Number of poses rejected as outliers [1]."""
        self.too_late = 0
        """Number of poses older than the buffer [1]."""

    @property
    def time(self) -> float:
        """Time of the last step [s]."""
        return self._steps[-1].time

    @property
    def belief(self) -> Belief:
        """Current estimate."""
        return self._steps[-1].after

    def advance(
        self, time: float, left: Scalar, right: Scalar, gyro: Scalar | None = None
    ) -> Belief:
        """Advance to a time with the measurements since the last step.

        Args:
            time: Later than the last [s].
            left: Belt speed on the left, mean over the step [m/s].
            right: Belt speed on the right, likewise [m/s].
            gyro: Yaw rate by the gyroscope at the end of the step; None without one [rad/s].

        Raises:
            InvalidValue: Time does not increase.
        """
        duration = time - self.time
        if not duration > 0.0:
            raise InvalidValue("time of a step", time, f"be after {self.time:g} s, the last one")
        now = self.belief
        step = _Step(
            time=time, duration=duration, left=left, right=right, gyro=gyro, before=now, after=now
        )
        due = [seen for seen in self._waiting if seen.time <= time + SLACK]
        self._waiting = [seen for seen in self._waiting if seen.time > time + SLACK]
        step.poses = sorted(due, key=lambda seen: seen.time)
        self._steps.append(step)
        self._refilter(len(self._steps) - 1)
        # The oldest step only provides the start of the second.
        while len(self._steps) > 2 and self._steps[1].time < time - self._memory:
            self._steps.popleft()
        return self.belief

    def see(self, time: float, pose: ArrayLike, deviations: ArrayLike) -> None:
        """Add a camera pose, current or late.

        Args:
            time: Time of exposure [s].
            pose: x, y and yaw, wrapped or not (..., 3) [m and rad].
            deviations: Their standard deviations (..., 3) [m and rad].
        """
        seen = _CameraPose(
            time=time,
            pose=np.asarray(pose, dtype=np.float64),
            deviations=np.asarray(deviations, dtype=np.float64),
        )
        if not np.all(np.isfinite(seen.pose)):
            return
        if time > self.time + SLACK:
            self._waiting.append(seen)
            return
        index = self._step_at(time)
        if index is None:
            self.too_late += 1
            return
        poses = self._steps[index].poses
        poses.append(seen)
        poses.sort(key=lambda known: known.time)
        self._refilter(index)

    def _step_at(self, time: float) -> int | None:
        """Return the index of the step that contains a time; None if it is not in the buffer."""
        for index in range(len(self._steps) - 1, 0, -1):
            step = self._steps[index]
            if step.time - step.duration + SLACK < time <= step.time + SLACK:
                return index
        start = self._steps[0]
        # Steps older than the buffer cannot be re-filtered.
        return 0 if start.duration == 0.0 and abs(time - start.time) <= SLACK else None

    def _refilter(self, first: int) -> None:
        """Filter the steps from `first` to the last again."""
        for index in range(first, len(self._steps)):
            step = self._steps[index]
            self.rejected -= step.rejected
            step.rejected = 0
            belief = self._steps[index - 1].after if index else step.before
            if step.duration > 0.0:
                belief = predict_belief(
                    belief, step.left, step.right, step.duration, self._settings
                )
            if step.gyro is not None:
                belief = correct_by_gyro(belief, step.gyro, self._settings)
            for seen in step.poses:
                belief = self._correct(belief, step, seen)
            step.after = belief

    def _correct(self, belief: Belief, step: _Step, seen: _CameraPose) -> Belief:
        age, gate = max(step.time - seen.time, 0.0), self._settings.gate
        corrected, accepted = correct_by_pose(belief, seen.pose, seen.deviations, age, gate)
        if np.all(accepted):
            self._outliers = 0
            return corrected
        step.rejected += 1
        self.rejected += 1
        self._outliers += 1
        if self._outliers <= MAX_OUTLIERS or belief.mean.ndim > 1:
            return corrected
        self._outliers = 0
        covariance = belief.covariance.copy()
        for place, deviation in zip((X, Y, YAW), LOST_DEVIATIONS, strict=True):
            covariance[place, place] += deviation**2
        return Belief(mean=belief.mean, covariance=covariance)

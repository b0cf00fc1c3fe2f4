"""A filter that follows a robot: encoders and gyroscope predict, a late camera corrects."""

from collections import deque
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grouser.control.fusion.belief import YAW, Belief, X, Y
from grouser.control.fusion.correct_belief import correct_by_gyro, correct_by_pose
from grouser.control.fusion.fusion_settings import FusionSettings
from grouser.control.fusion.predict_belief import predict_belief
from grouser.errors import InvalidValue
from grouser.geometry import Scalar

SLACK = 1e-9
"""How far times may be apart and still be the same [s]."""
PATIENCE = 15
"""Poses in a row that may be outliers: after more of them the filter was lost, not the camera."""
LOST = (0.3, 0.3, 0.5)
"""Standard deviations of x, y and yaw that a filter takes on when it was lost [m and rad]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Sight:
    time: float
    pose: NDArray[np.float64]
    deviations: NDArray[np.float64]


@dataclass(slots=True, kw_only=True, eq=False)
class _Step:
    """What was measured over a step, and what was believed after it."""

    time: float
    duration: float
    left: Scalar
    right: Scalar
    gyro: Scalar | None
    before: Belief
    after: Belief
    sights: list[_Sight] = field(default_factory=list)
    rejected: int = 0


class SlipFilter:
    """Extended Kalman filter over pose, speeds, gyroscope bias and slip; see `belief`.

    A pose that comes late is put where it belongs: steps since then are kept, and done again.
    """

    def __init__(
        self, settings: FusionSettings, start: Belief, time: float = 0.0, memory: float = 1.0
    ) -> None:
        """Begin.

        Args:
            settings: How well everything is measured.
            start: What is believed at the start.
            time: When that is [s].
            memory: How late a pose may be [s].
        """
        self._settings, self._memory = settings, memory
        first = _Step(
            time=time, duration=0.0, left=0.0, right=0.0, gyro=None, before=start, after=start
        )
        self._steps: deque[_Step] = deque([first])
        self._waiting: list[_Sight] = []
        self._outliers = 0
        self.rejected = 0
        """How many poses were outliers."""
        self.too_late = 0
        """How many poses came later than the filter remembers."""

    @property
    def time(self) -> float:
        """Time of the last step [s]."""
        return self._steps[-1].time

    @property
    def belief(self) -> Belief:
        """What is believed now."""
        return self._steps[-1].after

    def advance(
        self, time: float, left: Scalar, right: Scalar, gyro: Scalar | None = None
    ) -> Belief:
        """Go on to a time with what was measured since the last one.

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
        due = [sight for sight in self._waiting if sight.time <= time + SLACK]
        self._waiting = [sight for sight in self._waiting if sight.time > time + SLACK]
        step.sights = sorted(due, key=lambda sight: sight.time)
        self._steps.append(step)
        self._redo(len(self._steps) - 1)
        # The oldest only serves as the start of the second.
        while len(self._steps) > 2 and self._steps[1].time < time - self._memory:
            self._steps.popleft()
        return self.belief

    def see(self, time: float, pose: ArrayLike, deviations: ArrayLike) -> None:
        """Take in where a camera saw the robot, at once or late.

        Args:
            time: When the picture was taken [s].
            pose: x, y and yaw, wrapped or not (..., 3) [m and rad].
            deviations: Their standard deviations (..., 3) [m and rad].
        """
        sight = _Sight(
            time=time,
            pose=np.asarray(pose, dtype=np.float64),
            deviations=np.asarray(deviations, dtype=np.float64),
        )
        if not np.all(np.isfinite(sight.pose)):
            return
        if time > self.time + SLACK:
            self._waiting.append(sight)
            return
        index = self._step_at(time)
        if index is None:
            self.too_late += 1
            return
        sights = self._steps[index].sights
        sights.append(sight)
        sights.sort(key=lambda known: known.time)
        self._redo(index)

    def _step_at(self, time: float) -> int | None:
        """Return the step during which something happened; None if it is forgotten."""
        for index in range(len(self._steps) - 1, 0, -1):
            step = self._steps[index]
            if step.time - step.duration + SLACK < time <= step.time + SLACK:
                return index
        start = self._steps[0]
        # Once steps are forgotten, what led to the oldest that is left cannot be done again.
        return 0 if start.duration == 0.0 and abs(time - start.time) <= SLACK else None

    def _redo(self, first: int) -> None:
        """Do steps again, from one of them to the last."""
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
            for sight in step.sights:
                belief = self._correct(belief, step, sight)
            step.after = belief

    def _correct(self, belief: Belief, step: _Step, sight: _Sight) -> Belief:
        age, gate = max(step.time - sight.time, 0.0), self._settings.gate
        corrected, counts = correct_by_pose(belief, sight.pose, sight.deviations, age, gate)
        if np.all(counts):
            self._outliers = 0
            return corrected
        step.rejected += 1
        self.rejected += 1
        self._outliers += 1
        if self._outliers <= PATIENCE or belief.mean.ndim > 1:
            return corrected
        self._outliers = 0
        covariance = belief.covariance.copy()
        for place, deviation in zip((X, Y, YAW), LOST, strict=True):
            covariance[place, place] += deviation**2
        return Belief(mean=belief.mean, covariance=covariance)

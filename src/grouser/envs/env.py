"""The environment of one robot."""

from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from grouser.envs.path_view import PathView, view_path
from grouser.envs.reward import GOAL, OUTCOMES, Reward
from grouser.envs.spaces import ActionMap, ObservationMap, action_space, observation_space
from grouser.envs.task import (
    PERIOD,
    TICKS_PER_STEP,
    EpisodeParameters,
    Task,
    load_task,
)
from grouser.errors import InvalidValue, OffGround
from grouser.models import Command, Motion
from grouser.simulation import Simulation

if TYPE_CHECKING:
    from grouser.envs.camera import Camera


RENDER_MODES = ("rgb_array",)
"""Supported render modes."""


class TrackedEnv(gymnasium.Env[NDArray[Any], NDArray[Any]]):
    """A tracked robot that follows the path of a course over its terrain."""

    metadata = {
        "render_modes": list(RENDER_MODES),
        "render_fps": round(1.0 / PERIOD),
    }

    simulation: Simulation
    """Simulation of the episode; `write_log(env.unwrapped.simulation.log(), ...)` saves it."""

    def __init__(
        self,
        task: str | Task = "FlatTracking",
        *,
        render_mode: str | None = None,
        **changes: Any,
    ) -> None:
        """Load a task.

        Args:
            task: Its name, or a task of your own.
            render_mode: `rgb_array` for pictures.
            changes: Changes of the task: `robot`, `model`, `course`, `speed` and `duration` of its
                scenario, and the fields of `Task`, as `goal` and `randomisation`.
        """
        check_render_mode(render_mode)
        self.loaded = load_task(task, **changes)
        self._actions, self._observations = ActionMap(self.loaded), ObservationMap(self.loaded)
        self._reward = Reward(self.loaded)
        self.actions, self.observations = self._actions.quantities, self._observations.quantities
        self.action_space = action_space(self.actions)
        self.observation_space = observation_space(self.observations)
        self.render_mode = render_mode
        self._camera: Camera | None = None
        self._over = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start an episode; return the observation and `info`."""
        super().reset(seed=seed)
        numbers = self.loaded.task.randomisation.draw([self.np_random])[0].tolist()
        self._parameters = drawn = EpisodeParameters.of(numbers)
        self.simulation = self.loaded.start(drawn, self.loaded.draw_seed(self.np_random))
        self._speeds = np.array([self.loaded.speed * drawn.speed])
        self._gains = np.array([[drawn.gain_left, drawn.gain_right]])
        self._steps, self._over = np.zeros(1, dtype=np.int64), False
        motion = self.simulation.motion
        self._s = self._reward.start_progress(motion, 1)
        view = view_path(self.loaded, motion.pose, self._s)
        return self._observe(motion, view), episode_info(drawn, float(self._s[0]), 0)

    def step(
        self, action: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Apply an action for a period; return observation, reward, end of episode and `info`."""
        if self._over:
            raise ResetNeeded("the episode is over, or none was started: call reset() first")
        motion = self.simulation.motion
        command = self._actions.command(np.asarray(action)[None, ...], self._gains, motion)
        command, self._over = _first(command), True  # if it raises, only a reset helps
        for _ in range(TICKS_PER_STEP):
            with suppress(OffGround):  # as in a fleet: the task decides when it is over
                self.simulation.advance(command)
            motion = self.simulation.motion
        self._steps += 1
        result = self._reward.evaluate(motion, self._s, self._speeds, self._steps)
        self._s = result.view.s
        terminated, truncated = bool(result.terminated[0]), bool(result.truncated[0])
        self._over = terminated or truncated
        observation = self._observe(motion, result.view)
        info = episode_info(self._parameters, float(self._s[0]), int(result.outcome[0]))
        return observation, float(result.reward[0]), terminated, truncated, info

    def _observe(self, motion: Motion, view: PathView) -> NDArray[np.float32]:
        return self._observations.observe(motion, view, self._speeds, [self.simulation.reading])[0]

    def render(self) -> NDArray[np.uint8] | None:  # type: ignore[override]
        """Return a picture of the robot; None without a render mode."""
        if self.render_mode is None:
            return None
        if self._camera is None:
            from grouser.envs.camera import Camera

            self._camera = Camera(self.loaded.robot, self.loaded.course)
        return self._camera.render(self.simulation.motion, 0)

    def close(self) -> None:
        """Close the camera."""
        if self._camera is not None:
            self._camera.close()
            self._camera = None


def check_render_mode(render_mode: str | None) -> None:
    """Check a render mode.

    Raises:
        InvalidValue: It is not supported.
    """
    if render_mode not in (None, *RENDER_MODES):
        raise InvalidValue("render_mode", render_mode, f"be {' or '.join(RENDER_MODES)}, or None")


def episode_info(drawn: EpisodeParameters, s: float, outcome: int) -> dict[str, Any]:
    """Return `info` of one robot."""
    return {
        "outcome": OUTCOMES[outcome],
        "is_success": outcome == GOAL,
        "path_length": s,
        "draw": asdict(drawn),
    }


def _first(command: Command) -> Command:
    """Return the command of the first robot, as numbers."""
    return Command(
        belt_speeds=tuple(float(np.atleast_1d(speed)[0]) for speed in command.belt_speeds),
        flipper_angles=tuple(float(np.atleast_1d(angle)[0]) for angle in command.flipper_angles),
    )

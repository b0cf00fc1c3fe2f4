"""One robot to learn with."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from grouser.envs.actuator import Actuator
from grouser.envs.camera import Camera
from grouser.envs.observer import Observer
from grouser.envs.randomisation import Draw, tell_draw
from grouser.envs.referee import GOAL, OUTCOMES, Referee
from grouser.envs.setting import PERIOD, TICK, TICKS_PER_STEP, make_setting
from grouser.envs.spaces import action_space, observation_space
from grouser.envs.task import Task
from grouser.errors import InvalidValue
from grouser.models import Command, vary_model
from grouser.simulation import Simulation

RENDER_MODES = ("rgb_array",)
"""Ways to look at an environment."""


class TrackedEnv(gymnasium.Env[NDArray[Any], NDArray[Any]]):
    """A tracked robot that follows the path of a course, over whatever lies there."""

    metadata = {
        "render_modes": list(RENDER_MODES),
        "render_fps": round(1.0 / PERIOD),
    }

    simulation: Simulation
    """The episode under way: `write_log(env.unwrapped.simulation.log(), ...)` keeps it."""

    def __init__(
        self,
        task: str | Task = "FlatTracking",
        *,
        render_mode: str | None = None,
        **changes: Any,
    ) -> None:
        """Prepare a task.

        Args:
            task: Its name, or a task of your own.
            render_mode: `rgb_array` for pictures.
            changes: What differs from the task: `robot`, `model`, `course`, `speed`, `goal`,
                `duration`, `randomisation` and the other fields of `Task`.
        """
        check_render_mode(render_mode)
        self.setting = make_setting(task, **changes)
        self._actuator, self._observer = Actuator(self.setting), Observer(self.setting)
        self._referee = Referee(self.setting)
        self.actions, self.observations = self._actuator.quantities, self._observer.quantities
        self.action_space = action_space(self.actions)
        self.observation_space = observation_space(self.observations)
        self.render_mode = render_mode
        self._camera: Camera | None = None
        self._over = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin an episode; return what is seen, and what was drawn for it."""
        super().reset(seed=seed)
        setting = self.setting
        self._draw = draw = setting.task.randomisation.draw(self.np_random)
        self.simulation = Simulation(
            vary_model(setting.model, friction=draw.friction, mass=draw.mass),
            setting.robot,
            setting.course,
            pose=setting.start_pose(draw),
            dt=TICK,
        )
        self._speeds = np.array([setting.speed * draw.speed])
        self._gains = np.array([[draw.gain_left, draw.gain_right]])
        self._steps, self._over = np.zeros(1, dtype=np.int64), False
        motion = self.simulation.motion
        self._s = self._referee.begin(motion, 1)
        observation = self._observer.observe(motion, self._s, self._speeds)[0]
        return observation, tell_info(draw, float(self._s[0]), 0)

    def step(
        self, action: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Obey an action for a period; return what is seen, and what it was worth."""
        if self._over:
            raise ResetNeeded("the episode is over, or none was begun: call reset() first")
        command = _first(self._actuator.command(np.asarray(action)[None, ...], self._gains))
        motion = self.simulation.motion
        for _ in range(TICKS_PER_STEP):
            motion = self.simulation.advance(command)
        self._steps += 1
        verdict = self._referee.judge(motion, self._s, self._speeds, self._steps)
        self._s = verdict.s
        terminated, truncated = bool(verdict.terminated[0]), bool(verdict.truncated[0])
        self._over = terminated or truncated
        observation = self._observer.observe(motion, self._s, self._speeds)[0]
        info = tell_info(self._draw, float(self._s[0]), int(verdict.outcome[0]))
        return observation, float(verdict.reward[0]), terminated, truncated, info

    def render(self) -> NDArray[np.uint8] | None:  # type: ignore[override]
        """Return a picture of the robot, if pictures were asked for."""
        if self.render_mode is None:
            return None
        if self._camera is None:
            self._camera = Camera(self.setting.robot, self.setting.course)
        return self._camera.shoot(self.simulation.motion, 0)

    def close(self) -> None:
        """Give back what pictures needed."""
        if self._camera is not None:
            self._camera.close()
            self._camera = None


def check_render_mode(render_mode: str | None) -> None:
    """Refuse a way to look that there is not.

    Raises:
        InvalidValue: There is no such way.
    """
    if render_mode not in (None, *RENDER_MODES):
        raise InvalidValue("render_mode", render_mode, f"be {' or '.join(RENDER_MODES)}, or None")


def tell_info(draw: Draw, s: float, outcome: int) -> dict[str, Any]:
    """Return what stands in `info` of one robot."""
    return {
        "outcome": OUTCOMES[outcome],
        "is_success": outcome == GOAL,
        "path_length": s,
        "draw": tell_draw(draw),
    }


def _first(command: Command) -> Command:
    """Return the command of the first robot, as numbers."""
    return Command(
        belt_speeds=tuple(float(np.atleast_1d(speed)[0]) for speed in command.belt_speeds),
        flipper_angles=tuple(float(np.atleast_1d(angle)[0]) for angle in command.flipper_angles),
    )

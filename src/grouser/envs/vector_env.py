"""The environment of many robots, advanced together on all cores."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from grouser.envs.env import TrackedEnv, check_render_mode
from grouser.envs.path_view import PathView, view_path
from grouser.envs.reward import GOAL, OUTCOMES, Reward
from grouser.envs.sensor_view import FleetSensors
from grouser.envs.spaces import ActionMap, ObservationMap, action_space, observation_space
from grouser.envs.task import TICKS_PER_STEP, EpisodeParameters, Task, load_task
from grouser.errors import InvalidValue, TickFailed
from grouser.models import Command, Motion
from grouser.simulation import Fleet

if TYPE_CHECKING:
    from grouser.envs.camera import Camera

WORDS = np.array(OUTCOMES, dtype=object)
"""`OUTCOMES` as an array."""


class TrackedVectorEnv(VectorEnv[NDArray[np.float32], NDArray[np.float32], NDArray[Any]]):
    """Many `TrackedEnv` in one: bit-equal results for equal seeds and actions.

    All three autoreset modes of Gymnasium are supported: next step, same step, and disabled, with
    `reset(options={"reset_mask": ...})`.
    """

    def __init__(
        self,
        num_envs: int = 1,
        task: str | Task = "FlatTracking",
        *,
        render_mode: str | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        **changes: Any,
    ) -> None:
        """Load a task.

        Args:
            num_envs: Number of robots [1].
            task: Its name, or a task of your own.
            render_mode: `rgb_array` for pictures.
            autoreset_mode: When a robot restarts after its episode.
            changes: Changed fields of the task, as for `TrackedEnv`.
        """
        check_render_mode(render_mode)
        if num_envs < 1:
            raise InvalidValue("num_envs", num_envs, "be at least 1")
        self.loaded = load_task(task, **changes)
        self.num_envs, self.render_mode = num_envs, render_mode
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = TrackedEnv.metadata | {"autoreset_mode": self.autoreset_mode}
        self._actions, self._observations = ActionMap(self.loaded), ObservationMap(self.loaded)
        self._reward = Reward(self.loaded)
        self.actions, self.observations = self._actions.quantities, self._observations.quantities
        self.single_action_space = action_space(self.actions)
        self.single_observation_space = observation_space(self.observations)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        sensors = self._observations.sensors
        is_sensed = bool(self.loaded.task.observation)
        self._sensors = FleetSensors(self.loaded, sensors, num_envs) if is_sensed else None
        self._camera: Camera | None = None
        self._fleet: Fleet | None = None
        self._generators: list[np.random.Generator | None] = [None] * num_envs
        names = [field.name for field in fields(EpisodeParameters)]
        self._drawn = np.ones((num_envs, len(names)))
        self._parameters = dict(zip(names, self._drawn.T, strict=True))  # views
        self._speeds, self._gains = np.zeros(num_envs), np.ones((num_envs, 2))
        self._s, self._steps = np.zeros(num_envs), np.zeros(num_envs, dtype=np.int64)
        self._over = np.ones(num_envs, dtype=bool)

    def reset(  # type: ignore[override]
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start all episodes, or those of `options["reset_mask"]`.

        Args:
            seed: Seed of the first robot, the next robot has the next one; or one per robot.
            options: May hold a `reset_mask` of the robots to restart.
        """
        which = self._mask(options)
        for number, one in enumerate(_seeds(seed, self.num_envs)):
            if which[number] and (one is not None or self._generators[number] is None):
                self._generators[number] = seeding.np_random(one)[0]
        motion = self._restart(which)
        infos = episode_infos(which, self._values(np.zeros(self.num_envs, dtype=np.int64)))
        return self._observe(motion, view_path(self.loaded, motion.pose, self._s)), infos

    def step(
        self, actions: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Apply actions for a period, a row per robot."""
        over, next_step = self._over, self.autoreset_mode == AutoresetMode.NEXT_STEP
        if self._fleet is None or (over.any() and not next_step):
            raise ResetNeeded("an episode is over, or none was started: call reset() first")
        motion = self._fleet.motion
        command = self._actions.command(np.asarray(actions), self._gains, motion)
        try:
            motion = self._advance(self._fleet, command)
        except TickFailed:
            self._fleet = None  # the robots' state is not known: all of them start anew
            raise
        self._steps += 1
        result = self._reward.evaluate(motion, self._s, self._speeds, self._steps)
        view, outcome, reward = result.view, result.outcome, result.reward
        self._s = view.s
        restarted = over if next_step else np.zeros_like(over)
        terminated, truncated = result.terminated & ~restarted, result.truncated & ~restarted
        infos: dict[str, Any] = {}
        self._over = terminated | truncated
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._over.any():
            restarted = self._over
            infos = self._final_infos(self._observe(motion, view), outcome)
        elif restarted.any():
            reward = np.where(restarted, 0.0, reward)
        if restarted.any():
            motion, outcome = self._restart(restarted), np.where(restarted, 0, outcome)
            view = view_path(self.loaded, motion.pose, self._s)
        infos |= episode_infos(np.ones(self.num_envs, dtype=bool), self._values(outcome))
        return self._observe(motion, view), reward, terminated, truncated, infos

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:  # type: ignore[override]
        """Return a picture of each robot; None without a render mode."""
        if self.render_mode is None or self._fleet is None:
            return None
        return tuple(self.render_robot(number) for number in range(self.num_envs))

    def render_robot(self, number: int) -> NDArray[np.uint8]:
        """Return a picture of one robot.

        Raises:
            ResetNeeded: No episode was started.
        """
        if self._fleet is None:
            raise ResetNeeded("no episode was started: call reset() first")
        if self._camera is None:
            from grouser.envs.camera import Camera

            self._camera = Camera(self.loaded.robot, self.loaded.course)
        return self._camera.render(self._fleet.motion, number)

    def close_extras(self, **kwargs: Any) -> None:
        """Close the camera and drop the robots."""
        self._fleet = None
        if self._camera is not None:
            self._camera.close()
            self._camera = None

    def _advance(self, fleet: Fleet, command: Command) -> Motion:
        if self._sensors is None:
            return fleet.advance(command, TICKS_PER_STEP)
        for _ in range(TICKS_PER_STEP):
            motion = fleet.advance(command)
            self._sensors.read(fleet.ticks, motion)
        return fleet.motion

    def _observe(self, motion: Motion, view: PathView) -> NDArray[np.float32]:
        readings = () if self._sensors is None else self._sensors.readings
        return self._observations.observe(motion, view, self._speeds, readings)

    def _restart(self, which: NDArray[np.bool_]) -> Motion:
        """Restart some robots, each with its own random parameters."""
        loaded, drawn = self.loaded, self._parameters
        # Made by the first reset, which is for all.
        numbers = np.flatnonzero(which).tolist()
        generators = [g for g in (self._generators[number] for number in numbers) if g is not None]
        self._drawn[which] = loaded.task.randomisation.draw(generators)
        self._speeds = loaded.speed * drawn["speed"]
        self._gains = np.stack((drawn["gain_left"], drawn["gain_right"]), axis=1)
        poses = loaded.start_pose(drawn["offset"], drawn["yaw"])
        factors = {"friction": drawn["friction"].copy(), "mass": drawn["mass"].copy()}
        if self._fleet is None:
            self._fleet = loaded.scenario.start_many(poses, SimpleNamespace(**factors))
            motion = self._fleet.motion
        else:
            motion = self._fleet.restart(which, poses, **factors)
        if self._sensors is not None:
            seeds = [loaded.draw_seed(generator) for generator in generators]
            self._sensors.restart(numbers, seeds, motion)
        self._s = np.where(which, self._reward.start_progress(motion, self.num_envs), self._s)
        self._steps[which] = 0
        self._over = self._over & ~which
        return motion

    def _values(self, outcome: NDArray[np.int64]) -> dict[str, Any]:
        """Return the values of `info` of all robots."""
        return {
            "outcome": WORDS[outcome],
            "is_success": outcome == GOAL,
            "path_length": self._s,
            "draw": self._parameters,
        }

    def _final_infos(self, seen: NDArray[np.float32], outcome: NDArray[np.int64]) -> dict[str, Any]:
        """Return the last observations and `info` of the episodes that ended."""
        over, final = self._over, np.full(self.num_envs, None, dtype=object)
        for number in np.flatnonzero(over).tolist():  # Gymnasium wants an object for each
            final[number] = seen[number]
        known = episode_infos(over, self._values(outcome))
        return {"final_obs": final, "_final_obs": over.copy(),
                "final_info": known, "_final_info": over.copy()}  # fmt: skip

    def _mask(self, options: dict[str, Any] | None) -> NDArray[np.bool_]:
        everyone = np.ones(self.num_envs, dtype=bool)
        mask = (options or {}).get("reset_mask", everyone)
        if np.shape(mask) != everyone.shape or np.asarray(mask).dtype != bool or not np.any(mask):
            required = f"be {self.num_envs} booleans, of which one at least is true"
            raise InvalidValue("options['reset_mask']", mask, required)
        if self._fleet is None and not np.all(mask):
            raise ResetNeeded("the first reset is for all robots, without a reset_mask")
        return np.asarray(mask)


def episode_infos(which: NDArray[np.bool_], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return `infos` in the form of Gymnasium: values by name, and masks by `_name`.

    Args:
        which: Mask of the robots that have values; the others get zeros or None.
        values: Arrays with an entry per robot, or mappings of such, by name.
    """
    infos: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            infos[name] = episode_infos(which, value)
        else:
            infos[name] = value.copy()
            infos[name][~which] = None if value.dtype == object else 0
        infos[f"_{name}"] = which.copy()
    return infos


def _seeds(seed: int | Sequence[int | None] | None, count: int) -> list[int | None]:
    if seed is None:
        return [None] * count
    if isinstance(seed, int | np.integer):
        return [int(seed) + number for number in range(count)]
    if not isinstance(seed, Sequence) or len(seed) != count:
        raise InvalidValue("seed", seed, f"be one number, or one for each of {count} robots")
    return list(seed)

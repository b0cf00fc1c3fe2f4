"""Many robots are each exactly the one: whatever neighbours, order, threads, calls and restarts."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.geometry import Pose
from grouser.models import Command
from grouser.models.contact.engine import Variation
from grouser.models.contact.native.layout import AT_ST_PARAMETERS, LOST, POS
from grouser.models.contact.plant import ContactPlant
from tests.models.contact.native.random_scenes import RandomScene

COUNT, TICKS, TICK = 9, 8, 0.05
"""Robots (more than one block of lanes), ticks, and their length [s]."""
Rows = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Runs:
    """Random robots of a scene, with commands for each tick."""

    scene: RandomScene
    """Robot and ground."""
    poses: Pose
    """Starts."""
    variation: Variation
    """How the robots differ."""
    commands: tuple[Command, ...]
    """What they do."""

    def start(self, order: Rows, threads: int = 1) -> ContactPlant:
        """Return some of the robots, in an order; one is a world of its own."""
        pose = Pose(x=self.poses.x[order], y=self.poses.y[order], yaw=self.poses.yaw[order])
        fields = {
            name: np.asarray(getattr(self.variation, name))[order]
            for name in ("friction", "mass", "payload", "payload_x")
        }
        return self.scene.start(pose, Variation(**fields), threads)

    def drive(self, plant: ContactPlant, order: Rows, ticks: range = range(TICKS)) -> None:
        """Let robots do their commands of some ticks."""
        for tick in ticks:
            command = self.commands[tick]
            plant.advance(
                Command(
                    belt_speeds=tuple(np.asarray(v)[order] for v in command.belt_speeds),
                    flipper_angles=tuple(
                        np.asarray(v)[order] for v in command.flipper_angles or ()
                    ),
                ),
                TICK,
            )


def draw_runs(scene: RandomScene) -> Runs:
    """Return the random runs of a scene."""
    generator = np.random.default_rng(scene.seed + 10_000)
    variation = Variation(
        friction=generator.uniform(0.5, 1.5, COUNT),
        mass=generator.uniform(0.7, 1.5, COUNT),
        payload=generator.uniform(0.0, 0.3, COUNT) * scene.robot.mass,
        payload_x=generator.uniform(-0.2, 0.2, COUNT) * scene.length,
    )
    commands = tuple(scene.command(generator, COUNT) for _ in range(TICKS))
    return Runs(scene, scene.poses(generator, COUNT), variation, commands)


def dynamic(plant: ContactPlant) -> Rows:
    """Return pose, twist, hinges, drives and readings of each robot, as rows of bytes."""
    world: Any = plant.world
    rows = np.delete(world.state[:, : int(world._lay[AT_ST_PARAMETERS])], LOST, axis=1)
    return np.concatenate([rows, world.readings, world.belt_speeds, world.works], axis=1).view(
        np.uint64
    )


def _together(runs: Runs) -> Rows:
    everyone = np.arange(COUNT)
    plant = runs.start(everyone)
    runs.drive(plant, everyone)
    return dynamic(plant)


def _shuffled_on_threads(runs: Runs) -> Rows:
    order = np.random.default_rng(1).permutation(COUNT)
    plant = runs.start(order, threads=2)
    runs.drive(plant, order)
    return dynamic(plant)[np.argsort(order)]


def _one_step_per_call(runs: Runs) -> Rows:
    everyone = np.arange(COUNT)
    plant = runs.start(everyone)
    world: Any = plant.world
    world._threads.turns.most = 1
    runs.drive(plant, everyone)
    return dynamic(plant)


def _restored_elsewhere(runs: Runs) -> Rows:
    everyone, half = np.arange(COUNT), TICKS // 2
    plant = runs.start(everyone)
    runs.drive(plant, everyone, range(half))
    back = everyone[::-1]
    other = runs.start(back)
    other.state = plant.state.take(back)
    runs.drive(other, back, range(half, TICKS))
    return dynamic(other)[back]


def _beside_a_broken_robot(runs: Runs) -> Rows:
    """All robots but number 2, whose place becomes nan; its own row is that of the lone one."""
    everyone = np.arange(COUNT)
    plant = runs.start(everyone)
    state = plant.state
    rows = state.engine.copy()
    rows[2, POS] = np.nan
    plant.state = replace(state, engine=rows)
    runs.drive(plant, everyone)
    found = dynamic(plant)
    found[2] = alone(runs, 2)
    return found


VARIANTS: dict[str, Callable[[Runs], Rows]] = {
    "together": _together,
    "shuffled, two threads": _shuffled_on_threads,
    "one step per call": _one_step_per_call,
    "restored elsewhere": _restored_elsewhere,
    "beside a broken robot": _beside_a_broken_robot,
}
"""Ways to run the robots of a scene; each must give what lone robots do."""


def alone(runs: Runs, number: int) -> Rows:
    """Return what one robot does in a world of its own."""
    order = np.array([number])
    plant = runs.start(order)
    runs.drive(plant, order)
    return dynamic(plant)[0]


def differences(scene: RandomScene) -> dict[str, list[int]]:
    """Return the robots of a scene that differ from the lone ones in any bit, by variant."""
    runs = draw_runs(scene)
    lone = np.stack([alone(runs, number) for number in range(COUNT)])
    found = {}
    for name, run in VARIANTS.items():
        differ = (run(runs) != lone).any(axis=1)
        found[name] = np.flatnonzero(differ).tolist()
    return found

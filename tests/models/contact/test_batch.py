"""A batch of robots is as many single runs, bit for bit."""

from dataclasses import replace
from functools import partial

import mujoco
import numpy as np
import pytest

from grouser.description import load_course, load_robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose
from grouser.models import Command, Motion
from grouser.models.contact.batch import ContactBatch
from grouser.models.contact.belt_geoms import add_belt
from grouser.models.contact.plant import ContactPlant
from grouser.models.contact.scene import Scene, build_scene

COUNT, TICKS, DT = 5, 12, 0.02
ROBOT = load_robot("absolem")
POSES = Pose(x=np.linspace(-0.4, 0.2, COUNT), y=0.1, yaw=np.linspace(-1.0, 1.0, COUNT))
SPEEDS = np.random.default_rng(3).uniform(-0.4, 0.4, (2, COUNT))
ANGLES = np.random.default_rng(4).uniform(-0.6, 0.6, (4, COUNT))
FRICTIONS = np.array([1.0, 0.5, 0.8, 1.0, 1.3])
MASSES = np.array([1.0, 1.0, 1.4, 0.7, 1.1])


def scene_on(course: str, *, own_friction: bool = True) -> Scene:
    belt = partial(add_belt, boxes=1)
    ground = load_course(course)
    return build_scene(ROBOT, ground, belt, timestep=0.001, own_friction=own_friction)


def command(number: int | None = None) -> Command:
    pick = slice(None) if number is None else number
    return Command(belt_speeds=tuple(SPEEDS[:, pick]), flipper_angles=tuple(ANGLES[:, pick]))


def numbers_of(motion: Motion, number: int | None = None) -> list[float]:
    """Return all numbers of a motion, of one robot of many if asked for."""
    pose, twist = motion.pose, motion.twist
    values = [pose.x, pose.y, pose.z, pose.roll, pose.pitch, pose.yaw]
    values += [twist.vx, twist.vy, twist.vz, twist.roll_rate, twist.pitch_rate, twist.yaw_rate]
    values += [*motion.belt_speeds_commanded, *motion.belt_speeds]
    values += [*motion.flipper_angles, *motion.slips]
    return [float(value if number is None else np.asarray(value)[number]) for value in values]


def heavier(scene: Scene, factor: float) -> Scene:
    model = scene.spec.compile()
    model.body_mass *= factor
    model.body_inertia *= factor
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return replace(scene, model=model)


@pytest.mark.parametrize("own_friction", [True, False])
def test_a_batch_equals_single_runs_bit_for_bit(own_friction: bool) -> None:
    course = load_course("pallet")
    scene = scene_on("pallet", own_friction=own_friction)
    batch = ContactBatch(scene, ROBOT, course, POSES, own_friction=own_friction, threads=2)
    for _ in range(TICKS):
        batch.advance(command(), DT)
    for number in range(COUNT):
        alone = scene_on("pallet", own_friction=own_friction)
        plant = ContactPlant(alone, ROBOT, course, POSES[number], own_friction=own_friction)
        for _ in range(TICKS):
            plant.advance(command(number), DT)
        assert numbers_of(batch.motion, number) == numbers_of(plant.motion)


def test_a_batch_with_own_friction_and_mass_equals_single_runs_bit_for_bit() -> None:
    course, scene = load_course("flat"), scene_on("flat")
    batch = ContactBatch(scene, ROBOT, course, POSES, friction=FRICTIONS, mass_factor=MASSES)
    for _ in range(TICKS):
        batch.advance(command(), DT)
    for number in range(COUNT):
        own = scene if MASSES[number] == 1.0 else heavier(scene, MASSES[number])
        plant = ContactPlant(own, ROBOT, course, POSES[number])
        plant.memory.friction[0] = FRICTIONS[number]
        plant.reset(POSES[number])
        for _ in range(TICKS):
            plant.advance(command(number), DT)
        assert numbers_of(batch.motion, number) == numbers_of(plant.motion)


def test_heavier_robots_press_harder_and_slippery_ones_stop_later() -> None:
    level = Pose(x=np.zeros(3))
    batch = ContactBatch(
        scene_on("flat"), ROBOT, load_course("flat"), level,
        mass_factor=np.array([1.0, 2.0, 1.0]), friction=np.array([1.0, 1.0, 0.02]),
    )  # fmt: skip
    for _ in range(TICKS):
        batch.advance(Command(belt_speeds=(0.3, 0.3)), DT)
    loads = batch.memories.load
    total = [loads[i, : batch.memories.count[i, 0]].sum() for i in range(3)]
    assert total[1] == pytest.approx(2.0 * total[0], rel=1e-3)
    x = np.asarray(batch.motion.pose.x)
    assert x[0] == pytest.approx(x[1], abs=1e-4)
    assert x[2] < 0.5 * x[0]


def test_threads_do_not_change_results() -> None:
    course, scene = load_course("flat"), scene_on("flat")
    runs = []
    for threads in (1, 3):
        batch = ContactBatch(scene, ROBOT, course, POSES, threads=threads)
        batch.advance(command(), 0.1)
        runs.append([numbers_of(batch.motion, number) for number in range(COUNT)])
    assert runs[0] == runs[1]


def test_a_state_that_is_put_back_gives_the_same_future() -> None:
    batch = ContactBatch(scene_on("flat"), ROBOT, load_course("flat"), POSES)
    batch.advance(command(), 0.1)
    state = batch.state
    futures = []
    for _ in range(2):
        batch.state = state
        batch.advance(command(), 0.1)
        futures.append([numbers_of(batch.motion, number) for number in range(COUNT)])
    assert futures[0] == futures[1]


def test_a_reset_batch_begins_again() -> None:
    batch = ContactBatch(scene_on("flat"), ROBOT, load_course("flat"), POSES)
    begin = [numbers_of(batch.motion, number) for number in range(COUNT)]
    batch.advance(command(), 0.1)
    assert numbers_of(batch.motion, 0) != begin[0]
    batch.turn(0.3)
    batch.reset(POSES)
    assert [numbers_of(batch.motion, number) for number in range(COUNT)] == begin


def test_a_batch_refuses_another_number_of_poses() -> None:
    batch = ContactBatch(scene_on("flat"), ROBOT, load_course("flat"), POSES)
    with pytest.raises(InvalidValue, match="be as many as robots, 5"):
        batch.reset(Pose(x=np.zeros(3)))

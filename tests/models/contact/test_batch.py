"""A batch of robots is as many single runs, bit for bit."""

from dataclasses import replace

import numpy as np
import pytest

from grouser.description import load_course, load_robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose
from grouser.models import Command, Motion, make_model
from grouser.models.contact.engine import StepOptions, Variation, build_world
from grouser.models.contact.plant import ContactPlant
from grouser.models.contact.scene import make_scene
from grouser.models.contact.tracks import belts
from grouser.models.contact.traction.law import LAWS

COUNT, TICKS, DT = 5, 12, 0.02
ROBOT = load_robot("absolem")
POSES = Pose(x=np.linspace(-0.4, 0.2, COUNT), y=0.1, yaw=np.linspace(-1.0, 1.0, COUNT))
SPEEDS = np.random.default_rng(3).uniform(-0.4, 0.4, (2, COUNT))
ANGLES = np.random.default_rng(4).uniform(-0.6, 0.6, (4, COUNT))
FRICTIONS = np.array([1.0, 0.5, 0.8, 1.0, 1.3])
MASSES = np.array([1.0, 1.0, 1.4, 0.7, 1.1])


def start(course: str, poses: Pose = POSES, engine: str = "native", **parameters) -> ContactPlant:
    model = make_model(f"csm:engine={engine}", **parameters)
    plant = model.start(ROBOT, load_course(course), poses)
    assert isinstance(plant, ContactPlant)
    return plant


def command(number: int | None = None) -> Command:
    pick = slice(None) if number is None else number
    return Command(belt_speeds=tuple(SPEEDS[:, pick]), flipper_angles=tuple(ANGLES[:, pick]))


def drive(plant: ContactPlant, number: int | None = None) -> ContactPlant:
    for _ in range(TICKS):
        plant.advance(command(number), DT)
    return plant


def numbers_of(motion: Motion, number: int | None = None) -> list[float]:
    """Return all numbers of a motion, of one robot of many if asked for."""
    pose, twist = motion.pose, motion.twist
    values = [pose.x, pose.y, pose.z, pose.roll, pose.pitch, pose.yaw]
    values += [twist.vx, twist.vy, twist.vz, twist.roll_rate, twist.pitch_rate, twist.yaw_rate]
    values += [*motion.belt_speeds_commanded, *motion.belt_speeds, *motion.works]
    values += [*motion.flipper_angles, *motion.slips]
    return [float(value if number is None else np.asarray(value)[number]) for value in values]


def all_numbers(plant: ContactPlant) -> list[list[float]]:
    return [numbers_of(plant.motion, number) for number in range(COUNT)]


@pytest.mark.parametrize("engine", ["native", "mujoco"])
def test_a_batch_equals_single_runs_bit_for_bit(engine: str) -> None:
    batch = drive(start("pallet", engine=engine))
    for number in range(COUNT):
        alone = drive(start("pallet", POSES[number], engine), number)
        assert numbers_of(batch.motion, number) == numbers_of(alone.motion)


def test_a_batch_with_own_friction_and_mass_equals_single_runs_bit_for_bit() -> None:
    batch = drive(start("flat", friction_factor=FRICTIONS, mass_factor=MASSES))
    for number in range(COUNT):
        own = {"friction_factor": FRICTIONS[number], "mass_factor": MASSES[number]}
        alone = drive(start("flat", POSES[number], **own), number)
        assert numbers_of(batch.motion, number) == numbers_of(alone.motion)


def test_heavier_robots_work_harder_and_slippery_ones_stop_later() -> None:
    level = Pose(x=np.zeros(3))
    batch = start(
        "flat", level, mass_factor=np.array([1.0, 2.0, 1.0]),
        friction_factor=np.array([1.0, 1.0, 0.02]),
    )  # fmt: skip
    for _ in range(TICKS):
        batch.advance(Command(belt_speeds=(0.3, 0.3)), DT)
    x, works = np.asarray(batch.motion.pose.x), np.sum(batch.motion.works, axis=0)
    assert works[1] == pytest.approx(2.0 * works[0], rel=1e-3)
    assert x[0] == pytest.approx(x[1], abs=1e-4)
    assert x[2] < 0.5 * x[0]


def test_a_payload_shifts_the_load() -> None:
    plant = start("flat", Pose(), contacts=True)
    at_rest = plant.motion.force_on("left")[0] / plant.motion.force_on("right")[0]
    assert at_rest == pytest.approx(1.0, abs=1e-5)
    plant.vary(Variation(payload=5.0, payload_y=0.1))
    plant.advance(Command(belt_speeds=(0.0, 0.0)), 0.5)
    left, right = (plant.motion.force_on(side)[0] for side in ("left", "right"))
    assert left > 1.1 * right
    assert left + right == pytest.approx((ROBOT.mass + 5.0) * 9.81, rel=1e-3)


def test_threads_do_not_change_results() -> None:
    scene = make_scene(ROBOT, load_course("flat"), belts(patches=4))
    many = Pose(x=np.linspace(-1.0, 1.0, 40), yaw=np.linspace(-3.0, 3.0, 40))
    runs = []
    for threads in (1, 3):
        options = StepOptions(threads=threads)
        world = build_world("native", scene, LAWS.find("coulomb")(), options, 40)
        plant = ContactPlant(scene, world, many)
        plant.advance(Command(belt_speeds=(0.1, 0.3)), 0.1)
        runs.append(plant.world.state.tobytes())
    assert runs[0] == runs[1]


def test_a_state_that_is_put_back_gives_the_same_future() -> None:
    batch = start("flat")
    batch.advance(command(), 0.1)
    state = batch.state
    futures = []
    for _ in range(2):
        batch.state = state
        batch.advance(command(), 0.1)
        futures.append(all_numbers(batch))
    assert futures[0] == futures[1]


def test_a_reset_batch_begins_again() -> None:
    batch = start("flat")
    begin = all_numbers(batch)
    batch.advance(command(), 0.1)
    assert numbers_of(batch.motion, 0) != begin[0]
    batch.turn(0.3)
    batch.reset(POSES)
    assert all_numbers(batch) == begin


def test_a_batch_refuses_another_number_of_poses() -> None:
    batch = start("flat")
    with pytest.raises(InvalidValue, match="be as many as robots, 5"):
        batch.reset(Pose(x=np.zeros(3)))


def test_a_state_of_another_number_of_robots_is_refused() -> None:
    batch = start("flat")
    with pytest.raises(InvalidValue, match="state must be of 1 or 5 robots, not '3 robots'"):
        batch.state = batch.state.take([0, 1, 2])
    with pytest.raises(InvalidValue, match="state must be the state of a robot of model 'absolem'"):
        batch.state = "rest"
    short = batch.state
    with pytest.raises(
        InvalidValue, match="numbers for each robot, as of this robot on this course"
    ):
        batch.state = replace(short, engine=short.engine[:, 1:])

"""What many robots would do from a live state."""

import numpy as np
import pytest

from grouser.description import load_course, load_robot
from grouser.errors import InvalidValue, Unsupported
from grouser.geometry import Pose
from grouser.models import CATALOGUE, Command, command_sides, make_model
from grouser.models.contact.engine import Variation
from grouser.simulation import Simulation

ROBOT, FLAT = load_robot("absolem"), load_course("flat")
COUNT, TICKS = 3, 6
REST = tuple(flipper.rest_angle for flipper in ROBOT.flippers)


def live(name: str, course=FLAT, ticks: int = 5) -> Simulation:
    """Return a simulation that has driven for a moment."""
    simulation = Simulation(make_model(name), ROBOT, course)
    for _ in range(ticks):
        simulation.advance(command_sides(ROBOT, 0.1, 0.2))
    return simulation


def speeds(seed: int = 3) -> np.ndarray:
    """Return commands of belts that differ from robot to robot and from tick to tick."""
    return np.random.default_rng(seed).uniform(-0.3, 0.3, (COUNT, TICKS, 2))


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_rollout_is_what_the_live_robot_would_do_bit_for_bit(name: str):
    simulation, commands = live(name), speeds()
    angles = np.full((COUNT, TICKS, 4), 0.1)
    angles[1] = -0.2
    kept = simulation.plant.state
    found = simulation.rollouts(commands, flipper_angles=angles)
    assert found.time == pytest.approx(0.01 * np.arange(1, TICKS + 1))
    for i in range(COUNT):
        simulation.plant.state = kept
        for k in range(TICKS):
            command = Command(
                belt_speeds=tuple(commands[i, k].tolist()),
                flipper_angles=tuple(angles[i, k].tolist()),
            )
            motion = simulation.advance(command)
            for of_all, alone in ((found.pose, motion.pose), (found.twist, motion.twist)):
                for field in of_all.__dataclass_fields__:
                    assert getattr(of_all, field)[i, k] == getattr(alone, field), field
            assert found.belt_speeds[i, k].tolist() == list(motion.belt_speeds)
            assert found.flipper_angles[i, k].tolist() == list(motion.flipper_angles)


def test_the_live_robot_stays_as_it_is():
    simulation = live("csm")
    before, ticks = simulation.motion, simulation.ticks
    simulation.rollouts(speeds())
    assert (simulation.motion, simulation.ticks) == (before, ticks)


def test_plants_are_built_once_for_a_number_of_robots(monkeypatch: pytest.MonkeyPatch):
    simulation, built = live("ideal"), []
    monkeypatch.setattr(
        "grouser.simulation.rollouts.start_model",
        lambda *given: built.append(given) or given[0].start(*given[1:]),
    )
    first = simulation.rollouts(speeds())
    again = simulation.rollouts(speeds())
    assert np.array_equal(first.pose.x, again.pose.x)
    assert len(built) == 1
    simulation.rollouts(speeds()[:2])
    simulation.rollouts(speeds())
    assert len(built) == 2


def test_commands_are_held_and_motion_is_sampled_as_asked():
    simulation, coarse = live("ideal"), speeds()
    fine = simulation.rollouts(np.repeat(coarse, 4, axis=1))
    held = simulation.rollouts(coarse, hold=4, every=2)
    assert held.pose.x.shape == (COUNT, 2 * TICKS)
    assert np.array_equal(held.pose.x, fine.pose.x[:, 1::2])
    assert np.array_equal(held.time, fine.time[1::2])
    assert held.flipper_angles.shape == (COUNT, 2 * TICKS, 4)


def test_a_function_may_return_the_commands():
    simulation, commands = live("slip"), speeds()

    def program(time, motion):
        assert motion.pose.x.shape == (COUNT,)
        return Command(belt_speeds=tuple(commands[:, round(time / 0.01)].T))

    found = simulation.rollouts(program, shape=(COUNT, TICKS))
    assert np.array_equal(found.pose.yaw, simulation.rollouts(commands).pose.yaw)
    with pytest.raises(InvalidValue, match="shape must be the number of robots and of ticks"):
        simulation.rollouts(program)


def test_robots_may_differ_in_friction_mass_and_gains_and_are_alike_again():
    simulation = live("csm:mass_factor=1.5", ticks=30)
    forward = np.full((COUNT, 20, 2), 0.5)
    alike = simulation.rollouts(forward)
    varied = simulation.rollouts(
        forward, variation=Variation(friction=np.array([1.0, 0.01, 1.0]), linear_gain=[1, 1, 0.5])
    )
    assert np.array_equal(varied.pose.x[0], alike.pose.x[0])
    assert varied.pose.x[1, -1] < alike.pose.x[1, -1] - 0.01
    assert varied.belt_speeds[2, -1].max() == pytest.approx(0.25, abs=0.01)
    again = simulation.rollouts(forward)
    assert np.array_equal(again.pose.x, alike.pose.x)


@pytest.mark.parametrize("name", ["ideal", "csm"])
def test_robots_may_start_beside_the_live_one_or_turned(name: str):
    simulation, still = live(name), np.zeros((COUNT, 1, 2))
    here = simulation.motion.pose
    turned = simulation.rollouts(still, offsets=Pose(yaw=np.array([0.0, 0.5, -0.5])))
    assert turned.pose.yaw[:, 0] - here.yaw == pytest.approx([0.0, 0.5, -0.5], abs=0.01)
    shifted = simulation.rollouts(still, offsets=Pose(x=np.array([0.0, 1.0, 2.0]), y=0.5))
    assert shifted.pose.x[:, 0] - here.x == pytest.approx([0.0, 1.0, 2.0], abs=0.01)
    assert shifted.pose.y[:, 0] - here.y == pytest.approx(0.5, abs=0.01)
    with pytest.raises(InvalidValue, match=r"offsets\.x must have one number for each of 3"):
        simulation.rollouts(still, offsets=Pose(x=np.zeros(2)))


def test_another_model_starts_from_the_live_motion():
    simulation = live("csm", load_course("staircase"), ticks=40)
    ideal, motion = make_model("ideal"), simulation.motion
    with pytest.raises(Unsupported, match="needs stairs, which model 'ideal' lacks"):
        simulation.rollouts(speeds(), model=ideal)
    commands = np.broadcast_to(motion.belt_speeds, (COUNT, 1, 2))
    found = simulation.rollouts(commands, model=ideal, course=FLAT)
    assert found.belt_speeds[0, 0] == pytest.approx(motion.belt_speeds)  # not from standstill
    assert found.pose.x[:, 0] - motion.pose.x == pytest.approx(0.0015, abs=3e-4)
    finer = simulation.rollouts(commands, model=make_model("csm:timestep=0.0005"))
    assert finer.twist.vx[0, 0] == pytest.approx(motion.twist.vx, abs=0.01)  # the state fits


def test_mistakes_are_told_in_one_sentence():
    simulation = live("ideal")
    with pytest.raises(InvalidValue, match=r"commands must be an array \(robots, commands, 2\)"):
        simulation.rollouts(np.zeros((3, 2)))
    with pytest.raises(InvalidValue, match=r"flipper_angles must be an array \(3, 6, 4\)"):
        simulation.rollouts(speeds(), flipper_angles=np.zeros((3, 6, 2)))
    with pytest.raises(InvalidValue, match="commands must have finite numbers only"):
        simulation.rollouts(np.full((3, 6, 2), np.nan))
    with pytest.raises(InvalidValue, match="hold must be a whole number of at least 1"):
        simulation.rollouts(speeds(), hold=0)
    with pytest.raises(InvalidValue, match="every must be at most the number of ticks, 6"):
        simulation.rollouts(speeds(), every=7)
    with pytest.raises(Unsupported, match="needs friction, mass and payload of each robot"):
        simulation.rollouts(speeds(), variation=Variation(friction=0.5))

"""Plans by rollouts: sampling, costs, weights, and drives by a model that is known."""

from dataclasses import replace

import numpy as np
import pytest

from grouser.control.mppi import Mppi, MppiSettings, MppiWeights, path_integral_weights
from grouser.description import load_course, load_robot
from grouser.description.path import Leg, Path
from grouser.errors import InvalidValue
from grouser.geometry import Pose, Twist
from grouser.models import make_model
from grouser.simulation import Simulation
from grouser.simulation.rollouts import Rollouts

ABSOLEM, TP100, FLAT = load_robot("absolem"), load_robot("tp100"), load_course("flat")
AHEAD = Path(legs=(Leg(length=2.0),))
BEND = Path(legs=(Leg(length=0.5), Leg(length=1.0, curvature=1.0), Leg(length=0.5)))
FEW = MppiSettings(rollouts=64, speed=0.3)


def drive(path: Path, settings: MppiSettings = FEW, robot=ABSOLEM, pose: Pose | None = None):
    """Return planner and simulation after a drive by `ideal`, which plans by itself."""
    simulation = Simulation(make_model("ideal"), robot, FLAT, pose=pose)
    mppi = Mppi(
        robot,
        path,
        lambda speeds, angles: simulation.rollouts(speeds, flipper_angles=angles, dt=0.1),
        settings,
    )
    simulation.run(mppi, 20.0)
    return mppi, simulation


@pytest.mark.parametrize("path", [AHEAD, BEND])
def test_it_drives_along_a_path_to_its_end(path: Path):
    mppi, simulation = drive(path)
    x, y, _ = path.at(path.length)
    pose = simulation.motion.pose
    assert np.hypot(pose.x - x, pose.y - y) < mppi.settings.arrival
    log = simulation.log()
    assert path.distance(log["x"], log["y"]).max() < 0.1
    assert simulation.time < 1.3 * path.length / mppi.settings.speed
    assert mppi.plans == pytest.approx(simulation.time / mppi.settings.period, abs=1.0)


def test_it_is_done_abeam_of_the_end():
    mppi = Mppi(ABSOLEM, AHEAD, lambda *_: None, FEW)
    simulation = Simulation(make_model("ideal"), ABSOLEM, FLAT, pose=Pose(x=2.01, y=0.2))
    mppi.s = 1.9
    assert mppi(0.0, simulation.motion) is None


def test_it_comes_back_to_the_path_from_beside_it():
    _, simulation = drive(AHEAD, pose=Pose(y=0.3, yaw=0.6))
    assert abs(simulation.motion.pose.y) < 0.15


def test_a_robot_without_flippers_is_commanded_without_angles():
    mppi, simulation = drive(AHEAD, MppiSettings(rollouts=32, speed=0.1), TP100)
    assert mppi.plan.shape == (10, 2)
    assert mppi.commands(mppi.plan[None])[1] is None
    assert simulation.time < 20.0 or simulation.motion.pose.x > 1.5


def test_flippers_stay_at_rest_if_they_are_not_planned():
    mppi, simulation = drive(AHEAD, replace(FEW, flipper_noise=0.0))
    rest = [flipper.rest_angle for flipper in ABSOLEM.flippers]
    assert mppi.plan.shape[1] == 2
    assert simulation.motion.flipper_angles == pytest.approx(rest)


def test_front_flippers_move_together_and_so_do_rear_ones():
    mppi = Mppi(ABSOLEM, AHEAD, lambda *_: None, FEW)
    plans = np.zeros((1, 10, 4))
    plans[..., 0], plans[..., 1], plans[..., 2], plans[..., 3] = 1.0, 0.2, 0.5, -0.3
    speeds, angles = mppi.commands(plans)
    assert speeds[0, 0] == pytest.approx([0.24, 0.36])
    moved = angles[0, 0] - [flipper.rest_angle for flipper in ABSOLEM.flippers]
    assert moved == pytest.approx([0.5, 0.5, -0.3, -0.3])


def test_the_same_seed_gives_the_same_drive():
    (first, one), (second, other) = drive(BEND), drive(BEND)
    assert one.motion == other.motion
    assert np.array_equal(first.plan, second.plan)
    different, _ = drive(BEND, replace(FEW, seed=1))
    assert not np.array_equal(first.plan, different.plan)


def test_noise_is_smooth_and_the_first_rollout_repeats_the_plan():
    settings = MppiSettings(rollouts=4000, smoothness=0.8)
    noise = Mppi(ABSOLEM, AHEAD, lambda *_: None, settings)._draw()
    assert not noise[0].any()
    spread = [settings.speed_noise, settings.turn_noise, *[settings.flipper_noise] * 2]
    for k in (0, 9):
        assert noise[:, k].std(axis=0) == pytest.approx(spread, rel=0.05)
    related = np.corrcoef(noise[1:, 4, 0], noise[1:, 5, 0])[0, 1]
    assert related == pytest.approx(0.8, abs=0.03)


def test_better_rollouts_weigh_more_and_broken_ones_nothing():
    weights = path_integral_weights(np.array([1.0, 1.5, np.inf]), 0.5)
    assert weights == pytest.approx([1 / (1 + np.exp(-1)), np.exp(-1) / (1 + np.exp(-1)), 0.0])
    with pytest.raises(InvalidValue, match="have at least one that stays finite"):
        path_integral_weights(np.full(2, np.inf), 0.5)


def rollouts(**fields) -> Rollouts:
    """Return two rollouts of two samples at rest at the origin, the second one changed."""
    zero = {"x": 0.0, "y": 0.0, "yaw": 0.0, "roll": 0.0, "pitch": 0.0} | fields
    pose = Pose(**{k: np.array([[0.0, 0.0], [v, v]]) for k, v in zero.items()})
    rest = np.array([flipper.rest_angle for flipper in ABSOLEM.flippers])
    return Rollouts(
        time=np.array([0.1, 0.2]),
        pose=pose,
        twist=Twist(roll_rate=np.zeros((2, 2)), pitch_rate=np.zeros((2, 2))),
        belt_speeds=np.zeros((2, 2, 2)),
        flipper_angles=np.tile(rest, (2, 2, 1)),
    )


@pytest.mark.parametrize(
    ("fields", "cost"),
    [
        ({"x": 0.06}, -10.0),  # as far as it can get in 0.2 s
        ({"x": 0.2}, -10.0),  # sliding gains no more
        ({"y": 0.1}, 0.6),
        ({"yaw": 0.2}, 0.16),
        ({"pitch": 0.5}, 0.0),
        ({"pitch": -0.8}, 1.6),
        ({"roll": 1.3}, 119.6),
        ({"x": np.nan}, np.inf),
    ],
)
def test_what_rollouts_cost(fields: dict[str, float], cost: float):
    settings = MppiSettings(rollouts=2, commands=2)
    mppi = Mppi(ABSOLEM, AHEAD, lambda *_: None, settings)
    motion = Simulation(make_model("ideal"), ABSOLEM, FLAT).motion
    found = mppi.cost(np.zeros((2, 2, 4)), rollouts(**fields), motion)
    assert found == pytest.approx([0.0, cost])


def test_moving_flippers_and_changing_commands_costs():
    weights = MppiWeights(flippers=0.5, stretch=2.0, change=4.0)
    settings = MppiSettings(rollouts=2, commands=2, weights=weights)
    mppi = Mppi(ABSOLEM, AHEAD, lambda *_: None, settings)
    motion = Simulation(make_model("ideal"), ABSOLEM, FLAT).motion
    plans, found = np.zeros((2, 2, 4)), rollouts()
    plans[1, 1, :2] = 0.5
    found.flipper_angles[1] += 0.2
    # Rates of 2 rad/s in the first half; 0.2 rad from rest; both belts' speeds change by a half.
    expected = 0.5 * 2.0**2 / 2 + 2.0 * 0.2**2 + 4.0 * 2 * 0.5**2
    assert mppi.cost(plans, found, motion) == pytest.approx([0.0, expected])


def test_mistakes_are_told():
    with pytest.raises(InvalidValue, match="path must be there"):
        Mppi(ABSOLEM, None, lambda *_: None)
    with pytest.raises(InvalidValue, match="speed must be within the limit of robot 'absolem'"):
        Mppi(ABSOLEM, AHEAD, lambda *_: None, MppiSettings(speed=5.0))
    with pytest.raises(InvalidValue, match="rollouts must be at least 2"):
        MppiSettings(rollouts=1)
    with pytest.raises(InvalidValue, match="temperature must be above 0"):
        MppiSettings(temperature=0.0)
    with pytest.raises(InvalidValue, match="smoothness must be from 0 to below 1"):
        MppiSettings(smoothness=1.0)

"""Laws that contacts obey, whatever the robot and the ground."""

import numpy as np
import pytest

from grouser.description import load_robot
from grouser.geometry import Pose
from grouser.models.contact.native.layout import (
    AT_GROUPS,
    AT_WS_CONTACTS,
    BOUND,
    CONTACT,
    IMPULSE,
)
from tests.models.contact.rides import (
    GRAVITY,
    distance,
    energy,
    ground,
    loads,
    pivot_rate,
    put,
    ride,
    start,
    wedge,
)
from tests.models.drives import numbers


def forces(plant):
    """Return the force of the ground on the robot in the last step, in the world [N]."""
    return plant.world.contacts(0).force.sum(axis=0)


def friction_shares(plant):
    """Return friction over its bound, of each contact of the last step that carries [1]."""
    world = plant.world
    lay, (work, *_) = world._lay, world._scratch[0]
    count, first = int(world._counts[0, : lay[AT_GROUPS], 1].sum()), int(lay[AT_WS_CONTACTS])
    rows = work[first : first + count * CONTACT].reshape(count, CONTACT)
    rows = rows[rows[:, BOUND] > 0.0]
    return np.hypot(rows[:, IMPULSE + 1], rows[:, IMPULSE + 2]) / rows[:, BOUND]


@pytest.mark.parametrize("robot", ["absolem", "packbot510", "quince", "tp100"])
def test_on_level_ground_normal_forces_carry_the_weight(robot):
    plant = start(robot, "flat")
    ride(plant, robot, 0.0, 0.0, 1.0)  # until the flippers of Quince, on the ground too, are still
    weight = load_robot(robot).mass * GRAVITY
    assert loads(plant).sum() == pytest.approx(weight, rel=1e-6)


@pytest.mark.parametrize("course", ["slope:angle_deg=20", "staircase-stand", "rough"])
def test_wherever_a_robot_stands_the_ground_carries_its_weight(course):
    plant = start("absolem", course)
    ride(plant, "absolem", 0.0, 0.0, 0.5)
    weight = load_robot("absolem").mass * GRAVITY
    assert forces(plant) == pytest.approx((0.0, 0.0, weight), abs=1e-4 * weight)


def test_friction_stays_inside_its_ellipse():
    robot = load_robot("absolem")
    plant = start(robot, "pallet")
    generator = np.random.default_rng(1)
    worst, checked = 0.0, 0

    def look(plant):
        nonlocal worst, checked
        shares = friction_shares(plant)
        worst, checked = max(worst, shares.max(initial=0.0)), checked + len(shares)

    for _ in range(50):
        left, right = generator.uniform(-0.6, 0.6, 2)
        ride(plant, robot, left, right, 0.02, tick=0.001, watch=look)
    assert checked > 10_000
    assert 0.99 < worst < 1.0 + 1e-9


def test_friction_takes_energy_from_a_robot_that_slides_with_its_belts_at_rest():
    robot = wedge()
    for slope in (0.0, 10.0):
        plant = start(robot, ground(0.3, slope=slope))
        put(plant, velocity=(0.8, 0.4, 0.0), spin=(0.0, 0.0, 1.5))
        energies = [energy(plant)]
        for _ in range(600):
            ride(plant, robot, 0.0, 0.0, 0.001, tick=0.001)
            energies.append(energy(plant))
        assert np.diff(energies).max() < 1e-4
        assert energies[0] - energies[-1] > 20.0


@pytest.mark.parametrize("slope", [0.0, 20.0])
@pytest.mark.parametrize("robot", ["wedge", "absolem"])
def test_a_dropped_robot_does_not_gain_energy_and_does_not_bounce(robot, slope):
    robot = wedge() if robot == "wedge" else load_robot(robot)
    plant = start(robot, ground(0.9, slope=slope))
    rest = energy(plant)
    put(plant, lift=0.05)
    energies = [energy(plant)]
    for _ in range(600):
        ride(plant, robot, 0.0, 0.0, 0.001, tick=0.001)
        energies.append(energy(plant))
    lowest = int(np.argmin(energies))
    # Contacts are springs: what standing on them compresses comes back, and no more.
    assert np.diff(energies[: lowest + 1]).max() < 1e-3
    assert max(energies[lowest:]) < rest + 0.01 * robot.mass * GRAVITY * 0.05
    assert energies[0] == pytest.approx(rest + robot.mass * GRAVITY * 0.05, rel=1e-3)


def test_mirrored_stairs_give_a_mirrored_climb():
    robot = load_robot("absolem")
    seen, mirrored = (
        ride(start(r, "staircase", pose=Pose(x=0.05, y=y, yaw=yaw)), r, 0.2, 0.2, 2.0).pose
        for r, y, yaw in ((robot, 0.1, 0.1), (robot.mirrored(), -0.1, -0.1))
    )
    assert abs(seen.pitch) > 0.1
    assert (mirrored.x, mirrored.y, mirrored.z) == pytest.approx(
        (seen.x, -seen.y, seen.z), abs=1e-3
    )
    assert (mirrored.roll, mirrored.pitch, mirrored.yaw) == pytest.approx(
        (-seen.roll, seen.pitch, -seen.yaw), abs=3e-3
    )


def test_two_runs_over_the_pallet_are_the_same_to_the_last_bit():
    first, second = (ride(start("absolem", "pallet"), "absolem", 0.3, 0.25, 4.0) for _ in range(2))
    assert first.pose.z > 0.1
    assert numbers(first).tobytes() == numbers(second).tobytes()


@pytest.mark.parametrize("engine", ["native", "mujoco"])
def test_a_state_kept_on_the_pallet_continues_in_another_plant_bit_for_bit(engine):
    model = f"csm:engine={engine}"
    plant = start("absolem", "pallet", model)
    ride(plant, "absolem", 0.3, 0.25, 1.8)
    kept = plant.state
    on = ride(plant, "absolem", 0.1, 0.3, 0.5)
    assert abs(on.pose.pitch) > 0.01
    plant.state = kept
    assert numbers(ride(plant, "absolem", 0.1, 0.3, 0.5)).tobytes() == numbers(on).tobytes()
    other = start("absolem", "pallet", model)
    other.state = kept
    assert numbers(ride(other, "absolem", 0.1, 0.3, 0.5)).tobytes() == numbers(on).tobytes()


def test_a_reset_robot_runs_as_a_new_one():
    plant = start("absolem", "flat")
    fresh = numbers(ride(plant, "absolem", 0.1, 0.3, 0.5))
    plant.reset()
    assert numbers(ride(plant, "absolem", 0.1, 0.3, 0.5)).tobytes() == fresh.tobytes()


STEPS = (0.0005, 0.001, 0.002)


def test_results_do_not_depend_on_the_step_of_the_engine():
    robot = wedge()
    rates = [pivot_rate(robot, ground(0.9), f"csm:timestep={dt}", 0.1)[0] for dt in STEPS]
    assert rates == pytest.approx([rates[0]] * 3, rel=1e-6)
    ends = [
        ride(start("absolem", "flat", f"csm:timestep={dt}"), "absolem", 0.3, 0.3, 2.0).pose
        for dt in STEPS
    ]
    assert max(distance(end, ends[0]) for end in ends) < 5e-4


def test_over_the_pallet_halving_the_default_step_keeps_the_way_within_a_tenth():
    # Falls from edges amplify every difference; at 2 ms the robot loses about a tenth of its way.
    fine, default, coarse = (
        ride(start("absolem", "pallet", f"csm:timestep={dt}"), "absolem", 0.3, 0.3, 9.0).pose
        for dt in STEPS
    )
    assert fine.x > 2.3
    assert distance(default, fine) < 0.1 * fine.x
    assert distance(coarse, fine) < 0.2 * fine.x

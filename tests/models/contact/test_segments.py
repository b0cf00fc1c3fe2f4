"""Segment links with grousers: where they are, how they move, and that roll-back is not seen."""

from dataclasses import replace

import numpy as np
import pytest

from grouser.description import load_robot, parse_robot
from grouser.models import command_sides
from grouser.models.contact.native.layout import (
    AT_ST_DRIVES,
    AT_WS_RIBS,
    DRIVE_STATE,
    RIB,
    TRAVEL,
)
from tests.models.contact.rides import GRAVITY, OVAL, WEDGE, ground, loads, ride, start
from tests.models.contact.test_csm_terrain import LOOPS
from tests.models.drives import numbers

GROUSERS = 'count = 40, shape = "cuboid", length_m = 0.006, height_m = 0.012'


def grousered(grousers=GROUSERS, *, loop=OVAL, drive="", mass=60.0):
    """Return the wedge with grousers."""
    text = WEDGE.format(drive=drive, com_z=0.15, loop=loop, mass=mass)
    return parse_robot(
        text.replace("loop.pulleys", f"grousers = {{ {grousers} }}\nloop.pulleys"), "wedge.toml"
    )


def travels(plant):
    """Return the columns of a state that are the travels of belts."""
    first = int(plant.world._lay[AT_ST_DRIVES]) + TRAVEL
    return slice(first, first + DRIVE_STATE * len(plant.scene.robot.drives), DRIVE_STATE)


def carry(plant, travel):
    """Put all belts to a travel; return the grousers of all belts as the kernel has placed them.

    Columns: foot (x, z) in the body frame [m], direction outwards (x, z), curvature [1/m].
    """
    state = plant.state
    rows = state.engine.copy()
    rows[:, travels(plant)] = travel
    plant.state = replace(state, engine=rows)
    plant.advance(command_sides(plant.scene.robot, 0.0, 0.0), plant.world.timestep)
    count = sum(belt.grousers.count for belt in plant.scene.belts)
    first = int(plant.world._lay[AT_WS_RIBS])
    found = plant.world._scratch[0][0][first : first + RIB * count].reshape(count, RIB).copy()
    found[:, :2] += plant.scene.hull.centre[[0, 2]]
    return found


def in_order(grousers):
    """Return grousers in an order that does not tell them apart."""
    rows = grousers.round(9) + 0.0
    return rows[np.lexsort(rows.T)]


@pytest.mark.parametrize("loop", ["oval", *LOOPS])
def test_a_roll_back_leaves_the_shape_of_a_track_as_it_was(loop):
    robot = grousered(loop=OVAL if loop == "oval" else LOOPS[loop])
    plant = start(robot, ground(0.9), "segments")
    pitch = robot.tracks[0].pitch
    before = in_order(carry(plant, pitch * (1.0 - 1e-12))[:, :4])
    assert len(before) == 80
    after = in_order(carry(plant, pitch * (1.0 + 1e-12))[:, :4])
    assert after == pytest.approx(before, abs=2e-9)
    half = in_order(carry(plant, 0.5 * pitch)[:, :4])
    assert np.abs(half - before)[:, :2].max() > 0.004


@pytest.mark.parametrize("loop", ["oval", *LOOPS])
def test_grousers_follow_the_loop(loop):
    robot = grousered(loop=OVAL if loop == "oval" else LOOPS[loop])
    plant = start(robot, ground(0.9), "segments")
    track = robot.tracks[0]
    for travel in (0.0, 0.4 * track.pitch, 0.99 * track.pitch):
        found = carry(plant, travel)[:40]
        places = track.grouser_places + travel
        wanted = (*track.loop.point_at(places), *track.loop.normal_at(places))
        assert found[:, :4] == pytest.approx(np.column_stack(wanted), abs=1e-9)


def test_first_grousers_are_half_a_pitch_from_the_start_of_the_loop():
    robot = load_robot("packbot510")
    track = robot.tracks[0]
    feet = carry(start(robot, "flat", "segments"), 0.0)[:3, :2]
    wanted = track.loop.point_at(np.array([0.5, 1.5, 2.5]) * track.pitch)
    assert feet == pytest.approx(np.column_stack(wanted), abs=1e-9)


def test_links_keep_their_grousers_until_the_roll_back_as_in_p4():
    robot = load_robot("packbot510")
    exact, p4 = (start(robot, "flat", f"segments:path={path}") for path in ("loop", "links"))
    pitch = robot.tracks[0].pitch
    apart = carry(exact, 0.99 * pitch)[:, :2] - carry(p4, 0.99 * pitch)[:, :2]
    apart = np.linalg.norm(apart, axis=1)
    off = apart > 1e-5
    assert 2 * 4 <= off.sum() <= 2 * 8  # those at the ends of four segments
    assert apart.max() < pitch
    assert apart.max() > 0.002


@pytest.mark.parametrize("speed", [2.0, -2.0])
def test_belts_travel_as_far_as_their_speed_says_over_a_hundred_roll_backs(speed):
    robot = load_robot("packbot510")
    plant = start(robot, "flat", "segments")
    way = 0.0

    def add(plant):
        nonlocal way
        way += plant.motion.belt_speeds[0] * 0.001

    ride(plant, robot, speed, speed, 2.5, tick=0.001, watch=add)
    travel = plant.state.engine[0, travels(plant)]
    assert abs(way) >= 100 * robot.tracks[0].pitch
    assert travel == pytest.approx((way, way), abs=1e-9)
    assert plant.motion.belt_travels == pytest.approx((way, way), abs=1e-9)
    assert plant.motion.pose.x == pytest.approx(way, abs=0.02)


def test_there_and_back_the_belts_are_where_they_were():
    robot = load_robot("packbot510")
    plant = start(robot, "flat", "segments")
    for speed in (0.4, -0.4):
        ride(plant, robot, speed, speed, 1.0)
        ride(plant, robot, 0.0, 0.0, 0.2)
    assert plant.state.engine[0, travels(plant)] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("speed", [0.3, -0.3])
def test_a_roll_back_is_neither_seen_in_positions_nor_felt_in_forces(speed):
    robot = load_robot("packbot510")
    plant = start(robot, "flat", "segments")
    ride(plant, robot, speed, speed, 0.6)
    rows, rolls = [], []

    def look(plant):
        pose, twist = plant.motion.pose, plant.motion.twist
        rows.append([pose.x, pose.y, pose.z, twist.vx, twist.vy, twist.vz, loads(plant).sum()])
        travel = plant.state.engine[0, travels(plant)][0]
        rolls.append(int(np.floor(travel / robot.tracks[0].pitch)))

    ride(plant, robot, speed, speed, 0.5, tick=0.001, watch=look)
    at = np.flatnonzero(np.diff(rolls)) + 1  # the first step that ends rolled back
    assert len(at) >= 3
    changes = np.abs(np.diff(rows, axis=0))
    after = np.concatenate((changes[at - 1], changes[at]))
    assert after[:, 0] == pytest.approx(0.001 * abs(speed), abs=1e-6)  # [m], as in any step
    assert after[:, 1:3].max() < 1e-6  # [m]
    assert after[:, 3:6].max() < 1e-3  # [m/s]
    assert after[:, 6].max() < 0.5  # [N], of a weight of 187 N
    assert after[:, 6].max() < 0.1 * changes[:, 6].max()  # grousers that touch down are felt


def test_a_grouser_moves_as_its_velocity_says():
    robot = grousered()
    plant = start(robot, ground(0.9), "segments")
    pitch, height = robot.tracks[0].pitch, 0.006

    def middles(travel):
        found = carry(plant, travel)
        return found[:, :2] + height * found[:, 2:4]

    ahead, behind = middles(0.3 * pitch + 1e-6), middles(0.3 * pitch - 1e-6)
    at = middles(0.3 * pitch)
    _, _, out_x, out_z, curvature = carry(plant, 0.3 * pitch).T
    expected = (1.0 + curvature * height) * np.array([out_z, -out_x])
    crossing = np.abs(np.diff([ahead, at, behind], 2, axis=0)[0]).max(axis=1) > 1e-9
    assert crossing.sum() <= 8
    moved = (ahead - behind) / 2e-6
    assert moved[~crossing] == pytest.approx(expected.T[~crossing], abs=1e-3)
    speeds = np.linalg.norm(moved[~crossing], axis=1)
    assert speeds.max() == pytest.approx((0.12 + 0.006) / 0.12, abs=1e-3)  # around the pulleys
    assert speeds.min() == pytest.approx(1.0, abs=1e-3)


def test_a_state_kept_after_roll_backs_continues_in_another_plant_bit_for_bit():
    plant = start("packbot510", "pallet", "segments")
    ride(plant, "packbot510", 0.3, 0.25, 2.0)
    kept = plant.state
    on = numbers(ride(plant, "packbot510", 0.1, 0.3, 0.5)).tobytes()
    plant.state = kept
    assert numbers(ride(plant, "packbot510", 0.1, 0.3, 0.5)).tobytes() == on
    other = start("packbot510", "pallet", "segments")
    other.state = kept
    assert numbers(ride(other, "packbot510", 0.1, 0.3, 0.5)).tobytes() == on
    plant.reset()
    assert plant.state.engine[0, travels(plant)] == pytest.approx(0.0)


@pytest.mark.parametrize("robot", ["packbot510", "quince"])
def test_on_level_ground_grousers_carry_the_weight(robot):
    plant = start(robot, "flat", "segments")
    description = load_robot(robot)
    ride(plant, robot, 0.0, 0.0, 0.3)
    assert loads(plant).sum() == pytest.approx(description.mass * GRAVITY, rel=1e-6)
    height = description.tracks[0].grousers.height
    # Grousers sink in as smooth belts do, by hundredths of a millimetre.
    smooth = start(robot, "flat", "segments:grousers=0").motion.pose.z
    assert plant.motion.pose.z - smooth == pytest.approx(height, abs=5e-5)


def test_without_grousers_it_is_csm():
    robot = load_robot("packbot510")
    command = command_sides(robot, 0.1, 0.3)
    plants = [start(robot, "pallet", m) for m in ("segments:grousers=0,patches=6", "csm:patches=6")]
    for plant in plants:
        for _ in range(100):
            plant.advance(command, 0.01)
    first, second = (numbers(plant.motion).tobytes() for plant in plants)
    assert first == second

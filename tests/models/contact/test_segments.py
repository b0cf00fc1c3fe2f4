"""Segment links with grousers: where they are, how they move, and that roll-back is not seen."""

import numpy as np
import pytest
from grouser.models.contact.carry_riders import carry_riders
from grouser.models.contact.layout import engine_layout

from grouser.description import load_robot, parse_robot
from grouser.models import command_sides
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


def carry(plant, travel):
    """Put all belts to a travel, and return the places of the grousers' geoms [m]."""
    riders = plant.scene.tables.riders
    plant.memory.travel[:] = travel
    carry_riders(plant.data._address, engine_layout(), riders, plant.memory)
    return plant.data.geom_xpos[riders.geom].copy()


def corners(plant):
    """Return the corners of all boxes that ride, in an order that does not tell them apart."""
    geoms = plant.scene.tables.riders.geom
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    found = [
        plant.data.geom_xpos[g]
        + (signs * plant.scene.model.geom_size[g]) @ plant.data.geom_xmat[g].reshape(3, 3).T
        for g in geoms
    ]
    rows = np.concatenate(found).round(9) + 0.0
    return rows[np.lexsort(rows.T)]


@pytest.mark.parametrize("loop", ["oval", *LOOPS])
@pytest.mark.parametrize("shape", ["cuboid", "trapezoid"])
def test_a_roll_back_leaves_the_shape_of_a_track_as_it_was(loop, shape):
    more = ", top_length_m = 0.004" if shape == "trapezoid" else ""
    text = GROUSERS.replace("cuboid", shape).replace("0.006", "0.008") + more
    robot = grousered(text, loop=OVAL if loop == "oval" else LOOPS[loop])
    plant = start(robot, ground(0.9), "segments")
    pitch = robot.tracks[0].pitch
    assert len(plant.scene.tables.riders.geom) == 80 * (2 if shape == "trapezoid" else 1)
    carry(plant, pitch)
    before = corners(plant)
    carry(plant, 0.0)
    assert corners(plant) == pytest.approx(before, abs=2e-9)
    carry(plant, 0.5 * pitch)
    assert np.abs(corners(plant) - before).max() > 0.004


@pytest.mark.parametrize("loop", ["oval", *LOOPS])
def test_grousers_follow_the_loop(loop):
    robot = grousered(loop=OVAL if loop == "oval" else LOOPS[loop])
    plant = start(robot, ground(0.9), "segments")
    plant.data.qpos[:] = 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0
    plant.data.xpos[1], plant.data.xmat[1] = 0.0, np.eye(3).ravel()
    for travel in (0.0, 0.4 * robot.tracks[0].pitch, 0.99 * robot.tracks[0].pitch):
        found = carry(plant, travel)[:40]
        track = robot.tracks[0]
        x, z = track.loop.point_at(track.grouser_places + travel)
        out_x, out_z = track.loop.normal_at(track.grouser_places + travel)
        wanted = np.column_stack((x + 0.006 * out_x, np.full(40, track.y), z + 0.006 * out_z))
        assert found == pytest.approx(wanted, abs=1e-9)


def test_first_grousers_are_half_a_pitch_from_the_start_of_the_loop():
    robot = load_robot("packbot510")
    riders = start(robot, "flat", "segments").scene.tables.riders
    pitch = robot.tracks[0].pitch
    assert riders.place[:3] == pytest.approx((0.5 * pitch, 1.5 * pitch, 2.5 * pitch))
    assert riders.pitch == pytest.approx((pitch, pitch))


def test_links_keep_their_grousers_until_the_roll_back_as_in_p4():
    robot = load_robot("packbot510")
    exact, p4 = (start(robot, "flat", f"segments:path={path}") for path in ("loop", "links"))
    pitch = robot.tracks[0].pitch
    apart = np.linalg.norm(carry(exact, 0.99 * pitch) - carry(p4, 0.99 * pitch), axis=1)
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
        way += plant.memory.belts[0] * 0.001

    ride(plant, robot, speed, speed, 2.5, tick=0.001, watch=add)
    memory, pitch = plant.memory, robot.tracks[0].pitch
    assert abs(memory.rolled[0]) >= 100
    assert np.all((memory.travel >= 0.0) & (memory.travel < pitch))
    assert memory.rolled * pitch + memory.travel == pytest.approx((way, way), abs=1e-9)
    assert plant.motion.pose.x == pytest.approx(way, abs=0.02)


def test_there_and_back_the_belts_are_where_they_were():
    robot = load_robot("packbot510")
    plant = start(robot, "flat", "segments")
    for speed in (0.4, -0.4):
        ride(plant, robot, speed, speed, 1.0)
        ride(plant, robot, 0.0, 0.0, 0.2)
    memory = plant.memory
    assert memory.rolled * robot.tracks[0].pitch + memory.travel == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("speed", [0.3, -0.3])
def test_a_roll_back_is_neither_seen_in_positions_nor_felt_in_forces(speed):
    robot = load_robot("packbot510")
    plant = start(robot, "flat", "segments")
    ride(plant, robot, speed, speed, 0.6)
    rows, rolls = [], []

    def look(plant):
        rows.append([*plant.data.qpos[:3], *plant.data.qvel[:3], loads(plant).sum()])
        rolls.append(int(plant.memory.rolled[0]))

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
    riders, pitch = plant.scene.tables.riders, robot.tracks[0].pitch
    ahead, behind = carry(plant, 0.3 * pitch + 1e-6), carry(plant, 0.3 * pitch - 1e-6)
    at = carry(plant, 0.3 * pitch)
    foot = plant.memory.footprint
    offset = at - plant.data.xpos[1]
    curvature = foot[:, 4]
    expected = np.column_stack(
        (
            foot[:, 2] + curvature * (offset[:, 2] - foot[:, 1]),
            np.zeros(80),
            -foot[:, 3] - curvature * (offset[:, 0] - foot[:, 0]),
        )
    )
    crossing = np.abs(np.diff([ahead, at, behind], 2, axis=0)[0]).max(axis=1) > 1e-9
    assert crossing.sum() <= 8
    moved = (ahead - behind) / 2e-6
    assert moved[~crossing] == pytest.approx(expected[~crossing], abs=1e-3)
    speeds = np.linalg.norm(moved[~crossing], axis=1)
    assert speeds.max() == pytest.approx((0.12 + 0.006) / 0.12, abs=1e-3)  # around the pulleys
    assert speeds.min() == pytest.approx(1.0, abs=1e-3)
    assert len(riders.geom) == 80


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
    assert plant.memory.travel == pytest.approx(0.0)


@pytest.mark.parametrize("robot", ["packbot510", "quince"])
def test_on_level_ground_grousers_carry_the_weight(robot):
    plant = start(robot, "flat", "segments")
    description = load_robot(robot)
    ride(plant, robot, 0.0, 0.0, 0.3)
    assert loads(plant).sum() == pytest.approx(description.mass * GRAVITY, rel=1e-6)
    height = description.tracks[0].grousers.height
    assert plant.motion.pose.z == pytest.approx(height, abs=5e-5)
    riders = plant.scene.tables.riders
    assert np.all(riders.of_geom[plant.memory.geom[: plant.memory.count[0]]] >= 0)


def test_without_grousers_it_is_csm_with_one_box():
    robot = load_robot("packbot510")
    command = command_sides(robot, 0.1, 0.3)
    plants = [start(robot, "pallet", m) for m in ("segments:grousers=0", "csm:boxes=1")]
    for plant in plants:
        for _ in range(100):
            plant.advance(command, 0.01)
    first, second = (numbers(plant.motion).tobytes() for plant in plants)
    assert first == second

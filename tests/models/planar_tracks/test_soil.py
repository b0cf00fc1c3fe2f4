"""Robots on soil: sinkage, trim, resistance, lanes side by side, and what cannot be."""

import numpy as np
import pytest

from grouser.description import load_course, load_robot
from grouser.description.soil import load_soil
from grouser.errors import InvalidValue, Unsupported
from grouser.geometry import Pose
from grouser.laws.terramechanics import (
    bulldozing_resistance,
    compaction_resistance,
    plate_stiffness,
    slip_sinkage,
    static_sinkage,
)
from grouser.models import check_course, command_sides, make_model, start_model
from tests.models.planar_tracks.robots import firm, ground, make_robot, many, run, started

ROBOT = make_robot()
PRESSURE = 5886.0


@pytest.mark.parametrize(
    "name", ["dry-sand", "lete-sand", "snow", "lunar", "clayey-soil", "upland-sandy-loam"]
)
def test_a_robot_sinks_in_as_its_pressure_says(name):
    expected = static_sinkage(load_soil(name), PRESSURE, 0.1)
    depth = -started("", ROBOT, ground(f'soil = "{name}"')).motion.pose.z
    # Soil is never stiffer than 1 GPa/m.
    assert depth == pytest.approx(expected, rel=1e-6, abs=1e-5)


def test_a_load_ahead_of_the_middle_presses_the_nose_in():
    # n = 1: sinkage p/k and pitch 12 e p / (k L^2), exactly that of a beam on springs.
    soil, offset = load_soil("lunar"), 0.02
    plant = started("", make_robot(com=(offset, 0.0, 1e-6)), ground('soil = "lunar"'))
    z = PRESSURE / plate_stiffness(soil, 0.1)
    pose = plant.motion.pose
    assert -pose.z == pytest.approx(z, rel=1e-6)
    assert pose.pitch == pytest.approx(12.0 * offset * z / 0.25, rel=0.003)


def steady(words: str, surface: str, robot=ROBOT, speed: float = 0.4):
    plant = started(f"strips=1,longest_step=0.005,{words}", robot, ground(surface))
    motion = run(plant, robot, speed, speed, 25.0, 0.1)
    return plant.thrusts[0, :, 0].sum(), motion


@pytest.mark.parametrize("name", ["dry-sand", "snow"])
def test_compaction_and_bulldozing_resist_each_once(name):
    soil = load_soil(name)
    z = static_sinkage(soil, PRESSURE, 0.1)
    pressed, pushed = compaction_resistance(soil, 0.1, z), bulldozing_resistance(soil, 0.1, z)
    thrust, _ = steady("bulldozing=0", f'soil = "{name}"')
    assert thrust == pytest.approx(2.0 * pressed, rel=3e-3)
    thrust, motion = steady("bulldozing=1", f'soil = "{name}"')
    assert thrust == pytest.approx(2.0 * (pressed + pushed), rel=3e-3)
    assert 0.0 < motion.slips[0] < 0.3


def test_slip_sinkage_deepens_the_rut_where_a_soil_says_so():
    surface = 'soil = {{ like = "dry-sand", slip_sinkage = {} }}'
    plain, _ = steady("bulldozing=0", surface.format("false"))
    thrust, motion = steady("bulldozing=0", surface.format("true"))
    soil = load_soil("dry-sand")
    z = slip_sinkage(static_sinkage(soil, PRESSURE, 0.1), motion.slips[0])
    assert thrust == pytest.approx(2.0 * compaction_resistance(soil, 0.1, z), rel=3e-3)
    assert thrust > 1.002 * plain


def test_soil_that_is_stiff_and_sheared_at_once_is_coulombs_ground():
    stiff = (
        "soil = { k_c = 0.0, k_phi = 1e9, n = 1.0, cohesion_Pa = 0.0, friction_angle_deg = 35.0, "
        "shear_modulus_m = 0.001, unit_weight_N_m3 = 16000.0 }"
    )
    friction = float(np.tan(np.radians(35.0)))
    found, expected = (
        run(started("shear_modulus=1e-6", ROBOT, ground(s)), ROBOT, 0.1, 0.4, 3.0, 0.1).twist
        for s in (stiff, firm(friction))
    )
    assert found.yaw_rate == pytest.approx(expected.yaw_rate, rel=0.002)
    assert found.vx == pytest.approx(expected.vx, rel=0.002)


def test_a_belt_on_sand_and_one_on_firm_ground_turn_the_robot():
    # The lanes of the soil bin meet at y = 1.5: firm to the left, sand to the right.
    course, robot = load_course("soil-bin"), make_robot()
    model = make_model("tracks-planar")
    plant = start_model(model, robot, course, Pose(y=1.5))
    motion = run(plant, robot, 0.4, 0.4, 3.0)
    assert motion.pose.yaw < -0.005  # held back by the sand
    assert motion.pose.roll > 0.002  # and sunk into it


def test_many_robots_on_soil_equal_one_by_one_bit_for_bit():
    course, robot = load_course("sand-slope"), make_robot(com=(0.02, 0.01, 0.2))
    yaw, left, right = np.random.default_rng(3).uniform(-1.0, 1.0, (3, 40))
    together = started("", robot, course, many(40, yaw=yaw))
    motion = run(together, robot, left, right, 0.5)
    for i in (0, 17, 39):
        alone = run(started("", robot, course, Pose(yaw=yaw[i])), robot, left[i], right[i], 0.5)
        for name in ("x", "y", "z", "roll", "pitch", "yaw"):
            assert getattr(motion.pose, name)[i] == getattr(alone.pose, name), name
        assert [work[i] for work in motion.works] == list(alone.works)


def test_a_robot_that_sinks_over_its_hull_is_refused():
    soup = 'soil = { like = "snow", k_phi = 100.0, k_c = 0.0 }'
    with pytest.raises(
        InvalidValue, match=r"sinkage of robot 'plain' \[m\] must be less than the "
    ):
        started("", ROBOT, ground(soup))


def test_models_that_do_not_describe_soil_name_this_one():
    with pytest.raises(
        Unsupported, match=r"needs soil, which model 'tankbot' lacks.*tracks-planar"
    ):
        check_course(make_model("tankbot"), ground('soil = "dry-sand"'))


def test_a_state_of_other_patches_is_refused():
    few, usual = started("patches=8", ROBOT), started("", ROBOT)
    with pytest.raises(InvalidValue, match="state must be of 96 patches, not 'of 32 patches'"):
        usual.state = few.state


def test_random_soils_robots_and_commands_stay_finite_and_bounded():
    generator = np.random.default_rng(17)
    names = ("tp100", "quince", "zhou-ugv", "absolem")
    for trial in range(24):
        numbers = {
            "k_c": 10.0 ** generator.uniform(1.0, 5.0),
            "k_phi": 10.0 ** generator.uniform(5.5, 7.0),
            "n": generator.uniform(0.1, 1.8), "cohesion_Pa": generator.uniform(0.0, 15e3),
            "friction_angle_deg": generator.uniform(1.0, 45.0),
            "shear_modulus_m": 10.0 ** generator.uniform(-4.0, -1.0),
            "unit_weight_N_m3": generator.uniform(2e3, 2e4),
        }  # fmt: skip
        table = ", ".join(f"{key} = {value}" for key, value in numbers.items())
        robot = load_robot(names[trial % 4])
        form = ("mobilised", "mobilised", "wong")[trial % 3]
        plant = started(f"form={form},longest_step=0.01", robot, ground(f"soil = {{ {table} }}"))
        for left, right in generator.uniform(-1.0, 1.0, (4, 2)):
            for _ in range(10):
                plant.advance(command_sides(robot, left, right), 0.05)
            twist, pose = plant.motion.twist, plant.motion.pose
            assert np.isfinite([twist.vx, twist.vy, twist.yaw_rate, pose.z, pose.pitch]).all()
            assert max(abs(twist.vx), abs(twist.vy)) < 2.0
            if form == "mobilised":
                assert np.linalg.norm(plant.state.shear, axis=-1).max() <= 1.0 + 1e-12

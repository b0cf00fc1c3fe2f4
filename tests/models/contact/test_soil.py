"""Belts on soft ground in three dimensions, beside the planar law and the closed forms."""

import math

import numpy as np
import pytest

from grouser.description import load_course, load_robot, parse_course
from grouser.description.soil import load_soil
from grouser.errors import InvalidValue, Unsupported
from grouser.geometry import Pose
from grouser.laws.terramechanics import (
    bulldozing_resistance,
    compaction_resistance,
    janosi_thrust,
    static_sinkage,
)
from grouser.models import make_model, start_model
from grouser.models.contact.native.layout import (
    AT_OF_HINGES,
    AT_OF_SPOTS,
    SPOT_PLACE,
    SPOT_WIDTH,
)
from tests.models.planar_tracks.robots import GRAVITY, firm, ground, make_robot, run

ROBOT = make_robot(clearance=0.12)
AREA, LENGTH, WIDTH, WEIGHT = 0.1, 0.5, 0.1, 60.0 * GRAVITY
TURNS = (0.3, 0.5), (-0.3, 0.3), (0.1, 0.5)


def soil(name: str, *, ruts: bool = False, slope_deg: float = 0.0, more: str = "") -> object:
    """Return a plane of one soil, uphill along x."""
    text = f'name = "plane"\n[[terrain]]\nkind = "plane"\nslope_deg = {slope_deg}\n'
    text += (
        f"[area]\nx_m = [-2.0, 4.0]\ny_m = [-2.0, 4.0]\n[ruts]\non = {str(ruts).lower()}\n{more}\n"
    )
    return parse_course(f'{text}[surfaces.ground]\nsoil = "{name}"\n', "plane.toml")


def drive(model, course, left, right, duration=6.0, robot=ROBOT, pose=None, dt=0.01):
    """Return motion and plant of a drive with constant belt speeds."""
    plant = start_model(make_model(model), robot, course, pose)
    return run(plant, robot, left, right, duration, dt), plant


def slip_of(motion, belt=0.3):
    return 1.0 - motion.twist.vx / belt


# Shear on firm ground.


@pytest.mark.parametrize("angle", [5.0, 15.0, 25.0])
def test_the_slip_on_a_slope_is_that_of_janosis_law(angle):
    course = ground(firm(0.6, 0.025), angle)
    _, plant = drive("csm:law=shear", course, 0.3, 0.3, 8.0)
    start = plant.motion.pose.x
    way = run(plant, ROBOT, 0.3, 0.3, 2.0).pose.x - start  # belts hold it like a spring: it swings
    slip = 1.0 - way / math.cos(math.radians(angle)) / 0.6
    x = slip * LENGTH / 0.025
    share = 1.0 - (1.0 - math.exp(-x)) / x
    assert share * 0.6 == pytest.approx(math.tan(math.radians(angle)), rel=0.015)


@pytest.mark.parametrize("belts", TURNS)
@pytest.mark.parametrize("modulus", [0.001, 0.01, 0.03])
def test_a_turn_is_that_of_the_planar_law(belts, modulus):
    course = ground(firm(0.7, modulus))
    flat, _ = drive("tracks-planar", course, *belts)
    solid, _ = drive("csm:law=shear", course, *belts)
    assert solid.twist.yaw_rate == pytest.approx(flat.twist.yaw_rate, rel=0.02)
    assert solid.twist.vx == pytest.approx(flat.twist.vx, abs=0.003)
    assert solid.twist.vy == pytest.approx(flat.twist.vy, abs=0.005)


@pytest.mark.parametrize("model", ["csm", "segments"])
@pytest.mark.parametrize(("belts", "angle"), [((-0.3, 0.3), 0.0), ((0.3, 0.3), 20.0)])
def test_without_a_shear_modulus_it_is_coulombs_friction(model, belts, angle):
    dry, _ = drive(model, ground(firm(0.7), angle), *belts, 2.0)
    shear, _ = drive(f"{model}:law=shear", ground(firm(0.7), angle), *belts, 2.0)
    for name in ("vx", "yaw_rate"):
        mine, theirs = getattr(shear.twist, name), getattr(dry.twist, name)
        assert mine == pytest.approx(theirs, rel=0.005, abs=1e-4), name


def test_without_a_shear_modulus_a_step_is_climbed_alike():
    robot, course = load_robot("absolem"), load_course("step:height_m=0.12")
    ends = []
    for model in ("csm", "csm:law=shear"):
        ends.append(drive(model, course, 0.3, 0.3, 5.0, robot)[0].pose)
    assert ends[1].x == pytest.approx(ends[0].x, rel=0.005)
    assert ends[1].z == pytest.approx(ends[0].z, abs=1e-3)


def test_wongs_form_slips_as_much_in_a_straight_line():
    course = ground(firm(0.6, 0.025), 15.0)
    default, _ = drive("csm:law=shear", course, 0.3, 0.3, 8.0)
    wong, _ = drive("csm:law=wong", course, 0.3, 0.3, 8.0)
    assert slip_of(wong) == pytest.approx(slip_of(default), rel=0.03)


@pytest.mark.parametrize("angle", [15.0, 30.0])
def test_a_parked_robot_stays(angle):
    plant = start_model(make_model("csm:law=shear"), ROBOT, ground(firm(0.7, 0.01), angle))
    run(plant, ROBOT, 0.0, 0.0, 10.0)
    before = plant.motion.pose.x
    after = run(plant, ROBOT, 0.0, 0.0, 5.0).pose.x
    assert abs(after - before) < 1e-6


# Soil.


@pytest.mark.parametrize("name", ["dry-sand", "snow", "lunar"])
@pytest.mark.parametrize("ruts", [False, True])
def test_a_robot_sinks_as_bekker_says_at_rest_and_while_it_drives(name, ruts):
    expected = static_sinkage(load_soil(name), WEIGHT / AREA, WIDTH)
    plant = start_model(make_model("csm"), ROBOT, soil(name, ruts=ruts))
    assert -plant.motion.pose.z == pytest.approx(expected, rel=0.005)
    assert -run(plant, ROBOT, 0.3, 0.3, 5.0).pose.z == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("name", ["dry-sand", "snow"])
def test_on_fresh_ground_ruts_change_nothing_of_an_even_load_straight_ahead(name):
    with_ruts, without = (
        drive("csm", soil(name, ruts=ruts, slope_deg=5.0), 0.3, 0.3, 4.0)[0].pose
        for ruts in (True, False)
    )
    assert (with_ruts.x, with_ruts.z) == pytest.approx((without.x, without.z), rel=1e-3)


def test_a_turn_on_the_spot_digs_a_rut():
    tp100 = load_robot("tp100")
    dug, forgotten = (
        drive("csm", soil("dry-sand", ruts=ruts), -0.1, 0.1, 6.0, tp100)[0].pose.z
        for ruts in (True, False)
    )
    assert 1.03 < dug / forgotten < 1.2


@pytest.mark.parametrize("name", ["dry-sand", "snow", "clayey-soil"])
def test_forces_balance_on_a_slope_of_15_degrees(name):
    motion, _ = drive("csm", soil(name, slope_deg=15.0), 0.3, 0.3, 10.0)
    ground_, angle = load_soil(name), math.radians(15.0)
    load = WEIGHT * math.cos(angle)
    depth = static_sinkage(ground_, load / AREA, WIDTH)
    resists = 2.0 * compaction_resistance(ground_, WIDTH, depth)
    resists += 2.0 * bulldozing_resistance(ground_, WIDTH, depth)
    thrust = janosi_thrust(ground_, load, AREA, slip_of(motion), LENGTH)
    assert thrust == pytest.approx(WEIGHT * math.sin(angle) + resists, rel=0.02)


@pytest.mark.parametrize("name", ["dry-sand", "clayey-soil", "snow"])
@pytest.mark.parametrize("belts", TURNS[:2])
def test_a_turn_on_soil_is_that_of_the_planar_law(name, belts):
    flat, _ = drive("tracks-planar", soil(name), *belts)
    solid, _ = drive("csm", soil(name), *belts)
    within = 0.03 if name == "snow" else 0.02  # soil beside deep belts doubles the moment
    assert solid.twist.yaw_rate == pytest.approx(flat.twist.yaw_rate, rel=within)


def test_stiff_soil_is_firm_ground():
    stiff = 'name = "plane"\n[[terrain]]\nkind = "plane"\n[surfaces.ground.soil]\nk_c = 0.0\n'
    stiff += "k_phi = 1e9\nn = 1.0\ncohesion_Pa = 0.0\nfriction_angle_deg = 35.0\n"
    stiff += "shear_modulus_m = 1e-5\nunit_weight_N_m3 = 1000.0\n"
    slope = math.tan(math.radians(35.0))
    hard, _ = drive("csm", parse_course(stiff, "stiff.toml"), -0.3, 0.3, 3.0)
    firm_, _ = drive("csm", ground(firm(slope)), -0.3, 0.3, 3.0)
    assert hard.twist.yaw_rate == pytest.approx(firm_.twist.yaw_rate, rel=0.005)


@pytest.mark.parametrize("belts", [(0.3, 0.3), (0.2, 0.4)])
def test_the_time_step_changes_little(belts):
    found = []
    for step in (0.0005, 0.001, 0.002):
        motion, _ = drive(f"csm:timestep={step}", soil("dry-sand"), *belts, 8.0)
        found.append((motion.twist.vx, motion.twist.yaw_rate + 1.0, motion.pose.z))
    assert np.array(found) == pytest.approx(np.array([found[1]] * 3), rel=0.01)


@pytest.mark.parametrize("name", ["dry-sand", "snow"])
def test_mirrored_belts_drive_a_mirrored_way(name):
    left, _ = drive("csm", soil(name), 0.2, 0.4, 3.0)
    right, _ = drive("csm", soil(name), 0.4, 0.2, 3.0)
    assert right.pose.x == pytest.approx(left.pose.x, abs=1e-5)
    assert right.pose.y == pytest.approx(-left.pose.y, abs=1e-5)
    assert right.pose.yaw == pytest.approx(-left.pose.yaw, abs=1e-5)


def test_no_direction_is_preferred():
    ends = []
    for yaw in (0.0, 1.0):
        motion, _ = drive("csm", soil("dry-sand"), 0.2, 0.4, 3.0, pose=Pose(x=0.0, y=0.0, yaw=yaw))
        ends.append((np.hypot(motion.pose.x, motion.pose.y), motion.pose.yaw - yaw))
    assert ends[1] == pytest.approx(ends[0], abs=1e-5)


@pytest.mark.parametrize("single", [0, 1])
def test_many_robots_are_as_one_bit_for_bit(single):
    course, model = load_course("soil-bin"), make_model(f"csm:single={single}")
    x, y, yaw = np.linspace(0.0, 2.0, 11), np.linspace(-2.3, 2.4, 11), np.linspace(-1.0, 1.0, 11)
    many = start_model(model, ROBOT, course, Pose(x=x, y=y, yaw=yaw))
    run(many, ROBOT, -0.1, 0.35, 0.3)
    for k in (0, 4, 10) if not single else ():
        one = start_model(model, ROBOT, course, Pose(x=x[k], y=y[k], yaw=yaw[k]))
        run(one, ROBOT, -0.1, 0.35, 0.3)
        assert (one.world.state[0] == many.world.state[k]).all()
    assert np.isfinite(many.world.state).all()


def test_grousers_pull_more_and_belts_of_their_own_friction_less():
    ribs = {"count": 40, "shape": "cuboid", "length_m": 0.005, "height_m": 0.01}
    smooth = {"adhesion_Pa": 0.0, "friction_angle_deg": 18.0}
    slips = [
        slip_of(drive(model, soil("dry-sand", slope_deg=12.0), 0.3, 0.3, 6.0, robot)[0])
        for model, robot in (
            ("csm", make_robot(grousers=ribs)),
            ("segments", make_robot(grousers=ribs)),
            ("csm", ROBOT),
            ("csm", make_robot(soil_contact=smooth)),
        )
    ]
    assert slips[0] < slips[2] < slips[3]
    assert slips[1] == pytest.approx(slips[0], rel=0.02)  # grousers cut in: the belt carries


def test_slip_makes_belts_sink_deeper_if_the_soil_says_so():
    text = 'name = "p"\n[[terrain]]\nkind = "plane"\nslope_deg = 12.0\n[surfaces.ground.soil]\n'
    text += 'like = "dry-sand"\nslip_sinkage = {}\n[ruts]\non = false\n'
    depths = []
    for word in ("false", "true"):
        motion, _ = drive("csm", parse_course(text.format(word), "p.toml"), 0.3, 0.3, 6.0)
        height = motion.pose.z - motion.pose.x * math.tan(math.radians(12.0))
        depths.append((-height, slip_of(motion)))
    (plain, _), (deeper, slip) = depths
    assert deeper / plain == pytest.approx((1.0 + slip) / (1.0 - 0.5 * slip), rel=0.03)


# Ruts.


@pytest.mark.parametrize("yaw", [0.0, 0.5])
@pytest.mark.parametrize("cell", [0.01, 0.02, 0.04])
def test_a_rut_has_the_volume_that_belts_have_pressed(yaw, cell):
    course = parse_course(
        'name = "p"\n[area]\nx_m = [-1.0, 3.0]\ny_m = [-1.0, 3.0]\n[[terrain]]\nkind = "plane"\n'
        f'[surfaces.ground]\nsoil = "dry-sand"\n[ruts]\ncell_m = {cell}\n',
        "p.toml",
    )
    plant = start_model(make_model("csm"), ROBOT, course, Pose(x=0.003, y=0.003, yaw=yaw))
    run(plant, ROBOT, 0.3, 0.3, 5.0)
    way = run(plant, ROBOT, 0.0, 0.0, 0.5).pose
    depth = static_sinkage(load_soil("dry-sand"), WEIGHT / AREA, WIDTH)
    pressed = 2.0 * WIDTH * depth * (np.hypot(way.x - 0.003, way.y - 0.003) + LENGTH)
    volume = plant.ruts.depth.sum() * cell**2
    assert volume == pytest.approx(pressed, rel=0.02)
    run(plant, ROBOT, -0.3, -0.3, 4.5)
    assert plant.ruts.depth.sum() * cell**2 == pytest.approx(volume, rel=0.002)


def test_the_second_pass_is_easier():
    course = soil("snow", ruts=True)
    plant = start_model(make_model("csm"), ROBOT, course)
    run(plant, ROBOT, 0.3, 0.3, 3.0)
    start = plant.motion.pose.x
    middle = run(plant, ROBOT, 0.3, 0.3, 3.0).pose.x
    run(plant, ROBOT, -0.3, -0.3, 1.0)
    turned = plant.motion.pose.x
    back = run(plant, ROBOT, -0.3, -0.3, 3.0).pose.x
    assert 1.0 - (middle - start) / 0.9 > 0.05
    assert 1.0 - (turned - back) / 0.9 < 0.02


def test_ruts_belong_to_the_state_and_a_reset_clears_them():
    course = soil("dry-sand", ruts=True)
    plant = start_model(make_model("csm"), ROBOT, course)
    run(plant, ROBOT, 0.3, 0.3, 1.0)
    state, ruts = plant.state, plant.ruts.copy()
    run(plant, ROBOT, 0.3, 0.1, 1.0)
    end = plant.motion.pose
    plant.state = state
    assert (plant.ruts.depth == ruts.depth).all()
    run(plant, ROBOT, 0.3, 0.1, 1.0)
    assert plant.motion.pose == end
    fresh = start_model(make_model("csm"), ROBOT, course)
    assert fresh.ruts.depth.max() <= 1.1 * static_sinkage(load_soil("dry-sand"), 5886.0, WIDTH)


def test_a_course_may_begin_with_ruts():
    plant = start_model(make_model("csm"), ROBOT, load_course("rutted-lane"))
    lanes = load_course("rutted-lane").ruts.lanes
    assert plant.ruts.depth.max() == pytest.approx(max(lane.depth for lane in lanes), rel=0.5)
    assert np.isfinite(run(plant, ROBOT, 0.3, 0.3, 1.0).pose.x)


# Bad input.


def test_a_law_without_soil_says_which_have_it():
    with pytest.raises(Unsupported, match="soil.*shear, wong"):
        drive("csm:law=coulomb", soil("snow"), 0.3, 0.3)


@pytest.mark.parametrize("model", ["wheels", "plates", "frictionless", "slip", "ideal"])
def test_models_without_soil_say_which_have_it(model):
    with pytest.raises(Unsupported, match="csm"):
        drive(model, soil("snow"), 0.3, 0.3)


def test_a_grid_with_too_many_cells_says_what_would_work():
    course = soil("snow", ruts=True, more="cell_m = 0.002")
    with pytest.raises(InvalidValue, match=r"ruts\.cell_m must be at least .* m for soil of 6 m"):
        drive("csm", course, 0.3, 0.3)


def test_too_many_robots_for_their_ruts_say_how_many_fit():
    course = soil("snow", ruts=True, more="cell_m = 0.004")
    places = np.zeros(400)
    with pytest.raises(InvalidValue, match="robots must be at most"):
        start_model(make_model("csm"), ROBOT, course, Pose(x=places, y=places, yaw=places))


def test_a_hull_that_touches_the_soil_is_warned_of(caplog):
    low = make_robot(mass=400.0)
    start_model(make_model("csm"), low, soil("snow"))
    assert "its hull clears the ground by" in caplog.text


def test_leaving_the_grid_of_ruts_is_warned_of_once(caplog):
    plant = start_model(make_model("csm"), ROBOT, soil("dry-sand", ruts=True),
                        Pose(x=3.9, y=0.0, yaw=0.0))  # fmt: skip
    run(plant, ROBOT, 0.5, 0.5, 1.0)
    assert caplog.text.count("has left the grid of ruts") == 1


@pytest.mark.parametrize("name", ["quince", "absolem", "packbot510", "tp100", "tankbot"])
@pytest.mark.parametrize("model", ["csm", "segments"])
def test_every_patch_of_every_belt_remembers(name, model):
    plant = start_model(make_model(f"{model}:law=shear"), load_robot(name), load_course("flat"))
    tables = plant.world._tables
    spots = tables.numbers[tables.layout[AT_OF_SPOTS] : tables.layout[AT_OF_HINGES]]
    numbers = spots.reshape(-1, SPOT_WIDTH)[:, SPOT_PLACE]
    assert sorted(numbers) == list(range(len(numbers)))

"""A scene as a file that needs nothing else."""

import subprocess
import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest

from grouser.description import load_course, load_robot, robot_names
from grouser.drawing.at_rest import start_in_3d
from grouser.drawing.mjcf import export_mjcf
from grouser.errors import InvalidValue, Unsupported
from grouser.geometry import Pose
from grouser.models import make_model

CSM = "csm:engine=mujoco"
DRIVE = """
import sys, mujoco
model = mujoco.MjModel.from_xml_path(sys.argv[1])
data = mujoco.MjData(model)
mujoco.mj_resetDataKeyframe(model, data, 0)
before = data.qpos[0]
while data.time < 1.0 - 1e-9:
    mujoco.mj_step(model, data)
print(data.qpos[0] - before, data.qpos[1])
"""


def write(path: Path, robot: str = "absolem", course: str = "flat", **options) -> mujoco.MjModel:
    export_mjcf(load_robot(robot), load_course(course), make_model(CSM), path, **options)
    return mujoco.MjModel.from_xml_path(str(path))


@pytest.mark.parametrize("speed", [0.3, -0.2])
def test_the_file_drives_in_a_process_that_knows_only_the_engine(tmp_path, speed):
    write(tmp_path / "scene.xml", speed=speed)  # belts with a constant surface velocity
    command = [sys.executable, "-I", "-c", DRIVE, str(tmp_path / "scene.xml")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    along, across = map(float, done.stdout.split())
    assert along == pytest.approx(speed * 1.0, rel=0.05)
    assert across == pytest.approx(0.0, abs=1e-3)


def test_friction_is_the_engines_and_that_of_the_ground(tmp_path):
    model = write(tmp_path / "scene.xml", course="pallet", speed=0.0)
    assert model.opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC
    assert set(model.geom_condim) == {3}
    assert model.geom("terrain0").friction[0] == load_course("pallet").surfaces["ground"].friction
    assert model.geom("terrain0").priority > model.geom("left/run0.0").priority


def test_belts_at_rest_have_no_surface_velocity(tmp_path):
    assert not write(tmp_path / "scene.xml", speed=0.0).geom_surfacevel.any()


def test_masses_are_those_of_the_robot(tmp_path):
    model = write(tmp_path / "scene.xml", speed=0.0)
    assert model.body_subtreemass[model.body("hull").id] == pytest.approx(
        load_robot("absolem").mass
    )


def test_the_robot_stands_where_it_was_put_with_its_flippers(tmp_path):
    robot, course, pose = load_robot("absolem"), load_course("flat"), Pose(x=1.0, y=2.0, yaw=0.5)
    motion = start_in_3d(make_model(CSM), robot, course, pose).motion
    model = write(tmp_path / "scene.xml", pose=pose, speed=0.0)
    place, angles = motion.pose, motion.flipper_angles
    assert model.qpos0[:3] == pytest.approx((place.x, place.y, place.z), abs=1e-5)
    assert model.key("start").qpos[:3] == pytest.approx((place.x, place.y, place.z), abs=1e-5)
    turn = place.rotation.as_quat(scalar_first=True)
    assert model.key("start").qpos[3:7] == pytest.approx(turn, abs=1e-5)
    assert model.key("start").qpos[7:] == pytest.approx(angles, abs=1e-5)
    assert [model.actuator(n).name for n in range(model.nu)] == [f.name for f in robot.flippers]
    assert model.key("start").ctrl == pytest.approx([f.rest_angle for f in robot.flippers])


def test_rough_ground_is_in_the_file(tmp_path):
    write(tmp_path / "scene.xml", course="rough")
    (tmp_path / "elsewhere").mkdir()
    moved = (tmp_path / "scene.xml").rename(tmp_path / "elsewhere" / "scene.xml")
    model = mujoco.MjModel.from_xml_path(str(moved))
    heights = load_course("rough").terrain.solids[1].heights
    span = heights.max() - heights.min()
    written = model.hfield_data.reshape(heights.shape) * span + heights.min()
    np.testing.assert_allclose(written, heights, atol=1e-6)


def test_what_cannot_be_written_is_refused_in_a_sentence(tmp_path):
    robot, flat = load_robot("absolem"), load_course("flat")
    csm, path = make_model(CSM), tmp_path / "scene.xml"
    with pytest.raises(InvalidValue, match=r"name of an MJCF file must end in \.xml"):
        export_mjcf(robot, flat, csm, tmp_path / "scene.mjcf")
    with pytest.raises(InvalidValue, match=r"speed must be from .* m/s, not 30\.0"):
        export_mjcf(robot, flat, csm, path, speed=30.0)
    with pytest.raises(InvalidValue, match="speed must be from"):
        export_mjcf(robot, flat, csm, path, speed=float("nan"))
    with pytest.raises(InvalidValue, match="model must be one in three dimensions, such as 'csm'"):
        export_mjcf(robot, flat, make_model("ideal"), path)
    with pytest.raises(Unsupported, match="csm"):
        export_mjcf(robot, load_course("pallet"), make_model("ideal"), path)
    assert list(tmp_path.iterdir()) == []


def drive(model: mujoco.MjModel, left: float, right: float, duration: float = 1.0) -> np.ndarray:
    """Return how far a robot gets along, across and around by the speeds of its two sides."""
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    before = data.qpos[:2].copy()
    data.actuator("left_belt").ctrl[0], data.actuator("right_belt").ctrl[0] = left, right
    while data.time < duration - 1e-9:
        mujoco.mj_step(model, data)
    assert not any(warning.number for warning in data.warning)
    w, x, y, z = data.qpos[3:7]
    yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return np.array([*(data.qpos[:2] - before), yaw])


@pytest.mark.parametrize("name", robot_names())
def test_a_control_for_each_side_drives_every_robot(tmp_path, name):
    model = write(tmp_path / "scene.xml", name)
    robot = load_robot(name)
    speed = 0.4 * robot.drive.speed_limit
    late = 0.5 * speed**2 / (9.81 * 0.8)  # grip limits how soon it is as fast as its belts
    ahead = drive(model, speed, speed)
    assert ahead[0] == pytest.approx(speed * 1.0 - late, rel=0.05)
    assert ahead[1:] == pytest.approx((0.0, 0.0), abs=5e-3)
    assert drive(model, -speed, -speed) == pytest.approx(-ahead, abs=5e-3)
    assert model.body_subtreemass[0] == pytest.approx(robot.mass, rel=1e-4)
    assert model.actuator("left_belt").ctrlrange == pytest.approx(
        (-robot.drive.speed_limit, robot.drive.speed_limit)
    )


@pytest.mark.parametrize("name", ["absolem", "zhou-ugv"])
def test_a_turn_to_the_right_is_the_mirror_of_one_to_the_left(tmp_path, name):
    model = write(tmp_path / "scene.xml", name)
    speed = 0.3 * load_robot(name).drive.speed_limit
    left, right = drive(model, 0.0, speed), drive(model, speed, 0.0)
    assert left[2] > 0.05  # the faster side is outside
    assert right == pytest.approx(left * (1.0, -1.0, -1.0), abs=1e-4)


def test_rims_of_a_side_run_alike_on_flippers_too(tmp_path):
    model = write(tmp_path / "scene.xml")
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    data.actuator("left_belt").ctrl[0] = data.actuator("right_belt").ctrl[0] = 0.2
    mujoco.mj_step(model, data, 500)
    rollers = [n for n in range(model.njnt) if "/wheel" in model.joint(n).name]
    assert {model.joint(n).name.split("/")[0] for n in rollers} == {
        part.name for robot in [load_robot("absolem")] for part in (*robot.drives, *robot.flippers)
    }
    rims = [data.joint(n).qvel[0] * model.geom(model.joint(n).name).size[0] for n in rollers]
    assert rims == pytest.approx([0.2] * len(rollers), abs=3e-3)


def test_flippers_keep_their_controls_and_belts_are_seen_but_not_touched(tmp_path):
    model = write(tmp_path / "scene.xml")
    flippers = [flipper.name for flipper in load_robot("absolem").flippers]
    names = [model.actuator(n).name for n in range(model.nu)]
    assert names == [*flippers, "left_belt", "right_belt"]
    shown, roller = model.geom("left/run0.0"), model.geom("left/wheel0")
    assert (shown.contype[0], shown.conaffinity[0], shown.group[0]) == (0, 0, 0)
    assert (roller.contype[0], roller.conaffinity[0], roller.group[0]) == (1, 2, 3)


def test_belts_of_plates_take_a_speed_too(tmp_path):
    path = tmp_path / "scene.xml"
    export_mjcf(load_robot("tp100"), load_course("flat"), make_model("plates"), path)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    before = data.qpos[0]
    data.ctrl[:] = 0.1
    while data.time < 1.0:
        mujoco.mj_step(model, data)
    assert data.qpos[0] - before == pytest.approx(0.1, rel=0.15)


def test_a_treadmill_runs_in_the_file(tmp_path):
    course = load_course("treadmill")
    export_mjcf(load_robot("tp100"), course, make_model(CSM), tmp_path / "scene.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "scene.xml"))
    assert model.geom_surfacevel.min() == pytest.approx(-course.treadmill_speed)


def test_a_conveyor_needs_its_speed(tmp_path):
    conveyor = make_model("segments:fixed=1")
    scene = load_robot("tp100"), load_course("flat"), conveyor, tmp_path / "scene.xml"
    with pytest.raises(InvalidValue, match="speed must be given for belts that stand in the world"):
        export_mjcf(*scene)
    export_mjcf(*scene, speed=0.1)
    assert mujoco.MjModel.from_xml_path(str(scene[-1])).geom_surfacevel.any()

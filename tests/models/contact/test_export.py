"""A scene as a file that needs nothing else."""

import subprocess
import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest

from grouser.description import load_course, load_robot
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
    write(tmp_path / "scene.xml", speed=speed)
    command = [sys.executable, "-I", "-c", DRIVE, str(tmp_path / "scene.xml")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    along, across = map(float, done.stdout.split())
    assert along == pytest.approx(speed * 1.0, rel=0.05)
    assert across == pytest.approx(0.0, abs=1e-3)


def test_friction_is_the_engines_and_that_of_the_ground(tmp_path):
    model = write(tmp_path / "scene.xml", course="pallet")
    assert model.opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC
    assert set(model.geom_condim) == {3}
    assert model.geom("terrain0").friction[0] == load_course("pallet").surfaces["ground"].friction
    assert model.geom("terrain0").priority > model.geom("left/run0.0").priority


def test_belts_at_rest_have_no_surface_velocity(tmp_path):
    assert not write(tmp_path / "scene.xml").geom_surfacevel.any()


def test_masses_are_those_of_the_robot(tmp_path):
    model = write(tmp_path / "scene.xml")
    assert model.body_subtreemass[model.body("hull").id] == pytest.approx(
        load_robot("absolem").mass
    )


def test_the_robot_stands_where_it_was_put_with_its_flippers(tmp_path):
    robot, course, pose = load_robot("absolem"), load_course("flat"), Pose(x=1.0, y=2.0, yaw=0.5)
    motion = start_in_3d(make_model(CSM), robot, course, pose).motion
    model = write(tmp_path / "scene.xml", pose=pose)
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

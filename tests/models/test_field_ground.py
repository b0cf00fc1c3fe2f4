"""Every model drives on a height field alone, and ends at its border with a sentence."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grouser.description import Course, load_robot, parse_course
from grouser.errors import OffGround
from grouser.geometry import Pose
from grouser.models import CATALOGUE, able_models, command_sides, make_model
from grouser.models.kinematic import continue_border
from grouser.simulation import Fleet, Simulation

FIELD = '[[terrain]]\nkind = "heightfield"\nfile = "dem.npy"\nspacing_m = 0.05\n'
SPEED = 0.25


def write_hill(folder: Path, *, hole: bool = False) -> Course:
    """Return a gentle hill at 412 m above the sea, 1.6 by 1.2 m, that ends 0.3 m ahead."""
    u, v = np.meshgrid(np.arange(33) * 0.05, np.arange(25) * 0.05)
    heights = 412.0 + 0.02 * np.sin(2.0 * u) * np.cos(3.0 * v)
    if hole:
        heights[:, 25:] = np.nan
        heights[:, 32] = 412.0  # so that the border stays where it is
    np.save(folder / "dem.npy", heights)
    text = f'name = "hill"\n[start]\nx_m = {0.1 if hole else 0.5}\n{FIELD}fill_m = 0.1\n'
    return parse_course(text, folder / "hill.toml")


def test_every_model_is_able_to(tmp_path):
    assert able_models(write_hill(tmp_path)) == list(CATALOGUE)


@pytest.mark.parametrize("hole", [False, True], ids=["border", "hole"])
@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_a_model_drives_on_it_and_stops_where_it_ends(tmp_path, name, hole):
    course, robot = write_hill(tmp_path, hole=hole), load_robot("tp100")
    simulation = Simulation(make_model(name), robot, course)
    assert abs(float(simulation.motion.pose.z)) < 0.02
    command = command_sides(robot, SPEED, SPEED)
    ends = 0.4 if hole else 0.8
    with pytest.raises(OffGround, match="the robot left the ground at x 0.[48]") as left:
        simulation.run(lambda time, motion: command, duration=4.0)
    assert left.value.x == pytest.approx(ends, abs=0.02)
    log = simulation.log()
    on_ground = log["x"] < ends - 0.15  # beyond, engines tip over the border
    assert np.abs(log["z"][on_ground]).max() < 0.03
    assert np.abs(log["pitch"][on_ground]).max() < 0.1
    assert log["x"][-1] == left.value.x
    assert log.provenance.notes["datum"]["elevation_m"] == pytest.approx(412.0, abs=0.02)


@pytest.mark.parametrize("name", ["icr", "slip", "tracks-planar", "tankbot"])
def test_of_a_fleet_that_leaves_no_number_becomes_nan(tmp_path, name):
    course, robot = write_hill(tmp_path), load_robot("tp100")
    start = course.start_pose
    poses = replace(start, yaw=np.linspace(0.0, 1.0, 5)) if isinstance(start, Pose) else start
    fleet = Fleet(make_model(name), robot, course, poses)
    motion = fleet.advance(command_sides(robot, SPEED, SPEED), ticks=400)
    assert float(np.min(motion.pose.x)) > 0.8
    assert np.asarray(motion.pose.z) == pytest.approx(np.zeros(5), abs=0.02)


def test_beyond_a_border_its_height_continues():
    nan = np.nan
    sides = np.array([[[nan, 1.0, 2.0, nan, nan]], [[nan, nan, nan, nan, nan]]])
    assert continue_border(sides).tolist() == [[[1.0, 1.0, 2.0, 2.0, 2.0]]] * 2
    assert continue_border(np.full((2, 1, 3), nan)).tolist() == [[[0.0, 0.0, 0.0]]] * 2
    known = np.ones((2, 1, 3))
    assert continue_border(known) is known

"""What the engine warns of reaches people as sentences, not as a file in their folder."""

from pathlib import Path

import numpy as np
import pytest

from grouser.description import load_course, load_robot
from grouser.errors import InvalidValue, NotFinite
from grouser.geometry import Pose
from grouser.models import command_sides, make_model
from grouser.models.contact.plant import ContactPlant
from grouser.models.contact.supervision import Threads, Turns
from grouser.models.mujoco.engine import MujocoWorld
from grouser.simulation import Simulation
from grouser.simulation.fleet import Fleet

ROBOT, FLAT = load_robot("tp100"), load_course("flat")
CSM = make_model("csm:engine=mujoco")


def push(plant: object, robot: int) -> None:
    """Apply a force to the hull that is huge, but finite."""
    assert isinstance(plant, ContactPlant)
    assert isinstance(plant.world, MujocoWorld)
    plant.world.robots[robot].data.xfrc_applied[1, 0] = 1e30


def test_what_the_engine_warns_of_ends_the_run_and_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    simulation = Simulation(CSM, ROBOT, FLAT)
    push(simulation.plant, 0)
    with pytest.raises(NotFinite, match="is no longer finite at 0.01 s"):
        simulation.advance(command_sides(ROBOT, 0.1, 0.1))
    assert list(Path(tmp_path).iterdir()) == []


def test_one_of_many_robots_that_diverges_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fleet = Fleet(CSM, ROBOT, FLAT, Pose(x=np.zeros(3)))
    push(fleet._plant, 1)
    with pytest.raises(NotFinite, match=r"pose.x of robot 1 is no longer finite"):
        fleet.advance(command_sides(ROBOT, 0.1, 0.1))
    assert list(Path(tmp_path).iterdir()) == []


@pytest.mark.parametrize("failing", range(4))
def test_threads_end_when_one_of_them_fails(failing):
    threads, turns = Threads(2, Turns()), []

    def work(thread: int, first: int, end: int, steps: int, done: int) -> None:
        if first == failing:
            raise InvalidValue("number", first, "be another")
        turns.append(steps)

    with pytest.raises(InvalidValue):
        threads.share(4, 10**5 if failing > 1 else 10**9, work)
    done: list[int] = []
    threads.share(4, 1, lambda thread, first, end, steps, before: done.extend(range(first, end)))
    assert sorted(done) == [0, 1, 2, 3]

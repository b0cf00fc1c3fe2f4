"""A board in the loop with a virtual robot that another program has."""

from dataclasses import replace

import numpy as np

from grouser.control import PathFollower
from grouser.description import Path, load_course, load_robot
from grouser.description.path import Leg
from grouser.hil.exchange import ControllerSide, SimulationLoop, SimulationSide
from grouser.hil.exchange.channels import open_channel
from grouser.hil.links import LockstepLink
from grouser.hil.python_board import PythonBoard
from grouser.drivers import Plan
from grouser.hil.options import BoardOptions, load_for_board
from grouser.hil.run import run_board
from grouser.models import make_model
from grouser.scenario import Scenario
from grouser.simulation import Simulation


def run(folder, *, silent_after=np.inf):
    """Return a run whose robot is a simulation behind two files, on the board's own clock."""
    robot, course = load_robot("tp100"), load_course("flat")
    link = LockstepLink(PythonBoard(seed=1))
    other = SimulationLoop(
        Simulation(make_model("slip"), robot, course),
        SimulationSide(open_channel(str(folder), "simulation"), link.now),
    )
    loaded = load_for_board(Scenario(course="flat", driver="constant", stop=6.0), BoardOptions())
    plan = Plan(driver=PathFollower(robot, Path(legs=(Leg(length=0.2),))), duration=6.0)
    return run_board(
        link,
        replace(loaded, plan=plan),
        observe=lambda snapshot: other.tick() if link.now() < silent_after else None,
        exchange=ControllerSide(open_channel(str(folder), "controller"), link.now),
    )


def test_the_board_drives_the_other_programs_robot_to_the_goal(tmp_path):
    done = run(tmp_path)
    log = done.log
    assert done.is_done
    assert done.report.is_valid
    assert 0.17 <= log["exchange_x"][-1] <= 0.2
    # Our own model follows the same belts, so it is at the same place but for the delay.
    assert abs(log["exchange_x"][-1] - log["x"][-1]) < 0.005
    assert log.provenance.notes["exchange"]["malformed"] == 0


def test_a_silent_program_stops_the_belts(tmp_path):
    done = run(tmp_path, silent_after=1.5)
    log = done.log
    stale = log["exchange_stale"] > 0.5
    assert log["exchange_x"][-1] < 0.15
    late = log["time"] > 2.5
    assert np.all(stale[late])
    assert np.all(log["board_setpoint.left"][late] == 0.0)
    assert np.all(log["board_speed.left"][log["time"] > 3.5] == 0.0)

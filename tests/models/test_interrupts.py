"""Ctrl-C is heard within about a second, also while compiled code works."""

import signal
import subprocess
import sys
import time

import numpy as np
import psutil
import pytest

from grouser.description import load_course, load_robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose
from grouser.models import command_sides, make_model
from grouser.papers.p3.manoeuvre import MANOEUVRES, run_many, tankbot_constants
from grouser.simulation import Simulation

ROBOT = load_robot("tp100")
BEGIN = """
import numpy as np
from grouser.description import load_course, load_robot
from grouser.geometry import Pose
from grouser.models import command_sides, make_model
from grouser.papers.p3.manoeuvre import MANOEUVRES
from grouser.papers.p3.manoeuvre import run_many
from grouser.simulation import Simulation
from grouser.simulation.fleet import Fleet
robot, flat = load_robot("tp100"), load_course("flat")
def drive(model, dt=1.0):
    simulation = Simulation(make_model(model), robot, flat, dt=dt)
    return lambda: simulation.advance(command_sides(robot, 0.1, 0.05))
def drive_many(model, count, dt=1.0):
    fleet = Fleet(make_model(model), robot, flat, Pose(x=np.zeros(count)), dt=dt)
    return lambda: fleet.advance(command_sides(robot, 0.1, 0.05))
def follow(count):
    return lambda: run_many(MANOEUVRES["step-y"], count=count, every=100)
def work():
    {warm_up}()
    busy = {busy}
    print("ready", flush=True)
    while True:
        busy()
try:
    work()
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
WORK = {
    "many planar robots": (
        'drive_many("tankbot", 2, 0.01)',
        'drive_many("tankbot:servo_time=1e-5", 1000)',
    ),
    "closed loops": ("follow(1)", "follow(4000)"),
    "many robots with contacts": (
        'drive_many("csm", 2, 0.01)',
        'drive_many("csm:timestep=1e-5", 30)',
    ),
    "plates that settle": ('drive("csm", 0.01)', 'lambda: drive("plates:timestep=1e-4")'),
}
"""What is compiled first, and what then takes a minute or more in one tick."""


@pytest.mark.parametrize("name", WORK)
def test_an_interrupt_ends_compiled_work(name):
    warm_up, busy = WORK[name]
    program = BEGIN.format(warm_up=warm_up, busy=busy)
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        spent = psutil.Process(process.pid).cpu_times().user
        process.send_signal(signal.SIGINT)
        said = process.stdout.readline()
        # Of its own time: how long that takes on a busy machine says nothing.
        spent = psutil.Process(process.pid).cpu_times().user - spent
        process.kill()
    assert said == "interrupted\n"
    assert spent < 5.0


@pytest.mark.parametrize("many", [False, True])
def test_compiled_code_never_takes_more_steps_than_a_turn_has(many, monkeypatch):
    turns: list[int] = []
    model, poses = make_model("csm", timestep=1e-4), Pose(x=np.zeros(3)) if many else None
    plant = model.start(ROBOT, load_course("flat"), poses)
    monkeypatch.setattr(plant.world, "_tick", lambda *arguments: turns.append(arguments[2]) or 0.0)
    plant.advance(command_sides(ROBOT, 0.1, 0.1), 0.05)
    assert turns == [200, 200, 100]


def test_a_robot_that_is_too_stiff_for_the_tick_is_refused_in_a_sentence():
    simulation = Simulation(make_model("tankbot:inertia=1e-9"), ROBOT, load_course("flat"))
    with pytest.raises(InvalidValue) as error:
        simulation.advance(command_sides(ROBOT, 0.1, 0.1))
    sentence = str(error.value)
    assert sentence.startswith("tankbot:inertia of robot 'tp100' must be larger")
    assert "ticks of 0.01 s" in sentence
    assert simulation.motion.pose.x == 0.0
    constants = tankbot_constants(drive_inertia=1e-12)
    with pytest.raises(InvalidValue, match=r"inertia of \[drive.motor\] must be larger"):
        run_many(MANOEUVRES["step-y"], constants=constants, duration=0.1)


def test_a_fast_speed_loop_is_integrated_in_steps_that_it_can_follow():
    ends = []
    for servo_time in (1e-5, 1e-3):
        model = make_model("tankbot", servo_time=servo_time)
        simulation = Simulation(model, ROBOT, load_course("flat"))
        for _ in range(100):
            simulation.advance(command_sides(ROBOT, 0.1, 0.1))
        ends.append(simulation.motion.pose.x)
    assert ends[0] == pytest.approx(ends[1], abs=2e-4)

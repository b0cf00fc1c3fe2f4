"""Loops of an exchange, and a board whose robot another program has."""

import math
import subprocess
import sys
import textwrap
from dataclasses import replace

import numpy as np
import pytest

from grouser.control import PathFollower
from grouser.description import Path, load_course, load_robot
from grouser.description.path import Leg
from grouser.drivers import DriverPlan
from grouser.hil.exchange import (
    ControllerSide,
    ControlLoop,
    SimulationLoop,
    SimulationSide,
    run_loop,
)
from grouser.hil.exchange.channels import open_channel
from grouser.hil.links import LockstepLink
from grouser.hil.options import BoardOptions, load_for_board
from grouser.hil.python_board import PythonBoard
from grouser.hil.run import run_board
from grouser.models import command_sides, make_model
from grouser.scenario import Scenario
from grouser.simulation import Pace, Simulation
from tests.breaking import MESSAGE, PLACE, register


class Clock:
    def __init__(self):
        self.time = 0.0

    def __call__(self):
        return self.time


PATH = Path(legs=(Leg(length=0.25), Leg(turn=-math.pi / 2, length=0.15)))


def both_sides(folder):
    """Return a clock, the loop of a simulation and the loop of a controller on one folder."""
    clock, robot, world = Clock(), load_robot("tp100"), load_course("flat")
    simulation = Simulation(make_model("slip"), robot, world)
    sim_side = SimulationSide(open_channel(str(folder), "simulation"), clock)
    control_side = ControllerSide(open_channel(str(folder), "controller"), clock)
    driver = PathFollower(robot, PATH)
    return (
        clock,
        SimulationLoop(simulation, sim_side),
        ControlLoop(robot, world, driver, control_side),
    )


def alternate(clock, simulation, control, seconds, hear=lambda time: True):
    """Let both loops run on one clock of 10 ms ticks; `hear` says when the controller runs."""
    for tick in range(round(seconds / 0.01)):
        clock.time += 0.01
        simulation.tick()
        if tick % 5 == 0 and hear(clock.time) and not control.tick():
            return True
    return False


def test_a_course_is_driven_through_two_files(tmp_path):
    clock, simulation, control = both_sides(tmp_path)
    assert alternate(clock, simulation, control, 60.0)
    log = simulation.log("complete")
    assert (log["x"][-1], log["y"][-1]) == pytest.approx((0.25, -0.15), abs=0.03)
    assert (tmp_path / "Encoder.txt").read_text().strip().endswith(",0.000000,0.000000")
    assert log.provenance.notes["exchange"]["malformed"] == 0
    assert log.provenance.notes["exchange"]["good"] > 50
    assert np.count_nonzero(log["exchange_stale"]) == 0


def test_the_controller_sees_the_pose_that_the_simulation_has(tmp_path):
    clock, simulation, control = both_sides(tmp_path)
    alternate(clock, simulation, control, 3.0)
    ours, theirs = simulation.log("complete"), control.log("complete")
    # The controller looks every 50 ms; what it saw is somewhere on the simulation's way.
    for name in ("x", "y", "yaw"):
        gaps = np.abs(theirs[name][:, None] - ours[name][None, :]).min(axis=1)
        assert gaps.max() < 2e-8


def test_a_silent_controller_stops_the_virtual_robot_within_250_ms_and_a_tick(tmp_path):
    clock, simulation, control = both_sides(tmp_path)
    alternate(clock, simulation, control, 2.5, hear=lambda time: time < 1.5)
    log = simulation.log("complete")
    stale = log["exchange_stale"] > 0.5
    assert log["exchange_age"][stale].min() == pytest.approx(0.26, abs=0.0101)
    left = log["belt_speed_commanded.left"]
    assert np.all(left[stale] == 0.0)
    assert np.all(left[(log["time"] > 1.0) & ~stale] > 0.0)
    assert log["vx"][-1] == 0.0
    assert simulation.stale_ticks == np.count_nonzero(stale)


def test_a_silent_simulation_stops_the_belts_at_once(tmp_path):
    clock, simulation, control = both_sides(tmp_path)
    alternate(clock, simulation, control, 1.0)
    for _ in range(10):
        clock.time += 0.05
        control.tick()
    line = open_channel(str(tmp_path), "simulation")
    control.tick()
    assert line.receive().split(",")[2:] == ["0.000000", "0.000000\n"]
    log = control.log("complete")
    stale = log["exchange_age"] > 0.25
    assert np.count_nonzero(stale) == 6  # 11 ticks of 50 ms, the line aged 50 ms at the first
    assert np.all(log["exchange_stale"] == stale)
    assert np.all(log["belt_speed.left"][stale] == 0.0)
    assert np.all(log["belt_speed.left"][~stale][3:] > 0.0)


def test_time_begins_with_the_first_line(tmp_path):
    clock, simulation, control = both_sides(tmp_path)
    alternate(clock, simulation, control, 3.0, hear=lambda time: time > 1.0)
    assert simulation.time == pytest.approx(2.0, abs=0.06)


def test_patience_ends_also_before_the_first_line(tmp_path):
    clock, simulation, _ = both_sides(tmp_path)
    pace = Pace(period=0.01, now=clock, sleep=lambda early: setattr(clock, "time", clock() + early))
    status, why = run_loop(simulation, timeout=1.0, pace=pace)
    assert (status, why) == ("complete", "no line came for 1 s")
    assert clock() == pytest.approx(1.0, abs=0.02)


def test_an_interrupt_stops_the_belts_and_keeps_the_log(tmp_path):
    clock, simulation, control = both_sides(tmp_path)
    ticks = iter(range(100))

    def sleep(early):
        if next(ticks) == 60:
            raise KeyboardInterrupt
        clock.time += early
        simulation.tick()

    pace = Pace(period=0.05, now=clock, sleep=sleep)
    assert run_loop(control, pace=pace)[0] == "interrupted"
    assert (tmp_path / "Encoder.txt").read_text().strip().endswith(",0.000000,0.000000")
    log = control.log("interrupted")
    assert log.provenance.status == "interrupted"
    assert len(log) > 50


ENGINE = textwrap.dedent("""
    # A game engine's tick as somebody would write it who never heard of atomic files.
    import math, sys, time
    folder, seconds = sys.argv[1], float(sys.argv[2])
    x = y = yaw = 0.0  # cm, cm, deg; y to the right, yaw to the right
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            left, right = map(float, open(folder + "/Encoder.txt").read().split(",")[2:])
        except (OSError, ValueError):
            left = right = 0.0
        speed, rate = (left + right) / 2, math.degrees((left - right) / 27.42)
        x += speed * math.cos(math.radians(yaw)) * 0.01
        y += speed * math.sin(math.radians(yaw)) * 0.01
        yaw = (yaw + rate * 0.01 + 180.0) % 360.0 - 180.0
        with open(folder + "/Orientation.txt", "w") as file:
            file.write("%f %f %f" % (x, y, yaw))
        time.sleep(0.01)
""")


def test_a_foreign_engine_is_driven_through_plain_files(tmp_path):
    engine = subprocess.Popen([sys.executable, "-c", ENGINE, str(tmp_path), "4"])
    try:
        robot, course = load_robot("tp100"), load_course("flat")
        yaws = []

        def turn_left(time, motion):
            yaws.append(float(motion.pose.yaw))
            return None if time > 1.0 else command_sides(robot, 0.05, 0.15)

        side = ControllerSide.open(str(tmp_path))
        loop = ControlLoop(robot, course, turn_left, side)
        status, why = run_loop(loop, timeout=30.0)
        side.close()
    finally:
        engine.kill()
        engine.wait()
    assert why == "the driver is done"
    assert side.counts["good"] > 3
    log = loop.log(status)
    # It turned to our left, which the engine calls negative; how far is the clock's affair.
    assert 0.05 < yaws[-1] < math.pi
    assert log["y"][-1] > 0.0


CONTROLLER = textwrap.dedent("""
    # A script that never heard of sequence numbers either: two numbers out, over and over.
    import sys, time
    folder, seconds = sys.argv[1], float(sys.argv[2])
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with open(folder + "/Encoder.txt", "w") as file:
            file.write("10.0 10.0\\n")
        time.sleep(0.02)
""")


@pytest.mark.parametrize("junk", ["", "junk, not a line\n"])
def test_a_foreign_controller_drives_our_simulation_and_its_end_stops_it(tmp_path, junk):
    simulation = Simulation(make_model("ideal"), load_robot("tp100"), load_course("flat"))
    side = SimulationSide.open(str(tmp_path))
    if junk:
        (tmp_path / "Encoder.txt").write_text(junk)
    controller = subprocess.Popen([sys.executable, "-c", CONTROLLER, str(tmp_path), "0.5"])
    try:
        loop = SimulationLoop(simulation, side)
        status, why = run_loop(loop, timeout=2.0)
        side.close()
    finally:
        controller.wait()
    assert (status, why.split(" for ")[0]) == ("complete", "no line came")
    log = loop.log(status)
    assert log["x"][-1] > 0.02
    assert log["y"][-1] == 0.0
    assert log["exchange_stale"][-1] == 1.0
    assert log["vx"][-1] == 0.0
    assert side.counts["malformed"] == (1 if junk else 0)


def run(folder, *, silent_after=np.inf):
    """Return a run whose robot is a simulation behind two files, on the board's own clock."""
    robot, course = load_robot("tp100"), load_course("flat")
    link = LockstepLink(PythonBoard(seed=1))
    other = SimulationLoop(
        Simulation(make_model("slip"), robot, course),
        SimulationSide(open_channel(str(folder), "simulation"), link.now),
    )
    loaded = load_for_board(Scenario(course="flat", driver="constant", stop=6.0), BoardOptions())
    plan = DriverPlan(driver=PathFollower(robot, Path(legs=(Leg(length=0.2),))), duration=6.0)
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


def test_a_tick_that_raises_ends_a_simulation_and_keeps_its_rows(tmp_path, monkeypatch):
    register(monkeypatch)
    simulation = Scenario(course="flat", model="breaking").start()
    side = SimulationSide(open_channel(str(tmp_path), "simulation"), Clock())
    loop, line = SimulationLoop(simulation, side), open_channel(str(tmp_path), "controller")
    line.send("1,0,10,10\n")
    for _ in range(20):
        assert loop.tick()
    line.send("2,1,20,20\n")
    status, why = run_loop(loop, duration=5.0, pace=Pace(period=loop.period))
    assert status == "failed"
    assert PLACE in why
    log = loop.log(status)
    assert log["tick"].tolist() == list(range(21))
    assert log.provenance.status == "failed"


def test_a_driver_that_raises_leaves_belts_of_zero_behind(tmp_path):
    clock, simulation, control = both_sides(tmp_path)
    alternate(clock, simulation, control, 1.0)

    def fail(time, motion):
        raise ZeroDivisionError(MESSAGE)

    control._driver = fail
    line, rows = open_channel(str(tmp_path), "simulation"), control.ticks
    status, why = run_loop(control, duration=5.0, pace=Pace(period=control.period))
    assert (status, control.ticks) == ("failed", rows)  # within the tick that raised
    assert MESSAGE in why
    assert line.receive().split(",")[2:] == ["0.000000", "0.000000\n"]
    assert len(control.log(status)) == rows

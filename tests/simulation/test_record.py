"""A run of hours stays cheap, and loses nothing."""

import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from grouser.description import load_course, load_robot
from grouser.drivers import Constant, Sides
from grouser.log import Provenance
from grouser.models import Command, command_sides, make_model
from grouser.scenario import replay
from grouser.simulation import Simulation
from grouser.simulation.record import BLOCK, Recorder


def recorder_of(robot: str, rows: int) -> tuple[Recorder, Simulation]:
    simulation = Simulation(make_model("ideal"), load_robot(robot), load_course("flat"))
    recorder = Recorder(simulation.robot, lambda: 0.5, simulation.reading.columns)
    command = command_sides(simulation.robot, 0.1, 0.2)
    for tick in range(rows):
        recorder.add(tick, 0.01 * tick, simulation.motion, command, simulation.reading.values)
    return recorder, simulation


def test_rows_of_all_blocks_come_back_in_order():
    rows = 2 * BLOCK + 17
    log = recorder_of("tp100", rows)[0].log(Provenance())
    assert log["tick"].dtype == np.int64
    assert log["tick"].tolist() == list(range(rows))
    assert log["time"].tolist() == [0.01 * tick for tick in range(rows)]
    assert set(log["wall_time"]) == {0.5}
    assert {log[name].dtype for name in log if name != "tick"} == {np.dtype(np.float64)}


def test_a_log_taken_in_between_holds_what_was_there_and_recording_goes_on():
    recorder, simulation = recorder_of("tp100", BLOCK)
    first = recorder.log(Provenance())
    command = command_sides(simulation.robot, 0.3, 0.3)
    recorder.add(BLOCK, 10.0, simulation.motion, command, simulation.reading.values)
    assert len(first) == BLOCK
    log = recorder.log(Provenance())
    assert len(log) == BLOCK + 1
    assert log["belt_speed_commanded.left"].tolist()[-2:] == [0.1, 0.3]


def test_a_log_may_be_taken_while_another_thread_records():
    recorder, simulation = recorder_of("tp100", 1)
    command = command_sides(simulation.robot, 0.3, 0.3)
    rows = 20 * BLOCK

    def record() -> None:
        for tick in range(1, rows):
            recorder.add(tick, 0.01 * tick, simulation.motion, command, simulation.reading.values)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor() as pool:
            recording = pool.submit(record)
            while not recording.done():
                log = recorder.log(Provenance())
                assert log["tick"].tolist() == list(range(len(log)))
    finally:
        sys.setswitchinterval(interval)
    recording.result()


def test_a_row_costs_eight_bytes_a_number_and_little_more():
    recorder, _ = recorder_of("absolem", 1)
    columns = len(recorder.log(Provenance()).names)
    tracemalloc.start()
    try:
        recorder, _ = recorder_of("absolem", 5 * BLOCK)
        used = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert used / (5 * BLOCK) < 1.3 * 8 * columns


def test_flippers_that_are_asked_for_nothing_stay_and_the_replay_knows():
    robot = load_robot("absolem")
    simulation = Simulation(make_model("icr"), robot, load_course("flat"))
    lowered = tuple(0.4 for _ in robot.flippers)
    speeds = command_sides(robot, 0.1, 0.1).belt_speeds
    for angles in [lowered] * 20 + [()] * 20:
        simulation.advance(Command(belt_speeds=speeds, flipper_angles=angles))
    log = simulation.log()
    name = robot.flippers[0].name
    assert np.isnan(log[f"flipper_angle_commanded.{name}"][-20:]).all()
    assert np.ptp(log[f"flipper_angle.{name}"][-21:]) == 0.0
    assert np.ptp(log[f"flipper_angle.{name}"]) > 0.0
    again = replay(log)
    assert all(again.columns[n] == log.columns[n] for n in log if n != "wall_time")


def test_a_run_over_several_blocks_is_replayed_bit_for_bit():
    robot = load_robot("tp100")
    simulation = Simulation(make_model("slip"), robot, load_course("flat"), seed=4)
    simulation.run(Constant(robot, Sides(left=0.1, right=0.05)), duration=25.0)
    log = simulation.log()
    assert len(log) > 2 * BLOCK
    again = replay(log)
    assert all(again.columns[n] == log.columns[n] for n in log if n != "wall_time")

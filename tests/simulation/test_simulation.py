"""Time passes, everything is remembered, and nothing is lost."""

from collections import deque
from itertools import repeat

import numpy as np
import pytest

from grouser import Scenario
from grouser.control import PathFollower
from grouser.description import load_course, load_robot
from grouser.drivers import Constant, Sides, Step
from grouser.errors import InvalidLog, InvalidValue, NotFinite, RunStopped, TickFailed
from grouser.geometry import Pose
from grouser.log import Log, read_log, write_log
from grouser.models import CATALOGUE, Command, command_sides, make_model
from grouser.scenario import replay
from grouser.simulation import Simulation
from grouser.simulation.events import Kick


def simulate(model="slip", course="flat", robot="tp100", **options) -> Simulation:
    return Simulation(make_model(model), load_robot(robot), load_course(course), **options)


def test_time_is_counted_and_does_not_drift():
    simulation = simulate(dt=0.1)
    simulation.ticks = 10_000
    assert simulation.time == 1000.0


def test_row_k_holds_the_state_at_tick_k_and_the_command_that_led_there():
    simulation = simulate()
    robot = simulation.robot
    for speed in (0.01, 0.02, 0.03):
        simulation.advance(command_sides(robot, speed, speed))
    log = simulation.log()
    assert log["tick"].tolist() == [0, 1, 2, 3]
    assert log["belt_speed_commanded.left"].tolist() == [0.0, 0.01, 0.02, 0.03]
    assert log["x"][-1] == simulation.motion.pose.x
    assert log["time"].tolist() == [0.0, 0.01, 0.02, 0.03]


def test_a_log_says_where_it_comes_from():
    simulation = simulate(course="step:height_m=0.02", seed=5)
    origin = simulation.log(driver="by hand").provenance
    assert (origin.robot, origin.course, origin.model) == ("tp100", "step", "slip")
    assert origin.course_parameters == {"height_m": 0.02}
    assert origin.robot_hash == simulation.robot.content_hash
    assert (origin.seed, origin.dt, origin.driver) == (5, 0.01, "by hand")
    assert origin.engine.startswith("numpy")


@pytest.mark.parametrize("model", sorted(CATALOGUE))
def test_replaying_a_file_reproduces_the_run_bit_for_bit(model, tmp_path):
    simulation = simulate(model, "behaviour-2", seed=3)
    course, robot = simulation.course, simulation.robot
    simulation.run(PathFollower(robot, course.path, 0.1), duration=6.0)
    written = simulation.log()
    for suffix in (".csv", ".parquet"):
        write_log(written, tmp_path / f"run{suffix}")
        read = read_log(tmp_path / f"run{suffix}")
        assert read.provenance == written.provenance
        assert_same(read, written)
    assert_same(replay(read), written)


def test_replaying_over_obstacle_and_ramp_reproduces_the_run_bit_for_bit():
    simulation = simulate(
        "slip:step_mode=paper", "behaviour-3", pose=Pose(x=1.5, y=-0.8, yaw=np.pi)
    )
    simulation.run(Constant(simulation.robot, Sides(left=0.1, right=0.1)), duration=12.0)
    log = simulation.log()
    assert log["phase"].max() > 3
    assert_same(replay(log), log)


def test_another_model_parts_from_the_log():
    simulation = simulate("slip")
    simulation.run(Constant(simulation.robot, Sides(left=0.06, right=0.12)), duration=2.0)
    other = replay(simulation.log(), model="ideal")
    assert abs(other["yaw"][-1] - simulation.log()["yaw"][-1]) > 0.1


def test_a_log_without_its_robot_cannot_be_replayed():
    log = simulate().log()
    with pytest.raises(InvalidLog, match="does not hold its robot"):
        replay(Log(log.columns))


def assert_same(ours: Log, theirs: Log) -> None:
    assert ours.names == theirs.names
    for name in ours.names:
        if name != "wall_time":
            assert ours[name].tobytes() == theirs[name].tobytes(), name


def test_the_kick_of_behaviour_2_turns_the_robot_once():
    simulation = simulate("ideal", "behaviour-2")
    simulation.run(Constant(simulation.robot, Sides(left=0.1, right=0.1)), duration=5.0)
    yaw = simulation.log()["yaw"]
    assert set(np.round(np.diff(yaw), 9)) == {0.0, 0.15}
    assert np.count_nonzero(np.diff(yaw)) == 1


class Interrupted:
    """Drives for a while; then a person presses Ctrl-C."""

    def __init__(self, robot):
        self.command = command_sides(robot, 0.1, 0.1)

    def __call__(self, time, motion):
        if time >= 0.5:
            raise KeyboardInterrupt
        return self.command


def test_an_interrupted_run_keeps_what_was_done():
    simulation = simulate()
    status = simulation.run(Interrupted(simulation.robot), duration=10.0)
    log = simulation.log(status)
    assert log.provenance.status == "interrupted"
    assert log["time"][-1] == 0.5


class Exploding:
    """A plant that fails at its third step."""

    def __init__(self, plant):
        self.inner, self.steps = plant, 0

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def advance(self, command, duration):
        self.inner.advance(command, duration)
        self.steps += 1
        if self.steps == 3:
            self.inner.turn(float("nan"))


def test_a_number_that_is_not_finite_stops_the_run_and_leaves_a_replayable_dump(tmp_path):
    simulation = simulate("icr", dump_folder=tmp_path)
    simulation.plant = Exploding(simulation.plant)
    driver = Constant(simulation.robot, Sides(left=0.1, right=0.1))
    with pytest.raises(
        NotFinite, match=r"pose.yaw is no longer finite at 0.03 s.*not-finite-tp100"
    ) as error:
        simulation.run(driver, duration=1.0)
    dump = read_log(error.value.dump)
    assert dump.provenance.status == "not finite"
    assert len(dump) == 4
    again = replay(dump)
    assert again["x"][:3].tolist() == dump["x"][:3].tolist()


@pytest.mark.parametrize("dt", [0.0, -0.01, float("nan"), 2.0])
def test_a_tick_must_have_a_sensible_length(dt):
    with pytest.raises(InvalidValue, match="dt must be from 1e-06 to 1 s"):
        simulate(dt=dt)


def test_a_command_must_fit_the_robot():
    simulation = simulate()
    with pytest.raises(InvalidValue, match="one for each of left, right"):
        simulation.advance(Command(belt_speeds=(0.1,)))
    with pytest.raises(InvalidValue, match="finite numbers only"):
        simulation.advance(Command(belt_speeds=(0.1, float("nan"))))
    assert simulation.ticks == 0


def test_a_program_faster_than_the_robot_is_refused():
    robot = load_robot("tp100")
    with pytest.raises(InvalidValue, match=r"at most 0.3 m/s, the limit of robot 'tp100', not 9.0"):
        Constant(robot, Sides(left=9.0, right=0.0))
    with pytest.raises(InvalidValue, match="finite"):
        Step(robot, Sides(left=float("nan"), right=0.0), at=1.0)


def test_the_same_seed_gives_the_same_noise_and_another_does_not():
    logs = []
    for seed in (1, 1, 2):
        simulation = simulate(seed=seed)
        simulation.run(Constant(simulation.robot, Sides(left=0.1, right=0.1)), duration=0.5)
        logs.append(simulation.log())
    assert logs[0]["gyro_yaw_rate"].tobytes() == logs[1]["gyro_yaw_rate"].tobytes()
    assert logs[0]["gyro_yaw_rate"].tobytes() != logs[2]["gyro_yaw_rate"].tobytes()


class Fragile:
    """An observer that raises at a tick."""

    columns = (("fragile", "1"),)

    def __init__(self, tick: int) -> None:
        self._left = tick

    def observe(self, time, motion, reading):
        self._left -= 1
        if self._left < 0:
            raise KeyError("lens")
        return (1.0,)


def test_a_tick_that_raises_keeps_the_rows_before_it_and_lets_no_tick_follow():
    scenario = Scenario(course="flat", model="ideal", driver="person")
    simulation = scenario.load().start(observers=[Fragile(11)])
    command = command_sides(simulation.robot, 0.1, 0.1)
    for _ in range(10):
        simulation.advance(command)
    kept = simulation.keep()
    for _ in range(2):
        with pytest.raises(TickFailed, match="the tick at 0.1 s failed.*KeyError.*lens") as caught:
            simulation.advance(command)
        assert isinstance(caught.value.__cause__, KeyError)
    assert simulation.ticks == 10
    log = simulation.log("failed")
    assert log["tick"].tolist() == list(range(11))
    simulation.rewind(kept, simulation.time)
    with pytest.raises(TickFailed):  # it goes on, and the observer, too, is where it was
        simulation.advance(command)


def test_a_motion_that_is_not_finite_is_told_before_sensors_and_observers_see_it():
    kick = Kick(time=0.0, impulse=(0.0, 0.0, 1e7), point=(100.0, 0.0, 0.0))
    scenario = Scenario(robot="absolem", course="flat", model="csm", contacts=True, events=[kick])
    simulation = scenario.vary(driver="person").start()
    still = command_sides(simulation.robot, 0.0, 0.0)
    with pytest.raises(RunStopped):
        deque(map(simulation.advance, repeat(still, 50)), maxlen=0)


@pytest.mark.parametrize("speed", [10**400, float("nan"), float("inf"), "fast", None, True])
def test_belt_speeds_that_no_float_holds_are_one_sentence(speed):
    simulation = Scenario(course="flat", model="ideal", driver="person").start()
    with pytest.raises(InvalidValue, match="command.belt_speeds must have finite numbers only"):
        simulation.advance(Command(belt_speeds=(speed, 0.0)))


@pytest.mark.parametrize("seed", [-1, 1.5, 10**400, True, None, "1"])
def test_seeds_that_are_none_are_one_sentence(seed):
    loaded = Scenario(course="flat", model="ideal", driver="person").load()
    with pytest.raises(InvalidValue, match="seed must be a whole number from 0 to"):
        Simulation(loaded.model, loaded.robot, loaded.course, seed=seed)

"""A driver that is a function of a program: it drives as any other, and no file holds it."""

import pytest

from grouser import (
    Scenario,
    Simulation,
    command_sides,
    load_robot,
    read_log,
    replay,
    run,
    write_log,
)
from grouser.errors import InvalidValue
from grouser.scenario.compiling import Compilation
from tests.scenario.test_run import assert_same

ROBOT = load_robot("tp100")


def spiral(time, motion):
    return command_sides(ROBOT, 0.05, 0.05 + 0.05 * time) if time < 1.0 else None


class Turning:
    def __call__(self, time, motion):
        return command_sides(ROBOT, -0.05, 0.05)


BY_FUNCTION = Scenario(course="flat", driver=spiral, seed=3)


def test_a_function_is_a_driver_of_a_scenario_of_a_run_and_of_a_simulation():
    result = run(BY_FUNCTION)
    assert (result.ending, result.is_done, result.log.duration) == ("done", True, 1.0)
    assert result.log.provenance.driver == "function spiral"
    assert result.log["yaw"][-1] > 0.05
    assert_same(run(Scenario(course="flat", seed=3), driver=spiral).log, result.log)
    assert_same(run(Scenario(course="flat", seed=3).load(), driver=spiral).log, result.log)
    loaded = BY_FUNCTION.load()
    simulation = Simulation(loaded.model, loaded.robot, loaded.course, seed=3)
    simulation.run(spiral, 5.0)
    assert_same(simulation.log("complete"), result.log)


def test_an_object_that_is_called_drives_for_ten_seconds_unless_told_otherwise():
    scenario = Scenario(course="flat", driver=Turning())
    assert scenario.driver.name == "function Turning"
    assert scenario.load().limit == 10.0
    assert run(scenario.vary(stop=0.5)).log.duration == pytest.approx(0.5)
    assert run(scenario.vary("driver", spiral)).log.duration == 1.0


def test_its_log_replays_from_the_commands(tmp_path):
    log = run(BY_FUNCTION).log
    write_log(log, tmp_path / "spiral.csv")
    assert_same(replay(read_log(tmp_path / "spiral.csv")), log)


def test_gains_and_flippers_of_the_scenario_are_on_its_commands():
    plain, halved = run(BY_FUNCTION).log, run(BY_FUNCTION.vary("variation.gain_left", 0.5)).log
    assert halved["belt_speed_commanded.left"][-1] == 0.5 * plain["belt_speed_commanded.left"][-1]


def test_no_file_holds_a_function(tmp_path):
    log = run(BY_FUNCTION.vary(stop=0.1)).log
    for scenario in (BY_FUNCTION, Scenario.from_log(log)):
        with pytest.raises(
            InvalidValue, match=r"no file holds a function; `grouser replay` drives"
        ):
            scenario.write(tmp_path / "spiral.toml")
        with pytest.raises(InvalidValue, match="no file holds a function"):
            _ = scenario.content_hash
    assert not list(tmp_path.iterdir())
    with pytest.raises(InvalidValue, match=r"must be given again \(no file holds a function"):
        run(Scenario.from_log(log))
    assert run(Scenario.from_log(log), driver=spiral).log["x"][5] == log["x"][5]


@pytest.mark.parametrize(
    ("driver", "sentence"),
    [
        (Turning, "driver must be an object or a function; this is a class"),
        (3, "driver must be a name, a table with a name, or a function"),
        (
            lambda time, motion: (0.1, 0.1),
            r"must be a Command, as command_sides\(robot, left, right",
        ),
    ],
)
def test_what_cannot_drive_is_one_sentence(driver, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        run(Scenario(course="flat", driver=driver))


def test_other_parts_are_no_functions_and_a_function_has_no_keys():
    with pytest.raises(InvalidValue, match="a part must be a name"):
        Scenario(**{"course": spiral})
    with pytest.raises(InvalidValue, match="driver 'function spiral' must have no keys"):
        BY_FUNCTION.vary("driver.speed", 0.1)


def test_models_of_a_scenario_with_a_function_are_compiled_elsewhere():
    ended = []
    scenario = Scenario(course="flat", model="ideal", driver=lambda time, motion: None)
    compilation = Compilation([scenario], lambda share: None, ended.append)
    compilation._thread.join(60.0)
    compilation.stop()
    assert ended == [None]

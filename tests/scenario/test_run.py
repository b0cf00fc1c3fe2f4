"""A run by file, by flags, by object and as the replay of its log: the same bits."""

from dataclasses import replace

import numpy as np
import pytest

from grouser import Scenario, replay, run
from grouser.errors import NotFinite
from grouser.log import Log, read_log, write_log
from grouser.models import Command
from grouser.scenario import Start, Stop, StuckTimer, Variation
from tests.cli.conftest import grouser  # noqa: F401  a fixture

KINDS = {
    "kinematic": (
        Scenario(
            course="slope:angle_deg=10", seed=3, stop=Stop(duration=1.0), observers="ekf",
            start_pose="0.1,0.02,5",
        ),
        "--course slope:angle_deg=10 --seed 3 --duration 1 --observe ekf --start 0.1,0.02,5",
    ),
    "planar": (
        Scenario(
            robot="tankbot", course="treadmill", model="tankbot", driver="manoeuvre:name=step-y",
            stop=Stop(duration=0.5),
        ),
        "--robot tankbot --course treadmill --model tankbot --drive manoeuvre:name=step-y "
        "--duration 0.5",
    ),
    "contact": (
        Scenario(
            robot="absolem", course="staircase", model="csm", stop=Stop(duration=0.3),
            flippers="0=-30/-30/0/0;0.1=20/20/0/0", contacts=True,
            variation=Variation(friction=0.9, gain_left=1.05),
        ),
        "--robot absolem --course staircase --model csm --duration 0.3 --contacts "
        "--flippers 0=-30/-30/0/0;0.1=20/20/0/0 --set variation.friction=0.9 "
        "--set variation.gain_left=1.05",
    ),
}  # fmt: skip


def assert_same(one: Log, other: Log) -> None:
    assert set(one) == set(other)
    for name in one:
        if name != "wall_time":
            assert one[name].tobytes() == other[name].tobytes(), name


@pytest.mark.parametrize("kind", KINDS)
def test_file_flags_object_and_replay_are_the_same(grouser, tmp_path, kind):  # noqa: F811
    scenario, flags = KINDS[kind]
    by_object = run(scenario).log
    scenario.write("a.toml")
    for words, name in (("a.toml", "file.csv"), (flags, "flags.csv")):
        answer = grouser(f"run {words} --out {name}")
        assert answer.code == 0, answer.err
        assert_same(read_log(tmp_path / name), by_object)
    log = read_log("file.csv")
    again = replay(log)
    common = [name for name in log if name in again]
    assert_same(Log({name: log.columns[name] for name in common}, log.provenance), again)
    found = Scenario.from_log(log)
    assert found == scenario.load().scenario
    assert_same(run(found).log, by_object)


def test_flags_replace_what_a_file_says(grouser, tmp_path):  # noqa: F811
    (tmp_path / "a.toml").write_text(
        'course = "flat"\ndriver = "constant"\nmodel = "ideal"\nduration_s = 0.5\nseed = 4\n'
    )
    answer = grouser("run a.toml --model slip --speed 0.1 --duration 0.2 --out a.csv --json")
    assert answer.code == 0, answer.err
    log = read_log("a.csv")
    assert (log.provenance.model, log.provenance.seed, log.duration) == ("slip", 4, 0.2)
    assert max(log["belt_speed_commanded.left"]) == 0.1
    assert log.provenance.scenario["duration_s"] == 0.2


def test_the_mistakes_of_a_file_are_said_by_the_command(grouser, tmp_path):  # noqa: F811
    (tmp_path / "a.toml").write_text('robto = "tp100"\nmodel = "slpi"\n')
    answer = grouser("run a.toml")
    assert answer.code == 2
    assert "a.toml: 2 mistakes:" in answer.err
    assert "robto is not a known key; did you mean robot?" in answer.err
    assert "model: no model named 'slpi' (did you mean 'slip'?)" in answer.err
    answer = grouser("run tp100")
    assert "FILE must be a scenario file and end in .toml; robot, course and mode" in answer.err
    answer = grouser("run --set robot.body.mass_kg")
    assert "--set must be written as KEY=VALUE" in answer.err


def test_compare_takes_a_scenario_and_its_flippers(grouser, tmp_path):  # noqa: F811
    (tmp_path / "a.toml").write_text(
        'robot = "absolem"\ncourse = "flat"\ndriver = "constant"\nduration_s = 0.1\n'
    )
    line = "compare a.toml --models csm wheels --flippers 0=-30/-30/0/0 --start 0,0,10"
    answer = grouser(f"{line} --plot a.svg --out logs --json")
    assert answer.code == 0, answer.err
    for model in ("csm", "wheels"):
        log = read_log(tmp_path / "logs" / f"{model}.csv")
        commanded = [n for n in log if n.startswith("flipper_angle_commanded.")]
        assert np.rad2deg(log[commanded[0]][-1]) == pytest.approx(-30.0)
        assert np.rad2deg(log["yaw"][0]) == pytest.approx(10.0, abs=0.5)
    assert "--models and --lead" in grouser("compare --model slip").err


def test_a_robot_without_progress_on_its_path_is_stuck():
    scenario = Scenario(
        course="behaviour-1-straight", model="ideal", stop=Stop(duration=8.0, stuck_after=1.0)
    )
    assert run(scenario.vary("stop.duration", 2.0)).ending == "limit"
    blocked = run(scenario.vary(variation=Variation(gain_left=0.001, gain_right=0.001)))
    assert blocked.ending == "stuck"
    assert not blocked.is_done
    assert 1.0 < blocked.log.duration < 3.0


def test_a_robot_without_a_path_is_stuck_where_it_stays():
    scenario = Scenario(course="flat", model="ideal", driver="step:speed=0.1,at=1")
    stuck = run(scenario.vary(stop=Stop(duration=5.0, stuck_after=0.5)))
    assert stuck.ending == "stuck"
    assert stuck.log.duration == pytest.approx(0.51)
    patient = run(scenario.vary(stop=Stop(duration=2.0, stuck_after=1.5)))
    assert patient.ending == "limit"


def test_patience_is_the_rule_of_every_shell():
    patience = StuckTimer(5.0, 1e-3)
    assert not patience.is_over(0.0, 0.0)
    assert not patience.is_over(5.0, 0.0009)
    assert patience.is_over(5.01, 0.0009)
    assert not patience.is_over(5.02, 0.0011)


def test_a_tilted_robot_has_tipped_over():
    scenario = Scenario(course="slope:angle_deg=15", model="slip", driver="constant")
    assert run(scenario.vary(stop=Stop(duration=0.2, tipped=0.3))).ending == "limit"
    tipped = run(scenario.vary(stop=Stop(duration=0.2, tipped=0.2), start_pose=Start(x=0.5)))
    assert tipped.ending == "tipped"
    assert not tipped.is_done
    assert tipped.log.duration < 0.2


def test_progress_is_reported():
    shares: list[float] = []
    scenario = Scenario(course="flat", driver="constant", model="ideal", stop=2.0)
    run(scenario, on_progress=shares.append)
    assert shares == pytest.approx([0.0, 0.25, 0.5, 0.75])


def test_a_streamed_run_is_the_same(tmp_path):
    scenario = Scenario(course="flat", driver="constant", stop=1.0)
    streamed = run(scenario, stream=tmp_path / "a.csv")
    assert streamed.rows == 101
    assert_same(streamed.log, run(scenario).log)
    assert streamed.spool is not None
    streamed.spool.close(remove=True)


def test_an_interrupt_keeps_what_was_done(monkeypatch):
    scenario = Scenario(course="flat", driver="constant", stop=1.0)
    loaded = scenario.load()
    assert loaded.plan is not None
    drive = loaded.plan.driver

    def interrupt(time: float, motion: object) -> Command | None:
        if time >= 0.5:
            raise KeyboardInterrupt
        return drive(time, motion)  # type: ignore[arg-type]

    result = run(replace(loaded, plan=replace(loaded.plan, driver=interrupt)))
    assert (result.status, result.ending) == ("interrupted", "interrupted")
    assert result.log.provenance.status == "interrupted"
    assert result.log.duration == pytest.approx(0.5)


def test_a_run_that_is_not_finite_is_kept(tmp_path, monkeypatch):
    loaded = Scenario(course="flat", driver="constant", model="ideal", stop=1.0).load()
    monkeypatch.setattr("grouser.simulation.simulation.find_not_finite", lambda motion: "pose.x")
    with pytest.raises(NotFinite) as caught:
        run(loaded, stream=tmp_path / "a.unfinished.csv", dump_folder=tmp_path / "dump")
    assert read_log(caught.value.dump).provenance.status == "not finite"
    assert not (tmp_path / "a.unfinished.csv").exists()


def test_gains_are_on_the_commands_and_not_twice_in_a_replay():
    scenario = Scenario(
        course="flat", model="ideal", driver="constant:speed=0.1", stop=0.2,
        variation=Variation(gain_left=0.5, gain_right=1.5),
    )  # fmt: skip
    log = run(scenario).log
    assert log["belt_speed_commanded.left"][-1] == pytest.approx(0.05)
    assert log["belt_speed_commanded.right"][-1] == pytest.approx(0.15)
    assert_same(replay(log), log)


def test_a_log_with_the_observer_of_a_rig_file_needs_that_file_no_more(tmp_path):
    from grouser.description import load_rig

    rig = tmp_path / "rig.toml"
    rig.write_text(load_rig("tp100-overhead").text)
    log = run(Scenario(course="flat", driver="constant", stop=0.3, observers=f"ekf:rig={rig}")).log
    write_log(log, tmp_path / "a.csv")
    rig.unlink()
    assert_same(replay(read_log(tmp_path / "a.csv")), log)


def test_changes_of_a_robot_file_are_in_its_log():
    from grouser.scenario import robot_of_log

    log = run(
        Scenario(course="flat", driver="constant", stop=0.1).vary("robot.body.mass_kg", 2.0)
    ).log
    robot = robot_of_log(log)
    assert robot is not None
    assert robot.body.mass == 2.0
    assert_same(replay(log), log)

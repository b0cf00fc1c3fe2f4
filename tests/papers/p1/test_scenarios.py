"""Scenarios, references and metrics of P1."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from grouser.description import load_course, load_robot
from grouser.errors import InvalidLog, NotFinite
from grouser.geometry import Pose
from grouser.log import Column, Log, write_log
from grouser.papers.p1.comparison import Drive, drive_scenario, measure
from grouser.papers.p1.reference import SYNTHETIC, Trajectory, load_reference, sample_times
from grouser.papers.p1.scenarios import GAUGE, P1_MODELS, SCENARIOS
from grouser.papers.p1.tables import table_1, table_2

ROBOT = load_robot("absolem")
BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}


def still(count: int = 100, **pose: float) -> Drive:
    """Return a drive that is always at one pose."""
    at = Pose(**pose)
    return Drive(
        start=Pose(),
        positions=np.tile([at.x, at.y, at.z], (count, 1)),
        rotations=Rotation.concatenate([at.rotation] * count),
        yaw=float(at.yaw),
    )


def test_the_scenarios_take_110_s_together():
    # P1 section V: 110 s in all, which fixes "10 times back and forth with 2 s" as ten legs.
    assert sum(scenario.duration for scenario in SCENARIOS) == pytest.approx(110.0)


def test_every_metric_of_a_scenario_is_a_row_of_table_1():
    rows = {(s.title, metric) for s in SCENARIOS for metric in s.metrics}
    assert rows | {("CPU time", "time")} == set(table_1())
    assert all(set(row) == set(P1_MODELS) for row in table_1().values())


def test_the_printed_numbers_are_those_of_p1():
    # Table I: csm on the pallet, CPU time of plates2; Table II: plates describe grousers.
    assert table_1()["Pallet", "sum_d_t"]["csm"] == (49.9, 2.5)
    assert table_1()["CPU time", "time"]["plates2"] == (2282.6, 112.7)
    assert table_2()["Grousers"] == dict(csm=False, wheels=False, plates=True, no_friction=False)


def test_a_shorter_scenario_has_a_nearer_target():
    short = BY_NAME["straight"].shorten(2.0)
    assert (short.duration, short.target) == (2.0, pytest.approx((0.6, 0.0)))
    assert BY_NAME["stand"].shorten(2.0) is BY_NAME["stand"]


def belt_speeds(name: str, *times: float) -> list[tuple[float, ...]]:
    plan = BY_NAME[name].scenario.load().plan
    return [plan.driver(time, None).belt_speeds for time in times]


def test_the_circular_scenario_has_the_belt_speeds_of_p1():
    assert ROBOT.gauge == pytest.approx(GAUGE)
    assert belt_speeds("circular", 0.0)[0] == pytest.approx((0.1, 0.3))


def test_back_and_forth_are_ten_legs_of_2_s_forward_first():
    speeds = [left for left, _ in belt_speeds("back-and-forth", *np.arange(1.0, 20.0, 2.0))]
    assert speeds == pytest.approx([0.2, -0.2] * 5)


def test_the_stand_in_on_flat_ground_turns_by_two_thirds():
    # chi = 1.5: yaw rate 0.2 / (1.5 gauge); the radius is 1.5 times the ideal one.
    circular = BY_NAME["circular"]
    reference = load_reference(circular, ROBOT, load_course("flat"), None)
    rate = 0.2 / (1.5 * GAUGE)
    radius, turned = 0.2 / rate, rate * sample_times(circular)
    assert reference.source == SYNTHETIC
    assert reference.positions[:, 0] == pytest.approx(radius * np.sin(turned), abs=1e-9)
    assert reference.positions[:, 1] == pytest.approx(radius * (1 - np.cos(turned)), abs=1e-9)


def test_the_stand_in_on_the_ramp_climbs_it_with_5_percent_slip():
    reference = load_reference(BY_NAME["ramp"], ROBOT, load_course("ramp"), None)
    pitch = -reference.rotations.as_euler("ZYX")[:, 1]
    assert pitch[50] == pytest.approx(np.radians(20.0), abs=0.01)
    steps = np.linalg.norm(np.diff(reference.positions[45:60], axis=0), axis=1)
    assert steps == pytest.approx(0.95 * 0.03, rel=0.01)


def test_a_recording_counts_where_there_is_one(tmp_path):
    circular = BY_NAME["circular"]
    time = np.linspace(0.0, 10.0, 11)
    units = {"y": "m", "z": "m", "roll": "rad", "pitch": "rad", "yaw": "rad"}
    columns = {name: Column(np.zeros(11), unit) for name, unit in units.items()}
    log = Log({"time": Column(time, "s"), "x": Column(0.1 * time, "m"), **columns})
    write_log(log, tmp_path / "circular.csv")
    reference = load_reference(circular, ROBOT, load_course("flat"), tmp_path)
    assert reference.source.endswith("circular.csv")
    assert reference.positions[-1] == pytest.approx([1.0, 0.0, 0.0])
    short = Log({name: Column(log[name][:5], log.unit(name)) for name in log})
    write_log(short, tmp_path / "circular.csv")
    with pytest.raises(InvalidLog, match="must last 10 s"):
        load_reference(circular, ROBOT, load_course("flat"), tmp_path)


def test_metrics_against_targets():
    assert measure(BY_NAME["straight"], still(x=2.9), None)["d_t"] == pytest.approx(0.1)
    assert measure(BY_NAME["back-and-forth"], still(y=0.3), None)["d_st"] == pytest.approx(0.3)
    stood = measure(BY_NAME["stand"], still(z=-0.1, pitch=0.2), None)
    assert (stood["d_st"], stood["d_omega"]) == pytest.approx((0.1, 0.2))
    assert (stood["reach"], stood["bump"]) == pytest.approx((0.1, 0.0))


def test_a_robot_that_never_turns_scores_well_in_p1s_angle_and_badly_unwrapped():
    # 2 pi - 6 = 0.283 rad, less than the 0.5 rad of 4wheels in Table I.
    found = measure(BY_NAME["rotate"], still(), None)
    assert found["d_omega"] == pytest.approx(0.283185, abs=1e-6)
    assert found["d_yaw"] == pytest.approx(-6.0)


def test_sums_count_samples_and_means_do_not():
    reference = Trajectory(
        positions=np.zeros((300, 3)), rotations=Rotation.identity(300), source="file"
    )
    found = measure(BY_NAME["pallet"], still(300, x=0.3, z=0.4, yaw=0.1), reference)
    assert found["sum_d_t"] == pytest.approx(150.0)
    assert (found["mean_d_t"], found["last_d_t"]) == pytest.approx((0.5, 0.5))
    assert found["sum_d_omega"] == pytest.approx(30.0)


def test_repeated_runs_start_nearby_and_the_first_exactly():
    loaded = BY_NAME["straight"].scenario.vary(model="ideal").load()
    drives = [drive_scenario(loaded, run) for run in (0, 1, 1)]
    exact, first, again = (drive for drive, _ in drives)
    assert (exact.start.x, exact.start.y) == (0.0, 0.0)
    assert 0.0 < abs(first.start.x) < 0.01
    assert np.array_equal(first.positions, again.positions)
    assert len(exact.positions) == 100


def test_a_run_that_is_no_longer_finite_or_interrupted_is_no_result(monkeypatch):
    loaded = BY_NAME["straight"].scenario.vary(model="ideal").load()

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("grouser.simulation.Simulation.advance", stop)
    with pytest.raises(KeyboardInterrupt):
        drive_scenario(loaded, 0)
    monkeypatch.undo()
    advance = type(loaded.start().plant).advance

    def diverge(plant, command, duration):
        advance(plant, replace(command, belt_speeds=(float("nan"),) * 2), duration)

    monkeypatch.setattr(type(loaded.start().plant), "advance", diverge)
    with pytest.raises(NotFinite, match=r"is no longer finite at 0\.01 s"):
        drive_scenario(loaded, 0)

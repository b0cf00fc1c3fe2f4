"""Figures and numbers over several experiments of a paper, from what was run."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from grouser.geometry import Pose
from grouser.papers.p0.experiments import compare_courses, draw_errors
from grouser.papers.p1.claims import compare_times, slower_pairs
from grouser.papers.p1.comparison import AXES, Drive, draw_scenario
from grouser.papers.p1.reference import Trajectory, sample_times
from grouser.papers.p1.scenarios import P1_MODELS, SCENARIOS, tuned_values
from grouser.papers.p4.claims import draw_outcomes, name_step, read_steps
from grouser.papers.paper import draw_stems


def ideal_drive(speed: float, rate: float, count: int) -> Drive:
    time = 0.1 * np.arange(1.0, count + 1.0)
    return Drive(
        start=Pose(),
        positions=np.outer(time, [speed, 0.0, 0.0]),
        rotations=Rotation.from_rotvec(np.outer(time, [0.0, 0.0, rate])),
        yaw=float(rate * time[-1]),
    )


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_every_scenario_has_a_figure(scenario):
    drive = ideal_drive(0.3, 0.6, len(sample_times(scenario)))
    reference = Trajectory(positions=drive.positions, rotations=drive.rotations, source="")
    panel = draw_scenario(scenario, "csm", drive, reference)
    assert [line.name for line in panel.series] == ["stand-in for the robot", "csm"]
    assert np.array_equal(panel.series[0].y, panel.series[1].y)
    assert scenario.name in AXES


def test_a_heading_is_drawn_beyond_half_a_turn_and_an_ideal_drive_is_never_behind():
    by_name = {scenario.name: scenario for scenario in SCENARIOS}
    (turned,) = draw_scenario(by_name["rotate"], "csm", ideal_drive(0.0, 0.6, 100), None).series
    assert turned.y[-1] == pytest.approx(6.0)
    (behind,) = draw_scenario(by_name["straight"], "csm", ideal_drive(0.3, 0.0, 100), None).series
    assert np.abs(behind.y).max() < 1e-9


def test_searched_values_are_of_parameters_and_within_their_ranges():
    assert {"csm", "4wheels"} <= tuned_values().keys()
    for name, values in tuned_values().items():
        parameters = {parameter.name: parameter for parameter in P1_MODELS[name].parameters}
        assert values.keys() == parameters.keys()
        for parameter, value in values.items():
            assert parameters[parameter].low <= value <= parameters[parameter].high


def test_a_model_is_compared_with_the_next_that_takes_three_times_as_long():
    assert ("csm", "plates10g") in slower_pairs()  # 38.9 s and 203.5 s
    assert ("plates10", "plates2g") in slower_pairs()  # 254.9 s and 2241.3 s
    assert not any(faster.startswith("plates2") for faster, _ in slower_pairs())
    times = {"processor time, csm": 10.0, "processor time, plates10g": 9.0}
    assert compare_times(times) == {"csm faster than plates10g": 0.0}


def test_courses_are_compared_only_if_both_were_driven():
    driven = {"rms position error, course 2": 0.1}
    assert compare_courses(driven) == {}
    driven["rms position error, course 3"] = 0.2
    assert compare_courses(driven) == {"course 2 is followed better than course 3": 1.0}
    assert draw_errors(driven) == ()


def test_an_outcome_is_marked_beside_what_p4_saw():
    assert draw_outcomes({}) == ()
    first = read_steps()[0]
    (panel,) = draw_outcomes({name_step(first.angle_deg, first.height_mm): 0.0})
    assert [(mark.symbol, mark.words) for mark in panel.marks] == [("no", "P4: climbs")]


def test_a_stem_goes_from_zero_to_its_number():
    panel = draw_stems("k", "t", "y", ["a", "b"], {"ours": ([1.0, 3.0], "#000000")})
    (line,) = panel.series
    assert np.array_equal(line.y, [0.0, 1.0, np.nan, 0.0, 3.0, np.nan], equal_nan=True)
    assert panel.x_names == ("a", "b")

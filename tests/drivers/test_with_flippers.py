"""Flippers by the clock."""

import numpy as np
import pytest

from grouser.description import load_course, load_robot
from grouser.drivers import Constant, Sides, WithFlippers
from grouser.errors import InvalidValue
from grouser.models import make_model
from grouser.simulation import Simulation

ROBOT = load_robot("absolem")
STAND = Constant(ROBOT, Sides())


def test_angles_hold_until_the_next_are_due():
    driver = WithFlippers(STAND, ROBOT, [(1.0, (0.1,) * 4), (2.0, (0.2,) * 4)])
    motion = Simulation(make_model("ideal"), ROBOT, load_course("flat")).motion
    rest = tuple(flipper.rest_angle for flipper in ROBOT.flippers)
    assert [driver(t, motion).flipper_angles for t in (0.5, 1.0, 1.99, 2.0)] == [
        rest, (0.1,) * 4, (0.1,) * 4, (0.2,) * 4
    ]  # fmt: skip


def test_the_angles_are_in_the_log_and_reached():
    simulation = Simulation(make_model("ideal"), ROBOT, load_course("flat"))
    simulation.run(WithFlippers(STAND, ROBOT, [(0.0, (-0.5, -0.5, 0.5, 0.5))]), duration=2.0)
    log = simulation.log()
    name = ROBOT.flippers[0].name
    assert log[f"flipper_angle_commanded.{name}"][-1] == -0.5
    assert log[f"flipper_angle.{name}"][-1] == pytest.approx(-0.5)


@pytest.mark.parametrize(
    ("schedule", "sentence"),
    [
        ([(0.0, (0.1,))], "flipper angles at 0 s must be a finite number for each flipper"),
        ([(0.0, np.deg2rad((10.0,) * 3))], "at 0 s must .*, not '10/10/10 deg'"),
        ([(0.0, (np.nan,) * 4)], "must be a finite number for each flipper"),
        ([(1.0, (0.0,) * 4), (1.0, (0.1,) * 4)], "times of flipper angles must rise"),
    ],
)
def test_a_schedule_that_does_not_fit_is_refused(schedule, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        WithFlippers(STAND, ROBOT, schedule)

"""Models and ghosts that a course allows, and the reasons against others."""

import pytest

from grouser import Scenario, load_course, load_robot
from grouser.errors import Unsupported
from grouser.viewer.able import check_names, why_no_ghost, why_no_model


def test_the_reason_is_the_sentence_of_the_command_line():
    reason = why_no_model(load_course("step"), "icr")
    assert reason is not None
    assert reason.brief == "needs steps"
    with pytest.raises(Unsupported) as caught:
        check_names(Scenario(robot="tp100", course="step", model="slip"), ("icr",))
    assert reason.sentence == str(caught.value)


@pytest.mark.parametrize("name", ["slip", "csm", "csm:patches=8"])
def test_a_model_that_can_drive_the_course_has_no_reason_against_it(name: str):
    assert why_no_model(load_course("step"), name) is None


def test_a_model_that_does_not_exist_has_a_reason():
    reason = why_no_model(load_course("flat"), "measured")
    assert reason is not None
    assert "no model named 'measured'" in reason.sentence


@pytest.mark.parametrize(
    ("course", "ghost", "brief"),
    [
        ("flat", "csm", "drives the robot"),
        ("flat", "firm-ground", "no soil here"),
        ("soil-bin", "firm-ground", None),
        ("soil-bin", "icr", "needs soil"),
        ("flat", "icr", None),
        ("flat", "segments", "same as csm"),
        ("flat", "wheels", None),
    ],
)
def test_ghosts_have_reasons_of_their_own(course: str, ghost: str, brief: str | None):
    scenario = Scenario(robot="absolem", course=course, model="csm")
    reason = why_no_ghost(scenario, load_robot("absolem"), scenario.course.load_course(), ghost)
    assert (reason and reason.brief) == brief

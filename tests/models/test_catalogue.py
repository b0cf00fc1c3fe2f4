"""Models by name."""

import pytest

from grouser.description import load_robot, parse_course
from grouser.errors import InvalidValue, UnknownName
from grouser.models import (
    effective_width,
    make_model,
    model_parameters,
    start_model,
    steering_efficiency,
    track_icrs,
)


def test_an_unknown_model_lists_those_that_exist():
    with pytest.raises(
        UnknownName, match=r"no model named 'slipp' \(did you mean 'slip'\?\); available: csm, "
    ):
        make_model("slipp")


def test_parameters_follow_the_name():
    model = make_model("slip:step_mode=paper,slip_left=0.2")
    assert model_parameters(model) == {"step_mode": "paper", "slip_left": 0.2}
    assert make_model("slip", **model_parameters(model)) == model


def test_an_unknown_parameter_lists_those_that_exist():
    with pytest.raises(UnknownName, match="no parameter of model 'slip' named 'mode'.*step_mode"):
        make_model("slip:mode=paper")


@pytest.mark.parametrize(
    ("reference", "sentence"),
    [
        ("slip:step_mode=fast", "slip:step_mode must be one of exact, paper, not 'fast'"),
        ("icr:width_ratio=wide", "icr:width_ratio must be from 0.01 to 1000, not 'wide'"),
        ("slip:width=nan", "slip:width must be a finite number, not nan"),
    ],
)
def test_a_parameter_of_the_wrong_kind_is_refused(reference, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        make_model(reference)


def test_a_course_without_ground_is_refused():
    course = parse_course('name = "void"', "void.toml")
    with pytest.raises(InvalidValue, match="'void' must have ground"):
        start_model(make_model("ideal"), load_robot("tp100"), course)


def test_the_effective_width_of_tp100_is_the_published_one():
    # P0 Table 2: L = 27.42 cm; b / L = 0.5835.
    robot = load_robot("tp100")
    assert effective_width(robot) == pytest.approx(0.2742, abs=1e-6)
    assert steering_efficiency(robot).eta == pytest.approx(0.583516, abs=1e-5)


def test_centres_of_rotation_of_the_file_come_first():
    # The authors' public plugin of P1 defaults to a steering efficiency of 0.5.
    assert steering_efficiency(load_robot("absolem")).eta == pytest.approx(0.5)
    assert track_icrs(load_robot("absolem"), width_ratio=1.5).left_y == pytest.approx(0.75 * 0.397)

"""Which models compute the same for a robot: said where it is so, and only there."""

import numpy as np
import pytest

from grouser.description import load_course, load_robot, robot_names
from grouser.drivers import Constant, Sides
from grouser.log import Log
from grouser.log.compare import find_bit_difference
from grouser.models import explain_equal, find_equal, find_repeated, make_model
from grouser.simulation import Simulation

REFERENCES = ("segments", "segments:grousers=0", "segments:patches=6", "wheels", "wheels:count=4")


def drive(model, robot, course: str) -> Log:
    simulation = Simulation(model, robot, load_course(course))
    simulation.run(Constant(robot, Sides(left=0.1, right=0.25)), duration=0.8)
    return simulation.log()


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("name", robot_names())
def test_models_said_to_be_the_same_are_so_bit_for_bit_and_others_are_not(name, reference):
    """`segments` of a robot without grousers was a second opinion that repeated the first."""
    robot, model = load_robot(name), make_model(reference)
    equal = find_equal(model, robot)
    simpler = make_model("csm") if equal is None else equal.model
    assert simpler.name == "csm"
    parting = find_bit_difference(drive(model, robot, "rough"), drive(simpler, robot, "rough"))
    assert (parting is None) == (equal is not None), parting


def test_parameters_are_kept_and_decide():
    absolem = load_robot("absolem")
    equal = find_equal(make_model("segments:patches=6,timestep=0.002"), absolem)
    assert equal is not None
    assert equal.model == make_model("csm:patches=6,timestep=0.002")
    assert find_equal(make_model("segments:fixed=1"), load_robot("tp100")) is None
    assert find_equal(make_model("icr"), absolem) is None
    assert find_equal(make_model("csm"), absolem) is None


def test_soil_is_no_difference_either():
    robot = load_robot("tp100")
    logs = [drive(make_model(name), robot, "soil-bin") for name in ("segments", "csm")]
    assert find_bit_difference(*logs) is None
    assert np.isfinite(logs[0]["z"]).all()


def test_what_is_said_names_robot_reason_and_both_models():
    tp100, quince, zhou = (load_robot(name) for name in ("tp100", "quince", "zhou-ugv"))

    def repeated(robot, *references):
        return find_repeated({one: make_model(one) for one in references}, robot)

    assert explain_equal("segments", make_model("segments"), tp100) == (
        "tp100 has no grousers: segments computes the same as csm"
    )
    assert explain_equal("segments", make_model("segments"), quince) == ""
    assert repeated(tp100, "segments", "icr", "csm") == {
        "csm": "tp100 has no grousers: csm computes the same as segments"
    }
    assert repeated(tp100, "csm", "segments:patches=6") == {}
    assert repeated(quince, "csm", "segments", "wheels", "segments:grousers=0") == {
        "segments:grousers=0": "quince has its grousers left out: segments:grousers=0 computes "
        "the same as csm"
    }
    assert list(repeated(zhou, "csm", "segments", "wheels")) == ["segments", "wheels"]

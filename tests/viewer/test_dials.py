"""Numbers that can be changed while a run goes on."""

import math

import pytest

from grouser.control import Sticks
from grouser.scenario import Scenario
from grouser.viewer.dials import find_dials
from grouser.viewer.panels.numbers import UNCHANGED, describe
from grouser.viewer.session import Session

MODELS = ("csm", "slip", "icr:width_ratio=1.5", "frictionless")


def scenario(model: str) -> Scenario:
    return Scenario(robot="absolem", course="flat", model=model)


@pytest.mark.parametrize("model", MODELS)
def test_a_run_goes_on_with_every_number_at_both_ends_of_its_slider(model):
    session = Session(scenario(model))
    session.advance(Sticks(forward=1.0))
    for dial in find_dials(session.scenario):
        assert dial.low <= dial.value <= dial.high
        assert 20 <= (dial.high - dial.low) / dial.step <= 150
        for value in (dial.low, dial.high, dial.value):
            session.change(dial.key, value)
            session.advance(Sticks(forward=1.0))
    assert math.isfinite(float(session.motion.pose.x))


def test_a_model_offers_only_what_it_has():
    keys = {model: {dial.key for dial in find_dials(scenario(model))} for model in MODELS}
    assert {"variation.payload_z", "variation.friction", "model.angular_gain"} <= keys["csm"]
    assert "variation.friction" not in keys["frictionless"]
    assert keys["slip"] == {"robot.drive.speed_limit_m_s", "robot.drive.acceleration_limit_m_s2"}
    assert "model.width_ratio" in keys["icr:width_ratio=1.5"]
    assert not any(
        "timestep" in key or "patches" in key for found in keys.values() for key in found
    )


def test_changes_are_described_beside_the_numbers_of_the_file():
    dials = find_dials(scenario("csm"))
    changes = {"variation.friction": 0.4, "variation.mass": 1.0, "model.word": "x"}
    assert describe(dials, changes).splitlines() == [
        "Changed:",
        "- `variation.friction` = 0.4 (file: 1)",
        "- `model.word` = x",
    ]
    assert describe(dials, {"variation.mass": 1.0}) == UNCHANGED

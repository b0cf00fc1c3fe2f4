"""What every parameter of every model may be."""

import math

import numpy as np
import pytest

from grouser.description import load_course, load_robot
from grouser.errors import InvalidValue, NotFinite
from grouser.models import CATALOGUE, command_sides, make_model, vary_model
from grouser.models.parameters import Declared, declared_parameters
from grouser.simulation import Simulation

PARAMETERS = [
    (name, key, declared)
    for name, kind in CATALOGUE.items()
    for key, declared in declared_parameters(kind).items()
]
NUMBERS = [parameter for parameter in PARAMETERS if parameter[2].range is not None]
TP100, FLAT = load_robot("tp100"), load_course("flat")


def words(parameter: tuple[str, str, Declared]) -> str:
    return ":".join(parameter[:2])


@pytest.mark.parametrize("parameter", PARAMETERS, ids=words)
def test_what_is_not_declared_is_refused_by_name_value_and_range(parameter):
    name, key, declared = parameter
    bad = [math.nan, math.inf, -math.inf, 1e-300, 1e300, 10**400, "word", b"1", [1.0], 1j, object()]
    if declared.range is not None:
        low, high = declared.range.ends
        bad = [v for v in bad if not (v == 1e-300 and low <= 0.0)]  # as good as zero
        bad += [low - 1e-6 * max(abs(low), 1.0), high * 1.001, True]
        bad += [] if declared.many else [np.array([1.0])]
        bad += [low + 0.5] if declared.range.whole else []
    if not declared.optional:
        bad.append(None)
    for value in bad:
        with pytest.raises(InvalidValue) as error:
            make_model(name, **{key: value})
        sentence = str(error.value)
        assert sentence.startswith(f"{name}:{key} must {declared.required}, not "), sentence


@pytest.mark.parametrize("parameter", PARAMETERS, ids=words)
def test_defaults_and_ends_are_allowed(parameter):
    name, key, declared = parameter
    assert declared.misfit(getattr(CATALOGUE[name](), key)) is None
    for end in declared.range.ends if declared.range else declared.choices or (0, 1, True):
        assert declared.misfit(end) is None


def test_one_bad_number_of_many_is_named():
    with pytest.raises(InvalidValue, match=r"csm:friction_factor must be from 0 to 100, not -1\.0"):
        make_model("csm", friction_factor=np.array([0.5, -1.0, 2.0]))
    with pytest.raises(InvalidValue, match=r"csm:mass_factor must be .* not 1000000\.0"):
        vary_model(make_model("csm:mass_factor=1000"), mass=1000.0)
    with pytest.raises(InvalidValue, match="must be from"):
        make_model("csm", friction_factor=np.array(["a"]))


@pytest.mark.parametrize("parameter", NUMBERS, ids=words)
@pytest.mark.parametrize("end", [0, 1], ids=["least", "most"])
def test_a_model_at_an_end_of_a_range_runs_or_says_why_not(parameter, end):
    name, key, declared = parameter
    value = declared.range.ends[end]
    try:
        simulation = Simulation(make_model(name, **{key: value}), TP100, FLAT)
        is_slow = name == "plates" or value == 1e-5
        for _ in range(3 if is_slow else 100):
            simulation.advance(command_sides(TP100, 0.1, 0.05))
    except NotFinite:
        return
    except InvalidValue as error:
        sentence = str(error)
    else:
        sentence = ""
        assert math.isfinite(simulation.motion.pose.x)
    # What does not fit the robot or another parameter; a gain must fit the timestep.
    assert not sentence or key in sentence or "gain" in sentence

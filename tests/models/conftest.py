"""What the laws of motion are tested with."""

import pytest

from grouser.description import Course, Robot, load_course, load_robot
from grouser.models import CATALOGUE, Model, make_model


@pytest.fixture(params=sorted(CATALOGUE))
def model(request: pytest.FixtureRequest) -> Model:
    return make_model(request.param)


@pytest.fixture(params=["tp100", "quince", "zhou-ugv"])
def robot(request: pytest.FixtureRequest) -> Robot:
    return load_robot(request.param)


@pytest.fixture(scope="session")
def flat() -> Course:
    return load_course("flat")

"""Boards to test: simulated ones, or the one at `--port`."""

from collections.abc import Iterator

import pytest

from grouser.geometry import Pose, Twist
from grouser.hil.connection import Link
from grouser.hil.links import LockstepLink
from grouser.hil.python_board import PythonBoard
from grouser.hil.serial_port import SerialPort
from grouser.hil.simulated_board import SimulatedBoard
from grouser.models import Motion
from tests.hil.bench import Bench


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--port",
        default=None,
        help="Serial port of a real board to test as well, tracks off the ground.",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "any_link" in metafunc.fixturenames:
        port = metafunc.config.getoption("--port", default=None)
        kinds = ["python", "firmware", *([port] if port else [])]
        metafunc.parametrize("any_link", kinds, indirect=True)


@pytest.fixture
def any_link(request: pytest.FixtureRequest) -> Iterator[Link]:
    """A line to each kind of board in turn."""
    match request.param:
        case "python":
            link: Link = LockstepLink(PythonBoard(seed=1))
        case "firmware":
            link = LockstepLink(SimulatedBoard(seed=1))
        case port:
            link = SerialPort(port)
    yield link
    link.close()


@pytest.fixture
def any_bench(any_link) -> Iterator[Bench]:
    """Each kind of board, connected; its motors are off in the end."""
    bench = Bench(any_link)
    yield bench
    bench.talk.estop()
    bench.line.flush()


@pytest.fixture
def bench() -> Bench:
    """The board in Python, armed."""
    return Bench(LockstepLink(PythonBoard(seed=1))).arm()


@pytest.fixture
def standing() -> Motion:
    """The motion of a TP100 that stands."""
    still = (0.0, 0.0)
    return Motion(
        pose=Pose(), twist=Twist(), belt_speeds_commanded=still, belt_speeds=still,
        belt_travels=still,
    )  # fmt: skip

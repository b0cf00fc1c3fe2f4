"""One file with the 3D replay and the charts."""

import re
import sys
from dataclasses import replace

import pytest

from grouser.description import load_course, load_robot
from grouser.errors import InvalidLog, InvalidValue, MissingExtra
from grouser.log import Log, Provenance
from grouser.models import make_model
from grouser.scenario import replay
from grouser.simulation import Constant, Sides, Simulation
from grouser.viewer import replay_page as module
from grouser.viewer.replay_page import write_replay


@pytest.fixture(scope="module")
def log() -> Log:
    robot = load_robot("tp100")
    simulation = Simulation(make_model("slip"), robot, load_course("flat"), seed=1)
    simulation.run(Constant(robot, Sides(left=0.1, right=0.16)), duration=12.0)
    return simulation.log()


def test_the_page_has_everything_inside_and_may_fetch_nothing(log, tmp_path):
    path = tmp_path / "new" / "run.html"
    write_replay(log, path, others=[replay(log, "ideal")])
    text = path.read_text()
    assert text.count("<h1>") == 1
    assert "tp100 on flat: slip, ideal" in text
    assert "connect-src blob: data:;" in text
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    assert "http" not in policy[1]
    assert not re.search(r"""<(?:script|link|img|iframe)[^>]+(?:src|href)=["']?(?:http|//)""", text)
    assert text.count("plotly.js v") == 1, "the script of the charts is there once"
    assert "yaw [deg]" in text
    assert "Provenance" in text
    assert len(text) < 9e6


def test_a_long_log_moves_in_larger_steps(log, tmp_path, monkeypatch):
    def size(most: int) -> int:
        monkeypatch.setattr(module, "MAX_FRAMES", most)
        write_replay(log, tmp_path / "run.html")
        return len((tmp_path / "run.html").read_text())

    assert size(20) < size(6000) - 10_000


def test_steps_reach_both_ends():
    assert list(module._steps(1.0, 2.0, 0.4)) == pytest.approx([1.0, 1.4, 1.8, 2.0])
    assert list(module._steps(0.0, 1.0, 0.5)) == pytest.approx([0.0, 0.5, 1.0])
    assert list(module._steps(3.0, 3.0, 0.5)) == [3.0]


def test_what_cannot_be_replayed_is_refused_in_a_sentence(log, tmp_path, monkeypatch):
    with pytest.raises(InvalidValue, match=r"name of a replay must end in \.html"):
        write_replay(log, tmp_path / "run.htm")
    with pytest.raises(InvalidLog, match="slip: the log does not contain its robot"):
        write_replay(replace(log, provenance=Provenance(model="slip")), tmp_path / "run.html")
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(MissingExtra, match=r"'viser'.*grouser\[viewer\]"):
        write_replay(log, tmp_path / "run.html")
    assert list(tmp_path.iterdir()) == []

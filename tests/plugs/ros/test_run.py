import json
import subprocess

import psutil
import pytest

from grouser.cli import main
from grouser.log import read_log
from tests.breaking import MESSAGE, PLACE, install
from tests.plugs.ros.bench import HERE, ROOT, environment, foreign, robots, ros_python


def test_without_rclpy_one_sentence_says_what_to_install(capsys):
    assert main(["ros"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "needs the package 'rclpy' of ROS 2" in said
    assert "pip install 'grouser[ros]'" in said


@pytest.mark.parametrize(
    ("words", "domain", "sentence"),
    [
        ((), "500", "ROS_DOMAIN_ID must be a whole number from 0 to 232, not '500'"),
        (("-p", "publish_rate:=fast"), "103", "parameter publish_rate: Trying to set parameter"),
    ],
)
def test_what_ros_2_was_given_wrongly_is_one_sentence(words, domain, sentence):
    command = [ros_python("jazzy"), "-m", "grouser", "ros", "--", "--ros-args", *words]
    done = subprocess.run(
        command, env=environment(0, ROS_DOMAIN_ID=domain, PYTHONWARNINGS="ignore"),
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith(f"grouser: {sentence}")
    assert done.stderr.count("\n") == 1


def test_two_robots_have_namespaces_frames_one_clock_and_ports_on_loopback(tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.toml").write_text('robot = "tp100"\ncourse = "flat"\n')
    files = [str(tmp_path / f"{name}.toml") for name in ("one", "two")]
    with robots("jazzy", 104, tmp_path / "log", *files, "--namespace", "a", "b") as process:
        foreign("jazzy", 104, str(HERE / "two.py"), str(tmp_path / "seen.json"))
        sockets = psutil.Process(process.pid).net_connections(kind="udp")
    found = json.loads((tmp_path / "seen.json").read_text())
    assert found["seen"]["a"][:2] == ["a/base_link", "map"]
    assert found["seen"]["b"][:2] == ["b/base_link", "map"]
    assert found["seen"]["a"][2] > 0.05
    assert found["seen"]["b"][2] == 0.0
    assert found["clocks"] == ["/a"]
    first = 7400 + 250 * 104  # ports of the domain, by the wire protocol of DDS
    places = {s.laddr.ip for s in sockets if first <= s.laddr.port < first + 250}
    assert places == {"127.0.0.1"}


def test_physics_whose_tick_raises_is_published_as_standing_with_a_sentence_and_resets(tmp_path):
    words = ("--robot", "tp100", "--course", "flat", "--model", "breaking", "--out", "a.csv")
    path = (install(tmp_path / "plugin"), ROOT)
    with robots("jazzy", 105, tmp_path / "log", *words, path=path):
        foreign("jazzy", 105, str(HERE / "stopped.py"), str(tmp_path / "seen.json"))
    found = json.loads((tmp_path / "seen.json").read_text())
    assert [found[word] for word in ("drove", "stopped", "stands", "again")] == [True] * 4
    assert PLACE in found["message"]
    assert found["resume"][0] is False
    assert "reset the simulation to continue" in found["resume"][1]
    assert found["reset"][0] is True
    said = (tmp_path / "log").read_text()
    assert said.count(f"{MESSAGE}; call ~/reset to continue") == 1
    assert read_log(tmp_path / "a.csv").provenance.status == "complete"  # of the run after it

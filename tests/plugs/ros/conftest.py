import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from grouser.log import read_log
from grouser.storage import write_atomically
from tests.plugs.ros.bench import HERE, foreign, robots, write_robot

PAIRS = {"jazzy": "kilted", "kilted": "jazzy"}
"""Distribution of the robot, and that of the foreign node."""
DOMAINS = {"jazzy": 101, "kilted": 102}


def probe(distribution: str, folder: Path) -> dict[str, Any]:
    """Return what a foreign node saw of a robot on a slope, and how the robot's process ended."""
    robot, log, results = write_robot(folder / "robot.toml"), folder / "log", folder / "results"
    other = folder / "other.toml"
    other.write_text('robot = "tp100"\ncourse = "flat"\nmodel = "csm"\n')
    domain, words = DOMAINS[distribution], ("--course", "slope:angle_deg=5", "--model", "slip")
    record = folder / "record.mcap"
    words = ("--robot", str(robot), *words, "--out", str(record))
    with robots(distribution, domain, log, *words) as process:
        script = (str(HERE / "probe.py"), str(results), str(other))
        foreign(PAIRS[distribution], domain, *script)
    found = json.loads(results.read_text())
    recorded = list(read_log(record)) if record.exists() else []
    return {**found, "exit": process.returncode, "log": log.read_text(), "recorded": recorded}


def probe_once(distribution: str, folder: Path) -> dict[str, Any]:
    """Return the same; of several processes that run tests, one probes and the others wait."""
    done = folder / "done.json"
    try:
        folder.mkdir()
    except FileExistsError:
        for _ in range(1800):
            if done.exists():
                return json.loads(done.read_text())
            time.sleep(0.1)
        raise
    found: dict[str, Any] = {}
    try:
        found = probe(distribution, folder)
    finally:
        write_atomically(done, json.dumps(found))
    return found


@pytest.fixture(scope="session", params=sorted(PAIRS))
def seen(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """What a foreign node of the other distribution saw of a robot."""
    folder = tmp_path_factory.getbasetemp()
    shared = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    return probe_once(request.param, shared / f"ros-{request.param}")

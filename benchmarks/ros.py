"""Measure `grouser ros` of one ROS 2 distribution by foreign nodes of another one.

    python -m benchmarks.ros latency rates cpu sleeper flood follow --seconds 20

The environments are those of `make ros`. Numbers are of this machine and its load now.
"""

import argparse
import json
import os
import tempfile
from pathlib import Path

from tests.plugs.ros.bench import foreign, robots

HERE = Path(__file__).parent
PAIRS = (("jazzy", "kilted"), ("kilted", "jazzy"))
FOLLOWED = ("odom", "odom/compensated", "odom/truth")
"""Topics of the three odometries."""


def measure(
    name: str, argument: str, pair: tuple[str, str], robot: str, model: str, domain: int
) -> dict:
    """Return one measurement."""
    course = "behaviour-2" if name == "follow" else "flat"
    with tempfile.TemporaryDirectory() as folder:
        words = ("--robot", robot, "--course", course, "--model", model)
        with robots(pair[0], domain, Path(folder) / "log", *words):
            script = str(HERE / "ros_foreign.py")
            printed = foreign(pair[1], domain, script, name, argument, timeout=2000.0)
    return json.loads(printed.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.ros", description=__doc__)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--robot", default="tp100", help="a name, or the file of `identify`")
    parser.add_argument("--model", default="csm")
    parser.add_argument("--robot-in", choices=("jazzy", "kilted", "both"), default="both")
    parser.add_argument("--domain", type=int, default=60)
    asked = parser.parse_args()
    pairs = [pair for pair in PAIRS if asked.robot_in in (pair[0], "both")]
    domain, is_file = asked.domain, Path(asked.robot).is_file()
    robot = str(Path(asked.robot).resolve()) if is_file else asked.robot
    for name in asked.names:
        usual = {"latency": ("300",), "follow": FOLLOWED}
        for pair in pairs:
            for argument in usual.get(name, (str(asked.seconds),)):
                found = measure(name, argument, pair, robot, asked.model, domain)
                domain += 1
                load = os.getloadavg()[0]
                what = {"measured": name, "robot": pair[0], "foreign": pair[1], "of": argument}
                what |= {"robot_file": asked.robot, "model": asked.model, "load": load}
                print(json.dumps({**what, **found}), flush=True)


if __name__ == "__main__":
    main()

"""Scenario files.

Nonsense: a scenario that does not come back from its own TOML, numbers that are not finite or
absurd, flippers whose times do not increase, factors of nothing.
"""

import json
import math
from pathlib import Path

from grouser.scenario import Scenario
from tests.fuzz.target import Target, require, write_input

FULL = b"""grouser = 1
robot = { name = "absolem", set = { "drive.speed_limit_m_s" = 0.6 } }
course = { name = "staircase", set = { "terrain.stairs.rise_m" = 0.12 } }
model = { name = "csm", patches = 2 }
driver = { name = "follow", speed = 0.4 }
start = { x_m = 0.2, y_m = 0.0, yaw_deg = 5.0 }
speed_m_s = 0.3
tick_s = 0.02
duration_s = 25.0
stuck_after_s = 5.0
tipped_deg = 60.0
seed = 7
contacts = true
variation = { friction = 0.9, mass = 1.1, gain_left = 0.9 }
[[flippers]]
at_s = 0.0
angles_deg = [0.0, 0.0, 0.0, 0.0]
[[flippers]]
at_s = 4.0
angles_deg = [10.0, 10.0, 0.0, 0.0]
[[observers]]
name = "ekf"
camera = "no"
"""


def _read(content: bytes, folder: Path) -> Scenario:
    scenario = Scenario.read(write_input(folder, ".toml", content))
    require(Scenario.parse(scenario.to_toml()) == scenario, "it does not come back from TOML")
    plain = json.loads(json.dumps(scenario.content(), allow_nan=False))
    require(Scenario.from_content(plain) == scenario, "it does not come back from JSON")
    return scenario


def _check(scenario: Scenario) -> None:
    numbers = [scenario.speed, scenario.tick, scenario.stop.duration, scenario.stop.stuck_after]
    require(all(n is None or 0.0 < n < 1e8 for n in numbers), f"numbers {numbers}")
    require(0 <= scenario.seed < 2**63, f"seed {scenario.seed}")
    times = [keyframe.time for keyframe in scenario.flippers]
    require(all(a < b for a, b in zip(times, times[1:], strict=False)), f"times {times[:5]}")
    angles = [angle for keyframe in scenario.flippers for angle in keyframe.angles]
    require(all(abs(angle) < 1e5 for angle in angles), "angles")
    if (start := scenario.start_pose) is not None:
        place = (start.x, start.y, start.yaw)
        require(all(math.isfinite(n) and abs(n) < 1e6 for n in place), f"start {place}")
    factors = scenario.variation
    require(1e-4 < factors.friction * factors.mass < 1e7, f"factors {factors}")


TARGETS = [
    Target(
        name="scenario TOML",
        samples=lambda: [FULL, b'robot = "tp100"\ncourse = "slope:angle_deg=10"\n'],
        attempt=_read,
        check=_check,
        words=(
            "yaw_rad = 1e9",
            "seed = 9223372036854775808",
            "parameters = { name = 'x' }",
            "text = 'a = 1'",
            "set = { a = 1 }",
            "[[flippers]]",
            "[variation]",
            "tipped_rad = 0",
        ),
    )
]

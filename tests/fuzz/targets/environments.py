"""Options of environments, as keyword arguments of `load_task`.

Nonsense: a speed, duration or corridor that is not positive, a goal beyond the path, a range that
is not ordered.
"""

import json
import math
from pathlib import Path

from grouser.envs.task import LoadedTask, load_task
from grouser.errors import GrouserError
from tests.fuzz.target import Target, require

SAMPLES = (
    {"task": "FlatTracking", "speed": 0.1, "duration": 20.0, "corridor": 0.2, "model": "ideal"},
    {
        "task": "FlatTracking",
        "model": "ideal",
        "goal": 1.0,
        "scan": False,
        "randomisation": {"offset": [-0.1, 0.1], "yaw": [0.0, 0.1], "speed": [0.9, 1.0]},
    },
)


def _read(content: bytes, folder: Path) -> LoadedTask:
    try:
        given = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise GrouserError("not JSON") from error
    if not isinstance(given, dict):
        raise GrouserError("no keyword arguments")
    loaded = load_task(given.pop("task", "FlatTracking"), **given)
    _ = (loaded.max_steps, loaded.length)
    return loaded


def _check(loaded: LoadedTask) -> None:
    numbers = (loaded.speed, loaded.top_speed, loaded.goal, loaded.task.corridor)
    require(all(0.0 < number < 1e6 for number in numbers), f"{numbers}")
    require(0.0 < loaded.scenario.limit < 1e8, f"{loaded.scenario.limit} s")
    require(loaded.goal <= loaded.path.length, "a goal beyond the path")
    for name in ("offset", "yaw", "speed", "friction", "mass", "gain"):
        low, high = getattr(loaded.task.randomisation, name)
        require(low <= high and math.isfinite(high - low) and high < 1e6, f"{name}: {low}, {high}")


TARGETS = [
    Target(
        name="environment",
        samples=lambda: [json.dumps(sample).encode() for sample in SAMPLES],
        attempt=_read,
        check=_check,
        names_file=False,
        words=('"robot": 3', '"weights": {}', '"flippers": 1', "NaN", "Infinity", "[1, 0]"),
    )
]

"""What the tests of gz-sim expect of its tracked vehicle on level ground, by our models.

Source: gazebosim/gz-sim, test/integration/tracked_vehicle_system.cc, for the vehicle of
test/worlds/tracked_vehicle_simple.sdf, whose body, tracks and flippers are those of our `absolem`.
The test commands a speed and a yaw rate for a second; gz-sim makes track speeds of them with a
separation of 0.4 m and a steering efficiency of 0.5. Comparable are end poses on level ground. Not
comparable: friction (gz-sim's is along circles about the centre of rotation), and its stairs,
cylinder and box, which it crosses at another speed with flippers of its own.
"""

import math
from dataclasses import dataclass

from benchmarks.agreement import MODELS, End, follow
from grouser.description import load_course, load_robot
from grouser.errors import GrouserError
from grouser.geometry import Pose
from grouser.models import command_sides

SEPARATION, EFFICIENCY = 0.4, 0.5
"""Distance of the tracks [m] and steering efficiency [1] of the test's world."""
NEAR, NEAR_HEADING = 0.1, 0.1
"""How far a position [m] and a heading [rad] may be from what the test expects."""
DURATION = 1.0
"""How long each command is driven [s]."""
QUICK_DRIVE = {"drive.speed_limit_m_s": 1.0, "drive.acceleration_limit_m_s2": 100.0}
"""Limits of the drives: the test's vehicle reaches 1 m/s within a step."""
OURS = (*(m for m in MODELS if m not in ("tankbot",)), "csm:steering_efficiency=0.5")
"""Models; with P1's steering efficiency, `csm` does what gz-sim does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """A command of the test, and where it expects the vehicle."""

    name: str
    """What is driven."""
    speed: float
    """Commanded speed [m/s]."""
    yaw_rate: float
    """Commanded yaw rate [rad/s]."""
    heading: float
    """Heading at the start [rad]."""
    expected: End
    """Where the test expects it, from its start."""


EXPECTATIONS = (
    Expectation(name="straight", speed=1.0, yaw_rate=0.0, heading=0.0,
                expected=End(x=1.0, y=0.0, z=0.0, yaw=0.0)),
    Expectation(name="in place", speed=0.0, yaw_rate=0.25, heading=0.0,
                expected=End(x=0.0, y=0.0, z=0.0, yaw=0.25)),
    Expectation(name="circle", speed=0.5, yaw_rate=0.2, heading=0.25,
                expected=End(x=0.4, y=0.15, z=0.0, yaw=0.2)),
)  # fmt: skip
"""The three on level ground."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GzRow:
    """One model."""

    model: str
    """Reference of the model."""
    ends: tuple[End, ...]
    """Where it ended, in the order of `EXPECTATIONS`."""

    def meets(self, number: int) -> bool:
        """Return whether the test of gz-sim would have passed."""
        end, wanted = self.ends[number], EXPECTATIONS[number].expected
        return (
            abs(end.x - wanted.x) <= NEAR
            and abs(end.y - wanted.y) <= NEAR
            and abs(math.remainder(end.yaw - wanted.yaw, 2.0 * math.pi)) <= NEAR_HEADING
        )


def drive_expectation(model: str, asked: Expectation) -> End:
    """Return where a model of Absolem ends by the command of a test."""
    robot = load_robot("absolem", QUICK_DRIVE)
    apart = asked.yaw_rate * SEPARATION / 2.0 / EFFICIENCY
    command = command_sides(robot, asked.speed - apart, asked.speed + apart)
    start = Pose(yaw=asked.heading)
    return follow(model, robot, load_course("flat"), [(command, DURATION)], start)


def measure_gz() -> list[GzRow]:
    """Return a row for each model that describes Absolem."""
    rows = []
    for model in OURS:
        try:
            ends = tuple(drive_expectation(model, asked) for asked in EXPECTATIONS)
        except GrouserError:
            continue
        rows.append(GzRow(model=model, ends=ends))
    return rows

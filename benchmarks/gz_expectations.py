"""What the tests of gz-sim expect of its tracked vehicle on level ground, by our models.

Source: gazebosim/gz-sim, test/integration/tracked_vehicle_system.cc, for the vehicle of
test/worlds/tracked_vehicle_simple.sdf, whose body, tracks and flippers are those of our `absolem`.
The test commands a speed and a yaw rate for a second; gz-sim makes track speeds of them with a
separation of 0.4 m and a steering efficiency of 0.5. Comparable are end poses on level ground. Not
comparable: friction (gz-sim's is along circles about the centre of rotation). Its stairs are
compared, too, at our friction; its cylinder and box are left out.
"""

import math
from dataclasses import dataclass

from benchmarks.agreement import MODELS, SLOW, TICK, End, follow
from grouser.description import load_course, load_robot
from grouser.description.load import parse_course
from grouser.errors import GrouserError
from grouser.geometry import Pose
from grouser.models import command_sides, make_model, start_model

SEPARATION, EFFICIENCY = 0.4, 0.5
"""Distance of the tracks [m] and steering efficiency [1] of the test's world."""
NEAR, NEAR_HEADING = 0.1, 0.1
"""How far a position [m] and a heading [rad] may be from what the test expects."""
DURATION = 1.0
"""How long each command is driven [s]."""
QUICK_DRIVE = {
    "drive.speed_limit_m_s": 1.0,
    "drive.acceleration_limit_m_s2": 100.0,
    "posture": "raised",
}
"""Limits of the drives: the test's vehicle reaches 1 m/s within a step."""
OURS = (*(m for m in MODELS if m != "tankbot"), "csm:steering_efficiency=0.5", "csm:engine=mujoco")
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


STAIRS = """
name = "gz-stairs"
[[terrain]]
kind = "plane"
[[terrain]]
kind = "stairs"
x_m = 2.25
count = 20
tread_m = 0.175
rise_m = 0.075
width_m = 1.0
[surfaces.ground]
friction = 0.8
"""
"""The stairs of the test's world, ahead of its start."""
CLIMB, CLIMB_DURATION = 1.0, 3.5
"""Speed [m/s] and duration [s] of the drive up the stairs."""
STAIRS_X, STAIRS_NEAR, STAIRS_Z = 3.4, 0.15, 0.55
"""Where the test expects it: x, how near, and the least z [m]."""
STAIRS_PITCH, STAIRS_PITCH_NEAR = -0.4, 0.1
"""Pitch that the test expects, nose up, and how near [rad]."""
ORIGIN = 0.0719
"""Height of the origin of gz-sim's vehicle over the ground that it stands on [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Climb:
    """Where a drive up the stairs ends: the origin of gz-sim's vehicle."""

    x: float
    """Along the stairs, from the start [m]."""
    z: float
    """Height [m]."""
    pitch: float
    """Negative is nose up [rad]."""

    @property
    def meets(self) -> bool:
        """Whether the test of gz-sim would have passed."""
        return (
            abs(self.x - STAIRS_X) <= STAIRS_NEAR
            and self.z > STAIRS_Z
            and abs(self.pitch - STAIRS_PITCH) <= STAIRS_PITCH_NEAR
        )


def climb_stairs(model: str) -> Climb:
    """Return where a model of Absolem ends on gz-sim's stairs."""
    robot = load_robot("absolem", QUICK_DRIVE)
    plant = start_model(make_model(model), robot, parse_course(STAIRS, "gz-stairs"))
    for _ in range(round(CLIMB_DURATION / TICK)):
        plant.advance(command_sides(robot, CLIMB, CLIMB), TICK)
    pose = plant.motion.pose
    pitch = float(pose.pitch)
    x, z = float(pose.x) + ORIGIN * math.sin(pitch), float(pose.z) + ORIGIN * math.cos(pitch)
    return Climb(x=x, z=z, pitch=pitch)


@dataclass(frozen=True, slots=True, kw_only=True)
class GzRow:
    """One model."""

    model: str
    """Reference of the model."""
    ends: tuple[End, ...]
    """Where it ended, in the order of `EXPECTATIONS`."""
    climb: Climb | None = None
    """Where it ended on the stairs; None if the model does not describe them."""

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
        try:
            climb = None if model in SLOW else climb_stairs(model)
        except GrouserError:
            climb = None
        rows.append(GzRow(model=model, ends=ends, climb=climb))
    return rows

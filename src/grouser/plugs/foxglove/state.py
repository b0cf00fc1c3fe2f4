"""State of the robot and diagnostics as JSON, with a schema that says each unit.

A number that is not finite is left out of its message: JSON has none.
"""

import math
import re
from typing import Any

from grouser.description import Robot
from grouser.live import Frame

NUMBER, WHOLE, TRUTH = "number", "integer", "boolean"
POSE = {"x": "m", "y": "m", "z": "m", "roll": "rad", "pitch": "rad", "yaw": "rad"}
"""Fields of a pose, and their units."""
TWIST = {
    "vx": "m/s", "vy": "m/s", "vz": "m/s",
    "roll_rate": "rad/s", "pitch_rate": "rad/s", "yaw_rate": "rad/s",
}  # fmt: skip
"""Fields of a twist, and their units."""
BELT = {"commanded": "m/s", "speed": "m/s", "travel": "m", "slip": "1"}
"""Fields of a belt, and their units."""
FLIPPER = {"commanded": "rad", "angle": "rad"}
"""Fields of a flipper, and their units."""
DIAGNOSTICS = {
    "ticks": "1", "late_ticks": "1", "lost_frames": "1", "rejected_commands": "1",
    "replaced_commands": "1", "command_timeouts": "1", "real_time_factor": "1",
    "physics_cpu": "s", "server_cpu": "s", "clients": "1",
}  # fmt: skip
"""Fields of diagnostics, and their units."""


def word(name: str) -> str:
    """Return a name as a message path can spell it."""
    return re.sub(r"\W", "_", name)


def numbers_schema(units: dict[str, str]) -> dict[str, Any]:
    """Return the JSON schema of an object of numbers."""
    fields = {name: {"type": NUMBER, "description": f"[{unit}]"} for name, unit in units.items()}
    return {"type": "object", "properties": fields}


def state_schema(robot: Robot) -> dict[str, Any]:
    """Return the JSON schema of the state of a robot."""
    belts = {word(drive.name): numbers_schema(BELT) for drive in robot.drives}
    flippers = {word(flipper.name): numbers_schema(FLIPPER) for flipper in robot.flippers}
    return {
        "title": "grouser.State",
        "type": "object",
        "properties": {
            "run": {"type": WHOLE, "description": "number of the run"},
            "tick": {"type": WHOLE, "description": "number of the tick"},
            "time": {"type": NUMBER, "description": "simulated time of the run [s]"},
            "is_paused": {"type": TRUTH, "description": "whether time stands"},
            "pose": numbers_schema(POSE),
            "twist": numbers_schema(TWIST),
            "belts": {"type": "object", "properties": belts},
            "flippers": {"type": "object", "properties": flippers},
            "tip_over_angle": {"type": NUMBER, "description": "[rad]"},
        },
    }


def diagnostics_schema() -> dict[str, Any]:
    """Return the JSON schema of diagnostics."""
    return {"title": "grouser.Diagnostics", **numbers_schema(DIAGNOSTICS)}


class StateMessages:
    """Makes the message of the state of a robot."""

    def __init__(self, robot: Robot) -> None:
        self._belts = [word(drive.name) for drive in robot.drives]
        self._flippers = [word(flipper.name) for flipper in robot.flippers]

    def __call__(self, frame: Frame) -> dict[str, Any]:
        """Return the message of a frame."""
        motion = frame.motion
        slips = motion.shown_slips or (math.nan,) * len(self._belts)
        belts = zip(
            motion.belt_speeds_commanded,
            motion.belt_speeds,
            motion.belt_travels,
            slips,
            strict=True,
        )
        angles = zip(frame.command.flipper_angles, motion.flipper_angles, strict=True)
        message = {
            "run": frame.run,
            "tick": frame.tick,
            "time": frame.time,
            "is_paused": frame.is_paused,
            "pose": known({name: getattr(motion.pose, name) for name in POSE}),
            "twist": known({name: getattr(motion.twist, name) for name in TWIST}),
            "belts": {
                name: known(dict(zip(BELT, values, strict=True)))
                for name, values in zip(self._belts, belts, strict=True)
            },
            "flippers": {
                name: known(dict(zip(FLIPPER, values, strict=True)))
                for name, values in zip(self._flippers, angles, strict=True)
            },
        }
        if motion.tip_over_angle is not None:
            message |= known({"tip_over_angle": motion.tip_over_angle})
        return message


def known(numbers: dict[str, Any]) -> dict[str, float]:
    """Return the numbers that are finite."""
    found = {name: float(value) for name, value in numbers.items()}
    return {name: value for name, value in found.items() if math.isfinite(value)}

"""Stops a run when a number is no longer finite."""

import math

from grouser.models import Motion


def find_not_finite(motion: Motion) -> str | None:
    """Return the name of a quantity of one robot that is not finite, if there is one."""
    pose, twist = motion.pose, motion.twist
    total = (
        pose.x + pose.y + pose.z + pose.roll + pose.pitch + pose.yaw
        + twist.vx + twist.vy + twist.vz + twist.roll_rate + twist.pitch_rate + twist.yaw_rate
        + sum(motion.belt_speeds)
    )  # fmt: skip
    if math.isfinite(total):
        return None
    for kind, value in (("pose", pose), ("twist", twist)):
        for name in value.__dataclass_fields__:
            if not math.isfinite(getattr(value, name)):
                return f"{kind}.{name}"
    for index, speed in enumerate(motion.belt_speeds):
        if not math.isfinite(speed):  # type: ignore[arg-type]
            return f"belt_speeds[{index}]"
    return None

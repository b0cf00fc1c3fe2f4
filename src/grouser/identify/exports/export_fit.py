"""A fit as a file: the suffix says for whom."""

import json
import math
from pathlib import Path

from grouser.errors import InvalidValue
from grouser.identify.exports.diff_drive import format_diff_drive
from grouser.identify.exports.gz_sim import format_gz_sim
from grouser.identify.exports.robot_file import format_robot
from grouser.identify.family import Setting
from grouser.identify.fit import Fit
from grouser.storage import write_atomically

SUFFIXES = (".toml", ".yaml", ".sdf", ".json")
"""How the name of an export may end: robot file, ros2_control, gz-sim, JSON."""


def export_fit(fit: Fit, path: str | Path, setting: Setting) -> None:
    """Write a fit as a robot file, for ros2_control, for gz-sim or as JSON.

    Args:
        fit: What to write.
        path: Where; its suffix chooses for whom.
        setting: The robot that the fit is of.

    Raises:
        InvalidValue: The suffix is none of these, or the family has nothing for that format.
        MissingExtra: tomlkit is not installed.
    """
    suffix = Path(path).suffix.lower()
    if suffix == ".toml":
        content = format_robot(fit, setting)
    elif suffix == ".yaml":
        content = format_diff_drive(fit, setting)
    elif suffix == ".sdf":
        content = format_gz_sim(fit, setting)
    elif suffix == ".json":
        content = json.dumps(without_nan(fit.to_dict()), indent=2) + "\n"
    else:
        raise InvalidValue("name of an export", str(path), "end in .toml, .yaml, .sdf or .json")
    write_atomically(path, content)


def without_nan(content: object) -> object:
    """Return content with null for numbers that JSON does not know."""
    if isinstance(content, dict):
        return {str(key): without_nan(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [without_nan(value) for value in content]
    if isinstance(content, float) and not math.isfinite(content):
        return None
    return content

"""The map that the options of a command ask for."""

from collections.abc import Mapping
from dataclasses import replace

from grouser.errors import InvalidValue
from grouser.log import name_file
from grouser.sweep import MAPS, Axis, Setting, SweepMap

USUAL = Setting(robot="tp100", course="flat", model="csm", drive="follow")
"""What is driven on a map that is not ready-made, unless told otherwise."""


def choose_map(
    ready: str | None, x: str | None, y: str | None, words: Mapping[str, str]
) -> SweepMap:
    """Return a ready-made map with changes, or one of its own.

    Args:
        ready: Name of a ready-made map.
        x: What is varied along the horizontal axis.
        y: What is varied along the vertical axis.
        words: Robot, course, model and driver, where they were given.

    Raises:
        UnknownName: There is no such map.
        InvalidValue: Without a ready-made map, an axis is missing; or both vary the same.
    """
    axes = {
        option: Axis.parse(f"--{option}", word) for option, word in (("x", x), ("y", y)) if word
    }
    if ready is not None:
        chosen = MAPS.find(ready)()
        changed = replace(
            chosen,
            x=_like(chosen.x, axes.get("x")),
            y=_like(chosen.y, axes.get("y")),
            setting=replace(chosen.setting, **words),
        )
        # What others have found holds for what they drove.
        same = chosen.setting == changed.setting and not _other_keys(chosen, changed)
        chosen = changed if same else replace(changed, title="", marks=(), lines=())
    elif len(axes) < 2:
        required = f"be given, both, or a ready-made map: {', '.join(MAPS)}"
        raise InvalidValue("--x and --y", " ".join(axes) or "neither", required)
    else:
        setting = replace(USUAL, **words)
        name = name_file(f"{axes['x'].key}-{axes['y'].key}", "")
        chosen = SweepMap(name=name, setting=setting, x=axes["x"], y=axes["y"])
    if chosen.x.key == chosen.y.key:
        raise InvalidValue("--y", chosen.y.key, "vary another parameter than --x")
    return chosen


def _like(ready: Axis, given: Axis | None) -> Axis:
    """Return the axis that was given; the same parameter keeps its words."""
    if given is None:
        return ready
    is_same = given.key == ready.key and not ready.shown
    return replace(given, label=ready.label) if is_same else given


def _other_keys(one: SweepMap, other: SweepMap) -> bool:
    return (one.x.key, one.y.key) != (other.x.key, other.y.key)

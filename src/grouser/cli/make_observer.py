"""Observers by name: who estimates something while a robot drives."""

from grouser.description import Course, Robot
from grouser.description.reference import parse_reference
from grouser.errors import InvalidValue, UnknownName
from grouser.identify.fusion import SlipObserver

OBSERVERS = {"ekf": ("rig", "camera")}
"""The observers, and the keys of each."""


def make_observer(reference: str, robot: Robot, course: Course, seed: int) -> SlipObserver:
    """Return the observer of a reference such as `ekf`, `ekf:rig=mine.toml` or `ekf:camera=no`.

    Raises:
        UnknownName: No observer, key or rig has that name.
        InvalidValue: A key has a value that it cannot have.
    """
    from grouser.description.load import USUAL_RIG, place_rig

    name, given = parse_reference(reference)
    if name not in OBSERVERS:
        raise UnknownName("observer", name, OBSERVERS)
    for key in given:
        if key not in OBSERVERS[name]:
            raise UnknownName(f"key of observer {name!r}", key, OBSERVERS[name])
    if given.get("camera", "yes") not in ("yes", "no"):
        raise InvalidValue("ekf:camera", given["camera"], "be yes or no")
    has_camera = given.get("camera", "yes") == "yes"
    rig = place_rig(str(given.get("rig", USUAL_RIG)), course) if has_camera else None
    return SlipObserver(robot, rig, seed=seed)

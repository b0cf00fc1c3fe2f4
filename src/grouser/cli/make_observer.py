"""The observer `ekf`, registered when it is imported."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from grouser.description import Course, Robot
from grouser.errors import InvalidValue
from grouser.simulation.observer import OBSERVERS, ObserverKind, make_observer

if TYPE_CHECKING:
    from grouser.identify.fusion import SlipObserver

__all__ = ["make_observer"]


def _build(robot: Robot, course: Course, seed: int, given: Mapping[str, Any]) -> "SlipObserver":
    from grouser.cli.film_drive import USUAL, place_rig
    from grouser.identify.fusion import SlipObserver

    if given.get("camera", "yes") not in ("yes", "no"):
        raise InvalidValue("ekf:camera", given["camera"], "be yes or no")
    has_camera = given.get("camera", "yes") == "yes"
    rig = place_rig(str(given.get("rig", USUAL)), course) if has_camera else None
    return SlipObserver(robot, rig, seed=seed)


EKF = ObserverKind(
    summary="slip of the tracks by an extended Kalman filter",
    keys={"rig": "name or file of a camera rig", "camera": "yes (if not given) or no"},
    build=_build,
)
OBSERVERS.register(EKF, "ekf")

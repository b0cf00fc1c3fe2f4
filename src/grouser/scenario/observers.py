"""Observers by name, which add columns to the log of a run, such as estimates of slip."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.control import STATE_NAMES, STATE_UNITS, Belief, FusionSettings, SlipFilter
from grouser.description import Course, Rig, Robot, load_rig, parse_rig
from grouser.description.reference import parse_reference
from grouser.errors import InvalidValue, UnknownName
from grouser.log import Column
from grouser.models import Motion, SideMeans
from grouser.scenario.parts import Part
from grouser.simulation import Observer, OverheadCamera, Reading
from grouser.simulation.observer import OBSERVERS, ObserverKind

DEFAULT_RIG = "tp100-overhead"
"""Default camera rig."""
FUSED = (
    *((f"fused.{name}", STATE_UNITS[name]) for name in STATE_NAMES),
    *((f"fused.{name}_deviation", STATE_UNITS[name]) for name in STATE_NAMES),
)
"""Name and unit of each column of a filter: means, then standard deviations."""


def check_observer(part: Part) -> None:
    """Raise UnknownName if no observer, or no key of it, has that name."""
    kind = OBSERVERS.find(part.name)
    for key in part.parameters:
        if key not in kind.keys:
            raise UnknownName(f"key of observer {part.name!r}", key, kind.keys)


def place_rig(reference: str, course: Course, text: str = "") -> Rig:
    """Return a rig, with its floor in the middle of the course's area if it has no parameters."""
    name, given = parse_reference(reference)

    def load(**more: float) -> Rig:
        if text:
            return parse_rig(text, name, **{**given, **more})
        return load_rig(reference, **more)

    rig, area = load(), course.area
    if given or area is None or not {"x_m", "y_m"} <= set(rig.parameters):
        return rig
    return load(x_m=math.fsum(area.x) / 2.0, y_m=math.fsum(area.y) / 2.0)


def keep_rig(part: Part) -> Part:
    """Return an observer's part with the text of its rig's file, so that it needs no file."""
    name, _ = parse_reference(str(part.parameters.get("rig", DEFAULT_RIG)))
    has_file = Part(name=name).is_file and part.parameters.get("camera") != "no" and not part.text
    return replace(part, text=load_rig(name).text) if has_file else part


def fused_numbers(belief: Belief) -> list[float]:
    """Return mean and standard deviation of each state, in the order of `FUSED`."""
    count = len(STATE_NAMES)
    return [*belief.mean[:count].tolist(), *belief.deviations[:count].tolist()]


def fused_columns(rows: list[list[float]]) -> dict[str, Column]:
    """Return the columns of many rows of `fused_numbers`."""
    numbers: NDArray[np.float64] = np.array(rows).reshape(-1, len(FUSED))
    return {name: Column(numbers[:, k], unit) for k, (name, unit) in enumerate(FUSED)}


class SlipObserver:
    """Runs the slip filter on encoders, gyroscope and camera, tick by tick.

    The true motion is used only for camera pictures. Columns are `fused.NAME` and
    `fused.NAME_deviation` for each state.
    """

    columns: tuple[tuple[str, str], ...] = FUSED

    def __init__(
        self,
        robot: Robot,
        rig: Rig | None,
        *,
        settings: FusionSettings | None = None,
        seed: int = 0,
    ) -> None:
        if robot.sensors.encoder is None:
            raise InvalidValue("robot", robot.name, "have encoders ([sensors.encoder])")
        self._settings = settings or FusionSettings.of(robot)
        generator = np.random.default_rng([seed, 1])
        self._camera = None if rig is None else OverheadCamera(rig, generator)
        self._sides = SideMeans.of(robot)
        self._has_gyro = robot.sensors.imu is not None
        self.filter: SlipFilter | None = None
        """The filter; None before the first tick."""

    def observe(self, time: float, motion: Motion, reading: Reading) -> Sequence[float]:
        """Return mean and deviation of each state."""
        if self.filter is None:
            # The start pose is roughly known; the camera corrects it.
            self.filter = SlipFilter(self._settings, self._settings.start(motion.pose), time)
        else:
            left, right = self._sides(reading["belt_speed_measured"])
            gyro = reading["gyro_yaw_rate"][0] if self._has_gyro else None
            self.filter.advance(time, left, right, gyro)
        if self._camera is not None:
            for sighting in self._camera.look(time, motion):
                self.filter.see(sighting.time, sighting.pose, sighting.deviations)
        return fused_numbers(self.filter.belief)


def _make_slip_observer(
    robot: Robot, course: Course, seed: int, given: Mapping[str, Any]
) -> SlipObserver:
    camera = given.get("camera", "yes")
    if camera not in ("yes", "no"):
        raise InvalidValue("ekf:camera", camera, "be yes or no")
    reference = str(given.get("rig", DEFAULT_RIG))
    rig = place_rig(reference, course, given["text"]) if camera == "yes" else None
    return SlipObserver(robot, rig, seed=seed)


OBSERVERS.register(
    ObserverKind(
        summary="pose, gyroscope bias and slip by an extended Kalman filter",
        keys={"rig": "name or file of a camera rig", "camera": "yes (if not given) or no"},
        build=_make_slip_observer,
    ),
    "ekf",
)


class ContactObserver:
    """Adds the contact forces on each part, and the angle until it tips over, to a log."""

    def __init__(self, robot: Robot) -> None:
        self._parts = [*(d.name for d in robot.drives), *(f.name for f in robot.flippers)]
        kinds = ("normal_force", "friction_force")
        columns = [(f"{kind}.{name}", "N") for name in self._parts for kind in kinds]
        self.columns: tuple[tuple[str, str], ...] = (("tip_over_angle", "rad"), *columns)

    def observe(self, time: float, motion: Motion, reading: Reading) -> Sequence[float]:
        """Return the angle, and the normal and the friction force on each part."""
        angle = motion.tip_over_angle
        forces = [force for name in self._parts for force in motion.force_on(name)]
        return math.nan if angle is None else angle, *forces


def make_observers(
    parts: Sequence[Part], robot: Robot, course: Course, seed: int, *, contacts: bool
) -> tuple[Observer, ...]:
    """Return the observers of a run."""
    made: list[Observer] = []
    for part in parts:
        check_observer(part)
        given = {**part.parameters, "text": part.text}
        made.append(OBSERVERS[part.name].build(robot, course, seed, given))
    return (*made, ContactObserver(robot)) if contacts else tuple(made)

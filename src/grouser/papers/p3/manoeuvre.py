"""Manoeuvres of P3 and their closed loop.

Amplitudes and tilts are printed; frequency, period and the first edge are lost and assumed
(0.1 Hz, 10 s, at 5 s). P3's first step in y is to its right, which is negative here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from grouser.control import PoseGains
from grouser.description import load_robot
from grouser.errors import UnknownName
from grouser.geometry import Scalar, rotate
from grouser.laws.slope import grade_forces
from grouser.log import Column, Log, Provenance
from grouser.models.planar.constants import Constants, pack_constants, robot_constants

START, HALF_PERIOD, FREQUENCY = 5.0, 10.0, 0.1
"""First edge [s], time between edges [s], frequency of sines [Hz] [A]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manoeuvre:
    """A reference over time, on a treadmill that may be tilted."""

    name: str
    """What it is called, as in `step-y-pitched`."""
    title: str
    """What it is, in words."""
    figure: int
    """Number of P3's figure."""
    shape: Literal["sine", "square"]
    """How the reference moves."""
    x: float = 0.0
    """Amplitude along the belt [m]."""
    y: float = 0.0
    """Amplitude across the belt, negative to begin to the right [m]."""
    slope: float = 0.0
    """Pitch of the treadmill as P3 counts it, uphill positive [rad]."""
    roll: float = 0.0
    """Roll of the treadmill, right side down positive [rad]."""

    def wave(self, time: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the reference relative to its amplitude [1]."""
        since = np.asarray(time, dtype=float) - START + 1e-9  # ticks are rounded multiples
        if self.shape == "sine":
            wave = np.sin(2.0 * np.pi * FREQUENCY * (since - 1e-9))
        else:
            wave = np.where(np.floor(since / HALF_PERIOD) % 2.0 == 0.0, 1.0, -1.0)
        return np.where(since >= 0.0, wave, 0.0)

    def references(self, time: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return x [m], y [m] and yaw [rad] to follow at each time."""
        wave = self.wave(time)
        return np.stack((self.x * wave, self.y * wave, 0.0 * wave), axis=-1)

    def at(self, time: float) -> tuple[float, float, float]:
        """Return x [m], y [m] and yaw [rad] to follow at one time."""
        x, y, yaw = self.references(np.array(time))
        return float(x), float(y), float(yaw)


def _all() -> tuple[Manoeuvre, ...]:
    tilt = float(np.deg2rad(2.0))
    return (
        Manoeuvre(name="sine-x", title="Sine along, 10 cm", figure=12, shape="sine", x=0.1),
        Manoeuvre(name="sine-y", title="Sine across, 5 cm", figure=11, shape="sine", y=-0.05),
        Manoeuvre(name="step-x", title="Steps along, 10 cm", figure=14, shape="square", x=0.1),
        Manoeuvre(name="step-y", title="Steps across, 10 cm", figure=13, shape="square", y=-0.1),
        Manoeuvre(
            name="step-xy", title="Steps along and across, 5 cm", figure=15, shape="square",
            x=0.05, y=-0.05,
        ),
        Manoeuvre(
            name="step-y-pitched", title="Steps across, 10 cm, 2 degrees uphill", figure=16,
            shape="square", y=-0.1, slope=tilt,
        ),
        Manoeuvre(
            name="step-y-rolled", title="Steps across, 10 cm, rolled by -2 degrees", figure=17,
            shape="square", y=-0.1, roll=-tilt,
        ),
    )  # fmt: skip


MANOEUVRES: dict[str, Manoeuvre] = {manoeuvre.name: manoeuvre for manoeuvre in _all()}
"""The seven, in the order of P3's Table 4."""


def find_manoeuvre(name: str) -> Manoeuvre:
    """Return a manoeuvre by its name.

    Raises:
        UnknownName: There is none of that name.
    """
    if name not in MANOEUVRES:
        raise UnknownName("manoeuvre", name, MANOEUVRES)
    return MANOEUVRES[name]


TREADMILL_SPEED = 0.39126
"""P3 Table 2 [m/s]."""
DURATION = 44.99
"""Usual duration of a manoeuvre: until before its fifth edge [s]."""
LONGEST_STEP = 0.00125
"""Of the integration, eight to a sample; poses are exact to 1e-5 [s]."""


def tankbot_constants(**changes: Any) -> Constants:
    """Return the Tankbot on its treadmill, as published, with some constants changed."""
    published = robot_constants(load_robot("tankbot"), treadmill_speed=TREADMILL_SPEED)
    return published._replace(**changes)


def cruise_voltage(constants: Constants) -> Scalar:
    """Return the voltage at which the robot keeps its place on the level treadmill [V]."""
    dead_zone, jump, gain, _ = constants.left_forward
    return dead_zone + (constants.drive_damping * cruise_sprocket(constants) - jump) / gain


def cruise_sprocket(constants: Constants) -> Scalar:
    """Return the sprocket speed at which the tracks have no force [rad/s]."""
    return constants.ground_speed * (1.0 - constants.shift) / constants.sprocket_radius


def run_many(
    manoeuvre: Manoeuvre,
    gains: PoseGains | None = None,
    constants: Constants | None = None,
    *,
    count: int = 1,
    duration: float = DURATION,
    every: int = 1,
    longest_step: float = LONGEST_STEP,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return times [s] and the history by robot, row and column of `closed_loop.COLUMNS`.

    Args:
        manoeuvre: What to follow.
        gains: The controller; P3's if not given.
        constants: The robot, where fields may be arrays of `count`; the Tankbot if not given.
        count: How many robots.
        duration: Simulated time [s].
        every: How many samples lie between two rows.
        longest_step: Longest step of the integration [s].
    """
    from grouser.models.planar.integrate import run_loops

    gains = PoseGains() if gains is None else gains
    constants = tankbot_constants() if constants is None else constants
    ticks = np.arange(round(duration / gains.period) + 1, dtype=np.float64)
    time: NDArray[np.float64] = ticks * gains.period
    voltage = np.broadcast_to(cruise_voltage(constants), (count,))
    states = np.zeros((count, 8))
    # Where the controller's voltage is that of cruising: the droop of a loop without integral.
    states[:, 0] = -voltage / gains.x_p
    states[:, 6:] = np.broadcast_to(cruise_sprocket(constants), (count,))[:, None]
    grades = np.empty((count, 3))
    grades[:, 0], grades[:, 1], grades[:, 2] = grade_forces(
        constants.mass, -manoeuvre.slope, manoeuvre.roll
    )
    packed = pack_constants(constants, count)
    history = run_loops(
        states, np.stack((voltage, voltage), axis=1), manoeuvre.references(time),
        np.tile(gains.effective, (count, 1)), grades, packed.records, packed.curves,
        gains.keep, gains.voltage_limit, int(gains.delay), gains.period, longest_step, every,
    )  # fmt: skip
    return time[::every], history


def run_manoeuvre(
    manoeuvre: Manoeuvre,
    gains: PoseGains | None = None,
    constants: Constants | None = None,
    **options: Any,
) -> Log:
    """Return the log of one robot that follows a manoeuvre; arguments as `run_many`.

    x and y are those of the room, along the ground: P3's error frame. `x_on_belt` is where the
    robot is for an observer on the belt: the pose in the inertial world of the model.
    """
    constants = tankbot_constants() if constants is None else constants
    time, history = run_many(manoeuvre, gains, constants, **options)
    return history_log(manoeuvre, time, history[0], constants)


def history_log(
    manoeuvre: Manoeuvre,
    time: NDArray[np.float64],
    history: NDArray[np.float64],
    constants: Constants,
) -> Log:
    """Return the history of one robot as a log, with the reference beside it."""
    from grouser.models.planar.integrate import COLUMNS

    of = dict(zip(COLUMNS, history.T, strict=True))
    vx, vy = rotate(of["x_rate"], of["y_rate"], -of["yaw"])
    speed = np.asarray(constants.ground_speed)
    columns: Mapping[str, tuple[Any, str]] = {
        "tick": (np.arange(len(time)), "1"),
        "time": (time, "s"),
        "x": (of["x"], "m"),
        "y": (of["y"], "m"),
        "yaw": (of["yaw"], "rad"),
        "vx": (vx, "m/s"),
        "vy": (vy, "m/s"),
        "yaw_rate": (of["yaw_rate"], "rad/s"),
        "belt_speed.left": (of["sprocket_left"] * constants.sprocket_radius, "m/s"),
        "belt_speed.right": (of["sprocket_right"] * constants.sprocket_radius, "m/s"),
        "motor_voltage_commanded.left": (of["voltage_left"], "V"),
        "motor_voltage_commanded.right": (of["voltage_right"], "V"),
        "x_rate": (of["x_rate"], "m/s"),
        "y_rate": (of["y_rate"], "m/s"),
        "x_on_belt": (of["x"] + speed * time, "m"),
        "track_force.left": (of["force_left"], "N"),
        "track_force.right": (of["force_right"], "N"),
        "lateral_force": (of["force_lateral"], "N"),
        "track_slip.left": (of["slip_left"], "1"),
        "track_slip.right": (of["slip_right"], "1"),
        "sideslip": (of["sideslip"], "rad"),
        "utilisation": (of["utilisation"], "1"),
        **_reference_columns(manoeuvre, time),
    }
    origin = Provenance(
        robot="tankbot",
        course="treadmill",
        model="tankbot",
        model_parameters={"resting_shift": False},
        dt=float(time[1] - time[0]),
        driver=f"manoeuvre:name={manoeuvre.name}",
    )
    return Log({name: Column(np.asarray(v), unit) for name, (v, unit) in columns.items()}, origin)


def _reference_columns(
    manoeuvre: Manoeuvre, time: NDArray[np.float64]
) -> dict[str, tuple[Any, str]]:
    references = manoeuvre.references(time)
    return {"reference_x": (references[:, 0], "m"), "reference_y": (references[:, 1], "m")}

"""Parameters of a robot's node: declared, described, and checked when they are set."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from grouser.errors import GrouserError, InvalidValue
from grouser.plugs.ros.messages import find_message_class
from grouser.plugs.ros.odometry import COMPENSATED_DEVIATION, KINEMATIC, WHEEL_DEVIATION

ODOMETRIES = ("wheel", "compensated", "truth", "none")
"""What may own the transform from odom to base_link."""
CORRECTIONS = ("start", "truth", "none")
"""What the transform from map to odom may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One parameter."""

    name: str
    """Name of the parameter."""
    default: bool | int | float | str
    """Value unless it is set; its type is the parameter's [unit of the description]."""
    text: str
    """What it is, with its unit."""
    choices: tuple[str, ...] = ()
    """Words that are allowed; any if empty."""
    low: float = -math.inf
    """Least number allowed [unit of the description]."""
    high: float = math.inf
    """Greatest number allowed [unit of the description]."""
    at_start: bool = False
    """Whether it can be set only when the node starts."""

    def check(self, value: Any) -> None:
        """Raise InvalidValue if a value is not allowed."""
        if self.choices and value not in self.choices:
            raise InvalidValue(self.name, value, f"be one of {', '.join(self.choices)}")
        if isinstance(self.default, str | bool):
            return
        if not (math.isfinite(value) and self.low <= value <= self.high):
            raise InvalidValue(self.name, value, f"be from {self.low:g} to {self.high:g}")


SETTINGS = (
    Setting(
        name="stamped", default=False,
        text="Whether cmd_vel is TwistStamped; Twist otherwise.",
    ),
    Setting(
        name="command_timeout", default=0.5, low=0.01, high=60.0, at_start=True,
        text="Belts stop after so long without a command [s].",
    ),
    Setting(
        name="odom_source", default="wheel", choices=ODOMETRIES,
        text="Odometry that owns the transform from odom to base_link.",
    ),
    Setting(
        name="map_source", default="start", choices=CORRECTIONS,
        text="Transform from map to odom: the start pose, or what puts base_link at the truth.",
    ),
    Setting(
        name="odometry_model", default="", choices=("", *KINEMATIC), at_start=True,
        text="Kinematic model of odom/compensated; by what the robot's file has if empty.",
    ),
    Setting(
        name="wheel_slip_deviation", default=WHEEL_DEVIATION, low=0.0, high=10.0, at_start=True,
        text="Deviation of slip ratios behind the covariance of odom [1].",
    ),
    Setting(
        name="compensated_slip_deviation", default=COMPENSATED_DEVIATION, low=0.0, high=10.0,
        at_start=True,
        text="Deviation of slip ratios behind the covariance of odom/compensated [1].",
    ),
    Setting(
        name="ground_known", default=False, at_start=True,
        text="Whether the slip of the robot's file was identified on this ground: odom/compensated"
        " then states 3 % of turns instead of what ground and load may change.",
    ),
    Setting(
        name="publish_rate", default=50.0, low=0.1, high=1000.0,
        text="Messages per simulated second of odometry, joints, slip, contacts and /tf [1/s].",
    ),
    Setting(
        name="publish_links", default=True, at_start=True,
        text="Whether /tf has the links of the robot; false if robot_state_publisher runs.",
    ),
    Setting(
        name="frame_prefix", default="", at_start=True,
        text="Prefix of all frames but map; the namespace if there are several robots.",
    ),
    Setting(
        name="friction", default=1.0, low=0.01, high=100.0,
        text="Factor on all friction; acts when it is set [1].",
    ),
    Setting(
        name="step_ticks", default=1, low=1, high=1_000_000,
        text="Ticks by which the service ~/step advances [1].",
    ),
    Setting(
        name="scenario", default="",
        text="Scenario file that the service ~/load_scenario loads.",
    ),
)  # fmt: skip
"""All parameters of a node, besides those of rclpy itself."""


class Parameters:
    """The parameters of one node; what acts when it is set is a callback."""

    def __init__(self, node: Any, defaults: Mapping[str, Any]) -> None:
        """Declare them, with other defaults for some.

        Raises:
            InvalidValue: A value from the command line or a file is not allowed.
        """
        self._node, self._known = node, {setting.name: setting for setting in SETTINGS}
        self._actions: dict[str, Callable[[Any], None]] = {}
        wrong_type = import_module("rclpy.exceptions").InvalidParameterTypeException
        descriptor = find_message_class("rcl_interfaces/msg/ParameterDescriptor")
        for setting in SETTINGS:
            about = descriptor(description=setting.text, read_only=setting.at_start)
            about.additional_constraints = ", ".join(word or "''" for word in setting.choices)
            value = defaults.get(setting.name, setting.default)
            try:
                node.declare_parameter(setting.name, value, about)
            except wrong_type as error:
                raise GrouserError(f"parameter {setting.name}: {error}") from None
            setting.check(self[setting.name])
        node.add_on_set_parameters_callback(self._set)

    def __getitem__(self, name: str) -> Any:
        return self._node.get_parameter(name).value

    def when_set(self, name: str, action: Callable[[Any], None]) -> None:
        """Call an action with the new value before a parameter is set; its GrouserError rejects."""
        self._actions[name] = action

    def _set(self, parameters: list[Any]) -> Any:
        result = find_message_class("rcl_interfaces/msg/SetParametersResult")
        try:
            ours = [parameter for parameter in parameters if parameter.name in self._known]
            for parameter in ours:
                self._known[parameter.name].check(parameter.value)
            for parameter in ours:
                if parameter.name in self._actions:
                    self._actions[parameter.name](parameter.value)
        except GrouserError as error:
            return result(successful=False, reason=str(error))
        return result(successful=True)


def sensor_quality() -> Any:
    """Return the quality of service of sensors: best effort, the last 5."""
    return import_module("rclpy.qos").qos_profile_sensor_data


def latched_quality() -> Any:
    """Return that of descriptions: reliable, and the last one also for those who come later."""
    qos = import_module("rclpy.qos")
    return qos.QoSProfile(
        depth=1,
        reliability=qos.ReliabilityPolicy.RELIABLE,
        durability=qos.DurabilityPolicy.TRANSIENT_LOCAL,
    )


def command_quality() -> Any:
    """Return that of commands: reliable, only the newest."""
    qos = import_module("rclpy.qos")
    return qos.QoSProfile(depth=1, reliability=qos.ReliabilityPolicy.RELIABLE)


def state_quality() -> Any:
    """Return that of odometry, joints and transforms: reliable, the last 10."""
    qos = import_module("rclpy.qos")
    return qos.QoSProfile(depth=10, reliability=qos.ReliabilityPolicy.RELIABLE)

"""Robots in ROS 2 until they are interrupted: rclpy, one node and one physics process for each."""

import os
import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from grouser.errors import GrouserError, InvalidValue
from grouser.live import Options, PhysicsProcess
from grouser.plugs.ros.node import NAME, RobotNode
from grouser.plugs.ros.packages import require_ros
from grouser.plugs.ros.settings import Parameters
from grouser.scenario import Scenario

RANGE, HERE_ONLY = "ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST"
"""Variable of the environment that limits who is found by whom, and its value for this machine."""
PROFILES = ("FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE")
"""Variables that name a file with settings of Fast DDS, of later and of earlier versions."""
RCLPY, NEW_PROFILES = ("ros-rclpy", "rclpy"), 8
"""Names of rclpy as a wheel and in an installation, and its first version, after Jazzy's 7, with a
Fast DDS that reads the first of these variables and warns of the second."""
DOMAIN, LAST_DOMAIN = "ROS_DOMAIN_ID", 232
"""Variable that keeps groups of nodes apart, and its largest value: beyond, there are no ports."""
_CHOSEN_BY_USER = ("ROS_STATIC_PEERS", "ROS_LOCALHOST_ONLY", "ROS_DISCOVERY_SERVER")
_NAMESPACE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class RosOptions:
    """How robots run in ROS 2."""

    namespaces: tuple[str, ...] = ()
    """Namespace of each robot; none of a single one, names of the robots if there are several."""
    factor: float = 1.0
    """Simulated time per wall time; infinity for as fast as possible [1]."""
    stepped: bool = False
    """Whether time passes only by the service `step`."""
    record: Path | None = None
    """File for the log of a single robot."""
    ros_arguments: tuple[str, ...] = ()
    """Arguments of ROS 2, from `--ros-args` on."""


def choose_namespaces(given: Sequence[str], robots: Sequence[str]) -> list[str]:
    """Return a namespace for each robot, by its name if there are several and none is given.

    Raises:
        InvalidValue: There are too few or too many, or one is not a name of ROS 2.
    """
    if given and len(given) != len(robots):
        raise InvalidValue("--namespace", " ".join(given), f"be {len(robots)}, one for each robot")
    found = [name.strip("/") for name in given]
    if not given:
        found = ["" if len(robots) == 1 else re.sub(r"\W", "_", name) for name in robots]
        twice = {name for name in found if found.count(name) > 1}
        found = [f"{n}_{found[: i + 1].count(n)}" if n in twice else n for i, n in enumerate(found)]
    for name in found:
        if name and not _NAMESPACE.fullmatch(name):
            raise InvalidValue("--namespace", name, "have letters, digits, _ and / only")
    if len(set(found)) < len(found):
        raise InvalidValue("--namespace", " ".join(found), "differ from robot to robot")
    return found


def check_domain() -> None:
    """Raise InvalidValue if the domain of ROS 2 is none: the middleware would end the process."""
    given = os.environ.get(DOMAIN, "").strip()
    if given and not (given.isascii() and given.isdigit() and int(given) <= LAST_DOMAIN):
        raise InvalidValue(DOMAIN, given, f"be a whole number from 0 to {LAST_DOMAIN}")


def profiles_variable() -> str:
    """Return the variable that Fast DDS reads in the ROS 2 that is there."""
    found = next((version(name) for name in RCLPY if _is_installed(name)), f"{NEW_PROFILES}")
    return PROFILES[int(found.split(".")[0]) < NEW_PROFILES]


def _is_installed(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True


def stay_on_this_machine() -> None:
    """Open ports on loopback only, and be found there only, unless the user has chosen otherwise.

    The range alone is a word in messages: Fast DDS would still open its ports to the network.
    """
    is_chosen = any(os.environ.get(name) for name in (*_CHOSEN_BY_USER, *PROFILES))
    if is_chosen or os.environ.get(RANGE, HERE_ONLY).upper() != HERE_ONLY:
        return
    os.environ[RANGE] = HERE_ONLY
    os.environ[profiles_variable()] = str(Path(__file__).with_name("loopback.xml"))


def run_robots(
    scenarios: Sequence[Scenario], options: RosOptions, say: Callable[[str], None]
) -> None:
    """Run robots until KeyboardInterrupt.

    Args:
        scenarios: What is simulated: one physics process each; robots do not see each other.
        options: How they run.
        say: Called with a sentence for the user.

    Raises:
        GrouserError: ROS 2 is missing, a scenario cannot be loaded, or a physics process ended.
    """
    require_ros()
    names = [scenario.robot.load_robot().name for scenario in scenarios]
    namespaces = choose_namespaces(options.namespaces, names)
    check_domain()
    stay_on_this_machine()
    rclpy, errors = import_module("rclpy"), import_module("rclpy._rclpy_pybind11")
    with ExitStack() as stack:
        try:
            signals = import_module("rclpy.signals").SignalHandlerOptions.NO
            rclpy.init(args=list(options.ros_arguments) or None, signal_handler_options=signals)
            stack.callback(rclpy.try_shutdown)
            executor = import_module("rclpy.executors").SingleThreadedExecutor()
            robots = [
                stack.enter_context(_Closing(_make_robot(rclpy, scenario, namespace, options, i)))
                for i, (scenario, namespace) in enumerate(zip(scenarios, namespaces, strict=True))
            ]
        except (
            errors.RCLError,
            errors.UnknownROSArgsError,
            errors.RCLInvalidROSArgsError,
        ) as error:
            reason = " ".join(str(error).split())
            raise GrouserError(f"ROS 2 could not be started: {reason}") from None
        for robot in robots:
            executor.add_node(robot.node)
            say(f"robot of {robot.node.get_fully_qualified_name()} runs; Ctrl-C ends")
            say(robot.turning_remark)
        _spin(executor, robots)


def _spin(executor: Any, robots: Sequence[RobotNode]) -> None:
    while True:
        executor.spin_once(timeout_sec=0.5)
        for robot in robots:
            if not robot.bridge.is_alive:
                raise robot.bridge.problem or GrouserError("a physics process has ended")


class _Closing:
    """Closes a robot at the end."""

    def __init__(self, robot: RobotNode) -> None:
        self._robot = robot

    def __enter__(self) -> RobotNode:
        return self._robot

    def __exit__(self, *_: object) -> None:
        self._robot.close()


def _make_robot(
    rclpy: Any, scenario: Scenario, namespace: str, options: RosOptions, number: int
) -> RobotNode:
    def start(parameters: Parameters) -> PhysicsProcess:
        chosen = Options(
            timeout=parameters["command_timeout"],
            factor=options.factor,
            stepped=options.stepped,
            log=options.record,
        )
        return PhysicsProcess(scenario, chosen)

    node = rclpy.create_node(NAME, namespace=namespace or None)
    is_several = bool(namespace)
    defaults = {"frame_prefix": namespace} if is_several else {}
    return RobotNode(node, start, defaults, has_clock=number == 0)

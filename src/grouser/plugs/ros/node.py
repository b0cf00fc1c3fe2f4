"""The node of one robot: parameters, services, and what joins topics to the physics process."""

import threading
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from grouser.errors import GrouserError, InvalidValue
from grouser.live import Frame, PhysicsProcess
from grouser.plugs.ros.bridge import Bridge
from grouser.plugs.ros.frames import FrameNames
from grouser.plugs.ros.inputs import Inputs
from grouser.plugs.ros.messages import find_message_class
from grouser.plugs.ros.odometry import turning_remark
from grouser.plugs.ros.outputs import Outputs, Subject
from grouser.plugs.ros.settings import Parameters
from grouser.scenario import Scenario

NAME = "grouser"
"""Name of the node."""
REPORT_PERIOD = 1.0
"""Time between two messages on /diagnostics [s]."""
_OK, _WARN, _ERROR = b"\x00", b"\x01", b"\x02"  # DiagnosticStatus.level


class RobotNode:
    """One robot in ROS 2."""

    def __init__(
        self,
        node: Any,
        start: Callable[[Parameters], PhysicsProcess],
        defaults: Mapping[str, Any],
        *,
        has_clock: bool = True,
    ) -> None:
        """Start the physics and make topics and services.

        Args:
            node: Node of rclpy.
            start: Starts the physics process, by the parameters.
            defaults: Parameters whose default differs.
            has_clock: Whether it publishes /clock.

        Raises:
            GrouserError: A parameter is out of its range, or the scenario cannot be loaded.
        """
        self.node, self._has_clock, self._lock = node, has_clock, threading.RLock()
        self.parameters = Parameters(node, defaults)
        """Its parameters."""
        self._names = FrameNames(self.parameters["frame_prefix"])
        self._run, self._tick, self._problem = 0, -1, ""
        self.physics = start(self.parameters)
        """The physics process."""
        self._show_scenario()
        self.bridge = Bridge(self.physics, self._take)
        """What receives frames."""
        self._parameter_actions()
        self._services()
        self._diagnostics = node.create_publisher(
            find_message_class("diagnostic_msgs/msg/DiagnosticArray"), "/diagnostics", 10
        )
        node.create_timer(REPORT_PERIOD, self._report)
        self.bridge.start()
        if self.parameters["friction"] != 1.0:
            self._set_friction(self.parameters["friction"])

    def close(self) -> None:
        """End the physics, then the node."""
        self.bridge.close()
        self.node.destroy_node()

    @property
    def turning_remark(self) -> str:
        """A sentence on how wide the robot turns, and how sure its odometry is of that."""
        model, known = self.parameters["odometry_model"], self.parameters["ground_known"]
        return turning_remark(self._robot, model, ground_known=known)

    def _show_scenario(self) -> None:
        """Make topics for what is simulated now, instead of what was before."""
        started = self.physics.started
        scenario = Scenario.from_content(started.scenario)
        subject = Subject(
            robot=scenario.robot.load_robot(),
            course=scenario.course.load_course(),
            declarations=started.declarations,
            columns=started.columns,
        )
        self._robot = subject.robot
        with self._lock:
            for old in (getattr(self, "inputs", None), getattr(self, "outputs", None)):
                if old is not None:
                    old.close()
            self.inputs = Inputs(self.node, subject.robot, self.parameters, self.physics)
            """Its subscriptions."""
            self.outputs = Outputs(
                self.node, subject, self.parameters, self._names, has_clock=self._has_clock
            )
            """Its publishers."""

    def _take(self, frame: Frame) -> None:
        """Publish a frame; frames while time stands are shown once."""
        with self._lock:
            if frame.run != self._run:
                self._run, self._tick = frame.run, -1
                self.outputs.begin(frame.motion.pose)
                self.inputs.begin()
            has_stopped = bool(frame.problem) and not self._problem
            self._problem = frame.problem
            if has_stopped:
                self._stop(frame)
            if frame.tick <= self._tick:
                return
            self._tick = frame.tick
            self.outputs.publish(frame.time, frame.motion, frame.fresh)
            self.inputs.update(frame.time, tuple(float(a) for a in frame.motion.flipper_angles))

    def _stop(self, frame: Frame) -> None:
        """Publish that the robot stands because a tick failed, at once."""
        self.node.get_logger().error(f"{frame.problem}; call ~/reset to continue")
        self.outputs.stop(frame.time, frame.motion)
        self._report()

    def _parameter_actions(self) -> None:
        self.parameters.when_set("stamped", lambda value: self.inputs.listen_to_twists(value))
        self.parameters.when_set("friction", self._set_friction)

    def _set_friction(self, factor: float) -> None:
        self.bridge.request(lambda: self.physics.set_friction(float(factor)))

    def _services(self) -> None:
        trigger = import_module("std_srvs.srv").Trigger
        physics = self.physics
        for name, action in (
            ("reset", physics.reset),
            ("pause", physics.pause),
            ("resume", physics.resume),
            ("step", lambda: physics.step(self.parameters["step_ticks"])),
            ("load_scenario", self._load),
        ):
            self.node.create_service(trigger, f"~/{name}", self._serve(name, action))

    def _serve(self, name: str, action: Callable[[], None]) -> Callable[[Any, Any], Any]:
        def serve(_: Any, response: Any) -> Any:
            try:
                self.bridge.request(action)
                response.success, response.message = True, f"{name}: done"
            except GrouserError as error:
                response.success, response.message = False, str(error)
            return response

        return serve

    def _load(self) -> None:
        file = self.parameters["scenario"]
        if not file:
            raise InvalidValue("parameter scenario", file, "be set to a file before it is loaded")
        self.physics.load(Scenario.read(Path(file)).vary(driver="person"))
        self._show_scenario()  # in the thread that takes frames: none of the new ones was taken yet

    def _report(self) -> None:
        """Publish counts on /diagnostics; log what the physics rejected."""
        for sentence in self.physics.warnings():
            self.node.get_logger().warning(sentence, throttle_duration_sec=REPORT_PERIOD)
        counts, kind = self.physics.counts, find_message_class("diagnostic_msgs/msg/KeyValue")
        values = {
            "simulated time [s]": round(self.inputs.now, 9),
            "ticks in real time": counts.periods,
            "ticks a period late": counts.missed,
            "frames lost": counts.lost,
            "stops by timeout": counts.timeouts,
            "commands rejected": counts.rejected,
            "processor time of physics [s]": round(counts.cpu_time, 3),
            **self.inputs.counts,
        }
        array = find_message_class("diagnostic_msgs/msg/DiagnosticArray")()
        array.header.stamp = self.node.get_clock().now().to_msg()
        status = find_message_class("diagnostic_msgs/msg/DiagnosticStatus")()
        dropped = sum(n for name, n in self.inputs.counts.items() if name.endswith("dropped"))
        status.level = _ERROR if self._problem else _WARN if dropped or counts.rejected else _OK
        status.name = f"{self.node.get_fully_qualified_name()}: physics"
        status.message = self._problem or ("commands were dropped" if dropped else "runs")
        status.values = [kind(key=key, value=str(value)) for key, value in values.items()]
        array.status = [status]
        self._diagnostics.publish(array)

"""All topics that a simulation publishes."""

import math
import threading
import time
from collections.abc import Mapping
from typing import Any

from foxglove import Channel, Context
from foxglove.channels import FrameTransformsChannel, LogChannel, SceneUpdateChannel
from foxglove.messages import Log, LogLevel

from grouser.live import Frame, Started
from grouser.plugs.foxglove.frames import FrameTree, SessionTime, stamp
from grouser.plugs.foxglove.scene import contact_scene, course_scene, robot_scene
from grouser.plugs.foxglove.sensors import SensorChannel
from grouser.plugs.foxglove.state import (
    StateMessages,
    diagnostics_schema,
    known,
    state_schema,
)
from grouser.scenario import Scenario

RATE = 100.0
"""Largest number of states and transforms per second of wall time [1/s]."""
CONTACT_RATE = 25.0
"""Largest number of pictures of contacts per second of wall time [1/s]."""
OWN = ("/tf", "/tf_static", "/course", "/robot", "/contacts", "/state", "/diagnostics", "/log")
"""Topics beside those of sensors."""


class Pace:
    """Which frames are published: at most so many per second of wall time."""

    def __init__(self, rate: float) -> None:
        self._period = 1.0 / rate
        self._run, self._next, self._sent_at = -1, 0.0, -math.inf

    def is_due(self, frame: Frame, factor: float) -> bool:
        """Return whether to publish a frame of a simulation at this ratio to wall time [1]."""
        if frame.run != self._run:
            self._run, self._next = frame.run, frame.time
        if factor == math.inf:
            if (now := time.monotonic()) - self._sent_at < self._period:
                return False
            self._sent_at = now
            return True
        if frame.time < self._next - 1e-9:
            return False
        # On a grid: ticks that do not divide the period give the right rate on average.
        period = self._period * factor
        self._next += period * (math.floor((frame.time - self._next) / period + 1e-6) + 1)
        return True


class Publisher:
    """Channels of a simulation, and what is sent on them."""

    def __init__(self, started: Started, context: Context, start: int) -> None:
        """Advertise all topics.

        Args:
            started: What is simulated.
            context: Where servers and recordings take messages from.
            start: Time since 1970 at which simulated time begins [ns].
        """
        scenario = Scenario.from_content(started.scenario)
        self.robot, self.course = scenario.robot.load_robot(), scenario.course.load_course()
        self.time = SessionTime(start)
        """Stamps of messages."""
        self._context, self._tree = context, FrameTree(self.robot)
        self._state = StateMessages(self.robot)
        self._channels: dict[str, Any] = {
            "/tf": FrameTransformsChannel("/tf", context=context),
            "/tf_static": FrameTransformsChannel("/tf_static", context=context),
            "/course": SceneUpdateChannel("/course", context=context),
            "/robot": SceneUpdateChannel("/robot", context=context),
            "/contacts": SceneUpdateChannel("/contacts", context=context),
            "/state": Channel("/state", schema=state_schema(self.robot), context=context),
            "/diagnostics": Channel("/diagnostics", schema=diagnostics_schema(), context=context),
            "/log": LogChannel("/log", context=context),
        }
        self._sensors: dict[str, list[SensorChannel]] = {
            name: [
                SensorChannel(one, started.columns[name], started.units, context)
                for one in declared
                if f"/{one.topic}" not in self._channels
            ]
            for name, declared in started.declarations.items()
        }
        self._fixed: dict[str, Any] = {
            "/tf_static": self._tree.fixed(start),
            "/course": course_scene(self.course, start),
            "/robot": robot_scene(self.robot, start),
        }
        self._wanted, self._lock = set(self._fixed), threading.Lock()
        self._paces = Pace(RATE), Pace(CONTACT_RATE)
        self._mark: tuple[int, int, bool, str] | None = None

    @property
    def topics(self) -> tuple[str, ...]:
        """Names of all topics."""
        declared = (one.topic for many in self._sensors.values() for one in many)
        return *self._channels, *declared

    def want(self, topic: str) -> None:
        """Send a topic again that is sent once only, for a new client; any thread may."""
        with self._lock:
            self._wanted.add(topic)

    def publish(self, frame: Frame, factor: float) -> None:
        """Send what a frame has, at a ratio of simulated time to wall time [1]."""
        now = self.time.at(frame.run, frame.time)
        self._send_wanted(frame, now)
        mark = frame.run, frame.tick, frame.is_paused, frame.problem
        if mark == self._mark:
            return
        self._mark = mark
        if frame.is_paused or self._paces[0].is_due(frame, factor):
            self._send("/tf", self._tree.moving, frame.motion, now)
            self._send_state(frame, now)
        contacts = frame.motion.contacts
        if contacts and (frame.is_paused or self._paces[1].is_due(frame, factor)):
            self._send("/contacts", contact_scene, contacts, self.robot.mass, now)
        for sample in frame.fresh:
            for channel in self._sensors.get(sample.sensor, ()):
                channel.publish(sample, self.time.of(sample.time), now)

    def diagnose(self, numbers: Mapping[str, float]) -> None:
        """Send diagnostics."""
        channel = self._channels["/diagnostics"]
        if channel.has_sinks():
            channel.log(known(dict(numbers)), log_time=self.time.now)

    def warn(self, sentence: str) -> None:
        """Send a warning."""
        now = self.time.now
        message = Log(
            timestamp=stamp(now), level=LogLevel.Warning, message=sentence, name="grouser"
        )
        self._channels["/log"].log(message, log_time=now)

    def _send_wanted(self, frame: Frame, now: int) -> None:
        if not self._wanted:
            return
        with self._lock:
            wanted, self._wanted = self._wanted, set()
        for topic in wanted & self._fixed.keys():
            self._channels[topic].log(self._fixed[topic], log_time=now)
        if "/tf" in wanted:
            self._send("/tf", self._tree.moving, frame.motion, now)
        if "/state" in wanted:
            self._send_state(frame, now)

    def _send_state(self, frame: Frame, now: int) -> None:
        channel = self._channels["/state"]
        if channel.has_sinks():
            channel.log(self._state(frame), log_time=now)

    def _send(self, topic: str, make: Any, *values: Any) -> None:
        """Make a message and send it, if anyone receives it; its last value is the time."""
        channel = self._channels[topic]
        if channel.has_sinks():
            channel.log(make(*values), log_time=values[-1])

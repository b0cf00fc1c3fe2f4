"""Sends the newest snapshot to the pages, and keeps the history for charts."""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import viser
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.drawing.rut_colours import legend
from grouser.models import SideMeans
from grouser.simulation import Pace
from grouser.simulation.pace import Priority, Punctuality, raise_priority
from grouser.viewer.cameras import ROOT, Cameras
from grouser.viewer.input import InputSocket
from grouser.viewer.look import LookChoice
from grouser.viewer.loop import Loop
from grouser.viewer.measured_session import MeasuredSession
from grouser.viewer.recordings import Player
from grouser.viewer.scene.overlays import to_rgb
from grouser.viewer.scene.stage import Stage, ghost_colour
from grouser.viewer.session import Session, Snapshot
from grouser.viewer.watched_session import WatchedSession

SPAN = 20.0
"""How much simulated time the charts show [s]."""
SPACING = 0.05
"""Simulated time between two points of a chart [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Quantities of the instruments and charts at one time."""

    time: float
    """Simulated time [s]."""
    speed_commanded: float
    """Mean commanded belt speed [m/s]."""
    speed: float
    """Forward speed [m/s]."""
    yaw_rate_commanded: float
    """Yaw rate of the commanded belt speeds without slip [rad/s]."""
    yaw_rate: float
    """Yaw rate, positive to the left [rad/s]."""
    slip_left: float
    """Mean slip ratio of the left drives [1]."""
    slip_right: float
    """Mean slip ratio of the right drives [1]."""
    pitch: float
    """Pitch, positive is nose down [rad]."""
    roll: float
    """Roll, positive is right side down [rad]."""
    real_time_factor: float
    """Simulated time per wall time [1]."""
    gaps: Mapping[str, float]
    """Distance of each ghost from the robot, by model [m]."""


def take_reading(snapshot: Snapshot, robot: Robot, punctuality: Punctuality) -> Reading:
    """Return the quantities of the instruments at a snapshot."""
    motion = snapshot.motion
    sides = SideMeans.of(robot)
    left, right = sides(motion.belt_speeds_commanded)
    slip_left, slip_right = sides(motion.slips) if motion.slips else (math.nan, math.nan)
    return Reading(
        time=snapshot.time,
        speed_commanded=0.5 * (left + right),
        speed=float(motion.twist.vx),
        yaw_rate_commanded=(right - left) / robot.gauge,
        yaw_rate=float(motion.twist.yaw_rate),
        slip_left=slip_left,
        slip_right=slip_right,
        pitch=float(motion.pose.pitch),
        roll=float(motion.pose.roll),
        real_time_factor=punctuality.real_time_factor,
        gaps={gap.model: gap.distance for gap in snapshot.gaps},
    )


class History:
    """Readings of the last `SPAN` seconds of the current run."""

    def __init__(self) -> None:
        self._readings: deque[Reading] = deque(maxlen=round(SPAN / SPACING))
        self._run: int | None = None

    def add(self, reading: Reading, run: int) -> None:
        """Add a reading if it is at least `SPACING` later than the last; a new run clears all."""
        if run != self._run or (self._readings and reading.time < self._readings[-1].time):
            self._readings.clear()
            self._run = run
        if not self._readings or reading.time >= self._readings[-1].time + SPACING - 1e-9:
            self._readings.append(reading)

    def column(self, name: str) -> NDArray[np.float64]:
        """Return one quantity of all readings, by the name of its field in `Reading`."""
        return np.array([getattr(reading, name) for reading in self._readings])

    @property
    def ghosts(self) -> tuple[str, ...]:
        """Names of the ghosts at the last reading."""
        return tuple(self._readings[-1].gaps) if self._readings else ()

    def gap(self, ghost: str) -> NDArray[np.float64]:
        """Return the distance of a ghost in all readings; 0 where it is not known [m]."""
        # A chart with NaN has no scale.
        gaps = [reading.gaps.get(ghost, 0.0) for reading in self._readings]
        return np.nan_to_num(np.array(gaps))

    def __len__(self) -> int:
        return len(self._readings)


RATE = 60.0
"""Frames per second: how often poses are sent [1/s]."""
STATUS_EVERY = 6
"""Number of frames between two updates of the instruments [1]."""
RUTS_EVERY = 12
"""Number of frames between two updates of ruts [1]."""
PANEL_EVERY = 15
"""Number of frames between two updates of the panel and its charts [1]."""


class Stream:
    """Thread that draws at its own rate. It never blocks the physics loop."""

    def __init__(
        self,
        server: viser.ViserServer,
        loop: Loop,
        input: InputSocket,
        cameras: Cameras,
        apply_view: Callable[[Stage], None],
        refresh: Callable[[History], None],
        look: LookChoice | None = None,
    ) -> None:
        self._look = look or LookChoice("lean")
        self._server, self._loop, self._input = server, loop, input
        self._cameras, self._apply_view, self._refresh = cameras, apply_view, refresh
        self._history = History()
        self._stage: Stage | None = None
        self._staged: tuple[Robot, tuple[str, ...]] | None = None
        self._shown: Snapshot | None = None
        self._frames = 0
        self._ruts_are_old = False
        self._ended = threading.Event()
        self._watched = threading.Event()
        self._thread = threading.Thread(target=self._run, name="stream", daemon=True)

    def start(self) -> None:
        """Start to draw."""
        self.draw()
        self._thread.start()

    def stop(self) -> None:
        """Stop to draw."""
        self._ended.set()
        self._watched.set()
        self._thread.join()

    def set_watched(self, is_watched: bool) -> None:
        """Draw only while a page is open."""
        if is_watched:
            self._watched.set()
        else:
            self._watched.clear()

    def _run(self) -> None:
        raise_priority(Priority.PAGES)
        pace, tick = Pace(period=1.0 / RATE), 0
        while not self._ended.is_set():
            if not self._watched.is_set():
                self._watched.wait()
                pace, tick = Pace(period=1.0 / RATE), 0
            late = pace.wait(tick)
            tick += 1 + int(late * RATE)  # skip missed frames
            self.draw()

    def draw(self) -> None:
        """Draw the newest snapshot."""
        now, player = self._loop.latest, self._loop.player
        robot = self._loop.session.robot if player is None else player.robot
        if self._shown is None or now.scene != self._shown.scene:
            self._set_stage(now)
        if now is not self._shown or self._ruts_are_old:
            self._show(now)
        if self._stage is not None and self._stage.look != self._look.look:
            self._stage.look = self._look.look
        self._cameras.follow(now.frames[0].pose, 1.0 / RATE)
        reading = take_reading(now, robot, self._loop.clock.punctuality)
        self._history.add(reading, now.run)
        if self._frames % STATUS_EVERY == 0:
            self._input.send(self._status(now, reading))
        if self._frames % PANEL_EVERY == 0:
            self._refresh(self._history)
        self._frames += 1

    def _show(self, now: Snapshot) -> None:
        assert self._stage is not None
        is_new_run = self._shown is not None and now.run != self._shown.run
        if is_new_run:
            self._stage.clear_trails()
        self._apply_view(self._stage)
        self._stage.show(now.frames)
        # When time stands still, the last ruts are still to be drawn.
        self._ruts_are_old = not is_new_run and self._frames % RUTS_EVERY != 0
        if not self._ruts_are_old:
            self._stage.show_ruts(now.ruts)
        self._shown = now

    def _set_stage(self, now: Snapshot) -> None:
        loop = self._loop
        shown = loop.session if loop.player is None else loop.player
        ghosts = () if loop.player is not None else loop.session.ghosts
        if self._stage is not None and self._can_keep(shown, ghosts):
            self._stage.show_course(shown.course, now.ruts)
            return
        if self._stage is not None:
            self._stage.remove()
        self._stage = Stage(
            self._server, shown.robot, shown.course, ghosts, root=ROOT, ruts=now.ruts,
            look=self._look.look,
        )  # fmt: skip
        self._staged = shown.robot, ghosts
        self._cameras.aim_all(shown.robot.front - shown.robot.rear, now.frames[0].pose)

    def _abilities(self) -> list[str]:
        """Return what the page has that its keys and buttons act on."""
        session = self._loop.session
        found = {
            "flippers": bool(session.robot.flippers),
            "path": session.course.path is not None,
            "board": isinstance(session, WatchedSession),
            "outside": isinstance(session, MeasuredSession),
        }
        return [name for name, has_it in found.items() if has_it]

    def _can_keep(self, shown: Session | Player, ghosts: tuple[str, ...]) -> bool:
        """Return whether only the course differs from what is shown, as after an edit."""
        is_same = self._staged is not None and (shown.robot, ghosts) == self._staged
        return is_same and isinstance(shown, Session) and shown.keeps_cameras

    def _status(self, now: Snapshot, reading: Reading) -> dict[str, Any]:
        """Return the values of the instruments; angles in degrees, the tick delay in ms."""
        punctuality = self._loop.clock.punctuality
        status = {
            "time": now.time,
            "mode": now.mode,
            "paused": self._loop.is_paused,
            "title": None if self._loop.player is None else self._loop.player.title,
            "has": self._abilities(),
            "note": None if self._loop.player is not None else self._loop.session.note,
            "speed": reading.speed,
            "commanded": reading.speed_commanded,
            "yaw_rate": math.degrees(reading.yaw_rate),
            "pitch": math.degrees(reading.pitch),
            "roll": math.degrees(reading.roll),
            "factor": punctuality.real_time_factor,
            "tick_delay": 1e3 * punctuality.worst_lateness,
            "missed": punctuality.missed_share,
            "pose": [float(getattr(now.frames[0].pose, name)) for name in ("x", "y", "z", "yaw")],
            "gaps": [
                {
                    "model": gap.model,
                    "distance": _plain(gap.distance),
                    "heading": _plain(math.degrees(gap.heading)),
                    "since": _plain(gap.since),
                    "colour": "rgb({}, {}, {})".format(*ghost_colour(number)),
                }
                for number, gap in enumerate(now.gaps)
            ],
            "ruts": [] if self._stage is None else rut_legend(self._stage.deepest_rut),
            "look": self._look.status,
            "sent": time.time(),
        }
        return {key: _plain(value) for key, value in status.items()}


def rut_legend(deepest: float) -> list[dict[str, str]]:
    """Return the colours of ruts up to a depth [m], as CSS, each with its range in words."""
    return [
        {"colour": "rgb({}, {}, {})".format(*to_rgb(colour)), "depth": words}
        for colour, words in legend(deepest)
    ]


def _plain(value: Any) -> Any:
    """Return None instead of NaN or infinity, which JSON does not have."""
    return None if isinstance(value, float) and not math.isfinite(value) else value

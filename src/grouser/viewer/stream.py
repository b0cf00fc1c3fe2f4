"""Sends the newest snapshot to the pages."""

import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import viser

from grouser.description import Robot
from grouser.drawing.rut_colours import legend
from grouser.errors import GrouserError, describe_bug
from grouser.live.tick_loop import RETRY
from grouser.models import SideMeans
from grouser.simulation import Pace
from grouser.simulation.pace import Priority, raise_priority
from grouser.viewer.address import describe_scene
from grouser.viewer.cameras import ROOT, Cameras
from grouser.viewer.input import InputSocket
from grouser.viewer.look import LookChoice
from grouser.viewer.loop import Loop
from grouser.viewer.measured_session import MeasuredSession
from grouser.viewer.pictures import Pictures, camera_names
from grouser.viewer.recordings import Player
from grouser.viewer.scene.overlays import to_rgb
from grouser.viewer.scene.readings import Overlays
from grouser.viewer.scene.stage import Stage, ghost_colour
from grouser.viewer.session import Session, Snapshot
from grouser.viewer.signals import Recorder
from grouser.viewer.subscriptions import Subscriptions
from grouser.viewer.watched_session import WatchedSession


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Quantities of the instruments at one time."""

    time: float
    """Simulated time [s]."""
    speed_commanded: float
    """Mean commanded belt speed [m/s]."""
    speed: float
    """Forward speed [m/s]."""
    yaw_rate: float
    """Yaw rate, positive to the left [rad/s]."""
    slip_left: float
    """Mean slip ratio of the left drives; NaN near standstill [1]."""
    slip_right: float
    """Mean slip ratio of the right drives; NaN near standstill [1]."""
    pitch: float
    """Pitch, positive is nose down [rad]."""
    roll: float
    """Roll, positive is right side down [rad]."""
    belts: tuple[float, float]
    """Mean belt speed of each side [m/s]."""
    flippers: Mapping[str, tuple[float, ...]]
    """Angles of the flippers that are there, of the `front` and `rear` ones, left first [rad]."""
    tip_over: float
    """Angle until the robot tips over; NaN without contacts [rad]."""


def take_reading(snapshot: Snapshot, robot: Robot) -> Reading:
    """Return the quantities of the instruments at a snapshot."""
    motion = snapshot.motion
    sides = SideMeans.of(robot)
    left, right = sides(motion.belt_speeds_commanded)
    slips = motion.shown_slips
    slip_left, slip_right = sides(slips) if slips else (math.nan, math.nan)
    return Reading(
        time=snapshot.time,
        speed_commanded=0.5 * (left + right),
        speed=float(motion.twist.vx),
        yaw_rate=float(motion.twist.yaw_rate),
        slip_left=slip_left,
        slip_right=slip_right,
        pitch=float(motion.pose.pitch),
        roll=float(motion.pose.roll),
        belts=sides(motion.belt_speeds),
        flippers=_flippers(robot, motion.flipper_angles),
        tip_over=math.nan if motion.tip_over_angle is None else motion.tip_over_angle,
    )


def _flippers(robot: Robot, angles: Sequence[Any]) -> dict[str, tuple[float, ...]]:
    """Return the angles of front and rear flippers, from left to right."""
    known = sorted(zip(robot.flippers, angles, strict=False), key=lambda one: -one[0].hinge[1])
    rows = {
        "front": tuple(float(angle) for flipper, angle in known if flipper.hinge[0] > 0.0),
        "rear": tuple(float(angle) for flipper, angle in known if flipper.hinge[0] <= 0.0),
    }
    return {name: row for name, row in rows.items() if row}


RATE = 60.0
"""Frames per second: how often poses are sent [1/s]."""
STATUS_EVERY = 6
"""Number of frames between two updates of the instruments [1]."""
RUTS_EVERY = 12
"""Number of frames between two updates of ruts [1]."""
OVERLAYS_EVERY = 3
"""Number of frames between two updates of arrows and other overlays [1]."""
PANEL_EVERY = 15
"""Number of frames between two updates of the panel [1]."""


class Stream:
    """Thread that draws at its own rate. It never blocks the physics loop."""

    def __init__(
        self,
        server: viser.ViserServer,
        loop: Loop,
        input: InputSocket,
        cameras: Cameras,
        apply_view: Callable[[Stage, Overlays], None],
        refresh: Callable[[], None],
        look: LookChoice | None = None,
    ) -> None:
        self._look = look or LookChoice("lean")
        self._server, self._loop, self._input = server, loop, input
        self._cameras, self._apply_view, self._refresh = cameras, apply_view, refresh
        self.after_drawing: Callable[[Snapshot], None] = lambda now: None
        """Is called with each snapshot when it is drawn, or its scene."""
        self.recorder, self.pictures = Recorder(), Pictures()
        self.subscriptions = Subscriptions(self.recorder, self.pictures)
        """What each page has chosen to be sent; used by the server's thread."""
        self._described: tuple[tuple[Any, ...], dict[str, Any]] = ((), {})
        self.shown_switches: Callable[[], Sequence[str]] = tuple
        """Returns the names of the view's switches that are on."""
        self.read_mode: Callable[[], dict[str, str] | None] = lambda: None
        """Returns what clicks in the scene do."""
        self._stage: Stage | None = None
        self._overlays: Overlays | None = None
        self._staged: tuple[Robot, tuple[str, ...]] | None = None
        self._shown: Snapshot | None = None
        self._frames = 0
        self._ruts_are_old = self._overlays_are_old = False
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
            try:
                self.draw()
            except Exception as error:  # nobody drives what nobody can see
                self._loop.request(partial(_stop, error=error))
                self._ended.wait(RETRY)
                pace, tick = Pace(period=1.0 / RATE), 0

    def draw(self) -> None:
        """Draw the newest snapshot."""
        now, player = self._loop.latest, self._loop.player
        robot = self._loop.session.robot if player is None else player.robot
        if self._shown is None or now.scene != self._shown.scene:
            self._set_stage(now)
        if now is not self._shown or self._ruts_are_old or self._overlays_are_old:
            self._show(now)
        if self._stage is not None and self._stage.look != self._look.look:
            self._stage.look = self._look.look
        self.after_drawing(now)
        self._cameras.follow(now.frames[0].pose, 1.0 / RATE)
        if not now.is_past:
            self.recorder.add(now, robot, self._loop.clock.punctuality.real_time_factor)
        self.pictures.add(now.reading, robot)
        if self._frames % STATUS_EVERY == 0:
            self._input.send(self._status(now, take_reading(now, robot)))
        elif self._frames % STATUS_EVERY == STATUS_EVERY // 2:
            # Between two status messages: whoever has not read the last one is skipped.
            self._input.offer(self.subscriptions.charts)
            self._input.offer(self.subscriptions.pictures)
        if self._frames % PANEL_EVERY == 0:
            self._refresh()
        self._frames += 1

    def _show(self, now: Snapshot) -> None:
        assert self._stage is not None
        is_new_run = self._shown is not None and now.run != self._shown.run
        if is_new_run:
            self._stage.clear_trails()
        assert self._overlays is not None
        self._apply_view(self._stage, self._overlays)
        self._stage.show(now.frames, is_past=now.is_past)
        # When time stands still, the last overlays are still to be drawn.
        self._overlays_are_old = self._frames % OVERLAYS_EVERY != 0
        if not self._overlays_are_old:
            self._overlays.show(now)
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
        for old in (self._stage, self._overlays):
            if old is not None:
                old.remove()
        self.pictures.clear()
        self._overlays = Overlays(self._server, shown.robot, ROOT)
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
            "front": any(flipper.raising_sign < 0.0 for flipper in session.robot.flippers),
            "rear": any(flipper.raising_sign > 0.0 for flipper in session.robot.flippers),
            "path": session.course.path is not None,
            "ghosts": bool(session.ghosts),
            "board": isinstance(session, WatchedSession),
            "outside": isinstance(session, MeasuredSession),
        }
        return [name for name, has_it in found.items() if has_it]

    def _note(self, now: Snapshot) -> str | None:
        """Return what the page says about what it shows, if anything."""
        if self._loop.failure:
            return self._loop.failure
        if self._loop.player is not None:
            return None
        if now.is_past:
            ago = self._loop.session.simulation.time - now.time
            return f"{ago:.1f} s ago: “Go on from here” or “Now” in the Touch tab"
        return self._loop.session.note

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
            "note": self._note(now),
            "clicks": self.read_mode(),
            "speed": reading.speed,
            "commanded": reading.speed_commanded,
            "yaw_rate": math.degrees(reading.yaw_rate),
            "pitch": math.degrees(reading.pitch),
            "roll": math.degrees(reading.roll),
            "belts": list(map(_plain, reading.belts)),
            "slips": [_plain(reading.slip_left), _plain(reading.slip_right)],
            "flippers": {name: _degrees(row) for name, row in reading.flippers.items()},
            "posture": self._loop.session.posture,
            "tip_over": _plain(math.degrees(reading.tip_over)),
            "legend": [] if self._overlays is None else self._overlays.legend(),
            "scene": self._describe(),
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

    def _describe(self) -> dict[str, Any]:
        """Return what an address says of the scene; the names of cameras of the robot, too."""
        session, player = self._loop.session, self._loop.player
        robot = session.robot if player is None else player.robot
        key = (id(session.scenario), session.wanted_ghosts, self.shown_switches(), robot.name)
        if key != self._described[0]:  # reading catalogues takes longer than a frame
            found = describe_scene(session, self.shown_switches())
            self._described = key, found | {"cameras": list(camera_names(robot))}
        return self._described[1]


def _stop(loop: Loop, error: Exception) -> None:
    """Stop the robot because the page cannot be drawn; whoever knows that is not told again."""
    sentence = f"the page cannot be drawn: {describe_bug(error)}"
    if loop.failure != sentence:
        loop.fail(GrouserError(sentence))


def rut_legend(deepest: float) -> list[dict[str, str]]:
    """Return the colours of ruts up to a depth [m], as CSS, each with its range in words."""
    return [
        {"colour": "rgb({}, {}, {})".format(*to_rgb(colour)), "depth": words}
        for colour, words in legend(deepest)
    ]


def _degrees(angles: Sequence[float]) -> list[float | None]:
    return [_plain(math.degrees(angle)) for angle in angles]


def _plain(value: Any) -> Any:
    """Return None instead of NaN or infinity, which JSON does not have."""
    return None if isinstance(value, float) and not math.isfinite(value) else value

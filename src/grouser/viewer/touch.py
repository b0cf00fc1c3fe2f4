"""What a person does to the robot on the page: pull, push, kick, put down, change, go back."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from grouser.errors import GrouserError, Unsupported
from grouser.geometry import Pose
from grouser.laws.slope import GRAVITY
from grouser.models import CATALOGUE
from grouser.simulation.events import Kick, Vector, check_forces
from grouser.viewer.commands import Notify, PageCommands
from grouser.viewer.dials import Dial
from grouser.viewer.loop import Loop
from grouser.viewer.pointer import Click, Drag, Point, Pointer
from grouser.viewer.session import Session
from grouser.viewer.stances import Extent, Spot, lie_on_back, stand
from grouser.viewer.stand_in import StandInSession

Tool: TypeAlias = Literal["Camera", "Drag", "Push", "Put"]
"""What mouse or finger do in the scene: turn the camera only, pull at the robot, push it where it
is clicked on, put it where the ground is clicked on."""
TOOLS: tuple[Tool, ...] = ("Camera", "Drag", "Push", "Put")
DIRECTIONS: Mapping[str, Vector] = {
    "to the left": (0.0, 1.0, 0.0),
    "to the right": (0.0, -1.0, 0.0),
    "forward": (1.0, 0.0, 0.0),
    "backward": (-1.0, 0.0, 0.0),
    "up": (0.0, 0.0, 1.0),
}
"""Directions of a kick: ahead of the robot, to its left, up."""
PUSH, PUSH_SECONDS = 1.0, 0.25
"""Force of a push over the robot's weight [1], and how long it acts [s]."""
STILL = 0.002
"""Motion of the pointer below which a pull stays as it is [m]."""


@dataclass(frozen=True, slots=True)
class Hold:
    """A pointer that holds the robot."""

    client: int
    """Number of the page."""
    run: int
    """Number of the run in which it grabbed the robot."""
    point: Point
    """Where it holds the robot, in the body frame [m]."""
    target: Point
    """Where the pointer is [m]."""


class Touch:
    """Turns what a person does in the scene and its panel into requests to the loop."""

    def __init__(self, commands: PageCommands, pointer: Pointer, notify: Notify) -> None:
        self._commands, self._loop, self._pointer = commands, commands.loop, pointer
        self._notify = notify
        self.tool: Tool = "Drag"
        """What mouse or finger do in the scene."""
        self._hold: Hold | None = None
        self._pulled: tuple[int, Point] | None = None
        then = self._loop.after_tick

        def after_tick(session: Session) -> None:
            then(session)
            self._follow(session)

        self._loop.after_tick = after_tick

    @property
    def can_drag(self) -> bool:
        """Whether the pointer can grab the robot that is shown."""
        loop = self._loop
        is_shown = loop.player is None and loop.past.shown is None
        return self.tool == "Drag" and is_shown and find_obstacle(loop.session) is None

    def choose(self, tool: Tool) -> None:
        """Choose what mouse or finger do in the scene."""
        self.tool = tool
        self._pointer.remove_tool(self._click)
        if tool in ("Push", "Put"):
            self._pointer.add_tool(self._click)

    def drag(self, drag: Drag) -> None:
        """Pull the robot where the pointer is, as long as it is held; the camera stands."""
        self._pointer.hold_camera(drag.client, drag.phase != "end")
        held, shown = self._hold, self._loop.latest
        if drag.phase == "end":
            self._hold = None
        elif drag.phase == "start":
            point = _to_body(shown.frames[0].pose, drag.start)
            self._hold = Hold(drag.client, shown.run, point, drag.end)
        elif held is not None:
            self._hold = replace(held, target=drag.end)

    def kick(self, direction: str, strength: float) -> None:
        """Kick the robot at its centre of mass, in one of `DIRECTIONS`.

        Args:
            direction: One of `DIRECTIONS`.
            strength: Speed that it would get if nothing held it [m/s].
        """

        def act(loop: Loop) -> None:
            session = loop.session
            heading, size = _heading(session.motion.pose), strength * session.robot.mass
            ahead, left, up = (size * part for part in DIRECTIONS[direction])
            cos, sin = math.cos(heading), math.sin(heading)
            impulse = (cos * ahead - sin * left, sin * ahead + cos * left, up)
            session.kick(impulse, session.robot.centre_of_mass)

        self._request(act)

    def put(self, x: float, y: float) -> None:
        """Put the robot at a place of the course [m]; its heading stays."""
        self._request(lambda loop: _put(loop, Spot(x, y, _heading(loop.session.motion.pose))))

    def set_upright(self) -> None:
        """Set the robot on its belts where it is."""
        self._request(lambda loop: _put(loop, _spot(loop.session.motion.pose)))

    def turn_over(self) -> None:
        """Lay the robot on its back where it is."""
        self._request(_turn_over)

    def change(self, values: Mapping[str, float]) -> None:
        """Change numbers of robot, model or variation from now on, by their keys."""

        def act(loop: Loop) -> None:
            for key, value in values.items():
                if loop.session.changes.get(key) != value:
                    loop.session.change(key, value)

        self._request(act)

    def reset_numbers(self, dials: Sequence[Dial]) -> None:
        """Set all numbers that were changed to those of the files."""

        def act(loop: Loop) -> None:
            session = loop.session
            for dial in dials:
                if session.changes.get(dial.key, dial.value) != dial.value:
                    session.change(dial.key, dial.value)

        self._request(act)

    def look_back(self, seconds: float) -> None:
        """Show how it was some time ago [s]; time stands meanwhile. 0 goes on."""

        def act(loop: Loop) -> None:
            if loop.player is not None:
                raise GrouserError("a recording is replayed; its own slider goes back in time")
            session = loop.session
            if seconds <= 0.0:
                loop.past.show_now()
            else:
                loop.past.show(max(session.simulation.time - seconds, session.earliest))

        self._loop.request(act)

    def go_on(self) -> None:
        """Go on from the past that is shown; the run so far is saved automatically."""
        shown = self._loop.past.shown
        if shown is not None:
            self._commands.branch(shown.time)

    def _request(self, act: Callable[[Loop], None]) -> None:
        def run(loop: Loop) -> None:
            _check_shown(loop)
            act(loop)

        self._loop.request(run)

    def _click(self, click: Click) -> bool:
        if self.tool == "Put":
            if click.place is not None:
                self.put(*click.place[:2])
            return click.place is not None
        point = Extent.of(self._loop.session.robot).meet(
            click.ray, self._loop.latest.frames[0].pose
        )
        if point is None:
            return False
        x, y, _ = click.ray.direction
        size = math.hypot(x, y)
        way = (x / size, y / size, 0.0) if size > 0.1 else click.ray.direction

        def act(loop: Loop) -> None:
            weight = PUSH * GRAVITY * loop.session.robot.mass
            force = (weight * way[0], weight * way[1], weight * way[2])
            loop.session.push(force, PUSH_SECONDS, point)

        self._request(act)
        return True

    def _follow(self, session: Session) -> None:
        """Let the spring of a pull end where the pointer is now; from the loop, after a tick."""
        hold = self._hold
        is_held = hold is not None and hold.client == self._loop.lock.driver
        if hold is None or not is_held or hold.run != session.run:
            if self._hold is hold:  # the page's thread may have set another one
                self._hold = None
            pulled, self._pulled = self._pulled, None
            if pulled is not None and pulled[0] == session.run:
                session.let_go()
            return
        pulled = self._pulled
        if pulled is not None and pulled[0] == session.run and _near(pulled[1], hold.target):
            return
        try:
            session.pull(hold.point, hold.target)
            self._pulled = session.run, hold.target
        except GrouserError as error:
            self._hold = None
            self._notify(str(error))


def find_obstacle(session: Session) -> str | None:
    """Return a sentence if no force from outside can act on the robot; None if one can."""
    if isinstance(session, StandInSession):
        return "The robot can be touched when its model is compiled."
    try:
        check_forces(Kick(time=0.0, impulse=(0.0, 0.0, 0.0)), session.simulation)
    except GrouserError as error:
        words = str(error)
        return f"{words[0].upper()}{words[1:]}."
    return None


def _check_shown(loop: Loop) -> None:
    """Raise GrouserError if the page shows something that cannot be touched."""
    if loop.player is not None:
        raise GrouserError("a recording is replayed; press “Back to driving” first")
    if loop.past.shown is not None:
        raise GrouserError("the past is shown; press “Go on from here” or “Now” first")
    if isinstance(loop.session, StandInSession):
        raise GrouserError("the robot can be touched when its model is compiled")


def _put(loop: Loop, spot: Spot) -> None:
    session = loop.session
    angles = tuple(map(float, session.motion.flipper_angles))
    # A model in the plane stays on the ground by itself.
    lift = _is_solid(type(session.simulation.model))
    _place(loop, stand(session.robot, angles, session.course, spot, lift=lift))


def _is_solid(kind: type[Any]) -> bool:
    """Return whether robots of a kind of model are bodies in three dimensions."""
    return "payload" in kind.__dataclass_fields__


def _place(loop: Loop, pose: Pose) -> None:
    loop.session.put(pose)
    if loop.is_paused:
        loop.step()  # to be seen at once


def _turn_over(loop: Loop) -> None:
    session = loop.session
    if not _is_solid(type(session.simulation.model)):
        able = [name for name, kind in CATALOGUE.items() if _is_solid(kind)]
        model = session.simulation.model.name
        raise Unsupported("a robot on its back", model, "three dimensions", able)
    angles = tuple(map(float, session.motion.flipper_angles))
    spot = _spot(session.motion.pose)
    _place(loop, lie_on_back(session.robot, angles, session.course, spot))


def _spot(pose: Pose) -> Spot:
    return Spot(float(pose.x), float(pose.y), _heading(pose))


def _heading(pose: Pose) -> float:
    """Return where the front of a robot points, also of one that lies on its back [rad]."""
    ahead = np.asarray(pose.matrix)[:, 0]
    return math.atan2(float(ahead[1]), float(ahead[0]))


def _to_body(pose: Pose, place: Point) -> Point:
    shifted = np.array(place) - np.array([float(pose.x), float(pose.y), float(pose.z)])
    x, y, z = (shifted @ np.asarray(pose.matrix)).tolist()
    return x, y, z


def _near(one: Point, other: Point) -> bool:
    return math.dist(one, other) < STILL

"""An edited course takes the place of the one that is driven on, below the same robot."""

import threading

import numpy as np

from grouser.description import Course
from grouser.errors import InvalidValue
from grouser.geometry import Pose
from grouser.scenario import Part, Scenario
from grouser.viewer.building import Draft
from grouser.viewer.commands import PageCommands
from grouser.viewer.loop import Loop
from grouser.viewer.session import Session

FAR = 0.05
"""How far the robot may have moved on while a course was loaded [m]."""
TRIES = 3
"""How often a course is loaded again because the robot moved on meanwhile [1]."""


def open_draft(commands: PageCommands, draft: Draft, origin: str) -> None:
    """Load a draft in this thread, then let the loop go on with it, the robot where it is.

    Raises:
        GrouserError: The draft has mistakes, or its model cannot drive on it.
    """
    course = draft.parse(origin)
    part = Part(name=origin, text=draft.text)
    before, session = _try(commands, part, course)
    for _ in range(TRIES):
        moved = _distance(session.motion.pose, before.motion.pose)
        if before is commands.loop.session and (moved < FAR or not before.simulation.ticks):
            break
        before, session = _try(commands, part, course)
    done = threading.Event()

    def swap(loop: Loop) -> None:
        if loop.session is before:  # nothing else was chosen meanwhile
            commands.swap(loop, session)
        done.set()

    if commands.loop.request(swap):
        done.wait(5.0)


def _try(commands: PageCommands, part: Part, course: Course) -> tuple[Session, Session]:
    """Return the session that drives now, and the one that takes over from it."""
    before = commands.loop.session
    scenario = before.scenario.vary(course=part)
    ghosts = commands.able_ghosts(scenario, before.wanted_ghosts)
    return before, _open_at(commands, scenario, ghosts, find_stand(before, course))


def _open_at(
    commands: PageCommands, scenario: Scenario, ghosts: tuple[str, ...], here: Pose | None
) -> Session:
    try:
        return commands.workshop.open(scenario, ghosts, here)
    except InvalidValue:
        if here is None:
            raise
    # Something is in the way now.
    return commands.workshop.open(scenario, ghosts)


def find_stand(session: Session, course: Course) -> Pose | None:
    """Return where a robot stands when its course has changed; None before its first tick.

    Where the ground below it is the same, it stays as it is; elsewhere it stands on the new ground.
    """
    if not session.simulation.ticks:
        return None
    pose, robot = session.motion.pose, session.robot
    side = 0.5 * max(robot.gauge, robot.body.size[1])
    along, across = np.meshgrid(np.linspace(robot.rear, robot.front, 7), (-side, 0.0, side))
    cos, sin = np.cos(pose.yaw), np.sin(pose.yaw)
    x = (pose.x + cos * along - sin * across).ravel()
    y = (pose.y + sin * along + cos * across).ravel()
    before, after = (np.asarray(one.terrain.height(x, y)) for one in (session.course, course))
    if np.allclose(before, after, rtol=0.0, atol=1e-6, equal_nan=True):
        return pose
    return course.terrain.pose_at(float(pose.x), float(pose.y), float(pose.yaw))


def _distance(one: Pose, other: Pose) -> float:
    return float(np.hypot(one.x - other.x, one.y - other.y))

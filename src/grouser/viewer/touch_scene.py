"""Shows on the pages what a person can grab, and how the robot is pulled."""

import viser

from grouser.description import Robot
from grouser.viewer.cameras import ROOT
from grouser.viewer.look import LookChoice
from grouser.viewer.loop import Loop
from grouser.viewer.pointer import Pointer
from grouser.viewer.scene.grip import PullNode, add_grip
from grouser.viewer.session import Snapshot
from grouser.viewer.touch import Touch

GRIP, PULL = f"{ROOT}/robot/grip", f"{ROOT}/pull"
"""Names of the nodes."""
THICKNESS = 0.035
"""Radius of the arrow's head over the length of the robot [1]."""


class TouchScene:
    """Keeps the nodes of `grip` as they must be for what the pages show."""

    def __init__(
        self,
        server: viser.ViserServer,
        loop: Loop,
        touch: Touch,
        pointer: Pointer,
        look: LookChoice,
    ) -> None:
        self._server, self._loop, self._touch, self._pointer = server, loop, touch, pointer
        self._look = look
        self._shown: tuple[int, bool, str] | None = None
        self._robot: Robot | None = None
        self._pull: PullNode | None = None

    def show(self, now: Snapshot) -> None:
        """Add or remove what can be grabbed, and show the spring, if there is one."""
        can_drag, look = self._touch.can_drag, self._look.look
        if (now.scene, can_drag, look) != self._shown:
            self._shown = now.scene, can_drag, look
            self._set_grip(can_drag)
        if self._pull is not None:
            self._pull.show(now.pull)

    def _set_grip(self, can_drag: bool) -> None:
        robot = self._loop.session.robot
        with self._server.atomic():
            # A new stage or look has removed the old node with its robot.
            self._server.scene.remove_by_name(GRIP)
            if can_drag:
                grip = add_grip(self._server.scene, GRIP, robot)
                self._pointer.on_drag(grip, self._touch.drag)
            if robot is not self._robot:
                self._robot = robot
                if self._pull is not None:
                    self._pull.remove()
                size = THICKNESS * (robot.front - robot.rear)
                self._pull = PullNode(self._server.scene, PULL, size)

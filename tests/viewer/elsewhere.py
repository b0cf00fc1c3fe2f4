"""A robot that moves outside of a page."""

from grouser.control import Sticks
from grouser.geometry import Pose, Twist
from grouser.models import Motion


class Elsewhere:
    """A robot that is where it is put."""

    def __init__(self) -> None:
        self.seen: tuple[float, Motion] | None = None
        self.is_stopped = self.is_steered = False

    def put(self, time: float, x: float) -> None:
        motion = Motion(
            pose=Pose(x=x),
            twist=Twist(vx=0.1),
            belt_speeds_commanded=(0.1, 0.1),
            belt_speeds=(0.1, 0.1),
            belt_travels=(0.1 * time, 0.1 * time),
            slips=(0.0, 0.0),
        )
        self.seen = (time, motion)

    def look(self) -> tuple[float, Motion] | None:
        return self.seen

    def log(self) -> None:
        return None

    def steer(self, sticks: Sticks, speed: float) -> None:
        self.steered = (sticks, speed)

    def stop(self) -> None:
        self.is_stopped = True

"""A vehicle without physics, which remembers what was done to it."""

from grouser.geometry import Pose, Twist
from grouser.models import Motion


class FakeVehicle:
    """Drives along x at 1 m/s, and keeps the belts' shares of each tick."""

    def __init__(self, tick: float = 0.01) -> None:
        self.tick, self.ticks, self.resets = tick, 0, 0
        self.commands: list[tuple[float, float]] = []

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.ticks * self.tick

    @property
    def motion(self) -> Motion:
        """Where it is."""
        return Motion(
            pose=Pose(x=self.time), twist=Twist(vx=1.0), belt_speeds_commanded=(),
            belt_speeds=(), belt_travels=(),
        )  # fmt: skip

    def advance(self, left: float, right: float) -> None:
        """Make one tick."""
        self.commands.append((left, right))
        self.ticks += 1

    def reset(self) -> None:
        """Begin anew."""
        self.resets += 1
        self.ticks = 0

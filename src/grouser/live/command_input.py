"""Commands from outside: checked, held until they are too old, and dropped while not armed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from threading import Lock

from grouser.description import Robot
from grouser.errors import GrouserError, InvalidValue, UnknownName
from grouser.geometry import Scalar, clamp
from grouser.limits import BELT_SPEED
from grouser.live.held import Held
from grouser.models import Command, command_sides, command_twist
from grouser.units import is_number

TIMEOUT = 0.5
"""Usual time after which a command is too old [s]."""


@dataclass(slots=True)
class InputCounts:
    """What came from outside so far."""

    accepted: int = 0
    """Commands that were valid."""
    rejected: int = 0
    """Commands that were not."""
    timeouts: int = 0
    """Times that belts were stopped because no command came for too long."""


class CommandInput:
    """The newest command from outside. Any thread may offer commands; the physics takes them.

    Times are of one clock, which is the caller's choice: simulated time lets a paused or stepped
    simulation keep its command.
    """

    def __init__(
        self,
        robot: Robot,
        *,
        timeout: float = TIMEOUT,
        armed: bool = True,
        width: float | None = None,
    ) -> None:
        """Take commands for a robot.

        Args:
            robot: The robot.
            timeout: Belts stop when no command came for so long; never if infinite [s].
            armed: Whether commands move it from the beginning; if not, `arm` must be called first.
            width: Width of the differential drive that a twist is converted for; as
                `command_twist` chooses it if None [m].
        """
        if not timeout > 0.0:
            raise InvalidValue("timeout", timeout, "be above 0 s")
        self._robot, self._width = robot, width
        self._lock = Lock()
        self._stop = command_sides(robot, 0.0, 0.0)
        self._flippers = {f.name: index for index, f in enumerate(robot.flippers)}
        self._angles = self._stop.flipper_angles
        self._belts: Held[tuple[float, ...]] = Held(timeout)
        self.is_armed = armed
        """Whether commands move the robot."""
        self.was_used = False
        """Whether a valid command came since the start or the last `clear`."""
        self.flippers_were_moved = False
        """Whether flippers were commanded since then."""
        self.counts = InputCounts()
        """What came so far."""

    def offer_twist(self, forward: float, yaw_rate: float, now: float) -> None:
        """Drive at a forward speed [m/s] and a yaw rate [rad/s]; InvalidValue if not finite."""
        with self._checked():
            command = command_twist(self._robot, forward, yaw_rate, self._width)
            self._take(command.belt_speeds, now)

    def offer_belts(self, left: float, right: float, now: float) -> None:
        """Run the belts of each side at a speed [m/s]; InvalidValue if not finite or too fast."""
        with self._checked():
            for name, speed in (("left", left), ("right", right)):
                if not (is_number(speed) and abs(speed) <= BELT_SPEED):
                    raise InvalidValue(
                        f"belt speed {name}", speed, f"be from {-BELT_SPEED:g} to {BELT_SPEED:g}"
                    )
            self._take(command_sides(self._robot, left, right).belt_speeds, now)

    def offer_flippers(self, angles: Mapping[str, float], now: float) -> None:
        """Move flippers to angles by name, limited to their range [rad]; they hold them for ever.

        Raises:
            UnknownName: The robot has no flipper of a name.
            InvalidValue: An angle is not finite.
        """
        with self._checked():
            new = list(self._angles)
            for name, angle in angles.items():
                if name not in self._flippers:
                    raise UnknownName("flipper", name, self._flippers)
                if not is_number(angle):
                    raise InvalidValue(f"angle of flipper {name!r}", angle, "be finite")
                low, high = self._robot.flippers[self._flippers[name]].limits
                new[self._flippers[name]] = float(clamp(angle, low, high))
            self._angles, self.was_used = tuple(new), True
            self.flippers_were_moved = True

    def arm(self) -> None:
        """Let commands move the robot, from the next one on."""
        with self._lock:
            self.is_armed = True
            self._belts.drop()

    def disarm(self) -> None:
        """Stop the robot, and let no command move it until it is armed."""
        with self._lock:
            self.is_armed = False
            self._belts.drop()

    def stop(self) -> None:
        """Stop the belts until the next command."""
        with self._lock:
            self._belts.drop()

    def clear(self) -> None:
        """Forget all commands, as at the start."""
        with self._lock:
            self.was_used = self.flippers_were_moved = False
            self._angles = self._stop.flipper_angles
            self._belts.drop()

    def command(self, now: float) -> Command:
        """Return the command at a time: belts stand if it is too old or the robot is not armed."""
        with self._lock:
            belts = self._belts.take(now)
            if belts is None:
                self.counts.timeouts += self._belts.newest is not None
                self._belts.drop()
                belts = self._stop.belt_speeds
            angles = self._angles if self.is_armed else self._stop.flipper_angles
            return replace(self._stop, belt_speeds=belts, flipper_angles=angles)

    def _take(self, belts: tuple[Scalar, ...], now: float) -> None:
        self.was_used = True
        if self.is_armed:
            self._belts.put(tuple(float(speed) for speed in belts), now)

    def _checked(self) -> "_Checked":
        return _Checked(self._lock, self.counts)


class _Checked:
    """Holds the lock, and counts whether a command was accepted."""

    def __init__(self, lock: Lock, counts: InputCounts) -> None:
        self._lock, self._counts = lock, counts

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._counts.accepted += 1
        elif issubclass(kind, GrouserError):
            self._counts.rejected += 1
        self._lock.release()

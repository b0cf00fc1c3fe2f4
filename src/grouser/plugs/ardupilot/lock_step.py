"""Lock step with ArduPilot: one step of the simulation for each new frame, and one reply.

ArduPilot sends a frame and waits for its reply. It sends the same frame again after a second of
silence, takes any datagram for the reply that it waits for, counts a frame for each reply that it
reads, and adds the difference of timestamps to its clock. So:

- A new frame is one step and one reply. Its number may have jumped: frames that were lost between
  belong to no time of ArduPilot's clock.
- If a frame comes before the reply to an earlier one is sent, ArduPilot has read a reply twice. One
  step and one reply serve both frames, or it would be a reply behind from then on.
- The last frame again, soon after its reply, is a copy that the network made: it gets no reply.
  Later, it was sent because the reply is lost: the same reply is sent again, without a step.
- An earlier frame is late and ignored, and so is what another sender sends. After seconds without
  any other frame, frame 0 or another sender is a new start of ArduPilot: the simulation begins
  anew.
"""

from dataclasses import asdict, dataclass
from typing import Protocol, TypeAlias

from grouser.errors import InvalidValue
from grouser.models import Motion
from grouser.plugs.ardupilot.ned import describe_vehicle
from grouser.plugs.ardupilot.packets import ServoFrame, Timestamps, compose_reply, parse_servos
from grouser.plugs.ardupilot.servos import ServoMap

Address: TypeAlias = tuple[str, int]
"""Numeric address and port."""
COPY_WITHIN = 0.05
"""Time after a reply within which its frame again is a copy; ArduPilot waits a second [s]."""
RESTART_AFTER = 2.5
"""Silence after which frame 0, or another sender, is a new start; ArduPilot sends every 1.1 s while
it waits for a reply [s]."""
LONGEST_STEP = 0.05
"""Longest step for one frame; ArduPilot does not follow steps of 0.1 s and more [s]."""
_PS = 10**12


class Vehicle(Protocol):
    """The simulated robot, as lock step needs it."""

    @property
    def tick(self) -> float:
        """Length of one tick [s]."""
        ...

    @property
    def time(self) -> float:
        """Simulated time since its start [s]."""
        ...

    @property
    def motion(self) -> Motion:
        """Current motion."""
        ...

    def advance(self, left: float, right: float) -> None:
        """Advance by one tick with these shares of the full belt speed, from -1 to 1."""

    def reset(self) -> None:
        """Begin anew: at the start, at time zero."""


@dataclass(slots=True)
class Counts:
    """Counts of datagrams."""

    frames: int = 0
    """Frames for which the simulation made a step."""
    merged: int = 0
    """Frames that the reply to another one served."""
    skipped: int = 0
    """Frames that never came."""
    copies: int = 0
    """Copies that the network made, without a reply."""
    resent: int = 0
    """Replies that were sent again."""
    late: int = 0
    """Frames that came after a later one."""
    restarts: int = 0
    """New starts of ArduPilot."""
    malformed: int = 0
    """Datagrams that are no servo packet."""
    strangers: int = 0
    """Datagrams from another sender."""


class FrameSteps:
    """Number of ticks for each frame: as much time as ArduPilot would like, in whole ticks.

    Time is counted in whole picoseconds, and what is not used is kept, so that frames of any rate
    take their time on average. A frame shorter than a tick takes one tick: ArduPilot follows the
    timestamps, and says at the next frame what it would like then.
    """

    def __init__(self, tick: float) -> None:
        self._tick, self._owed = round(tick * _PS), 0

    def count(self, rate: int) -> int:
        """Return how many ticks a frame takes, at least one [1]."""
        self._owed += min(_PS // rate, round(LONGEST_STEP * _PS))
        ticks = self._owed // self._tick
        self._owed = self._owed - ticks * self._tick if ticks else 0
        return max(ticks, 1)


class LockStep:
    """Takes datagrams of ArduPilot, advances a vehicle, and returns replies; it has no socket."""

    def __init__(self, vehicle: Vehicle, servos: ServoMap) -> None:
        """Let ArduPilot drive `vehicle`."""
        self._vehicle, self._servos = vehicle, servos
        self._steps, self._timestamps = FrameSteps(vehicle.tick), Timestamps()
        self._peer: Address | None = None
        self._heard_at = self._replied_at = float("-inf")
        self._last = -1
        """Number of the newest frame that has come."""
        self._is_restart = False
        self._pending: ServoFrame | None = None
        self._reply = b""
        self._is_reply_due = False
        self.counts = Counts()
        """Counts of datagrams."""
        self.problem = ""
        """What was wrong with the last malformed datagram."""

    @property
    def is_waiting(self) -> bool:
        """Whether a frame has come for which no step was made yet."""
        return self._pending is not None

    def silence(self, now: float) -> float:
        """Return the time since the last frame that was not late; infinite before the first [s]."""
        return now - self._heard_at

    def take(self, data: bytes, source: Address, now: float) -> None:
        """Take a datagram that came from `source`, at a time of a clock that never jumps [s]."""
        is_silent, is_new_peer = self.silence(now) > RESTART_AFTER, source != self._peer
        if is_new_peer and not is_silent:
            self.counts.strangers += 1
            return
        try:
            frame = parse_servos(data)
        except InvalidValue as error:
            self.counts.malformed += 1
            self.problem = str(error)
            return
        is_earlier = frame.count < self._last
        if is_earlier and not is_new_peer and not (is_silent and frame.count == 0):
            self.counts.late += 1
            return
        is_first = self._peer is None
        self._peer, self._heard_at = source, now
        if is_new_peer or is_earlier:
            self._begin(frame, is_restart=not is_first)
        elif frame.count > self._last:
            self._follow(frame)
        else:
            self._repeat(now)

    def _begin(self, frame: ServoFrame, *, is_restart: bool) -> None:
        self._is_restart |= is_restart
        self.counts.restarts += is_restart
        self._last, self._pending, self._is_reply_due = frame.count, frame, False

    def _follow(self, frame: ServoFrame) -> None:
        self.counts.skipped += frame.count - self._last - 1
        self._last = frame.count
        if self._pending is not None:
            self._pending = frame
            self.counts.merged += 1
        elif self._is_reply_due:
            self.counts.merged += 1
        else:
            self._pending = frame

    def _repeat(self, now: float) -> None:
        is_served = self._pending is not None or self._is_reply_due
        if is_served or now - self._replied_at < COPY_WITHIN:
            self.counts.copies += 1
        else:
            self._is_reply_due = True
            self.counts.resent += 1

    def step(self) -> None:
        """Make the step of the frame that waits, if there is one.

        Raises:
            InvalidValue: The frame lacks the channels of the belts.
            NotFinite: The simulation has diverged.
        """
        frame, self._pending = self._pending, None
        if frame is None:
            return
        left, right = self._servos.belts(frame)
        vehicle = self._vehicle
        if self._is_restart:
            self._is_restart = False
            vehicle.reset()
            self._steps, self._timestamps = FrameSteps(vehicle.tick), Timestamps()
        before, ticks = vehicle.motion, self._steps.count(frame.rate)
        for _ in range(ticks):
            vehicle.advance(left, right)
        timestamp = self._timestamps.next(vehicle.time)
        state = describe_vehicle(before, vehicle.motion, ticks * vehicle.tick, timestamp)
        self._reply = compose_reply(state)
        self._is_reply_due = True
        self.counts.frames += 1

    def reply(self, now: float) -> tuple[bytes, Address] | None:
        """Return the reply that is due and where to send it; None if there is none."""
        if not self._is_reply_due or self._pending is not None or self._peer is None:
            return None
        self._is_reply_due, self._replied_at = False, now
        return self._reply, self._peer

    def summary(self) -> dict[str, int]:
        """Return the counts by name."""
        return asdict(self.counts)

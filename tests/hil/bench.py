"""A board on the bench: real if `pytest tests/hil --port DEVICE` says so, else in lockstep."""

from grouser.hil.connection import Connection, Link
from grouser.hil.conversation import Conversation, StateArrived
from grouser.hil.messages import State


class Bench:
    """A connected board that is driven at 100 Hz."""

    def __init__(self, link: Link, *, link_id: int = 7) -> None:
        self.link = link
        self.talk = Conversation(link_id, boot_wait=link.boot_wait)
        self.line = Connection(link, self.talk)
        self.ack = self.line.open()
        self.events: list = []

    def arm(self) -> "Bench":
        self.talk.arm()
        self.line.flush()
        return self

    def drive(self, duration: float, left: float = 0.1, right: float = 0.1) -> None:
        """Answer each state with a command."""
        end = self.link.now() + duration
        while self.link.now() < end:
            for event in self.line.pump(0.002):
                self.events.append(event)
                if isinstance(event, StateArrived):
                    self.talk.command(left, right, self.line.now)
            self.line.flush()

    def wait(self, duration: float) -> None:
        """Listen and say nothing."""
        end = self.link.now() + duration
        while self.link.now() < end:
            self.events += self.line.pump(0.002)

    @property
    def state(self) -> State:
        assert self.talk.last is not None
        return self.talk.last.state

    def seen(self, kind: type) -> list:
        return [event for event in self.events if isinstance(event, kind)]

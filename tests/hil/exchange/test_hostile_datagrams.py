"""Datagrams of somebody who is not the other side, or who says what was said before."""

import socket
from collections.abc import Iterator

import pytest

from grouser import Simulation, load_course, load_robot, make_model
from grouser.hil.exchange import SimulationLoop, SimulationSide, UdpChannel
from grouser.hil.exchange.channels import LONGEST, MOST_AT_ONCE, PEER_TIMEOUT

FAST = b"1000000,0,30,30\n"


class Street:
    """Our simulation at a port, its true controller, and somebody else."""

    def __init__(self) -> None:
        self.now = 100.0
        self.friend, self.foe = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in "ab")
        self.friend.bind(("127.0.0.1", 0))
        self.foe.bind(("127.0.0.2", 0))
        self.channel = UdpChannel(self.friend.getsockname(), 0, lambda: self.now)
        self.address = ("127.0.0.1", self.channel.port)
        side = SimulationSide(self.channel, lambda: self.now)
        robot = load_robot("tp100")
        self.simulation = Simulation(make_model("ideal"), robot, load_course("flat"))
        self.loop, self.side = SimulationLoop(self.simulation, side), side

    def say(self, *lines: bytes, by: socket.socket | None = None) -> None:
        """Send, and let one tick pass."""
        for line in lines:
            (by or self.friend).sendto(line, self.address)
        self.tick()

    def tick(self, count: int = 1) -> None:
        for _ in range(count):
            self.loop.tick()
            self.now += self.loop.period

    @property
    def speed(self) -> float:
        return float(self.simulation.motion.twist.vx)

    def close(self) -> None:
        for one in (self.friend, self.foe, self.channel):
            one.close()


@pytest.fixture
def street() -> Iterator[Street]:
    made = Street()
    yield made
    made.close()


def test_another_address_moves_nothing(street):
    street.say(b"1,0,0,0\n")
    for seq in range(2, 50):
        street.say(f"{seq},0,30,30\n".encode(), by=street.foe)
    assert street.simulation.motion.pose.x == 0.0
    assert street.side.counts["rejected"] == 48


def test_another_program_of_the_same_address_moves_nothing_while_the_first_speaks(street):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        for seq in range(1, 50):
            street.say(f"{seq},0,0,0\n".encode())
            street.say(FAST, by=other)
        assert street.simulation.motion.pose.x == 0.0
        assert street.side.counts["rejected"] == 49
        street.now += PEER_TIMEOUT + 0.1
        street.say(b"1,0,5,5\n", by=other)  # the first is gone: its successor is heard
        assert street.side.latest().line.left == pytest.approx(0.05)


def test_junk_does_not_make_anybody_the_peer(street):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        street.say(b"\xff\x00junk", by=other)
        street.say(b"1,0,5,5\n")
        assert street.side.latest().line.left == pytest.approx(0.05)


def test_what_was_said_before_is_not_news(street):
    """Replayed and reordered datagrams neither change the speed nor keep it fresh."""
    old = [f"{seq},0,{seq},{seq}\n".encode() for seq in range(1, 20)]
    for line in old:
        street.say(line)
    for seq in range(20, 60):  # the belts need their time to come to rest
        street.say(f"{seq},0,0,0\n".encode())
    for line in old * 2:
        street.say(line)
        assert street.speed == 0.0
    assert street.side.counts["old"] == 38
    assert street.side.latest().is_stale


def test_old_datagrams_that_come_late_do_not_start_the_robot_again(street):
    for seq in range(5000, 5010):
        street.say(f"{seq},0,10,10\n".encode())
    street.tick(200)
    assert street.speed == 0.0
    street.say(b"5003,0,10,10\n", b"5004,0,10,10\n")
    street.tick()
    assert street.speed == 0.0


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00" * 100,
        b"\xff\xfe1,2,3,4",
        b"1,2,3",
        b"nan,nan\n",
        b"inf,1\n",
        b"1,0,1e300,1e300\n",
        b"1e400,0,1,1\n",
        b"1,0,1_0,1\n",
        b"9" * 400 + b",1\n",
        b"-1,0,30,30\n",
        b"1.5,0,30,30\n",
    ],
)
def test_junk_is_counted_and_moves_nothing(street, data):
    street.say(b"0 0\n")
    street.say(data)
    street.tick()
    assert street.simulation.motion.pose.x == 0.0
    assert street.side.counts["malformed"] == 1


def test_a_datagram_that_is_too_long_is_not_cut_and_believed(street):
    street.say(b"0 0\n")
    street.say(b"30,30" + b" " * LONGEST + b"junk")
    street.tick()
    assert street.simulation.motion.pose.x == 0.0
    assert street.channel.oversized == 1


def test_a_flood_does_not_hold_the_loop(street, monkeypatch):
    street.say(b"1,0,10,10\n")
    endless = iter(lambda: (b"x" * 10, street.foe.getsockname()), None)

    class Flood:
        def recvfrom(self, size: int):
            return next(endless)

        def sendto(self, data: bytes, where) -> None:
            pass

        def close(self) -> None:
            pass

    real = street.channel._socket
    monkeypatch.setattr(street.channel, "_socket", Flood())
    street.tick(40)
    monkeypatch.setattr(street.channel, "_socket", real)
    assert street.channel.strangers == 40 * MOST_AT_ONCE
    assert street.speed == 0.0  # the peer is drowned: its last line is stale

"""Channels: files, datagrams, threads, and hostile datagrams."""

import os
import socket
import threading
from collections.abc import Iterator

import pytest

from grouser import Simulation, load_course, load_robot, make_model
from grouser.errors import InvalidValue
from grouser.hil.exchange import (
    FileChannel,
    SimulationLoop,
    SimulationSide,
    UdpChannel,
    open_channel,
)
from grouser.hil.exchange.channels import LONGEST, MOST_AT_ONCE, PEER_TIMEOUT, BackgroundChannel


@pytest.fixture
def pair(tmp_path):
    """Return a channel, and the file that the other side writes."""
    return FileChannel(tmp_path / "a.txt", tmp_path / "b.txt"), tmp_path / "b.txt"


def test_each_side_reads_what_the_other_writes(tmp_path):
    controller = open_channel(str(tmp_path), "controller")
    simulation = open_channel(str(tmp_path), "simulation")
    controller.send("1,0,2,3\n")
    simulation.send("1,0,0,0,0,0,0,0\n")
    assert (tmp_path / "Encoder.txt").read_text() == "1,0,2,3\n"
    assert (tmp_path / "Orientation.txt").read_text() == "1,0,0,0,0,0,0,0\n"
    assert simulation.receive() == "1,0,2,3\n"
    assert controller.receive() == "1,0,0,0,0,0,0,0\n"


def test_a_file_that_did_not_change_says_nothing_new(pair):
    channel, other = pair
    other.write_text("1,2\n")
    assert channel.receive() == "1,2\n"
    assert channel.receive() is None


def test_what_an_earlier_run_left_does_not_count(tmp_path):
    (tmp_path / "b.txt").write_text("5,5\n")
    channel = FileChannel(tmp_path / "a.txt", tmp_path / "b.txt")
    assert channel.receive() is None
    (tmp_path / "b.txt").write_text("6,6 \n")
    assert channel.receive() == "6,6 \n"


def test_a_line_that_is_being_written_is_waited_for(tmp_path):
    other = tmp_path / "b.txt"
    writing = ["12.5,13.5"]

    def go_on(_):
        if writing:
            other.write_text(writing.pop())

    channel = FileChannel(tmp_path / "a.txt", other, sleep=go_on)
    other.write_text("12.5,1")
    assert channel.receive() is None
    assert channel.receive() == "12.5,13.5"  # no newline comes: it stayed the same
    assert channel.receive() is None


def test_a_file_that_was_only_emptied_so_far_says_nothing(pair):
    channel, other = pair
    other.write_text("")
    assert channel.receive() is None
    other.write_text("1,2\n")
    assert channel.receive() == "1,2\n"


def test_a_file_that_is_gone_says_nothing(pair):
    channel, other = pair
    other.write_text("1,2\n")
    channel.receive()
    other.unlink()
    assert channel.receive() is None


def test_a_reader_never_sees_half_a_line(tmp_path):
    channel = FileChannel(tmp_path / "a.txt", tmp_path / "b.txt")
    lines = ["1,2\n", "1000000,2000000,3000000,4000000\n"]
    channel.send(lines[0])
    seen = set()
    stop = threading.Event()

    def write():
        while not stop.is_set():
            for line in lines:
                channel.send(line)

    writer = threading.Thread(target=write)
    writer.start()
    for _ in range(500):
        seen.add((tmp_path / "a.txt").read_text())
    stop.set()
    writer.join()
    assert seen <= set(lines)
    assert {entry.name for entry in tmp_path.iterdir()} == {"a.txt"}


def test_windows_may_hold_our_file_for_a_moment(pair, monkeypatch):
    channel, _ = pair

    def held(*_):
        raise PermissionError(13, "held")

    monkeypatch.setattr(os, "replace", held)
    with pytest.raises(InvalidValue, match="be writable"):
        channel.send("1,2\n")
    monkeypatch.setattr("grouser.hil.exchange.channels.SYSTEM", "nt")
    channel.send("1,2\n")


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidValue, match="exchange must be a folder"):
        open_channel(str(tmp_path / "file"), "controller")


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return min(probe.getsockname()[1], 65533)


def test_datagrams_carry_the_newest_line_each_way():
    where = f"udp:{free_port()}"
    controller, simulation = open_channel(where, "controller"), open_channel(where, "simulation")
    try:
        assert simulation.receive() is None
        for count in range(5):
            controller.send(f"{count},0,1,1\n")
        simulation.send("1,2,3\n")
        assert simulation.receive() == "4,0,1,1\n"
        assert simulation.receive() is None
        assert controller.receive() == "1,2,3\n"
    finally:
        controller.close()
        simulation.close()


def test_a_port_is_on_loopback_and_taken_once():
    channel = UdpChannel(("localhost", 9), 0)
    try:
        assert channel._socket.getsockname()[0] == "127.0.0.1"
        with pytest.raises(InvalidValue, match=r"port \d+ must be free|be free"):
            UdpChannel(("localhost", 9), channel.port)
    finally:
        channel.close()


def test_nobody_listening_is_no_mistake():
    channel = UdpChannel(("127.0.0.1", free_port()), 0)
    for _ in range(3):
        channel.send("1,2\n")
        assert channel.receive() is None
    channel.close()


@pytest.mark.parametrize("where", ["udp:", "udp:x", "udp:0", "udp:70000", "udp:a:b:c", "udp::5"])
def test_a_word_that_is_no_place_is_refused(where):
    with pytest.raises(InvalidValue, match="exchange must"):
        open_channel(where, "controller")


class SlowChannel:
    """A disk that takes its time: nothing passes before the gate opens."""

    rejected = 0

    def __init__(self):
        self.sent, self.gate, self.closed = [], threading.Event(), False

    def send(self, line):
        self.gate.wait(10.0)
        if line == "bad\n":
            raise InvalidValue("output", "a.txt", "be writable")
        self.sent.append(line)

    def receive(self):
        return f"heard after {self.sent[-1]}" if self.sent else None

    def close(self):
        self.closed = True


def test_a_slow_disk_does_not_hold_up_the_loop_and_the_newest_line_wins():
    slow = SlowChannel()
    channel = BackgroundChannel(slow)
    for count in range(100):
        channel.send(f"{count}\n")  # returns although nothing can pass
        assert channel.receive() is None
    slow.gate.set()
    channel.close()
    assert slow.sent[-1] == "99\n"
    assert len(slow.sent) <= 3
    assert channel.receive() == "heard after 99\n"
    assert slow.closed


def test_what_goes_wrong_in_the_background_is_told():
    slow = SlowChannel()
    channel = BackgroundChannel(slow)
    slow.gate.set()
    channel.send("bad\n")
    channel._thread.join(10.0)
    with pytest.raises(InvalidValue, match="be writable"):
        channel.send("1\n")
    channel.close()


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

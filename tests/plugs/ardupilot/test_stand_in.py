"""The stand-in drives a square: through a bad network in lock step, and over UDP."""

import math
import socket
import threading
from pathlib import Path

import numpy as np
import pytest

from grouser.errors import InvalidValue
from grouser.log import read_log
from grouser.plugs.ardupilot import LockStep, Port, ServoMap, run_server
from grouser.plugs.ardupilot.vehicle import LoggedVehicle
from grouser.scenario import Scenario
from tests.plugs.ardupilot.network import Network, Weather
from tests.plugs.ardupilot.soak import BAD, GOOD, soak
from tests.plugs.ardupilot.stand_in import SquareDriver, StandIn, read_by_search, read_strictly


def vehicle_of(folder: Path, model: str, tick: float, **more) -> LoggedVehicle:
    scenario = Scenario(
        robot="packbot510", course="flat", model=model, driver="ardupilot", tick=tick, **more
    )
    return LoggedVehicle(scenario, folder / "log.csv")


def off_square(path: list[tuple[float, float, float]], side: float) -> float:
    """Return how far a path goes from the square's sides, at most [m]."""
    north, east = (np.array(values) for values in list(zip(*path, strict=True))[1:])
    outside = np.maximum(np.abs(north - side / 2), np.abs(east - side / 2)) - side / 2
    return float(np.abs(outside).max())


@pytest.mark.parametrize(
    ("model", "read", "channels"), [("csm", read_by_search, 16), ("icr", read_strictly, 32)]
)
def test_a_square_is_driven_in_lock_step(tmp_path, model, read, channels):
    vehicle = vehicle_of(tmp_path, model, 0.01)
    network = Network(
        LockStep(vehicle, ServoMap(left=5, right=6)),
        lambda: StandIn(rate=100.0, read=read, channels=channels, left=5, right=6),
        GOOD,
        np.random.default_rng(0),
        lambda: SquareDriver(side=3.0),
    )
    while network.driver.reached < 4:
        assert vehicle.time < 60.0
        network.advance()
    vehicle.discard()
    north, east, _ = network.stand_in.sensed.position
    assert math.hypot(north, east) < 0.2
    assert off_square(network.driver.path, 3.0) < 0.4
    counts = network.lock_step.counts
    assert counts.frames - network.stand_in.frames in (0, 1)
    assert (counts.skipped, counts.late, counts.copies, counts.resent) == (0, 0, 0, 0)
    assert network.stand_in.unread == network.stand_in.resets_seen == 0


def test_clocks_agree_through_losses_copies_delays_and_restarts():
    row = soak(BAD, seconds=20.0, model="slip", restarts=3, seed=1, tick=0.005)
    assert row.frames == pytest.approx(20.0 / 0.005, abs=3)
    assert min(row.lost, row.copied, row.reordered, row.resent) > 10
    assert row.restarts == 3
    assert row.clock_difference_us < 1.0
    assert row.backward == 0


def test_replies_that_come_twice_are_the_one_thing_that_moves_the_clock_of_ardupilot():
    weather = Weather(reply_copies=0.02)
    row = soak(weather, seconds=5.0, model="ideal", restarts=0, seed=1, tick=0.005)
    assert row.backward > 0
    assert row.merged > 0
    assert row.clock_difference_us == pytest.approx(1e6 * row.gained, abs=1.0)


class Serving:
    """A port and its vehicle in a thread, until the stand-in has been silent for a second."""

    def __init__(self, vehicle: LoggedVehicle) -> None:
        self.vehicle, self.lock_step = vehicle, LockStep(vehicle, ServoMap())
        self.port = Port(port=0)
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self) -> None:
        self.ended = run_server(
            self.port, self.lock_step, time_of=lambda: self.vehicle.time, patience=1.0
        )

    def __enter__(self) -> "Serving":
        return self

    def __exit__(self, *error: object) -> None:
        self.thread.join()
        self.port.close()


def test_a_square_is_driven_over_udp(tmp_path):
    stand_in, driver = StandIn(rate=50.0), SquareDriver(side=2.0)
    with (
        Serving(vehicle_of(tmp_path, "slip", 0.02)) as serving,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line,
    ):
        line.settimeout(5.0)
        while driver.reached < 4:
            assert stand_in.frames < 3000
            line.sendto(stand_in.output_servos(), ("127.0.0.1", serving.port.number))
            assert stand_in.receive(line.recv(65000))
            driver.drive(stand_in)
    assert serving.ended == ("complete", "no frame came for 1 s")
    assert serving.lock_step.counts.frames == stand_in.frames
    assert stand_in.clock_us == round(serving.vehicle.time * 1e6)
    log = serving.vehicle.log("complete", serving.lock_step.summary())
    serving.vehicle.discard()
    assert log.provenance.notes["ardupilot"]["frames"] == stand_in.frames
    # North is y, east is x.
    assert (log["y"][-1], log["x"][-1]) == pytest.approx(stand_in.sensed.position[:2], abs=1e-9)


def test_a_reset_keeps_the_log_of_the_run_before(tmp_path):
    vehicle = vehicle_of(tmp_path, "slip", 0.01)
    for _ in range(50):
        vehicle.advance(0.5, 0.5)
    vehicle.reset()
    assert vehicle.time == 0.0
    assert float(vehicle.motion.pose.x) == 0.0
    vehicle.advance(0.5, 0.5)
    vehicle.discard()
    assert [path.name for path in vehicle.earlier] == ["log-run1.csv"]
    before = read_log(vehicle.earlier[0])
    assert len(before) == 51
    assert before["belt_speed_commanded.left"][-1] == 1.25
    assert [path.name for path in tmp_path.iterdir()] == ["log-run1.csv"]


def test_gains_of_the_scenario_apply(tmp_path):
    vehicle = vehicle_of(tmp_path, "ideal", 0.01, variation={"gain_left": 0.5})
    vehicle.advance(0.4, 0.4)
    vehicle.discard()
    assert vehicle.motion.belt_speeds_commanded == pytest.approx((0.5, 1.0))


def test_a_port_that_is_taken_gets_one_sentence():
    with Port(port=0) as port:
        number = port.number
        with pytest.raises(InvalidValue, match=f"--port must be free at 127.0.0.1 .*{number}"):
            Port(port=number)
    Port(port=number).close()


@pytest.mark.parametrize("host", ["203.0.113.7", "no.such.host.invalid"])
def test_a_host_that_is_not_this_machine_gets_one_sentence(host):
    with pytest.raises(InvalidValue, match="--host must be an address of this machine"):
        Port(host, 0)

"""Minutes of lock step through a bad network with restarts, and how far the clocks are apart."""

import math
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grouser.plugs.ardupilot import LockStep, ServoMap
from grouser.plugs.ardupilot.vehicle import LoggedVehicle
from grouser.scenario import Scenario
from tests.plugs.ardupilot.network import Network, Weather
from tests.plugs.ardupilot.stand_in import SquareDriver, StandIn

GOOD = Weather()
BAD = Weather(loss=0.01, frame_copies=0.01, held=0.01)
WORST = Weather(loss=0.01, frame_copies=0.01, reply_copies=0.005, held=0.01)


@dataclass(frozen=True, slots=True, kw_only=True)
class SoakRow:
    """What happened in one soak, all runs between restarts together."""

    case: str
    """Network."""
    model: str
    """Model of motion."""
    simulated: float
    """Simulated time [s]."""
    world: float
    """Time of the world, with all waits [s]."""
    frames: int
    """Steps of the simulation."""
    lost: int
    """Datagrams that were lost, both ways."""
    copied: int
    """Datagrams that came twice."""
    reordered: int
    """Datagrams that came after a later one."""
    resent: int
    """Frames that the stand-in sent again."""
    merged: int
    """Frames that shared a reply."""
    restarts: int
    """New starts of ArduPilot."""
    backward: int
    """Replies that the stand-in read after a later one."""
    gained: float
    """Time that the stand-in's clock gained by those [s]."""
    clock_difference_us: float
    """Largest difference between the clock of the stand-in and the simulated time of the reply that
    it has read [us]."""
    squares: int
    """Squares that were driven."""


class Watch:
    """Compares the clocks after each event."""

    def __init__(self, tick: float) -> None:
        self.difference, self.gained, self.backward, self.squares = 0.0, 0.0, 0, 0
        self._tick, self._last = tick, 0.0
        self._stand_in: StandIn | None = None

    def look(self, network: Network) -> None:
        """Note the difference of the clocks of the current run."""
        stand_in = network.stand_in
        if stand_in is not self._stand_in:
            self._stand_in, self._last = stand_in, 0.0
        if stand_in.sensed is None:
            return
        timestamp = stand_in.timestamp
        if timestamp < self._last:
            self.backward += 1
            self.gained += self._last - timestamp
        self._last = timestamp
        simulated = round(timestamp / self._tick) * self._tick
        self.difference = max(self.difference, abs(stand_in.clock_us - 1e6 * simulated))


def soak(
    weather: Weather,
    *,
    seconds: float,
    model: str,
    restarts: int,
    seed: int = 0,
    tick: float = 0.002,
    case: str = "",
) -> SoakRow:
    """Drive squares for a simulated time in lock step; ArduPilot starts anew some times."""
    generator = np.random.default_rng(seed)
    scenario = Scenario(
        robot="packbot510", course="flat", model=model, driver="ardupilot", tick=tick
    )
    watch, simulated = Watch(tick), 0.0

    def make_driver() -> SquareDriver:
        return SquareDriver(side=3.0, laps=math.inf)

    with tempfile.TemporaryDirectory() as folder:
        vehicle = LoggedVehicle(scenario, Path(folder) / "log.csv")
        lock_step = LockStep(vehicle, ServoMap())
        network = Network(lock_step, StandIn, weather, generator, make_driver)
        lengths = np.diff([0.0, *sorted(generator.uniform(0.0, seconds, restarts)), seconds])
        for run, length in enumerate(lengths):
            if run > 0:
                network.restart()
            while not (vehicle.time >= length and lock_step.counts.restarts == run):
                network.advance()
                watch.look(network)
            simulated += vehicle.time
            watch.squares += network.driver.reached // 4
        vehicle.discard()
    counts = lock_step.counts
    return SoakRow(
        case=case, model=model, simulated=simulated, world=network.now, frames=counts.frames,
        lost=network.lost, copied=network.copied, reordered=network.reordered,
        resent=network.resent, merged=counts.merged, restarts=counts.restarts,
        backward=watch.backward, gained=watch.gained, squares=watch.squares,
        clock_difference_us=watch.difference,
    )  # fmt: skip

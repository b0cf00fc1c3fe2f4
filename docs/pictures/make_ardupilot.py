"""Draw ardupilot-square.png: one autopilot drives squares with robots that slip differently.

python docs/pictures/make_ardupilot.py

The autopilot is the stand-in of the tests; ArduPilot itself is not run. The numbers of the picture
are printed as the table of docs/ardupilot.md.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parents[1]))

from tests.plugs.ardupilot.network import Network, Weather  # noqa: E402
from tests.plugs.ardupilot.stand_in import SquareDriver, StandIn  # noqa: E402

from grouser.plugs.ardupilot import LockStep, ServoMap  # noqa: E402
from grouser.plugs.ardupilot.vehicle import LoggedVehicle  # noqa: E402
from grouser.scenario import Scenario  # noqa: E402

SIDE = 4.0
CASES = (
    ("ideal", "ideal", 1.0, "--"),
    ("csm", "csm", 1.0, "-"),
    ("csm, 0.2 of the friction", "csm", 0.2, "-"),
)


def drive(model: str, friction: float) -> tuple[np.ndarray, float]:
    """Return time [s], north and east [m] of a square, and the time that it took [s]."""
    factors = {"variation": {"friction": friction}} if friction != 1.0 else {}
    scenario = Scenario(
        robot="packbot510", course="flat", model=model, driver="ardupilot", tick=0.002, **factors
    )
    with tempfile.TemporaryDirectory() as folder:
        vehicle = LoggedVehicle(scenario, Path(folder) / "log.csv")
        network = Network(
            LockStep(vehicle, ServoMap()), StandIn, Weather(), np.random.default_rng(0),
            lambda: SquareDriver(side=SIDE, throttle=0.8),
        )  # fmt: skip
        while not network.driver.is_done:
            network.advance()
        vehicle.discard()
        return np.array(network.driver.path), vehicle.time


def main() -> None:
    """Draw the picture, and print its numbers."""
    figure = Figure(figsize=(6.0, 5.4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    corners = SIDE * np.array(((0, 0), (0, 1), (1, 1), (1, 0), (0, 0)))
    axes.plot(corners[:, 1], corners[:, 0], ":", color="0.6", label="square")
    for name, model, friction, dash in CASES:
        path, duration = drive(model, friction)
        north, east = path[:, 1], path[:, 2]
        axes.plot(east, north, dash, label=name)
        off = np.maximum(abs(north - SIDE / 2), abs(east - SIDE / 2)) - SIDE / 2
        sys.stdout.write(f"| {name} | {duration:.1f} | {np.abs(off).max():.2f} |\n")
    axes.set(xlabel="east [m]", ylabel="north [m]", aspect="equal")
    axes.set_title("PackBot 510, one autopilot, from the corner at 0, 0")
    axes.legend(loc="center")
    figure.savefig(FOLDER / "ardupilot-square.png", dpi=110)


if __name__ == "__main__":
    main()

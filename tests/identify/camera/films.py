"""A short drive, and its film by an overhead camera such as P0's."""

from pathlib import Path

from grouser.description import Rig, load_course, load_rig, load_robot, parse_rig
from grouser.drawing.overhead import write_overhead_film
from grouser.drawing.playback import Playback
from grouser.log import Log
from grouser.models import make_model
from grouser.simulation import Legs, Sides, Simulation

ROBOT = load_robot("tp100")
SLOW = parse_rig(load_rig("tp100-overhead").text.replace("rate_hz = 30.0", "rate_hz = 2.0"), "slow")
"""P0's camera at full size, with few pictures."""


def drive(duration: float = 6.0) -> Log:
    """Return a drive ahead, to the left and to the right, with the slip of P0's Table 3."""
    simulation = Simulation(make_model("slip"), ROBOT, load_course("flat"))
    third = duration / 3.0
    legs = [
        (third, Sides(left=0.10, right=0.10)),
        (third, Sides(left=0.06, right=0.12)),
        (third, Sides(left=0.12, right=0.06)),
    ]
    simulation.run(Legs(ROBOT, legs), duration)
    return simulation.log()


def film(log: Log, path: Path, rig: Rig = SLOW, **options) -> Path:
    """Film a drive; return where the film is."""
    write_overhead_film(Playback(log), rig, path, **options)
    return path

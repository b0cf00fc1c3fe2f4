"""Two lines of text, one each way, between a controller and a simulation of another program.

The controller's side writes the speeds of the belts to `Encoder.txt`, the simulation's side writes
where the virtual robot is to `Orientation.txt`; datagrams carry the same lines where files are too
slow. Either side can be ours.
"""

from grouser.hil.exchange.channel import Channel
from grouser.hil.exchange.control_loop import ControlLoop
from grouser.hil.exchange.controller_side import ControllerSide
from grouser.hil.exchange.encoder_line import EncoderLine
from grouser.hil.exchange.file_channel import FileChannel
from grouser.hil.exchange.mailbox import STALE_AFTER, Mailbox, Sight
from grouser.hil.exchange.open_channel import open_channel
from grouser.hil.exchange.orientation_line import OrientationLine
from grouser.hil.exchange.run_loop import run_loop
from grouser.hil.exchange.simulation_loop import SimulationLoop
from grouser.hil.exchange.simulation_side import SimulationSide
from grouser.hil.exchange.udp_channel import UdpChannel

__all__ = [
    "STALE_AFTER",
    "Channel",
    "ControlLoop",
    "ControllerSide",
    "EncoderLine",
    "FileChannel",
    "Mailbox",
    "OrientationLine",
    "Sight",
    "SimulationLoop",
    "SimulationSide",
    "UdpChannel",
    "open_channel",
    "run_loop",
]

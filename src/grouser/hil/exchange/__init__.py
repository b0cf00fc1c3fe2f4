"""Two lines of text, one each way, between a controller and a simulation of another program.

The controller's side writes the speeds of the belts to `Encoder.txt`, the simulation's side writes
where the virtual robot is to `Orientation.txt`; datagrams carry the same lines where files are too
slow. Either side can be ours.
"""

from grouser.hil.exchange.channels import Channel, FileChannel, UdpChannel, open_channel
from grouser.hil.exchange.lines import EncoderLine, OrientationLine
from grouser.hil.exchange.loops import ControlLoop, SimulationLoop, run_loop
from grouser.hil.exchange.mailbox import STALE_AFTER, ControllerSide, Mailbox, Sight, SimulationSide

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

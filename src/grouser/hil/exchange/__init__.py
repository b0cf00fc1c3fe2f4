"""Exchange of text lines between a controller and the simulation of another program.

The controller writes belt speeds to `Encoder.txt`, the simulation writes the pose of the virtual
robot to `Orientation.txt`; UDP datagrams carry the same lines where files are too slow. Either side
can be grouser.
"""

from grouser.hil.exchange.channels import Channel, FileChannel, UdpChannel, open_channel
from grouser.hil.exchange.lines import EncoderLine, OrientationLine
from grouser.hil.exchange.loops import ControlLoop, SimulationLoop, run_loop
from grouser.hil.exchange.mailbox import ControllerSide, Mailbox, SimulationSide

__all__ = [
    "Channel",
    "ControlLoop",
    "ControllerSide",
    "EncoderLine",
    "FileChannel",
    "Mailbox",
    "OrientationLine",
    "SimulationLoop",
    "SimulationSide",
    "UdpChannel",
    "open_channel",
    "run_loop",
]

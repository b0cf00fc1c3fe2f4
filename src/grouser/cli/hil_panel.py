"""What a person sees at the terminal while a board runs."""

import math
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from grouser.hil.conversation import Conversation
    from grouser.hil.loop import LoopSnapshot

COLOURS = {"ARMED": "bold green", "SAFE": "bold red", "IDLE": "yellow", "WAIT_HELLO": "yellow"}
"""Of the board's states."""


def draw_panel(title: str, snapshot: "LoopSnapshot | None", talk: "Conversation | None") -> Panel:
    """Return the newest snapshot of a run, as one panel.

    Args:
        title: What is run.
        snapshot: What the loop saw last; None before it saw anything.
        talk: What was said; None before the board answered.
    """
    if snapshot is None or talk is None:
        return Panel(Text("waiting for the board ..."), title=title, box=box.ROUNDED)
    return Panel(
        Group(_status(snapshot), _belts(snapshot), _link(talk)),
        title=title,
        subtitle="Ctrl-C stops the motors",
        box=box.ROUNDED,
    )


def _status(snapshot: "LoopSnapshot") -> Text:
    from grouser.hil.loop import describe_faults
    from grouser.hil.messages import BoardState

    state, pose = snapshot.arrived.state, snapshot.motion.pose
    name = BoardState(state.state).name if state.state in list(BoardState) else str(state.state)
    text = Text(f"{snapshot.phase.value:9s} {snapshot.time:7.2f} s   board ")
    text.append(name, COLOURS.get(name, ""))
    text.append(f"   {describe_faults(state.faults)}   {state.battery_mv / 1000.0:.2f} V\n")
    text.append(
        f"virtual   x {float(pose.x):+7.3f} m  y {float(pose.y):+7.3f} m  "
        f"yaw {math.degrees(float(pose.yaw)):+7.1f} deg"
    )
    return text


def _belts(snapshot: "LoopSnapshot") -> Table:
    state = snapshot.arrived.state
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading in ("belt", "commanded m/s", "measured m/s", "duty %", "counts"):
        table.add_column(heading, justify="left" if heading == "belt" else "right")
    duties, counts = (
        (state.duty_left, state.duty_right),
        (state.encoder_left, state.encoder_right),
    )
    for side, commanded, measured, duty, count in zip(
        ("left", "right"), snapshot.commanded, state.speeds, duties, counts, strict=True
    ):
        table.add_row(
            side, f"{commanded:+.3f}", f"{measured:+.3f}", f"{duty / 10:+.0f}", str(count)
        )
    return table


def _link(talk: "Conversation") -> Text:
    counts, rtts = talk.counts, talk.clock.rtts
    rtt = f"{1e3 * rtts[-1]:.1f} ms" if rtts else "not known"
    line = (
        f"\nlink      {counts.states} states, {counts.missing} lost, {counts.late} late commands, "
        f"{talk.frames.bad} damaged, round trip {rtt}"
    )
    return Text(line + ("   SILENT" if talk.is_lost else ""), "red" if talk.is_lost else "")

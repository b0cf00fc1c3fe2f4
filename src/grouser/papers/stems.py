"""Numbers of a few things side by side, as stems from zero."""

from collections.abc import Mapping, Sequence

import numpy as np

from grouser.report import Panel, Series

GAP = 0.16
"""Distance of the stems of one thing [1]."""


def draw_stems(
    key: str,
    title: str,
    y_label: str,
    things: Sequence[str],
    groups: Mapping[str, tuple[Sequence[float], str]],
) -> Panel:
    """Return a figure with a stem for each thing and group.

    Args:
        key: Short name of the figure.
        title: What it shows.
        y_label: Quantity and unit.
        things: What is compared, from left to right.
        groups: A number for each thing, and a colour, by the group's name.
    """
    lines = []
    for number, (name, (values, colour)) in enumerate(groups.items()):
        x = np.arange(len(things)) + GAP * (number - 0.5 * (len(groups) - 1))
        gaps = np.full(len(things), np.nan)
        lines.append(
            Series(
                name=name,
                x=np.stack((x, x, gaps), axis=1).ravel(),
                y=np.stack((np.zeros(len(things)), np.asarray(values), gaps), axis=1).ravel(),
                colour=colour,
            )
        )
    return Panel(
        key=key, title=title, x_label="", y_label=y_label, series=tuple(lines),
        x_names=tuple(things),
    )  # fmt: skip

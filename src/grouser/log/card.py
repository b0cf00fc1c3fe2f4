"""A log as a card in a notebook."""

from typing import TYPE_CHECKING

import numpy as np

from grouser import svg
from grouser.svg import Sketch, html_card

if TYPE_CHECKING:
    from grouser.log.log import Log

MOST_NAMES = 12
"""Names of columns that are shown."""


def log_card(log: "Log") -> str:
    """Return the log with its path seen from above."""
    origin, rest = log.provenance, len(log.names) - MOST_NAMES
    names = ", ".join(log.names[:MOST_NAMES]) + (f", and {rest} more" if rest > 0 else "")
    rows = {
        "robot": origin.robot,
        "course": origin.course,
        "model": origin.model,
        "rows": f"{len(log):,}" + (f" in {log.duration:.4g} s" if "time" in log else ""),
        "columns": names,
        "status": "" if origin.status == "complete" else origin.status,
    }
    return html_card("Log", origin.created, rows, [_path(log).to_svg()])


def _path(log: "Log") -> Sketch:
    """Return the path of the body; empty without places."""
    sketch = Sketch()
    if "x" in log and "y" in log:
        points = np.column_stack((log["x"], log["y"])).astype(np.float64)
        sketch.line(points, svg.PATH)
        seen = points[np.isfinite(points).all(axis=1)]
        size = sketch.span
        if len(seen) and size:
            sketch.disc(seen[0, 0], seen[0, 1], 0.015 * size, svg.INK)
            sketch.disc(seen[-1, 0], seen[-1, 1], 0.025 * size, svg.HULL)
    return sketch

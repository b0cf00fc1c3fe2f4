"""A picture of runs, as a file."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from grouser.description import Course
from grouser.errors import InvalidValue
from grouser.extras import require_extra
from grouser.log import Log
from grouser.report.draw_matplotlib import draw_matplotlib
from grouser.report.make_panels import make_panels
from grouser.report.panel import Panel
from grouser.storage import write_atomically

PICTURE_SUFFIXES = (".png", ".svg")
"""How the name of a picture may end."""
MANY_PANELS = 7
"""From here on, three panels lie in a row."""
DOTS_PER_INCH = 150
"""Resolution of a PNG."""

# Words are taken as they are, and the same runs give the same bytes.
_SETTINGS: dict[Any, Any] = {"text.parse_math": False, "svg.hashsalt": "grouser", "font.size": 9}


def write_picture(
    runs: Mapping[str, Log],
    path: str | Path,
    course: Course | None = None,
    panels: Sequence[Panel] | None = None,
) -> None:
    """Write path, heading, slip and error of runs as one PNG or SVG file.

    Args:
        runs: Logs by the names that the legend gives them; the first is the reference of errors
            if the course has no path.
        path: Where to write; its suffix chooses the format.
        course: Where they were driven; without it, that of the first log that holds one.
        panels: Figures to draw; without them, those named above.

    Raises:
        InvalidValue: The name ends in neither .png nor .svg, or the place is not writable.
        MissingExtra: matplotlib is not installed.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in PICTURE_SUFFIXES:
        raise InvalidValue("name of a picture", str(path), "end in .png or .svg (a page: .html)")
    chosen = _choose(make_panels(runs, course)) if panels is None else tuple(panels)
    write_atomically(path, _render(chosen, suffix.removeprefix(".")))


def _choose(panels: tuple[Panel, ...]) -> tuple[Panel, ...]:
    """Return the plan, the first error there is, heading and slip."""
    by_key = {panel.key: panel for panel in panels}
    error = "error" if "error" in by_key else "gap"
    return tuple(by_key[key] for key in ("plan", "yaw", "slip", error) if key in by_key)


def _render(panels: tuple[Panel, ...], kind: str) -> bytes:
    require_extra("a picture", "plots", "matplotlib")
    from matplotlib import rc_context  # here, because it is optional and slow to import
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = 1 if len(panels) == 1 else 2 if len(panels) < MANY_PANELS else 3
    rows = -(-len(panels) // columns)
    content = io.BytesIO()
    with rc_context(_SETTINGS):
        figure = Figure(figsize=(6.0 * columns, 4.2 * rows), layout="constrained")
        FigureCanvasAgg(figure)
        for number, panel in enumerate(panels, start=1):
            draw_matplotlib(panel, figure.add_subplot(rows, columns, number))
        metadata = {"Date": None} if kind == "svg" else None
        figure.savefig(content, format=kind, dpi=DOTS_PER_INCH, metadata=metadata)
    return content.getvalue()

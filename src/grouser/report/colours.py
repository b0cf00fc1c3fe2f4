"""Colours of figures; those of lines can be distinguished by colour-blind readers."""

LINES = ("#0072b2", "#009e73", "#cc79a7", "#d55e00", "#e69f00", "#56b4e9", "#000000")
"""Lines of runs or drives, in order: the palette of Okabe and Ito without yellow, which has too
little contrast on white."""
REFERENCE = "#7f7f7f"
"""Reference paths and values."""
AREA_FILL, AREA_EDGE = "#fafafa", "#bdbdbd"
"""Floor of a course."""
OBSTACLE_FILL, OBSTACLE_EDGE = "#dcc7a6", "#a58a5f"
"""Level blocks."""
RAMP_FILL, RAMP_EDGE = "#f1e7d6", "#c2ab86"
"""Ramps."""
PATCH_FILL, PATCH_EDGE = "#dfe9f1", "#a9c0d3"
"""Patches of another surface."""
NO_FILL, YES_FILL = "#f6c9a3", "#a5cfe8"
"""Failure and success: distinguishable by colour-blind readers, and light enough for marks."""
SCALE = ("#fff7e0", "#f9d48a", "#ee9b58", "#cb5a4c", "#8a2a5b", "#41144f")
"""Colour scale from the least to the largest value."""
TEXT = "#333333"


def line_colour(number: int) -> str:
    """Return the colour of a line by its index; colours repeat."""
    return LINES[number % len(LINES)]

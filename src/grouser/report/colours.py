"""The colours of figures: those of lines can be told apart by colour-blind readers."""

LINES = ("#0072b2", "#009e73", "#cc79a7", "#d55e00", "#e69f00", "#56b4e9", "#000000")
"""For runs and drives, one after the other: the palette of Okabe and Ito without its yellow,
which is lost on white."""
REFERENCE = "#7f7f7f"
"""What a run should have done."""
AREA_FILL, AREA_EDGE = "#fafafa", "#bdbdbd"
"""The floor of a course."""
OBSTACLE_FILL, OBSTACLE_EDGE = "#dcc7a6", "#a58a5f"
"""Level blocks."""
RAMP_FILL, RAMP_EDGE = "#f1e7d6", "#c2ab86"
"""Ground that rises."""
PATCH_FILL, PATCH_EDGE = "#dfe9f1", "#a9c0d3"
"""Another surface."""
NO_FILL, YES_FILL = "#f6c9a3", "#a5cfe8"
"""What did not come off, and what did: told apart by colour-blind readers, and light enough for
marks upon them."""
SCALE = ("#fff7e0", "#f9d48a", "#ee9b58", "#cb5a4c", "#8a2a5b", "#41144f")
"""From the least number to the largest, ever darker."""
TEXT = "#333333"
"""Words on a figure."""


def line_colour(number: int) -> str:
    """Return the colour of the line of this number, counted from 0; colours come again."""
    return LINES[number % len(LINES)]

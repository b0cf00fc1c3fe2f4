"""Numbers, figures, pages and pictures of logs.

It does not depend on models or simulations: logs of real robots are shown the same way. This is
the only package that imports plotly and matplotlib, both optional.
"""

from grouser.report.document import Section, Sheet, compose_document
from grouser.report.draw_matplotlib import write_picture
from grouser.report.measure import (
    THRESHOLDS,
    Divergence,
    Metric,
    TextTable,
    find_divergences,
    measure_blocks,
    measure_difference,
    measure_run,
)
from grouser.report.page import PageExtras, compose_page, write_map, write_page, write_report
from grouser.report.panel import Heat, Label, Mark, Panel, Series, Shape, thin_run
from grouser.report.time_series import PANELS, extra_panels, make_panels, over_time

__all__ = [
    "PANELS",
    "THRESHOLDS",
    "Divergence",
    "Heat",
    "Label",
    "Mark",
    "Metric",
    "PageExtras",
    "Panel",
    "Section",
    "Series",
    "Shape",
    "Sheet",
    "TextTable",
    "compose_document",
    "compose_page",
    "extra_panels",
    "find_divergences",
    "make_panels",
    "measure_blocks",
    "measure_difference",
    "measure_run",
    "over_time",
    "thin_run",
    "write_map",
    "write_page",
    "write_picture",
    "write_report",
]

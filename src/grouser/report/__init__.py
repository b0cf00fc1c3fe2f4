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
    find_divergences,
    measure_blocks,
    measure_difference,
    measure_run,
)
from grouser.report.page import PageExtras, compose_page, write_map, write_page, write_report
from grouser.report.panel import Heat, Label, Mark, Panel, Series, Shape, thin_run
from grouser.report.restore_course import restore_course
from grouser.report.restore_robot import restore_robot
from grouser.report.time_series import make_panels, over_time

__all__ = [
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
    "compose_document",
    "compose_page",
    "find_divergences",
    "make_panels",
    "measure_blocks",
    "measure_difference",
    "measure_run",
    "over_time",
    "restore_course",
    "restore_robot",
    "thin_run",
    "write_map",
    "write_page",
    "write_picture",
    "write_report",
]

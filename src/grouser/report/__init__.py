"""What can be seen: numbers, figures, pages and pictures of logs.

Nothing here knows models or simulations: a log of a real robot is shown as any other. This is
the only package that imports plotly and matplotlib, both optional.
"""

from grouser.report.compose_document import Section, Sheet, compose_document
from grouser.report.compose_page import compose_page
from grouser.report.divergence import THRESHOLDS, Divergence, find_divergences
from grouser.report.make_panels import make_panels
from grouser.report.measure import measure_blocks, measure_difference, measure_run
from grouser.report.metric import Metric
from grouser.report.page_extras import PageExtras
from grouser.report.panel import Heat, Label, Mark, Panel, Series, Shape
from grouser.report.restore_course import restore_course
from grouser.report.restore_robot import restore_robot
from grouser.report.rows_to_draw import thin_run
from grouser.report.time_panels import over_time
from grouser.report.write_map import write_map
from grouser.report.write_page import write_page
from grouser.report.write_picture import write_picture
from grouser.report.write_report import write_report

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

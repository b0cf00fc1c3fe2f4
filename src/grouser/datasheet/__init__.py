"""What a robot can do, on one page: searches by simulation, limits, drawings.

`make_sheets` runs the rows of data sheets on all cores and keeps what was found; `compose_page`
makes the page. The attempt at an obstacle and the search are those of the papers, too.
"""

from grouser.datasheet.page import compose_page
from grouser.datasheet.row import Cell, Row, Settings
from grouser.datasheet.sheet import Sheet, choose_rows, default_models, make_sheets

__all__ = [
    "Cell",
    "Row",
    "Settings",
    "Sheet",
    "choose_rows",
    "compose_page",
    "default_models",
    "make_sheets",
]

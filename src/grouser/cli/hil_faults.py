"""`grouser hil faults`."""

from typing import Annotated

from cyclopts import Parameter

from grouser.cli.options import Json
from grouser.cli.parameters import several

Only = Annotated[
    tuple[int, ...],
    several(
        "ROW",
        "Rows of the table to check; all 25 if not given.",
    ),
]
Without = Annotated[
    str | None,
    Parameter(
        metavar="GUARD",
        help="Check the rows of the firmware against one that lacks this safety function, such "
        "as lease or crc: the table must catch it.",
    ),
]
Twins = Annotated[
    bool,
    Parameter(
        help="Also measure each row without the safety function that its promise rests on, which "
        "must show the fault."
    ),
]
Markdown = Annotated[
    bool,
    Parameter(negative="", show_default=False, help="Write the table for a page of text."),
]


def hil_faults(
    *,
    only: Only = (),
    without: Without = None,
    twins: Twins = True,
    markdown: Markdown = False,
    as_json: Json = False,
) -> int:
    """Measure every promise of the table of faults against the real firmware in lockstep.

    Exit code 1 if a promise is broken, or if a twin without its safety function does not show it.
    """
    from grouser.cli.report_faults import report_faults

    return report_faults(only, without, twins=twins, markdown=markdown, as_json=as_json)

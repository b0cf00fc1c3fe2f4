"""A scenario as a card in a notebook."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from grouser.description.card import course_plan
from grouser.errors import GrouserError
from grouser.scenario import files
from grouser.svg import html_card

if TYPE_CHECKING:
    from grouser.scenario.scenario import Scenario

LONGEST = 120
"""Letters of a value that are shown."""


def scenario_card(scenario: "Scenario") -> str:
    """Return what is in the scenario's file, with the plan of its course if that can be read."""
    content = files.describe(scenario, with_texts=False)
    rows = {name: _shorten(value) for name, value in content.items() if name != "grouser"}
    try:
        plan = course_plan(scenario.course.load_course()).to_svg()
    except GrouserError:
        plan = ""
    return html_card("Scenario", "", rows, [plan])


def _shorten(value: object) -> str:
    is_table = isinstance(value, Mapping)
    text = ", ".join(f"{key} = {inner}" for key, inner in value.items()) if is_table else str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"

"""The page of environments shows the tables of the code."""

import re
from pathlib import Path

from grouser.envs import NAMESPACE, TASKS, Weights, describe_task
from grouser.envs.reward import TIPPED
from grouser.envs.task import PERIOD

PAGE = Path(__file__).parents[2] / "docs" / "environments.md"


def tables() -> str:
    """Return what stands between the marks of the page."""
    sections = [f"### {NAMESPACE}/{name}-v0\n\n{describe_task(name)}" for name in TASKS]
    return "\n\n".join(sections)


def test_the_page_has_the_tables_of_every_environment():
    found = re.search(r"<!-- tasks:begin -->\n(.*)\n<!-- tasks:end -->", PAGE.read_text(), re.S)
    assert found is not None
    assert found[1] == tables()


def test_the_page_lists_every_environment_with_what_is_to_be_done():
    page = PAGE.read_text()
    for name, task in TASKS.items():
        assert f"| `{NAMESPACE}/{name}-v0` | {task.summary} |" in page


def test_the_page_states_the_weights_of_the_reward():
    page, weights = PAGE.read_text(), Weights()
    assert f"(reference speed × {PERIOD:g} s)" in page
    assert f"- {weights.offset:g} (offset / corridor)² - {weights.heading:g} heading²" in page
    assert f"- {weights.shaking:g} (roll rate² + pitch rate²)" in page
    assert f"+ {weights.goal:g} at the goal, - {weights.failure:g} for tipping over" in page
    assert f"by more than {TIPPED:g} rad" in page

"""Every row of the safety case names a test, and that test exists."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "hil.md"
ROW = re.compile(r"^\| (?P<hazard>[^|]+) \| (?P<barrier>[^|]+) \| `(?P<test>[^`]+)` \|$", re.M)


def rows() -> list[re.Match[str]]:
    text = PAGE.read_text()
    section = text[text.index("## Safety case") :].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    found = list(ROW.finditer(section))
    assert len(found) == len(lines) - 1, "a row has no test"
    return found


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["hazard"])
def test_the_named_test_exists(row):
    file, _, name = row["test"].partition("::")
    tree = ast.parse((ROOT / file).read_text())
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}

"""Write docs/datasheets/*.html and *.json, and the table of docs/datasheets.md.

    python -m docs.make_datasheets [ROBOT ...]

runs the data sheets of all robots that come with grouser, or those named, on all cores; after an
interrupt it goes on. The table is of all sheets that are there.

    python -m docs.make_datasheets --render

only writes pages and table anew, from the numbers that are there.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from docs.claim_tables import replace_between

from grouser.datasheet import Cell, Settings, Sheet, compose_page, make_sheets
from grouser.datasheet.lanes import LANES
from grouser.datasheet.sheet import all_rows
from grouser.datasheet.words import format_cell
from grouser.description import load_robot, robot_names
from grouser.papers.data_sheet import published_tasks
from grouser.storage import write_atomically

ROOT = Path(__file__).parents[1]
SHEETS = ROOT / "docs" / "datasheets"
RESULTS = Path("out/datasheets/results.json")


def main(names: Sequence[str]) -> None:
    """Write the sheets, one robot after the other, then the table."""
    settings = Settings()
    for name in () if names == ["--render"] else names or robot_names():
        robot = load_robot(name)
        (sheet,) = make_sheets(
            [robot],
            settings=settings,
            published={name: published_tasks(robot, settings)},
            file=RESULTS,
            on_progress=_show,
        )
        write_sheet(sheet)
    for content in read_sheets():
        write_page(content)
    page = ROOT / "docs" / "datasheets.md"
    write_atomically(page, replace_between(page.read_text(), "sheets", tabulate(read_sheets())))


def _show(task: str, done: int, total: int) -> None:
    sys.stderr.write(f"{done} of {total}: {task}\n")


def write_sheet(sheet: Sheet) -> None:
    """Write the numbers of one robot."""
    SHEETS.mkdir(exist_ok=True)
    content = json.dumps(_rounded(sheet.content()), indent=1, ensure_ascii=False)
    write_atomically(SHEETS / f"{sheet.robot.name}.json", content + "\n")


def write_page(content: Mapping[str, Any]) -> None:
    """Write the page of one robot from its numbers."""
    sheet = restore_sheet(content)
    write_atomically(SHEETS / f"{sheet.robot.name}.html", compose_page([sheet]))


def restore_sheet(content: Mapping[str, Any]) -> Sheet:
    """Return the sheet that was written as numbers."""
    known = all_rows()
    return Sheet(
        robot=load_robot(content["robot"]),
        models=tuple(content["models"]),
        rows=tuple(known[row["key"]] for row in content["rows"]),
        settings=Settings(**content["settings"]),
        cells={
            (row["key"], model): Cell(**cell)
            for row in content["rows"]
            for model, cell in row["models"].items()
        },
        published=tuple(content["published"]),
        repeated=tuple(content["repeated"]),
    )


def _rounded(content: Any) -> Any:
    """Return content with six digits: the rest differs from one machine to the next."""
    if isinstance(content, float):
        return float(f"{content:.6g}") if abs(content) > 1e-5 else 0.0
    if isinstance(content, Mapping):
        return {key: _rounded(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_rounded(value) for value in content]
    return content


def read_sheets() -> list[dict[str, Any]]:
    """Return the numbers of all robots whose sheets are there, by name."""
    return [json.loads(file.read_text()) for file in sorted(SHEETS.glob("*.json"))]


def tabulate(sheets: Sequence[Mapping[str, Any]]) -> str:
    """Return the table of all robots beside each other, by their first model."""
    heads = [f"[{sheet['robot']}](datasheets/{sheet['robot']}.html)" for sheet in sheets]
    lines = [f"| | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    lines.append(_line("mass [kg]", [f"{s['dimensions']['mass [kg]']:.4g}" for s in sheets]))
    for row in all_rows().values():
        cells = [_cell(sheet, row.key) for sheet in sheets]
        unit = "" if row.group == LANES else f" [{row.unit}]"
        title = f"`{row.key}`" if row.group == LANES else f"{row.title}{unit}"
        lines.append(_line(title, cells))
    return "\n".join(lines)


def _line(title: str, cells: Sequence[str]) -> str:
    return f"| {title} | {' | '.join(cells)} |"


def _cell(sheet: Mapping[str, Any], key: str) -> str:
    found = [row for row in sheet["rows"] if row["key"] == key]
    if not found:
        return "–"
    model = next(iter(sheet["models"]))
    cell = Cell(**found[0]["models"][model])
    words = format_cell(all_rows()[key], cell)
    is_limit = cell.limit and cell.limit not in ("none found", "belt speed")
    return f"{words} ({cell.limit})" if is_limit else words


if __name__ == "__main__":
    main(sys.argv[1:])

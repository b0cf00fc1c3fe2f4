"""`grouser datasheet`: what a robot can do, on one page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from grouser import limits
from grouser.cli.exits import DONE, INTERRUPTED
from grouser.cli.options import (
    Count,
    Flag,
    Json,
    ModelNames,
    Names,
    OutFolder,
    Overwrite,
    options,
    several,
    whole_number,
)
from grouser.cli.shared_options import WorkerOptions
from grouser.cli.terminal import Terminal, watch_tasks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cyclopts import Token

    from grouser.datasheet import Settings, Sheet


def _convert_seeds(kind: object, tokens: Sequence[Token]) -> int:
    return whole_number("--seeds", tokens[0].value, 1, limits.SHEET_SEEDS)


RobotNames = Annotated[
    tuple[str, ...],
    several(
        "ROBOT",
        name="ROBOT",
        help="Robots: names that `grouser robots` lists, or TOML files. Several are compared "
        "beside each other.",
    ),
]


@options
class SheetOptions:
    """What a data sheet has, and where it goes."""

    model: Annotated[ModelNames, Parameter(name=("--model", "--models"))] = ()
    """Models whose results stand beside each other; csm, segments for belts with grousers or
    wheels for those without, and tracks-planar if not given."""
    rows: Names = ()
    """Rows by key, or by how keys begin, as in step, slope or lane-; all if not given."""
    quick: Flag = False
    """Search four times as coarsely, drive each lane once, with two models."""
    seeds: Annotated[Count | None, Parameter(converter=_convert_seeds)] = None
    """From how many starts each lane is driven; 3 if not given."""
    friction: Annotated[float, Parameter(metavar="MU")] = 0.6
    """Friction of all ground but that of lanes, and where a row names another [1]."""
    out: OutFolder | None = None
    """Where to write sheet.html, sheet.json and results.json; out/datasheet-ROBOT if not given."""
    overwrite: Overwrite = False

    def settings(self) -> Settings:
        """Return what all rows share.

        Raises:
            GrouserError: A model does not exist, or the friction is out of its range.
        """
        from grouser.datasheet import Settings
        from grouser.models import make_model
        from grouser.units import check_range

        for reference in self.model:
            make_model(reference)
        friction = check_range("--friction", self.friction, "1", is_size=True)
        if self.seeds is None:
            return Settings(friction=friction, is_quick=self.quick)
        return Settings(friction=friction, is_quick=self.quick, seeds=self.seeds)


def datasheet(
    robots: RobotNames,
    /,
    *,
    given: SheetOptions = SheetOptions(),
    work: WorkerOptions = WorkerOptions(),
    as_json: Json = False,
) -> int:
    """Measure what a robot can do by simulation, and write it on one page.

    Drawings, masses, steps, slopes, gaps, stairs, tipping, turning, speed, energy and lanes, by
    several models, each with what limits it. The page prints on A4. Results are kept: after an
    interrupt, the same command continues.
    """
    from grouser.cli.output import FolderOutput
    from grouser.datasheet import choose_rows, compose_page, make_sheets
    from grouser.description import load_robot
    from grouser.log import name_file
    from grouser.papers.data_sheet import published_tasks
    from grouser.storage import write_atomically

    loaded, settings = [load_robot(name) for name in robots], given.settings()
    rows = choose_rows(given.rows)
    published = {} if given.rows else {r.name: published_tasks(r, settings) for r in loaded}
    usual = Path("out") / name_file("datasheet-" + "-".join(r.name for r in loaded), "")
    folder = FolderOutput.of("--out", given.out, usual, overwrite=given.overwrite)
    page, data = (folder.claim(f"sheet.{suffix}") for suffix in ("html", "json"))
    file = folder.path / "results.json"
    try:
        with watch_tasks("rows") as show:
            sheets = make_sheets(
                loaded, models=given.model, rows=rows, settings=settings, published=published,
                workers=work.pool(), file=file, on_progress=show,
            )  # fmt: skip
    except KeyboardInterrupt:
        Terminal().remark(f"grouser: interrupted; the same command continues from {file}")
        return INTERRUPTED
    written = page.write(lambda path: write_atomically(path, compose_page(sheets)))
    numbers = data.write(lambda path: write_atomically(path, _content(sheets)))
    return _report(sheets, (written, numbers, file), as_json=as_json)


def _report(sheets: Sequence[Sheet], files: Sequence[Path], *, as_json: bool) -> int:
    terminal = Terminal()
    if as_json:
        terminal.json({"robots": [sheet.content() for sheet in sheets], "files": files})
        return DONE
    for sheet in sheets:
        _print(sheet, terminal)
    terminal.line(f"page: {files[0]}; numbers: {files[1]}; results: {files[2]}")
    return DONE


def _content(sheets: Sequence[Sheet]) -> str:
    from grouser.cli.terminal import json_text
    from grouser.version import VERSION

    return json_text({"grouser": VERSION, "robots": [sheet.content() for sheet in sheets]})


def _print(sheet: Sheet, terminal: Terminal) -> None:
    from grouser.datasheet.lanes import LANES
    from grouser.datasheet.words import explain_row, format_cell, format_title

    terminal.heading(f"{sheet.robot.name}: {sheet.robot.title}")
    rows = []
    for row in sheet.rows:
        limit, _ = explain_row(sheet, row)
        cells = [format_cell(row, sheet.cell(row, model)) for model in sheet.models]
        if row.group == LANES:
            cells = [f"passed {cell}" if cell[:1].isdigit() else cell for cell in cells]
        rows.append((format_title(row), *cells, limit))
    terminal.table(("", *sheet.models, "limited by"), rows, numbers=())
    for sentence in sheet.repeated:
        terminal.line(sentence)

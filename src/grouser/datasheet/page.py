"""The data sheet as one HTML page without scripts, which prints on A4."""

from collections.abc import Sequence
from html import escape
from itertools import groupby

from grouser.datasheet.dimensions import describe_robot
from grouser.datasheet.drawings import VIEWS, draw_views, fitting_scale
from grouser.datasheet.lanes import LANES
from grouser.datasheet.row import Row
from grouser.datasheet.sheet import Sheet
from grouser.datasheet.sheet_figures import draw_sheet
from grouser.datasheet.words import NONE, explain_row, format_cell, format_spread, format_title
from grouser.version import VERSION

WIDTH = 1000.0
"""Width of the page between its edges [pixels]."""
GLANCE = {
    "step_up": "step up", "step_up_raised": "step up, flippers raised", "gap": "gap",
    "stairs_up": "stairs up, rise 0.17 m",
    "slope_up": "slope up", "tip_side": "tips to the side at", "top_speed": "top speed",
}  # fmt: skip
"""Rows at the head of the page, by key, and their names there."""
STYLE = """
@page { size: A4 landscape; margin: 9mm; }
* { box-sizing: border-box; }
body { font: 12px/1.35 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; color: #1d2126;
  background: #fff; margin: 0 auto; padding: 18px; max-width: 1120px; }
header { border-bottom: 3px solid #e8963c; padding-bottom: 6px; margin-bottom: 10px; }
h1 { font-size: 24px; margin: 0; } header p { margin: 2px 0 0; color: #55606b; }
h2 { font-size: 14px; margin: 16px 0 4px; border-bottom: 1px solid #c9cfd6; padding-bottom: 2px;
  break-after: avoid; }
h3 { font-size: 13px; margin: 8px 0 2px; }
.views { display: flex; justify-content: space-between; align-items: flex-end; }
.figures { display: flex; flex-wrap: wrap; gap: 6px; align-items: flex-end; }
.views svg { flex: 0 1 auto; min-width: 0; height: auto; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(250px, 1fr)); gap: 0 22px;
  margin: 6px 0; }
.facts div { display: flex; justify-content: space-between; gap: 8px;
  border-bottom: 1px dotted #d9dee3; }
.facts b { font-variant-numeric: tabular-nums; white-space: nowrap; }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-weight: 600; color: #55606b; border-bottom: 1px solid #9aa3ad;
  padding: 2px 6px 2px 0; vertical-align: bottom; }
td { border-bottom: 1px solid #e6e9ed; padding: 2px 6px 2px 0; vertical-align: top; }
tr { break-inside: avoid; } thead { display: table-header-group; }
td.n { font-variant-numeric: tabular-nums; font-weight: 600; }
table.one th:first-child { width: 25%; } table.one th:last-child { width: 34%; }
table.one, table.several { table-layout: fixed; } td { overflow-wrap: break-word; }
.glance { display: flex; gap: 8px; margin: 8px 0; } .glance div { flex: 1; background: #f4f6f8;
  border-radius: 6px; padding: 5px 8px; } .glance b { display: block; font-size: 17px; }
.glance span { color: #55606b; font-size: 11px; }
td.s { color: #55606b; font-size: 11px; } td small { display: block; font-weight: 400;
  color: #55606b; white-space: normal; }
sup { color: #55606b; font-weight: 400; }
.tag { display: inline-block; border-radius: 3px; padding: 0 5px; background: #eef1f4;
  white-space: nowrap; }
.friction { background: #dcebf7; } .tipping { background: #fbe3cf; }
.torque { background: #f5dfee; }
.hull { background: #f7eccb; } .none { background: #dff0e8; }
.divergence { background: #f6d5d5; }
ol.methods { columns: 2; column-gap: 26px; padding-left: 20px; font-size: 10.5px; color: #3a424b;
  margin: 4px 0; } ol.methods li { break-inside: avoid; margin-bottom: 2px; }
.robots { display: grid; gap: 12px; } .note { color: #55606b; margin: 4px 0; }
@media print { body { padding: 0; max-width: none; font-size: 10px; } h2 { margin-top: 10px; }
  h1 { font-size: 20px; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; } }
"""


def compose_page(sheets: Sequence[Sheet]) -> str:
    """Return the page of one robot, or of several beside each other."""
    title = " and ".join(sheet.robot.name for sheet in sheets)
    body = _compose_one(sheets[0]) if len(sheets) == 1 else _compose_several(sheets)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Data sheet: {escape(title)}</title><style>{STYLE}</style></head>\n"
        f"<body>{body}</body></html>\n"
    )


def _compose_one(sheet: Sheet) -> str:
    robot = sheet.robot
    views = draw_views(robot, fitting_scale([robot], WIDTH))
    return "\n".join(
        (
            _header(robot.name, robot.title, sheet, sheet.repeated),
            _glance(sheet),
            f'<div class="views">{"".join(views[name] for name in VIEWS)}</div>',
            _facts(sheet),
            _figures(sheet),
            *(_group_of_one(sheet, name, rows) for name, rows in _groups(sheet.rows)),
            _published(sheet),
            _methods(sheet.rows),
        )
    )


def _compose_several(sheets: Sequence[Sheet]) -> str:
    names = " beside ".join(sheet.robot.name for sheet in sheets)
    scale = fitting_scale([sheet.robot for sheet in sheets], WIDTH)
    repeated = [sentence for sheet in sheets for sentence in sheet.repeated]
    drawn = []
    for sheet in sheets:
        views = draw_views(sheet.robot, scale)
        pictures = "".join(views[name] for name in VIEWS)
        drawn.append(
            f"<div><h3>{escape(sheet.robot.name)}: {escape(sheet.robot.title)}</h3>"
            f'<div class="views">{pictures}</div></div>'
        )
    return "\n".join(
        (
            _header(names, "all drawings at one scale", sheets[0], repeated),
            f'<div class="robots">{"".join(drawn)}</div>',
            _facts_of_several(sheets),
            *(_group_of_several(sheets, name, rows) for name, rows in _groups(sheets[0].rows)),
            *(_published(sheet) for sheet in sheets),
            _methods(sheets[0].rows),
        )
    )


def _header(name: str, title: str, sheet: Sheet, repeated: Sequence[str]) -> str:
    kept = sheet.settings
    starts = 1 if kept.is_quick else kept.seeds
    quick = (
        "; quick: searches four times as coarse, one start of each lane" if kept.is_quick else ""
    )
    words = (
        f"simulated by grouser {VERSION}; friction {kept.friction:g} where nothing else is said; "
        f"tick 20 ms, engine step 1 ms; lanes from {starts} start{'s' if starts > 1 else ''}{quick}"
    )
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in (words, *repeated))
    return f"<header><h1>{escape(name)}</h1><p>{escape(title)}</p>{notes}</header>"


def _groups(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    return [(name, list(found)) for name, found in groupby(rows, key=lambda row: row.group)]


def format_fact(name: str, value: float | str) -> tuple[str, str]:
    """Return name and value of a fact, the unit beside the value."""
    words, _, unit = name.rstrip("]").partition(" [")
    text = value if isinstance(value, str) else f"{value + 0.0:.4g} {unit}"
    return words, text


def _glance(sheet: Sheet) -> str:
    """Return the numbers that are looked for first."""
    entries = [("mass", f"{sheet.robot.mass:.4g} kg")]
    for row in sheet.rows:
        if row.key in GLANCE:
            _, cell = sheet.main(row)
            if cell.value is None and not cell.limit:
                continue
            unit = "" if cell.value is None else row.unit
            gap = "" if row.unit == "°" else " "
            entries.append((GLANCE[row.key], f"{format_cell(row, cell)}{gap}{unit}"))
    cells = "".join(f"<div><b>{escape(v)}</b><span>{escape(n)}</span></div>" for n, v in entries)
    return f'<div class="glance">{cells}</div>' if len(entries) > 1 else ""


def _facts(sheet: Sheet) -> str:
    pairs = (format_fact(*fact) for fact in describe_robot(sheet.robot).items())
    rows = "".join(
        f"<div><span>{escape(name)}</span><b>{escape(value)}</b></div>" for name, value in pairs
    )
    return f'<div class="facts">{rows}</div>'


def _facts_of_several(sheets: Sequence[Sheet]) -> str:
    facts = [describe_robot(sheet.robot) for sheet in sheets]
    names = dict.fromkeys(name for of_robot in facts for name in of_robot)
    body = ""
    for name in names:
        cells = "".join(
            f'<td class="n">{escape(format_fact(name, one[name])[1] if name in one else NONE)}</td>'
            for one in facts
        )
        body += f"<tr><td>{escape(format_fact(name, '')[0])}</td>{cells}</tr>"
    return f"<h2>Sizes and masses</h2>{_table(['', *_names(sheets)], body)}"


def _names(sheets: Sequence[Sheet]) -> list[str]:
    return [sheet.robot.name for sheet in sheets]


def _table(heads: Sequence[str], body: str, kind: str = "several") -> str:
    cells = "".join(f'<th scope="col">{escape(head)}</th>' for head in heads)
    return f"<table class='{kind}'><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def _figures(sheet: Sheet) -> str:
    figures = draw_sheet(sheet)
    return f'<div class="figures">{"".join(figures)}</div>' if figures else ""


def _tag(limit: str) -> str:
    if limit == NONE:
        return NONE
    return f'<span class="tag {escape(limit.split()[0])}">{escape(limit)}</span>'


def _note(row: Row, rows: Sequence[Row]) -> str:
    """Return the number of a row's method below the tables."""
    return f"<sup>{_method_numbers(rows)[row.method]}</sup>"


def _method_numbers(rows: Sequence[Row]) -> dict[str, int]:
    methods = dict.fromkeys(row.method for row in rows)
    return {method: number for number, method in enumerate(methods, start=1)}


def _speaking(sheet: Sheet, rows: Sequence[Row]) -> list[str]:
    """Return the models that say something about some of the rows."""
    return [
        model
        for model in sheet.models
        if any(format_cell(row, sheet.cell(row, model)) != NONE for row in rows)
    ]


def _group_of_one(sheet: Sheet, name: str, rows: Sequence[Row]) -> str:
    body, models = "", _speaking(sheet, rows)
    for row in rows:
        cells = "".join(
            f'<td class="n">{escape(format_cell(row, sheet.cell(row, model)))}</td>'
            for model in models
        )
        limit, evidence = explain_row(sheet, row)
        body += (
            f"<tr><td>{escape(format_title(row))}{_note(row, sheet.rows)}</td>{cells}"
            f'<td class="s">{escape(format_spread(sheet, row))}</td><td>{_tag(limit)}</td>'
            f'<td class="s">{escape(evidence)}</td></tr>'
        )
    heads = ["", *models, "spread of models", "limited by", "evidence"]
    words = "passed of starts, median time, retries" if name == LANES else ""
    note = f'<p class="note">{words}</p>' if words else ""
    return f"<h2>{escape(name)}</h2>{note}{_table(heads, body, 'one')}"


def _group_of_several(sheets: Sequence[Sheet], name: str, rows: Sequence[Row]) -> str:
    body = ""
    for row in rows:
        cells = ""
        for sheet in sheets:
            model, cell = sheet.main(row)
            spread = format_spread(sheet, row)
            apart = "" if spread in (NONE, "none") else f"models apart by {spread}"
            by = "" if model == sheet.models[0] else model
            words = "; ".join(part for part in (by, cell.reason.partition(": ")[2], apart) if part)
            tag = _tag(cell.limit) if cell.limit else ""
            cells += (
                f'<td class="n">{escape(format_cell(row, cell))} {tag}'
                f"<small>{escape(words)}</small></td>"
            )
        body += f"<tr><td>{escape(format_title(row))}{_note(row, sheets[0].rows)}</td>{cells}</tr>"
    heads = [f"by {sheets[0].models[0]}", *_names(sheets)]
    return f"<h2>{escape(name)}</h2>{_table(heads, body)}"


def _published(sheet: Sheet) -> str:
    if not sheet.published:
        return ""
    body = "".join(
        f"<tr><td>{escape(str(row['claim']))}</td><td>{escape(str(row['where']))}</td>"
        f'<td class="n">{escape(_number(row["published"], row["unit"]))}</td>'
        f'<td class="n">{escape(_number(row["ours"], row["unit"]))}</td>'
        f"<td>{escape(str(row['verdict']))}</td></tr>"
        for row in sheet.published
    )
    heads = ["claim", "where", "published", "ours", "verdict"]
    words = "the experiments of `grouser reproduce`, run by the same functions"
    return (
        f"<h2>{escape(sheet.robot.name)}: published beside ours</h2>"
        f'<p class="note">{words}</p>{_table(heads, body)}'
    )


def _number(value: float | None, unit: str) -> str:
    if value is None:
        return NONE
    if unit == "yes/no":
        return "yes" if value else "no"
    return f"{value:.4g}" + ("" if unit == "1" else f" {unit}")


def _methods(rows: Sequence[Row]) -> str:
    items = "".join(f"<li>{escape(method)}</li>" for method in _method_numbers(rows))
    return f'<h2>How it was found</h2><ol class="methods">{items}</ol>'

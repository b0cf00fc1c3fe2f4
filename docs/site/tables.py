"""Tables on the pages of models that come from the code: what a model is, and its parameters."""

import ast
import inspect
import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from grouser.models import CATALOGUE

DOCS = Path(__file__).parents[1]


def models_table() -> str:
    """Return every model with a link to its page."""
    rows = ["| model | what it is | source |", "|---|---|---|"]
    rows += [
        f"| [`{name}`](models/{name}.md) | {kind.summary} | {kind.source} |"
        for name, kind in CATALOGUE.items()
    ]
    return "\n".join(rows)


def facts_table(name: str) -> str:
    """Return what a model is, where it comes from, and what it can drive."""
    kind = CATALOGUE[name]
    rows = [
        ("model", f"`{name}`"),
        ("---", "---"),
        ("what it is", kind.summary),
        ("source", kind.source),
        ("describes", f"level ground, {', '.join(sorted(kind.features))}"),
        ("computed by", kind.computed_by.split()[0]),
    ]
    return "\n".join(
        f"|{key}|{value}|" if key == "---" else f"| {key} | {value} |" for key, value in rows
    )


def parameters_table(name: str) -> str:
    """Return every parameter of a model with its default, its unit and what it means."""
    kind = CATALOGUE[name]
    texts: dict[str, str] = {}
    for parent in reversed(kind.__mro__[:-1]):
        texts |= _docstrings(parent)
    own = [field for field in fields(kind) if field.name in _docstrings(kind)]
    inherited = [field for field in fields(kind) if field not in own]
    rows = ["| parameter | default | unit | what it is |", "|---|---|---|---|"]
    for field in (*own, *inherited):
        text, unit = _split_unit(texts[field.name])
        rows.append(f"| `{field.name}` | {_default(field.default)} | {unit} | {text} |")
    return "\n".join(rows)


def page_tables() -> dict[Path, dict[str, str]]:
    """Return every page with generated tables: its tables, by their marks."""
    pages = {DOCS / "models.md": {"models": models_table()}}
    for name in CATALOGUE:
        tables = {"facts": facts_table(name), "parameters": parameters_table(name)}
        pages[DOCS / "models" / f"{name}.md"] = tables
    return pages


def renew(text: str, tables: Mapping[str, str]) -> str:
    """Return the text of a page with its tables made anew."""
    for mark, table in tables.items():
        begin, end = f"<!-- {mark}:begin -->\n", f"\n<!-- {mark}:end -->"
        before, _, rest = text.partition(begin)
        _, found, after = rest.partition(end.lstrip())
        assert found, f"a page lacks the marks of its table {mark!r}"
        text = f"{before}{begin}\n{table}\n{end}{after}"
    return text


def renew_pages() -> None:
    """Bring the tables of all pages up to date."""
    for page, tables in page_tables().items():
        page.write_text(renew(page.read_text(), tables))


def _docstrings(kind: type) -> dict[str, str]:
    """Return the docstring behind each field that a class itself declares."""
    (tree,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(tree, ast.ClassDef)
    found = {}
    for statement, follower in zip(tree.body, tree.body[1:], strict=False):
        if (
            isinstance(statement, ast.AnnAssign)
            and isinstance(statement.target, ast.Name)
            and isinstance(follower, ast.Expr)
            and isinstance(follower.value, ast.Constant)
        ):
            found[statement.target.id] = " ".join(str(follower.value.value).split())
    return found


def _split_unit(text: str) -> tuple[str, str]:
    found = re.fullmatch(r"(.*) \[([^\]]+)\]\.", text)
    return (found[1], found[2]) if found else (text.removesuffix("."), "")


def _default(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"`{value:g}`" if isinstance(value, int | float) else f"`{value}`"

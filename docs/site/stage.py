"""Gather the pages of the site in out/docs: those of this folder, and those made from the code."""

import json
import re
import shutil
from pathlib import Path

from docs.site.api_pages import api_menu, api_pages
from docs.site.help_page import help_page

ROOT = Path(__file__).parents[2]
WORK = ROOT / "out" / "docs"
SITE = WORK / "site"
FROM_ELSEWHERE = ("firmware/README.md", "firmware/protocol.md")
"""Pages that lie beside what they describe."""
SHOWN = {".py": "python", ".toml": "toml", ".ipynb": "python"}
"""Endings of examples that have a place on their page, and the language of their text."""
LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")
NAMED = re.compile(r"\[`?([\w./-]+\.md)`?\]\(([^)\s#]+\.md)")
"""A link whose text is the name of the file."""


def stage() -> Path:
    """Return the settings, with all pages beside them."""
    docs, pages = ROOT / "docs", WORK / "pages"
    shutil.rmtree(WORK, ignore_errors=True)
    pages.mkdir(parents=True)
    for page in sorted(docs.rglob("*.md")):
        _write(pages / page.relative_to(docs), staged(page))
    for name in FROM_ELSEWHERE:
        _write(pages / name, staged(ROOT / name))
    for name, text in {**api_pages(), "help.md": help_page(), "examples.md": _examples()}.items():
        _write(pages / name, text)
    for picture in sorted((docs / "pictures").glob("*.png")):
        shutil.copy(picture, pages / "pictures")
    (pages / "datasheets").mkdir()
    for sheet in sorted((docs / "datasheets").glob("*.html")):
        shutil.copy(sheet, pages / "datasheets")
    shutil.copy(docs / "site" / "site.css", pages)
    config = WORK / "mkdocs.yml"
    config.write_text((docs / "site" / "mkdocs.yml").read_text() + api_menu())
    return config


def staged(page: Path) -> str:
    """Return a page whose links to files that are no pages became what the site has instead."""
    home = ROOT / "docs"
    place = page.relative_to(home if page.is_relative_to(home) else ROOT)
    up = "../" * (len(place.parts) - 1)

    def lead(link: re.Match[str]) -> str:
        target = (page.parent / link[2]).resolve()
        if "://" in link[2] or not target.is_relative_to(ROOT):
            return link[0]
        path = target.relative_to(ROOT)
        if str(path) in FROM_ELSEWHERE:
            return f"{link[1]}{up}{path}{link[3] or ''}{link[4]}"
        if path.parts[0] == "examples" and (path.suffix in SHOWN or len(path.parts) == 1):
            anchor = f"#{path.name.replace('.', '')}" if path.suffix else ""
            return f"{link[1]}{up}examples.md{anchor}{link[4]}"
        # A file that is on no page is named, not linked to.
        return link[0] if target.is_relative_to(home) else f"] (`{path}`)"

    text = NAMED.sub(lambda link: f"[{_title(page.parent / link[2])}]({link[2]}", page.read_text())
    text = LINK.sub(lead, text)
    return re.sub(r"(?<!!)\[([^\[\]]+)\] (\(`[^`]+`\))", r"\1 \2", text)


def _title(page: Path) -> str:
    """Return the title of a page, to be the text of a link: without marks, it is in a sentence."""
    return page.read_text().partition("\n")[0].removeprefix("# ").replace("`", "")


def _examples() -> str:
    parts = [
        "# Examples\n\nA numbered course; each file runs on its own, `python examples/NAME`.\n"
    ]
    folder = ROOT / "examples"
    found = [path for suffix in SHOWN for path in sorted(folder.glob(f"*{suffix}"))]
    for example in [*found, *sorted((folder / "ros").glob("*.py"))]:
        text = example.read_text().rstrip()
        if example.suffix == ".ipynb":
            cells = json.loads(text)["cells"]
            text = "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
        parts.append(f"## {example.name}\n\n```{SHOWN[example.suffix]}\n{text}\n```\n")
    return "\n".join(parts)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)

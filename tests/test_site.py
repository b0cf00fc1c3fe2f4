"""The documentation site: generated tables, the menu, the command line, and the final check."""

import re
from pathlib import Path

import pytest
from docs.site.api_pages import PACKAGES, api_menu, api_pages
from docs.site.check_site import find_faults
from docs.site.help_page import every_command
from docs.site.stage import FROM_ELSEWHERE, staged
from docs.site.tables import page_tables, renew

import grouser
from grouser.models import CATALOGUE

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
MENU = (DOCS / "site" / "mkdocs.yml").read_text()
OPTION = re.compile(r"--[a-z][a-z-]+")


@pytest.mark.parametrize("page", page_tables(), ids=lambda page: page.name)
def test_the_tables_of_a_page_are_those_of_the_code(page: Path):
    text = page.read_text()
    assert renew(text, page_tables()[page]) == text, "python -m docs.site tables"


@pytest.mark.parametrize("model", CATALOGUE)
def test_the_page_of_a_model_tells_equations_omissions_parameters_and_shows_it(model: str):
    text = (DOCS / "models" / f"{model}.md").read_text()
    headings = re.findall(r"^## (.+)$", text, re.M)
    assert {"Equations", "What it leaves out", "Parameters"} <= set(headings)
    assert re.search(r"^!\[.+\]\(\.\./pictures/", text, re.M)
    assert re.search(r"^```\n", text.partition("## Equations")[2], re.M)


def test_there_is_no_page_of_a_model_that_is_none():
    assert {page.stem for page in (DOCS / "models").glob("*.md")} == set(CATALOGUE)


def test_the_menu_names_every_page_once():
    listed = re.findall(r"(\S+\.md)$", MENU, re.M)
    assert len(listed) == len(set(listed))
    written = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    assert set(listed) == written | set(FROM_ELSEWHERE) | {"help.md", "examples.md"}


def test_every_public_name_has_a_place_in_the_reference():
    pages = api_pages()
    assert set(re.findall(r"(\S+\.md)$", api_menu(), re.M)) == set(pages)
    assert "grouser.simulation.Simulation" in pages["api.md"]
    assert all(f"::: grouser.{package}." in pages[f"api/{package}.md"] for package in PACKAGES)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_page_of_the_reference_begins_with_what_most_programs_need_and_an_example(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    page = api_pages()[f"api/{package}.md"]
    names = [name.rpartition(".")[2] for name in re.findall(r"^::: (\S+)$", page, re.M)]
    known = [name for name in names if name in grouser.__all__]
    assert names[: len(known)] == known
    monkeypatch.chdir(tmp_path)
    example = re.search(r"```python\n(.*?)```\n", page, re.S)
    assert example is not None
    assert page.index("```python") < page.index(":::")
    exec(compile(example[1], page.partition("\n")[0], "exec"), {})


@pytest.mark.parametrize("page", [p for p in DOCS.rglob("*.md")], ids=lambda p: p.stem)
def test_links_of_the_site_have_titles_and_no_names_of_files(page: Path):
    assert re.findall(r"\[`?[\w./-]+\.md`?\]\(", staged(page)) == []


def test_a_link_that_is_named_by_its_file_gets_the_title_of_its_page():
    text = staged(DOCS / "scenarios.md")
    assert "[Driving in the browser](driving.md#touching-the-robot)" in text


def sections() -> dict[str, str]:
    """Return the sections of the page of the command line, by the command that they are about."""
    text = (DOCS / "command-line.md").read_text()
    found = {}
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        heading, _, body = section.partition("\n")
        names = re.findall(r"`(\w+)`", heading)
        if heading == "Look around":
            names = re.findall(r"`(robots|courses|models|drivers|show)`", body)
        found |= dict.fromkeys(names, section)
    return found


def test_the_page_of_the_command_line_has_every_command():
    commands = {command.split()[1] for command in every_command() if " " in command}
    assert set(sections()) == commands


def test_the_page_of_the_command_line_knows_no_option_that_does_not_exist():
    helps = every_command()
    sharing: dict[str, set[str]] = {}
    for name, section in sections().items():
        own = [text for command, text in helps.items() if command.split()[1:2] == [name]]
        sharing.setdefault(section, set()).update(OPTION.findall("".join(own)))
    for section, known in sharing.items():
        assert set(OPTION.findall(section)) <= known, section.partition("\n")[0]


PAGE = '<html><a href="b.html#there">b</a><img src="c.png"><a href="a/index.html">a</a></html>'
OTHER = '<html><h2 id="there">x</h2><a href="../index.html">up</a></html>'


def build(folder: Path) -> tuple[Path, Path]:
    site, pages = folder / "site", folder / "pages"
    for base, ending in ((site, "html"), (pages, "md")):
        (base / "a").mkdir(parents=True)
        (base / f"index.{ending}").write_text(PAGE)
        (base / f"b.{ending}").write_text(OTHER.replace("../", ""))
    (site / "a" / "index.html").write_text(OTHER)
    (pages / "a" / "README.md").write_text("")
    (site / "c.png").write_bytes(b"")
    return site, pages


def test_a_site_without_faults_has_none(tmp_path: Path):
    assert find_faults(*build(tmp_path)) == []


@pytest.mark.parametrize(
    ("before", "after", "fault"),
    [
        ("#there", "#no", "index.html leads to b.html#no, which has no such heading"),
        ("a/index.html", "no.html", "index.html leads to no.html, which is not there"),
        ("c.png", "d.png", "index.html shows d.png, which is not there"),
        ("c.png", "https://x.org/c.png", "index.html fetches https://x.org/c.png from a network"),
        ("a/index.html", "b.html", "a/index.html has no link to it"),
    ],
)
def test_a_fault_of_a_page_is_found(tmp_path: Path, before: str, after: str, fault: str):
    site, pages = build(tmp_path)
    (site / "index.html").write_text(PAGE.replace(before, after))
    assert fault in find_faults(site, pages)


@pytest.mark.parametrize(
    ("file", "fault"),
    [
        ("c.png", "index.html shows c.png, which is not there"),
        ("b.html", "b.md did not become a page"),
    ],
)
def test_what_is_missing_is_found(tmp_path: Path, file: str, fault: str):
    site, pages = build(tmp_path)
    (site / file).unlink()
    assert fault in find_faults(site, pages)

"""The pages are true: their programs and commands run, print what they show, and links lead on.

- The ```python blocks of a page run in order in one namespace and an empty folder; a ```text block
  right behind one shows what it prints.
- A ```toml block whose first line is a comment `# NAME.toml` is there as that file.
- In ```console blocks, `$ grouser ...` is run and must succeed; the lines below it must be among
  what it prints, `...` stands for others.
- Every ```toml block has such a line, and must be a robot, a course, a rig, a soil, a
  column map or a scenario.
- What takes minutes, or needs what a test has not got, stands in ```text or bare blocks: its lines
  `grouser ...` are not run but must be ones that the command line takes.

Blanks do not count when lines are compared, nor do rules under headings.
"""

import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from grouser import Course, Robot, Scenario, Simulation, load_course, load_robot, make_model
from grouser.cli import main
from grouser.cli.app import make_app
from grouser.description import Rig, course_names, load_soil, robot_names
from grouser.description.load import load_rig
from grouser.description.pieces import KINDS
from grouser.drivers import DRIVERS
from grouser.envs.task import TASKS
from grouser.identify import FAMILIES
from grouser.log.column_map import read_column_map
from grouser.models import CATALOGUE
from grouser.models.contact.compiled import PACKAGE
from grouser.models.contact.engine import ENGINES
from grouser.models.contact.traction.law import LAWS
from grouser.papers.paper import PAPERS

ROOT = Path(__file__).parents[1]
BESIDE = ("README.md", "CONTRIBUTING.md", "firmware/README.md", "firmware/protocol.md")
PAGES = [*(ROOT / page for page in BESIDE), *sorted((ROOT / "docs").rglob("*.md"))]
GROUSER = Path(sys.executable).with_name("grouser")
PYTHON = re.compile(r"^```python\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", re.M | re.S)
TOML = re.compile(r"^```toml\n# (\S+\.toml)\n(.*?)^```$", re.M | re.S)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
NOT_RUN = re.compile(r"^(?:\$ )?grouser ((?:[^#\n]|(?<! )#)+)", re.M)
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
FENCED = re.compile(r"^```.*?^```$", re.M | re.S)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.M)


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def with_blocks(kind: re.Pattern[str]) -> list[Path]:
    return [page for page in PAGES if kind.search(page.read_text())]


def lines(text: str) -> list[str]:
    words = (" ".join(line.split()) for line in text.splitlines())
    return [line for line in words if line.strip("─ ")]


@pytest.fixture
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Enter a folder with the files of the page, and forget afterwards what the page registered."""
    page: Path = request.getfixturevalue("page")
    for file, text in TOML.findall(page.read_text()):
        (tmp_path / file).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)  # pages show tables as a pipe has them
    if "traction.hooks" in page.read_text():  # code of a law on a page must not replace kept code
        for key, value in (("folders", (tmp_path, *PACKAGE.folders)), ("kept_in", tmp_path)):
            monkeypatch.setitem(vars(PACKAGE), key, value)
        monkeypatch.setitem(vars(PACKAGE), "watched", set())
    for registry in (CATALOGUE, DRIVERS, ENGINES, FAMILIES, KINDS, LAWS, TASKS):
        monkeypatch.setattr(registry, "_entries", dict(registry._entries))
    return tmp_path


@pytest.mark.parametrize(
    "page", [p for p in with_blocks(PYTHON) if p != ROOT / "README.md"], ids=name
)
def test_the_programs_of_a_page_print_what_it_shows(
    page: Path, folder: Path, capsys: pytest.CaptureFixture[str]
):
    text = page.read_text()
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in PYTHON.finditer(text):
        # Empty lines before the program make its line numbers those of the page.
        program = "\n" * text[: block.start(1)].count("\n") + block[1]
        exec(compile(program, name(page), "exec"), namespace)
        printed = capsys.readouterr().out
        assert lines(printed) == lines(block[2] or ""), block[1]


def commands(page: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each command of a page and the lines that it shows below."""
    for block in CONSOLE.findall(page.read_text()):
        before, *parts = re.split(r"^\$ ", block, flags=re.M)
        assert not before.strip(), "a console block starts with a command"
        for part in parts:
            command, _, shown = part.partition("\n")
            yield command, [line for line in lines(shown) if line != "..."]


@pytest.mark.parametrize("page", with_blocks(CONSOLE), ids=name)
def test_the_commands_of_a_page_print_what_it_shows(
    page: Path, folder: Path, capsys: pytest.CaptureFixture[str]
):
    for command, shown in commands(page):
        program, *words = shlex.split(command)
        assert program == "grouser", command
        code = main(words)
        said = capsys.readouterr()
        assert code == 0, f"{command}\n{said.err}"
        printed = lines(said.out)
        assert [line for line in shown if line not in printed] == [], command


def test_the_program_prints_what_its_commands_do(capsys: pytest.CaptureFixture[str]):
    done = subprocess.run([GROUSER, "show", "tp100"], capture_output=True, text=True, check=True)
    assert main(["show", "tp100"]) == 0
    assert done.stdout == capsys.readouterr().out


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_block_is_of_a_kind_that_is_checked(page: Path):
    kinds = {kind for kind, _ in BLOCK.findall(page.read_text())}
    assert kinds <= {"python", "console", "toml", "text", ""}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_command_that_is_not_run_is_one_that_can_be_typed(page: Path):
    app = make_app()
    for kind, text in BLOCK.findall(page.read_text()):
        if kind in ("text", ""):
            for command in NOT_RUN.findall(text):
                app.parse_args(shlex.split(command), print_error=False, exit_on_error=False)


READERS = {
    "body": load_robot,
    "terrain": load_course,
    "camera": load_rig,
    "columns": read_column_map,
    "driver": Scenario.read,
    "k_phi": load_soil,
}


@pytest.mark.parametrize("page", with_blocks(re.compile("^```toml", re.M)), ids=name)
def test_every_file_of_a_page_is_one_that_can_be_read(page: Path, folder: Path):
    files = TOML.findall(page.read_text())
    assert len(files) == page.read_text().count("\n```toml\n"), "each begins with # NAME.toml"
    for file, text in files:
        (read,) = (read for table, read in READERS.items() if table in tomllib.loads(text))
        assert read(folder / file)


def anchor(heading: str) -> str:
    """Return the anchor that a heading gets on a page: lower case, hyphens, no other signs."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_somewhere(page: Path):
    broken = []
    for link in LINK.findall(FENCED.sub("", page.read_text())):
        if link.startswith(("http://", "https://")):
            continue
        path, _, fragment = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            broken.append(link)
        elif fragment:
            headings = HEADING.findall(FENCED.sub("", target.read_text()))
            if fragment not in map(anchor, headings):
                broken.append(link)
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_row_of_a_table_has_a_cell_below_each_heading(page: Path):
    broken, width = [], 0
    for line in FENCED.sub("", page.read_text()).splitlines():
        cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
        if cells and width and cells != width:
            broken.append(line)
        width = cells
    assert broken == []


def test_every_key_of_a_robot_is_described():
    empty = re.compile(r"^\| `.*\| *\|.*$", re.M)
    assert empty.findall((ROOT / "docs" / "robots.md").read_text()) == []


OWN = ("In your script", "In a file of your own")


@pytest.mark.parametrize("page", sorted((ROOT / "docs/extend").glob("*.md")), ids=name)
def test_a_page_of_an_extension_is_short_and_begins_with_a_script_of_your_own(page: Path):
    text = page.read_text()
    assert len(text.splitlines()) <= 70
    if page.stem != "plugin":  # which is a package of your own
        first, second = re.findall(r"^## (.+)$", text, re.M)
        assert (first in OWN, second) == (True, "In the package")
        assert "\n```" not in text.partition(f"## {first}")[0]
        assert re.search(r"\n## In the package\n\nFiles: .*`src/grouser/", text, re.S)


def test_every_picture_is_shown_on_a_page_and_has_a_command_that_draws_it():
    pictures = ROOT / "docs" / "pictures"
    table = (pictures / "README.md").read_text()
    shown = "".join(page.read_text() for page in PAGES)
    for picture in pictures.glob("*.png"):
        assert f"pictures/{picture.name})" in shown, picture.name
        row = re.search(rf"`{picture.name}` \| `python ([^\s`]+)[^`]*`", table)
        assert row is not None, picture.name
        script = ROOT / row[1]
        assert f'"{picture.name}"' in script.read_text()


def test_the_pages_name_every_kind_of_terrain_and_every_column_of_a_log():
    courses, logs = ((ROOT / "docs" / page).read_text() for page in ("courses.md", "logs.md"))
    assert [kind for kind in KINDS if f"| `{kind}` |" not in courses] == []
    log = Simulation(make_model("ideal"), load_robot("quince"), load_course("flat")).log()
    log_of_sensors = Simulation(make_model("ideal"), load_robot("tp100"), load_course("flat")).log()
    families = {column.partition(".")[0] for column in (*log, *log_of_sensors)}
    assert [f for f in sorted(families) if f"`{f}`" not in logs and f"`{f}.<" not in logs] == []


@pytest.mark.parametrize(
    ("kind", "pages"),
    [
        (Robot, ["robots.md", "sensors.md"]),
        (Course, ["courses.md", "soils.md"]),
        (Rig, ["camera.md"]),
    ],
    ids=["robots", "courses", "rigs"],
)
def test_a_page_names_every_key_of_its_files(kind: type[Robot | Course | Rig], pages: list[str]):
    schema = kind.model_json_schema(by_alias=True)
    pieces = [piece.model_json_schema() for piece in KINDS.values()] if kind is Course else []
    tables = [schema, *schema["$defs"].values(), *pieces]
    keys = {key for table in tables for key in table.get("properties", {})} - {"text", "kind"}
    text = " ".join((ROOT / "docs" / page).read_text() for page in pages)
    assert sorted(keys - set(re.findall(r"\w+", text))) == []


NUMBERS = dict(
    enumerate(
        [
            "no",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ]
    )
)
NUMBERS |= {13: "thirteen", 14: "fourteen", 15: "fifteen", 16: "sixteen", 17: "seventeen"}


def test_the_readme_counts_what_there_is():
    text = " ".join((ROOT / "README.md").read_text().split())
    lanes = [name for name in course_names() if name.startswith("lane-")]
    for things, what in (
        (CATALOGUE, r"(\w+) models(?: from odometry|\.\*\*)"),
        (robot_names(), r"(\w+) robots \(`grouser robots`\)"),
        (lanes, r"(\w+) (?:test lanes|\[test lanes\])"),
        (PAPERS, r"\*\*Checked against (\w+) papers|what (\w+) papers conclude"),
    ):
        said = ["".join(found).lower() for found in re.findall(what, text)]
        assert said, what
        assert set(said) == {NUMBERS[len(things)]}, what


def test_the_page_of_installation_has_every_extra():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    whole = set(re.split(r"[\[\],]", extras.pop("all")[0])[1:-1])
    text = (ROOT / "docs" / "install.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)` \| .* \| (yes|no) \|$", text, re.M))
    assert rows == {name: "yes" if name in whole else "no" for name in extras}

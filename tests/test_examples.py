"""The numbered examples and the README's program run as they stand."""

import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
LEARNING = ("14_ppo",)
"""Those that need the extra `learn`, which `make test` does not install: tests/learn runs them."""
LONGEST_EXAMPLE = 60
PATIENCE = 900.0  # [s]; each takes a few seconds on an idle machine


def run(program: list[str], folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", *program],
        cwd=folder,
        env=os.environ | {"GROUSER_QUICK": "1"},  # what learns, learns for a moment only
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_examples_are_numbered_from_zero_without_gaps():
    numbers = sorted(int(path.name[:2]) for path in (*EXAMPLES, *NOTEBOOKS))
    assert numbers == list(range(len(numbers)))
    assert len(numbers) >= 4


@pytest.mark.parametrize(
    "example", [path for path in EXAMPLES if path.stem not in LEARNING], ids=lambda path: path.stem
)
def test_an_example_runs_on_its_own_and_writes_only_to_out(example: Path, tmp_path: Path):
    printed = run([str(example)], tmp_path)
    assert printed.strip()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert list((tmp_path / "out").iterdir())


@pytest.mark.parametrize("name", LEARNING)
def test_an_example_of_learning_names_the_command_that_installs_what_it_needs(
    name: str, tmp_path: Path
):
    program = (
        "import runpy, sys; sys.modules['stable_baselines3'] = None\n"
        f"runpy.run_path({str(ROOT / 'examples' / f'{name}.py')!r}, run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.endswith("install it with: pip install 'grouser[learn]'\n")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_and_says_how_to_run_it(example: Path):
    text = example.read_text()
    assert len(text.splitlines()) <= LONGEST_EXAMPLE
    assert f"python examples/{example.name}" in text


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_its_cards(
    notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for key in ("HOME", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):  # where a kernel leaves files
        monkeypatch.setenv(key, str(tmp_path / "home"))
    (tmp_path / "run").mkdir()
    book = nbformat.read(notebook, as_version=4)
    resources = {"metadata": {"path": str(tmp_path / "run")}}
    done = NotebookClient(book, timeout=PATIENCE, resources=resources).execute()
    shown = [output for cell in done.cells for output in cell.get("outputs", ())]
    pages = [
        output["data"]["text/html"] for output in shown if "text/html" in output.get("data", {})
    ]
    for kind in ("Robot", "Course", "Log", "Scenario"):
        assert any(f"<b>{kind} " in page and "<svg" in page for page in pages), kind
    assert not [output for output in shown if output.get("name") == "stderr"]
    assert list((tmp_path / "run").iterdir()) == []


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs_and_says_how_to_open_it(notebook: Path):
    book = nbformat.read(notebook, as_version=4)
    nbformat.validate(book)
    for cell in book.cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
    assert f"jupyter lab examples/{notebook.name}" in book.cells[0].source


def test_the_program_of_the_readme_runs_literally(tmp_path: Path):
    (program,) = re.findall(
        r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.M | re.S
    )
    printed = run(["-c", program], tmp_path)
    assert "slip  ends at x = 1.77 m, y = 0.10 m" in printed
    assert (tmp_path / "out" / "readme.csv").is_file()

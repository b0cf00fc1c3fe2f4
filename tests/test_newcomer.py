"""The script that is new to the README: what it finds there, and that it fails when that fails."""

import importlib.util
import os
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def newcomer() -> ModuleType:
    loader = SourceFileLoader("newcomer", str(ROOT / ".ci" / "newcomer"))
    spec = importlib.util.spec_from_loader("newcomer", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


PAGE = """Text, `grouser show tp100`.

```
make demo     # opens a page
make test
```

```python
print("`grouser no`")
```

Then `python
examples/00_drive.py`, `grouser.laws`, again `grouser show tp100`.
"""


def test_it_finds_all_that_is_to_be_typed_in_the_order_of_the_page(newcomer: ModuleType):
    assert newcomer.steps(PAGE) == [
        ("shell", "grouser show tp100"),
        ("shell", "make demo"),
        ("shell", "make test"),
        ("python", 'print("`grouser no`")\n'),
        ("shell", "python examples/00_drive.py"),
    ]


@pytest.mark.parametrize(
    ("command", "instead"),
    [
        ("make test", None),
        ("grouser reproduce", "grouser reproduce P2"),
        ("python -m benchmarks pivot", "python -m benchmarks --help"),
        ("grouser reproduce P1", "grouser reproduce P1"),
        ("grouser robots", "grouser robots"),
    ],
)
def test_it_runs_what_it_finds_but_for_what_has_a_reason(newcomer, command, instead):
    other, reason = newcomer.replace(command)
    assert other == instead
    assert bool(reason) == (other != command)


def test_it_does_not_leave_out_a_page_of_commands(newcomer: ModuleType):
    found = newcomer.steps((ROOT / "README.md").read_text())
    kept = [text for kind, text in found if kind == "python" or newcomer.replace(text)[0] == text]
    assert ("shell", "make demo") in found
    assert sum("\n" in text for text in kept) == 1
    assert len(kept) >= 10


def test_it_fails_when_a_command_fails(newcomer: ModuleType, tmp_path: Path):
    with pytest.raises(SystemExit, match="exit code 1"):
        newcomer.run(["false"], tmp_path, dict(os.environ))


def test_it_fails_when_a_page_does_not_come(newcomer: ModuleType, tmp_path: Path):
    with pytest.raises(SystemExit, match="no page answered"):
        newcomer.serve("echo no page", tmp_path, dict(os.environ))


def test_compiled_code_is_handed_on_and_nothing_else(newcomer: ModuleType, tmp_path: Path):
    kept = Path("src", "grouser", "models", "__pycache__")
    for folder in (tmp_path / "clone" / kept, (tmp_path / "here" / kept).parent):
        folder.mkdir(parents=True)
    for name in ("step-1.cpython.code", "step.cpython.pyc"):
        (tmp_path / "clone" / kept / name).write_text(name)
    newcomer.hand_on_code(tmp_path / "clone", tmp_path / "here")
    (copied,) = (tmp_path / "here" / kept).iterdir()
    assert copied.name == copied.read_text() == "step-1.cpython.code"

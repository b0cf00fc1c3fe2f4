"""A command line in a folder of its own."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from grouser.cli import main
from grouser.description import load_robot


@dataclass(frozen=True)
class Answer:
    """What a command line said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def grouser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> Callable[..., Answer]:
    """Obey a command line, written as one text, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)

    def obey(line: str) -> Answer:
        code = main(line.split())
        out, err = capsys.readouterr()
        # Whether a model has to be compiled depends on what ran before.
        heard = [line for line in err.splitlines(True) if not line.startswith("compiling ")]
        return Answer(code, out, "".join(heard))

    return obey


@pytest.fixture
def robot_file(tmp_path: Path) -> Callable[..., str]:
    """Write the TP100 with changes to its text; return the name of the file."""

    def write(*changes: tuple[str, str]) -> str:
        text = load_robot("tp100").text
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        (tmp_path / "mine.toml").write_text(text)
        return "mine.toml"

    return write

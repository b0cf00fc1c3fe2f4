"""Commands that are interrupted at random times lose nothing; see `tests.outputs.interrupts`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from grouser.log import read_log
from tests.cli.conftest import grouser  # noqa: F401  a fixture
from tests.outputs.left_behind import Case, Outcome, judge

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_dozen_commands_interrupted_at_random_lose_nothing(tmp_path):
    line = "-m tests.outputs.interrupts --runs 12 --seed 3 --only run"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    # In a process of its own: it forks, and threads of other tests would be lost.
    found = subprocess.run(
        [sys.executable, *line.split()], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert found.returncode == 0, found.stdout + found.stderr
    assert "12 runs in" in found.stdout


def test_what_is_wrong_is_noticed(tmp_path, grouser):  # noqa: F811
    case = Case("", 0.0, ("a.csv", "a.unfinished.csv"))
    line = "run --course flat --drive constant:speed=0.1 --duration 3 --model ideal --out a.csv"
    assert grouser(line).code == 0
    whole = (tmp_path / "a.csv").read_bytes()
    rows = len(read_log(tmp_path / "a.csv"))

    def troubles(seen: int, code: int = 130) -> list[str]:
        found = Outcome("run", "SIGINT", code)
        judge(found, case, tmp_path, seen, 0)
        return found.troubles

    assert troubles(rows - 1) == []
    assert troubles(rows + 200) == ["missing"]
    assert troubles(rows - 1, code=2) == ["code"]
    (tmp_path / ".grouser-1.part.csv").touch()
    assert troubles(rows - 1) == ["temporary"]
    (tmp_path / ".grouser-1.part.csv").unlink()
    (tmp_path / "a.csv").write_bytes(whole + whole.splitlines(keepends=True)[-1])
    assert troubles(rows - 1) == ["unreadable", "missing"]
    (tmp_path / "a.csv").unlink()
    assert troubles(rows - 1) == ["missing"]

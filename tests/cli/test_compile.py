"""`grouser compile`, and how far the compiler is, on a terminal and elsewhere."""

import io
import re
import subprocess
import sys
from dataclasses import replace

import pytest

from grouser.cli.terminal import ProgressLine
from grouser.notices import Progress

HALF = Progress(title="compiling a test", share=0.5, parts="3 functions", left=7.2)


def test_models_are_compiled_for_one_robot_and_for_many(grouser):
    answer = grouser("compile ideal slip:step_mode=paper")
    assert answer.code == 0, answer.err
    assert answer.out.splitlines() == [
        "ideal for one robot: ready",
        "ideal for many robots: ready",
        "slip:step_mode=paper for one robot: ready",
        "slip:step_mode=paper for many robots: ready",
    ]


def test_a_model_that_is_not_known_is_one_sentence(grouser):
    answer = grouser("compile csm2")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("grouser: no model named 'csm2'")
    assert answer.err.count("\n") == 1


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def test_progress_is_one_line_of_a_terminal_that_disappears(monkeypatch):
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    line = ProgressLine()
    line.show(HALF)
    sentence = "compiling a test: 50 %, 3 functions, about 7 s left"
    assert screen.getvalue() == f"{sentence}\r"
    line.show(Progress(title=HALF.title, share=0.5, is_over=True))
    line.clear()
    assert screen.getvalue() == f"{sentence}\r{' ' * len(sentence)}\r"


def test_progress_is_not_written_where_nobody_watches(monkeypatch):
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    ProgressLine().show(HALF)
    assert file.getvalue() == ""


def test_a_file_has_a_line_each_time_that_twice_as_long_has_passed(monkeypatch):
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    line = ProgressLine()
    for passed in range(133):
        line.show(replace(HALF, passed=float(passed), left=133.0 - passed))
    line.show(replace(HALF, passed=133.0, left=None, is_over=True))
    written = file.getvalue().splitlines()
    assert [re.search(r"(\d+) s, about (\d+) s left", words).groups() for words in written] == [
        ("5", "128"), ("10", "123"), ("20", "113"), ("40", "93"), ("80", "53")
    ]  # fmt: skip
    line.show(replace(HALF, passed=1.0))  # another variant
    line.show(replace(HALF, passed=6.0))
    assert len(file.getvalue().splitlines()) == 6


@pytest.mark.parametrize("command", ["models", "robots", "courses", "drivers", "compile ideal"])
def test_commands_that_need_no_compiler_do_not_import_it(command):
    program = (
        "import sys; from grouser.cli import main; "
        f"code = main({command.split()!r}); sys.exit(code or 'numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == 0

"""Compiled code on disk: kept where it can be, found only if it is whole, announced if not."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from grouser import notices
from grouser.models.kept_code import SUFFIX, KeptCode, Package

PROGRAM = """
import sys
from pathlib import Path
from grouser.models.kept_code import Package
package = Package("a test", "a moment", Path(sys.argv[1]))
double = package.compiled(nogil=True)(eval("lambda x: 2.0 * x"))
print(double(21.0), double.stats.cache_hits)
"""


def twice(x: float) -> float:
    return 2.0 * x


def compile_in(folder: Path) -> tuple[float, bool]:
    """Return what a function makes of 21, and whether its code was found."""
    function = Package("a test", "a moment", folder).compiled(nogil=True)(twice)
    return function(21.0), bool(function.stats.cache_hits)


@pytest.fixture
def sources(tmp_path, monkeypatch) -> Path:
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "of the user"))
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "law.py").write_text("g = 9.81\n")
    return folder


def kept(folder: Path) -> list[Path]:
    return sorted(folder.rglob(f"*{SUFFIX}"))


def test_code_is_announced_once_and_found_again(sources):
    said: list[str] = []
    with notices.listen(said.append):
        assert compile_in(sources) == (42.0, False)
        assert compile_in(sources) == (42.0, True)
    assert said == [f"compiling a test once, a moment; kept in {sources / '__pycache__'}"]
    assert len(kept(sources)) == 1


def test_code_does_not_outlive_any_source_of_its_package(sources):
    compile_in(sources)
    stamp = (sources / "law.py").stat()
    (sources / "law.py").write_text("g = 1.62\n")  # of the same size and the same time
    os.utime(sources / "law.py", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert compile_in(sources) == (42.0, False)
    assert len(kept(sources)) == 1  # the old one is gone


@pytest.mark.parametrize("damage", ["cut", "empty", "flipped", "foreign"])
def test_damaged_code_is_compiled_anew(sources, damage):
    compile_in(sources)
    (path,) = kept(sources)
    content = path.read_bytes()
    middle = len(content) // 2
    flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    path.write_bytes(
        {"cut": content[:middle], "empty": b"", "flipped": flipped, "foreign": b"x" * 99}[damage]
    )
    assert compile_in(sources) == (42.0, False)
    assert compile_in(sources) == (42.0, True)


def test_code_goes_to_the_user_where_the_package_cannot_be_written(sources, tmp_path):
    (sources / "__pycache__").write_text("no folder")
    said: list[str] = []
    with notices.listen(said.append):
        assert compile_in(sources) == (42.0, False)
    assert compile_in(sources) == (42.0, True)
    (path,) = kept(tmp_path / "of the user" / "grouser")
    assert str(path.parent) in said[0]
    assert said[0].endswith(f", as {sources / '__pycache__'} cannot be written")


def test_code_is_compiled_at_every_start_where_nothing_can_be_written(sources, tmp_path):
    (sources / "__pycache__").write_text("no folder")
    (tmp_path / "of the user").write_text("no folder")
    said: list[str] = []
    with notices.listen(said.append):
        assert compile_in(sources) == (42.0, False)
        assert compile_in(sources) == (42.0, False)
    assert "at every start" in said[0]
    assert "NUMBA_CACHE_DIR" in said[0]


def test_the_compilers_own_variable_names_the_folder(sources, tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "asked"))
    compile_in(sources)
    assert len(kept(tmp_path / "asked")) == 1
    assert kept(sources) == []


def test_processes_that_compile_at_once_do_not_disturb_each_other(sources):
    several = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(sources)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    assert all(each.communicate()[0].startswith("42.0") for each in several)
    assert len(kept(sources)) == 1
    assert not list(sources.rglob("*.part"))


def test_an_interrupt_while_compiling_is_heard_when_a_function_is_done(sources, monkeypatch):
    package = Package("a test", "a moment", sources)
    inner = package.compiled(nogil=True)(twice)

    def outer(x: float) -> float:
        return inner(x) + 1.0

    outer_compiled = package.compiled(nogil=True)(outer)
    save = KeptCode.save_overload

    def interrupt(self, *arguments):
        signal.raise_signal(signal.SIGINT)  # as from within the compiler
        return save(self, *arguments)

    monkeypatch.setattr(KeptCode, "save_overload", interrupt)
    with pytest.raises(KeyboardInterrupt):
        outer_compiled(1.0)
    monkeypatch.setattr(KeptCode, "save_overload", save)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert outer_compiled(1.0) == 3.0

"""The firmware builds without a warning, fits its chip, and says which one it is."""

import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from .bench import HELLO_ACK, Bench
from .conftest import FOLDER

SOURCES = sorted(path for kind in ("*.c", "*.h", "*.ino") for path in FOLDER.rglob(kind))
FLASH, RAM = 256 * 1024, 8 * 1024  # [byte]


def test_a_build_treats_warnings_as_errors_and_prints_its_size(build: Path, tmp_path: Path):
    folder = tmp_path / "firmware"
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("build"))
    made = subprocess.run(
        ["make", "-C", folder, "build/grouser.elf"], capture_output=True, text=True, check=True
    )
    flash = re.search(r"Program: +(\d+) bytes", made.stdout)
    ram = re.search(r"Data: +(\d+) bytes", made.stdout)
    assert flash is not None
    assert ram is not None
    assert 4096 < int(flash[1]) < FLASH / 8
    assert 256 < int(ram[1]) < RAM / 4
    assert made.stderr == ""
    first, second = (
        path.read_bytes() for path in (build / "grouser.elf", folder / "build/grouser.elf")
    )
    assert first == second
    with (folder / "grouser/src/track.c").open("a") as source:
        source.write("\nint unused(int parameter) { return 0; }\n")
    assert subprocess.run(["make", "-C", folder], capture_output=True, check=False).returncode != 0


def test_hello_reports_the_checksum_of_the_sources(bench: Bench):
    bench.hello()
    [body] = bench.bodies(HELLO_ACK)
    sources = sorted((FOLDER / "grouser/src").glob("*.c")) + sorted(
        (FOLDER / "grouser/src").glob("*.h")
    )
    text = b"".join(path.read_bytes() for path in sources) + b"\n"
    checksum = subprocess.run(["cksum"], input=text, capture_output=True, check=True)
    assert struct.unpack("<BHBHIIH", body)[5] == int(checksum.stdout.split()[0])


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_files_and_functions_of_c_stay_within_their_budget(path: Path):
    lines = path.read_text().splitlines()
    assert len(lines) <= 300
    start = 0
    for number, line in enumerate(lines, 1):
        if re.match(r"\S.*\{$", line):
            start = number
        if line == "}":
            assert number - start - 1 <= 40, f"{path.name}:{start}"

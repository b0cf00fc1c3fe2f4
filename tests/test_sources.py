"""Hashes of the code that made a result."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import grouser
from grouser import sources
from grouser.log.provenance import Provenance, explain_source
from grouser.version import VERSION

PRINT = "from grouser import sources as s; print(s.motion_source(), s.package_source())"


def hashes_of(folder: Path) -> list[str]:
    """Return both hashes of a copy of the package, by a process that imports it."""
    program = f"import sys; sys.path.insert(0, {str(folder)!r}); {PRINT}"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    return found.stdout.split()


@pytest.fixture(scope="module")
def copied(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("elsewhere")
    ignore = shutil.ignore_patterns("__pycache__", "*.js", "*.css")
    shutil.copytree(Path(grouser.__file__).parent, folder / "grouser", ignore=ignore)
    return folder


def test_a_copy_elsewhere_has_the_same_hashes(copied):
    assert hashes_of(copied) == [sources.motion_source(), sources.package_source()]


@pytest.mark.parametrize(
    ("file", "changed"),
    [
        ("models/kinematic.py", (True, True)),
        ("geometry.py", (True, True)),
        ("viewer/app.py", (False, True)),
        ("sweep/outcomes.py", (False, True)),
    ],
)
def test_another_line_is_another_hash(copied, file, changed):
    path = copied / "grouser" / file
    before = path.read_text()
    path.write_text(f"{before}\n# another line\n")
    try:
        now = hashes_of(copied)
    finally:
        path.write_text(before)
    ours = [sources.motion_source(), sources.package_source()]
    assert tuple(one != other for one, other in zip(now, ours, strict=True)) == changed


def test_the_sentence_names_both_sources_and_is_empty_for_the_same():
    ours = sources.motion_source()
    assert explain_source(Provenance(grouser_version=VERSION, grouser_source=ours)) == ""
    other = explain_source(Provenance(grouser_version="0.0.9", grouser_source="0123456789ab"))
    assert "made by grouser 0.0.9, source 0123456789ab" in other
    assert f"this is grouser {VERSION}, source {ours}" in other
    old = explain_source(Provenance(grouser_version="0.0.9"))
    assert "made by a version (0.0.9) that did not record its source" in old

"""The wheel holds the package and its data, the source archive all of a checkout."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with both, built by the pinned backend."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", folder],
        cwd=ROOT, check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    return folder


def test_the_wheel_holds_every_file_of_the_package(archives: Path):
    (wheel,) = archives.glob("*.whl")
    source = ROOT / "src"
    there = {str(file.relative_to(source)) for file in (source / "grouser").rglob("*.*")
             if file.is_file() and "__pycache__" not in file.parts}  # fmt: skip
    names = zipfile.ZipFile(wheel).namelist()
    found = {name for name in names if ".dist-info/" not in name}
    assert found == there
    assert {Path(name).suffix for name in found} == {
        ".py", ".typed", ".toml", ".csv", ".json", ".css", ".js", ".txt", ".xml",
    }  # fmt: skip
    assert any(name.endswith("licenses/LICENSE") for name in names)


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="only a checkout knows its files")
def test_the_source_archive_holds_every_file_of_a_checkout(archives: Path):
    (archive,) = archives.glob("*.tar.gz")
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    there = {name for name in listed.stdout.splitlines() if (ROOT / name).exists()}
    with tarfile.open(archive) as tar:
        found = {name.partition("/")[2] for name in tar.getnames()}
    assert found - {"PKG-INFO"} == there

"""Names of files that are made from names of things."""

from pathlib import Path

from grouser.log import name_file
from tests.fuzz.target import Target, require

_NAMES = (
    "tp100-flat-slip",
    "x/../../../pwn",
    "con",
    "größer",
    "a" * 300,
    "..",
    "a\\b:c",
    "slip:m=1",
)


def _make(content: bytes, folder: Path) -> tuple[Path, Path]:
    name = name_file(content.decode("utf-8", errors="surrogateescape"), ".csv")
    (folder / name).write_text("")
    return folder, folder / name


def _check(made: tuple[Path, Path]) -> None:
    folder, path = made
    require(path.resolve().parent == folder.resolve(), f"{path} is not in its folder")
    require([found.name for found in folder.iterdir()] == [path.name], f"another name: {path}")
    require(path.name.isprintable() and len(path.name.encode()) <= 200, f"name {path.name!r}")


TARGETS = [
    Target(
        name="file names",
        samples=lambda: [name.encode() for name in _NAMES],
        attempt=_make,
        check=_check,
        names_file=False,
        words=("..", "/", "\\", "nul", "com1", "~", "\0", "-", "."),
        allowed=(),
    )
]

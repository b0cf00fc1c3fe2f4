"""The folder of courses and robots beside the recordings: the only place that a page writes to."""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grouser.errors import InvalidValue
from grouser.limits import FOLDER_BYTES
from grouser.log import name_file
from grouser.registry import SUFFIX
from grouser.storage import next_free, take_name, write_new

COURSES, ROBOTS = "courses", "robots"
"""Names of the folders of courses, with the files of their pieces, and of robots."""
MINE = "my-"
"""Prefix of the name of a course that began as a copy."""


class CourseFiles:
    """Lists and writes the files of courses and robots; never replaces one."""

    def __init__(self, folder: str | Path) -> None:
        """Use a folder of recordings; folders in it are made when something is written."""
        self.folder = Path(folder)
        """Folder of the recordings."""

    @property
    def courses(self) -> Path:
        """Folder of courses and of the files of their pieces."""
        return self.folder / COURSES

    @property
    def robots(self) -> Path:
        """Folder of robots."""
        return self.folder / ROBOTS

    def names(self, kind: str) -> tuple[str, ...]:
        """Return the paths of all courses or robots in the folder, sorted."""
        place = self.courses if kind == "course" else self.robots
        found = place.glob(f"*{SUFFIX}") if place.is_dir() else ()
        return tuple(sorted(str(path) for path in found if not path.name.startswith(".")))

    def label(self, reference: str) -> str:
        """Return how lists show a robot or course: one in the folder without its path."""
        path = Path(reference)
        is_ours = path.parent in (self.courses, self.robots)
        return f"{path.stem} (own)" if is_ours else reference

    def free_course(self, name: str) -> Path:
        """Return the path of a new course of about this name."""
        return next_free(self.courses / name_file(name, SUFFIX))

    def free_copy(self, name: str) -> Path:
        """Return the path of a copy of a course, by the name or path of that course."""
        stem = Path(name).stem if name.endswith(SUFFIX) else name
        is_ours = Path(name).parent == self.courses
        return self.free_course(stem if is_ours or stem.startswith(MINE) else f"{MINE}{stem}")

    def write(self, path: Path, text: str) -> Path:
        """Write a text at a path in the folder, or at the next free one; return where."""
        self.check_inside(path)
        self.check_room(len(text))
        return write_new(path, lambda temporary: temporary.write_text(text, "utf-8"))

    def adopt(self, file: Path, name: str, kind: str = "course") -> Path:
        """Move a complete file to a free name in the folder; return where it is."""
        place = self.robots if kind == "robot" else self.courses
        place.mkdir(parents=True, exist_ok=True)
        return take_name(file, place / clean_name(name))

    def copy(self, file: Path) -> str:
        """Copy a file that a piece needs into the folder of courses; return its name there."""
        if file.parent == self.courses:
            return file.name
        self.check_room(file.stat().st_size)
        wanted = self.courses / clean_name(file.name)
        return write_new(wanted, lambda temporary: shutil.copyfile(file, temporary)).name

    def check_inside(self, path: str | Path) -> None:
        """Raise InvalidValue for a path that leads out of the folder."""
        inside = self.folder.resolve()
        if inside not in Path(path).resolve().parents:
            raise InvalidValue("path", str(path), f"lie in the folder {self.folder}")

    def check_room(self, size: int) -> None:
        """Raise InvalidValue if a file of a size [B] does not fit into the folder any more."""
        used = sum(_size(path) for place in (self.courses, self.robots) for path in _files(place))
        if used + size > FOLDER_BYTES:
            raise InvalidValue(
                f"files in {self.folder}",
                f"{(used + size) / 1e6:.0f} MB",
                f"be at most {FOLDER_BYTES / 1e6:.0f} MB together: delete some",
            )

    def bring_files(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return the content of a course whose pieces have their files in the folder of courses."""
        pieces = []
        for piece in content.get("terrain", ()):
            file = piece.get("file")
            is_path = isinstance(file, Path)
            pieces.append({**piece, "file": self.copy(file)} if is_path else piece)
        return {**content, "terrain": tuple(pieces)}


def clean_name(name: str) -> str:
    """Return a plain file name with a short ending, made of a name that anybody may have sent."""
    last = re.split(r"[/\\]", name)[-1]
    stem, dot, ending = last.rpartition(".")
    suffix = re.sub(r"[^a-z0-9]", "", ending.lower())[:8] if dot else ""
    return name_file(stem or last, f".{suffix}" if suffix else "")


def _files(place: Path) -> list[Path]:
    return list(place.iterdir()) if place.is_dir() else []


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0  # removed in the meantime

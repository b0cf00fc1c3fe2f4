"""Files that were dropped on a page: what they are, whether they are right, where they are kept."""

import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from grouser.description import parse_course, parse_robot
from grouser.description.find import is_path
from grouser.description.height_files import read_heights
from grouser.description.mesh_file import ENDINGS as MESHES
from grouser.errors import GrouserError, InvalidDescription, Unreadable
from grouser.scenario import Scenario
from grouser.storage import temporary_name
from grouser.toml import parse_toml, read_text
from grouser.viewer.builder import Builder
from grouser.viewer.building import Placing
from grouser.viewer.commands import PageCommands
from grouser.viewer.course_files import CourseFiles, clean_name
from grouser.viewer.loop import Loop
from grouser.viewer.pointer import Point
from grouser.viewer.thin_mesh import inspect_mesh

HEIGHTS = (".png", ".tif", ".tiff", ".npy", ".csv", ".asc")
"""Endings of height maps."""
PICTURE_HEIGHTS = 0.0, 0.2
"""Heights of black and white in a picture, until they are changed in the panel [m]."""
MAP_SIZE = 3.0
"""Longer side of a height map without a scale, until it is changed in the panel [m]."""
AHEAD = 1.5
"""Distance from the robot at which a file becomes a piece, in robot lengths [1]."""
Kind: TypeAlias = Literal["robot", "course", "scenario", "mesh", "heights"]
"""What a file is."""
_MAGIC = {
    b"\x89PNG": ".png", b"\x93NUMPY": ".npy", b"II*\0": ".tif", b"MM\0*": ".tif",
    b"glTF": ".glb", b"ply\n": ".ply", b"ply\r": ".ply", b"solid ": ".stl",
}  # fmt: skip
_KEYS: dict[Kind, frozenset[str]] = {
    "scenario": frozenset({"grouser", "robot", "course", "model", "driver"}),
    "robot": frozenset({"body", "tracks", "wheels", "flippers", "drive", "slip", "sensors"}),
    "course": frozenset({"terrain", "surfaces", "area", "path", "start", "speed_m_s", "ruts"}),
}
_PATH_KEYS = ("file", "model", "like", "soil", "log", "rig", "name", "robot", "course")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a file."""

    name: str
    """Name of the file, as it was sent."""
    sentence: str = ""
    """What was done with it; empty if it has mistakes."""
    mistakes: tuple[str, ...] = ()
    """All its mistakes, as the command line has them."""


class DroppedFiles:
    """Takes files, keeps those without mistakes, and shows them on the page."""

    def __init__(self, commands: PageCommands, builder: Builder) -> None:
        self._commands, self._builder = commands, builder
        self._files: CourseFiles = builder.files

    def take(self, file: Path, name: str, place: Point | None) -> Outcome:
        """Take a complete file, which is moved or removed; any mistake becomes a sentence."""
        shown = " ".join(name.split())[:100] or "a file without a name"
        try:
            return Outcome(shown, self._take(file, name, place))
        except InvalidDescription as error:
            return Outcome(shown, mistakes=error.mistakes)
        except Unreadable as error:
            return Outcome(shown, mistakes=(error.problem,))
        except (GrouserError, OSError) as error:
            return Outcome(shown, mistakes=(str(error),))
        finally:
            file.unlink(missing_ok=True)

    def _take(self, file: Path, name: str, place: Point | None) -> str:
        if not file.stat().st_size:
            raise InvalidDescription(name, ["the file is empty"])
        clean = clean_name(name)
        if Path(clean).suffix not in (".toml", *HEIGHTS, *MESHES):
            clean += _ending_of(file, clean)
        if Path(clean).suffix == ".toml":
            return self._take_toml(file, clean)
        take = self._take_mesh if Path(clean).suffix in MESHES else self._take_heights
        return take(file.replace(temporary_name(file.with_name(clean))), clean, place)

    def _take_toml(self, file: Path, name: str) -> str:
        text = read_text(file)
        content = parse_toml(text, name)
        kind = find_kind(content, name)
        folders = {"robot": self._files.robots, "course": self._files.courses}
        folder = folders.get(kind, self._files.folder)
        outside = list(self._outside(content, folder, ""))
        if outside:
            raise InvalidDescription(name, outside)
        origin = folder / name
        checks: dict[Kind, Callable[[], object]] = {
            "robot": lambda: parse_robot(text, origin),
            "course": lambda: parse_course(text, origin),
            "scenario": lambda: Scenario.parse(text, origin, folder),
        }
        checks[kind]()
        path = self._files.write(origin, text)
        return f"{kind} kept as {path}; " + self._choose(kind, path)

    def _choose(self, kind: Kind, path: Path) -> str:
        """Show a robot, course or scenario on the page; a sentence says why not, if it cannot."""
        current = self._commands.loop.session.scenario
        try:
            if kind == "robot":
                scenario = current.vary(robot=str(path), flippers=())
            elif kind == "course":
                scenario = current.vary(course=str(path), start_pose=None)
            else:
                scenario = Scenario.read(path)
            wanted = self._commands.loop.session.wanted_ghosts
            ghosts = self._commands.able_ghosts(scenario, wanted)
            session = self._commands.workshop.open(scenario, ghosts)
        except GrouserError as error:
            return f"the page cannot show it now: {error}"
        done = threading.Event()

        def show(loop: Loop) -> None:
            self._commands.swap(loop, session, is_edit=False)
            done.set()

        self._commands.loop.request(show)
        done.wait(5.0)
        return "the page shows it now"

    def _take_mesh(self, file: Path, name: str, place: Point | None) -> str:
        thinned = temporary_name(file.with_suffix(".stl"))
        try:
            summary = inspect_mesh(file, thinned)
            words = f"{summary.triangles:,} triangles"
            if thinned.exists():
                words += f", thinned to {summary.kept:,} for the page"
                file.unlink()
                file, name = thinned, f"{Path(name).stem}-thinned.stl"
            kept = self._files.adopt(file, name)
        finally:
            for one in (file, thinned):
                one.unlink(missing_ok=True)
        scale = summary.scale
        x, y, z = self._place(place, scale * (summary.high[0] - summary.low[0]))
        x -= 0.5 * scale * (summary.low[0] + summary.high[0])
        y -= 0.5 * scale * (summary.low[1] + summary.high[1])
        placing = Placing(x, y, base=z - scale * summary.low[2])
        unit = "mm" if scale < 1.0 else "m"
        self._add({"kind": "mesh", **placing.values(), "file": kept.name, "scale": scale})
        return f"mesh of {words}, in {unit}, kept as {kept}; see Build for its scale and place"

    def _take_heights(self, file: Path, name: str, place: Point | None) -> str:
        is_picture = Path(name).suffix == ".png"
        span = PICTURE_HEIGHTS if is_picture else None
        try:
            heights, spacings = read_heights(file, span)
            kept = self._files.adopt(file, name)
        finally:
            file.unlink(missing_ok=True)
        table: dict[str, Any] = {"kind": "heightfield"}
        spacing = round(MAP_SIZE / (max(heights.shape) - 1), 4) if spacings is None else spacings[0]
        x, y, z = self._place(place, spacing * heights.shape[1])
        table |= Placing(x, y, base=z - float(np.nanmin(heights))).values() | {"file": kept.name}
        if spacings is None:
            table["spacing_m"] = spacing
        if is_picture:
            table["height_range_m"] = list(PICTURE_HEIGHTS)
        self._add(table)
        rows, columns = heights.shape
        return f"height map of {columns} x {rows} kept as {kept}; see Build for its size and place"

    def _add(self, table: Mapping[str, Any]) -> None:
        """Add a piece to the course; raises if the page cannot show it."""
        self._builder.show(is_on=True, tool=None)
        self._builder.problem = ""
        self._builder.add(table)
        self._builder.wait(120.0)
        if problem := self._builder.problem:
            raise InvalidDescription(str(table["file"]), [problem])

    def _place(self, place: Point | None, length: float) -> Point:
        """Return where a piece of a length [m] goes: where it was dropped, or before the robot."""
        if place is not None:
            return place
        session = self._commands.loop.session
        pose, robot = session.motion.pose, session.robot
        ahead = AHEAD * (robot.front - robot.rear) + 0.5 * length
        x = float(pose.x + ahead * np.cos(pose.yaw))
        y = float(pose.y + ahead * np.sin(pose.yaw))
        return x, y, float(np.nan_to_num(session.course.terrain.height(x, y)))

    def _outside(self, content: Any, folder: Path, key: str) -> Iterator[str]:
        """Yield a sentence for each file that a file mentions outside of the page's folder."""
        inner = content.items() if isinstance(content, Mapping) else enumerate(content)
        for name, value in inner:
            here = f"{key}[{name}]" if isinstance(name, int) else f"{key}.{name}".lstrip(".")
            if isinstance(value, Mapping | list):
                yield from self._outside(value, folder, here)
            elif name == "text" and isinstance(value, str):  # a whole file in another
                yield from self._outside(parse_toml(value, here), folder, here)
            elif isinstance(value, str) and name in _PATH_KEYS and is_path(value):
                try:
                    self._files.check_inside(folder / value)
                except (GrouserError, OSError, ValueError):
                    inside = f"name a file in the folder {self._files.folder}"
                    yield f"{here} must {inside}, not {value[:60]!r}"


def find_kind(content: Mapping[str, Any], name: str) -> Kind:
    """Return what the content of a TOML file describes; InvalidDescription if that is unclear."""
    counts = {kind: len(keys & content.keys()) for kind, keys in _KEYS.items()}
    best: Kind = max(_KEYS, key=lambda kind: counts[kind])
    if not counts[best]:
        mistake = (
            "is neither a robot ([body], [[tracks]], [drive]), nor a course ([[terrain]]), nor a "
            "scenario (robot, course, model, driver)"
        )
        raise InvalidDescription(name, [mistake])
    return best


def _ending_of(file: Path, name: str) -> str:
    """Return the ending that fits the first bytes of a file whose name has none."""
    with file.open("rb") as stream:
        head = stream.read(64)
    for magic, ending in _MAGIC.items():
        if head.startswith(magic):
            return ending
    if re.match(rb"\s*(#|\[|[\w-]+\s*=)", head):
        return ".toml"
    known = ", ".join((".toml", *HEIGHTS, *MESHES))
    raise InvalidDescription(name, [f"must be a file that ends in one of: {known}"])

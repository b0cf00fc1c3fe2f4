"""Files that were dropped on a page: what they are, whether they are right, where they are kept."""

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from grouser.description.course_text import write_course
from grouser.description.mesh_file import ENDINGS as MESHES
from grouser.errors import GrouserError, InvalidDescription, Unreadable
from grouser.scenario import Scenario
from grouser.storage import temporary_name
from grouser.toml import read_text
from grouser.viewer.builder import Builder
from grouser.viewer.building import Placing
from grouser.viewer.commands import PageCommands
from grouser.viewer.course_files import CourseFiles, clean_name
from grouser.viewer.dropped_toml import FOLDERS, Kind
from grouser.viewer.loop import Loop
from grouser.viewer.pointer import Point
from grouser.viewer.reading import ReadingProcess

HEIGHTS = (".png", ".tif", ".tiff", ".npy", ".csv", ".asc")
"""Endings of height maps."""
PICTURE_HEIGHTS = 0.0, 0.2
"""Heights of black and white in a picture, until they are changed in the panel [m]."""
MAP_SIZE = 3.0
"""Longer side of a height map without a scale, until it is changed in the panel [m]."""
AHEAD = 1.5
"""Distance from the robot at which a file becomes a piece, in robot lengths [1]."""
_MAGIC = {
    b"\x89PNG": ".png", b"\x93NUMPY": ".npy", b"II*\0": ".tif", b"MM\0*": ".tif",
    b"glTF": ".glb", b"ply\n": ".ply", b"ply\r": ".ply", b"solid ": ".stl",
}  # fmt: skip


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
        self.reader = ReadingProcess()
        """Reads what was dropped."""

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
        except MemoryError:
            mistake = "the page has not enough memory for it: make it smaller"
            return Outcome(shown, mistakes=(mistake,))
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
        folder = self._files.folder
        kind: Kind = self.reader.read("toml", file, folder, name=name)["kind"]
        path = self._files.write(folder / FOLDERS[kind] / name, read_text(file))
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
        written = temporary_name(file.with_suffix(".stl"))
        try:
            found = self.reader.read("mesh", file, self._files.folder, kept=str(written))
            is_thinned = found["kept"] < found["triangles"]
            kept = self._files.adopt(written, _kept_name(name, ".stl", is_thinned=is_thinned))
        finally:
            for one in (file, written):
                one.unlink(missing_ok=True)
        words = f"{found['triangles']:,} triangles"
        words += f", thinned to {found['kept']:,} for the page" if is_thinned else ""
        scale, low, high = found["scale"], found["low"], found["high"]
        x, y, z = self._place(place, scale * (high[0] - low[0]))
        x -= 0.5 * scale * (low[0] + high[0])
        y -= 0.5 * scale * (low[1] + high[1])
        placing = Placing(x, y, base=z - scale * low[2])
        unit = "mm" if scale < 1.0 else "m"
        self._add({"kind": "mesh", **placing.values(), "file": kept.name, "scale": scale}, kept)
        return f"mesh of {words}, in {unit}, kept as {kept}; see Build for its scale and place"

    def _take_heights(self, file: Path, name: str, place: Point | None) -> str:
        is_picture = Path(name).suffix == ".png"
        stem = temporary_name(file.with_suffix(""))
        try:
            found = self.reader.read(
                "heights", file, self._files.folder, kept=str(stem), is_picture=is_picture
            )
            rows, columns = found["kept_shape"]
            is_thinned = [rows, columns] != found["shape"]
            written = Path(found["kept"])
            kept_name = _kept_name(name, written.suffix, is_thinned=is_thinned)
            kept = self._files.adopt(written, kept_name)
        finally:
            for one in (file, *stem.parent.glob(f"{stem.name}.*")):
                one.unlink(missing_ok=True)
        words = f"{found['shape'][1]} x {found['shape'][0]}"
        words += f", thinned to {columns} x {rows} for the page," if is_thinned else ""
        if found["spacings"] is not None:
            return f"height map of {words} " + self._show_ground(name, kept, found)
        lowest, spacing = found["lowest"], round(MAP_SIZE / (max(rows, columns) - 1), 4)
        rise = found["border"] - lowest
        x, y, z = self._place(place, spacing * columns)
        table: dict[str, Any] = {"kind": "heightfield"}
        if is_picture:
            low, high = PICTURE_HEIGHTS
            lowest, table["height_range_m"] = low + (high - low) * lowest, [low, high]
            rise *= high - low
        table |= Placing(x, y, base=z - lowest).values() | {"file": kept.name}
        table["spacing_m"] = spacing
        self._add(table, kept)
        edge = f"; its edge stands up to {rise:.2g} m above the ground" if rise >= 0.005 else ""
        return f"height map of {words} kept as {kept}{edge}; see Build for its size and place"

    def _show_ground(self, name: str, kept: Path, found: Mapping[str, Any]) -> str:
        """Make a map with a scale of its own the ground of a course, and show it."""
        (rows, columns), (along, across) = found["kept_shape"], found["spacings"]
        length, width = (columns - 1) * along, (rows - 1) * across
        piece: dict[str, Any] = {"kind": "heightfield", "file": kept.name}
        if kept.suffix != ".tif":  # which has its own
            piece["spacing_m"] = along
        content: dict[str, Any] = {"name": Path(name).stem, "terrain": [piece]}
        if found["corner"] is not None:
            east, north = found["corner"]
            content["datum"] = {"east_m": east + 0.5 * length, "north_m": north - 0.5 * width}
        path = self._files.write(self._files.free_course(Path(name).stem), write_course(content))
        size = f"{length:.4g} x {width:.4g} m"
        return f"became the ground of a course of {size}, {path}; " + self._choose("course", path)

    def _add(self, table: Mapping[str, Any], kept: Path) -> None:
        """Add a piece with its file to the course; raises if the page cannot show it."""
        self._builder.show(is_on=True, tool=None)
        self._builder.problem = ""
        self._builder.add(table)
        self._builder.wait(120.0)
        if problem := self._builder.problem:
            kept.unlink(missing_ok=True)
            raise InvalidDescription(kept.name, [problem])

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


def _kept_name(name: str, ending: str, *, is_thinned: bool) -> str:
    return f"{Path(name).stem}{'-thinned' if is_thinned else ''}{ending}"


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

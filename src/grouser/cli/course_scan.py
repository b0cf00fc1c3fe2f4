"""`grouser course from-scan`: a scan of the ground becomes a course."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from grouser import limits
from grouser.cli.options import File, options
from grouser.cli.shared_options import ResultOptions
from grouser.cli.terminal import Terminal
from grouser.errors import InvalidValue
from grouser.storage import numbered
from grouser.units import parse_number, to_si

if TYPE_CHECKING:
    from grouser.description.scan_ground import ScanGround, ScanRule

Metres = Annotated[float, Parameter(metavar="METRES")]


@options
class ScanOptions:
    """How points become ground."""

    spacing: Metres = 0.05
    """Distance between the nodes of the height field [m]."""
    out: File | None = None
    """Course to write, .toml; its heights go beside it, .npy. SCAN.toml in folder out if not
    given."""
    up: Literal["x", "y", "z", "-x", "-y", "-z"] = "z"
    """Axis of the scan that points up; GLB files have been turned already."""
    unit: Literal["m", "cm", "mm", "ft"] = "m"
    """Unit of the scan."""
    crop: Annotated[str, Parameter(metavar="X0,X1,Y0,Y1[,Z0,Z1]")] = ""
    """Part of the scan to take, in its own coordinates with z up [m]; all of it if not given."""
    clearance: Metres = 0.5
    """Height of a gap under which the robot can drive: what is above it overhangs [m]."""
    percentile: Annotated[float, Parameter(metavar="PERCENT")] = 50.0
    """Percentile of the heights of a cell's ground points; low for plants, 50 for noise [%]."""
    fill: Metres = 0.5
    """Widest gap that is filled between its sides [m]; what is wider stays a hole."""

    def rule(self) -> ScanRule:
        """Return the rule.

        Raises:
            InvalidValue: A number is out of its range.
        """
        from grouser.description.scan_ground import ScanRule

        least, most = 1e-3, 100.0
        for name, value, low, high in (
            ("--spacing", self.spacing, least, most),
            ("--clearance", self.clearance, least, most),
            ("--percentile", self.percentile, 0.0, 100.0),
            ("--fill", self.fill, 0.0, most),
        ):
            if not low <= value <= high:
                raise InvalidValue(name, value, f"be from {low:g} to {high:g}")
        return ScanRule(
            spacing=self.spacing,
            up=self.up,
            unit=to_si(self.unit)[1],
            crop=read_crop(self.crop),
            clearance=self.clearance,
            percentile=self.percentile,
            fill=self.fill,
        )


def read_crop(text: str) -> tuple[float, ...]:
    """Return the ends of a crop [m].

    Raises:
        InvalidValue: It is not four or six numbers, or an end is not above the other.
    """
    numbers = [parse_number(word) for word in text.split(",")] if text else []
    found = tuple(number for number in numbers if number is not None)
    is_right = len(found) == len(numbers) and len(found) in (0, 4, 6)
    if not (is_right and all(a < b for a, b in zip(found[::2], found[1::2], strict=True))):
        required = (
            "be west,east,south,north in metres, as in 0,20,-5,5, perhaps with lowest,highest"
        )
        raise InvalidValue("--crop", text, required)
    return found


def from_scan(
    scan: Annotated[Path, Parameter(name="SCAN")],
    /,
    *,
    given: ScanOptions = ScanOptions(),
    results: ResultOptions = ResultOptions(),
) -> None:
    """Make a course of a scan: a point cloud or an open mesh becomes a height field.

    Takes PLY, PCD, LAS, XYZ text, STL, OBJ and GLB. Prints what was filled, what overhangs and what
    was left out.

    Args:
        scan: File of the scan.
        given: How points become ground.
        results: How results are written.
    """
    import numpy as np

    from grouser.cli.output import claim_output
    from grouser.description.scan_files import read_scan
    from grouser.description.scan_ground import make_ground

    terminal, rule = Terminal(), given.rule()
    if given.out is not None and given.out.suffix.lower() != ".toml":
        raise InvalidValue("--out", str(given.out), "end in .toml")
    usual = Path("out") / f"{scan.stem}.toml"
    if not results.overwrite:
        usual = next(path for path in numbered(usual) if not _is_taken(path))
    file = claim_output("--out", given.out, usual, overwrite=results.overwrite)
    beside = file.path.with_suffix(".npy")
    heights = claim_output("--out", beside, overwrite=results.overwrite)
    ground = make_ground(scan, read_scan(scan), rule)
    kept = heights.write(lambda path: np.save(path, ground.heights))
    place = kept.name if kept.parent == file.path.parent else str(kept.absolute())
    text = course_text(file.path.stem, scan.name, place, ground, rule)
    course = file.write(lambda path: path.write_text(text, "utf-8"))
    content = scan_report(ground)
    if results.as_json:
        terminal.json({"scan": scan, **content, "course": course, "heights": kept})
        return
    _print(terminal, scan, content, ground)
    terminal.line(f"course: {course}, heights: {kept}")
    terminal.line(f"drive it: grouser drive --course {course}")


def _is_taken(course: Path) -> bool:
    return os.path.lexists(course) or os.path.lexists(course.with_suffix(".npy"))


def scan_report(ground: ScanGround) -> dict[str, Any]:
    """Return what became of a scan, in SI."""
    rows, columns = ground.heights.shape
    return {
        "size_m": [(columns - 1) * ground.spacing, (rows - 1) * ground.spacing],
        "spacing_m": ground.spacing,
        "shape": [rows, columns],
        "points": ground.points,
        "nodes": ground.nodes,
        "headroom_m": ground.headroom,
        "start_m": list(ground.start),
        "datum": {
            "east_m": ground.middle[0],
            "north_m": ground.middle[1],
            "elevation_m": ground.elevation,
        },
    }


def _print(terminal: Terminal, scan: Path, content: Mapping[str, Any], ground: ScanGround) -> None:
    rows, columns = ground.heights.shape
    (length, width), datum = content["size_m"], content["datum"]
    terminal.heading(f"{scan}: {length:.4g} x {width:.4g} m, {columns} x {rows} nodes")
    counted = [(f"points {name}", f"{count:,}", "") for name, count in ground.points.items()]
    total = ground.heights.size
    counted += [
        (f"nodes {name}", f"{count:,}", f"{100.0 * count / total:.3g} %")
        for name, count in ground.nodes.items()
    ]
    terminal.table(("what", "how many", "share"), counted, numbers=(1, 2))
    if 2 * ground.nodes["seen"] < total:
        share = 100.0 * ground.nodes["seen"] / total
        terminal.remark(
            f"only {share:.2g} % of the nodes have points: a larger --spacing suits such a scan, "
            "or --crop leaves out what was hardly seen"
        )
    if ground.headroom is not None:
        terminal.line(f"least headroom under overhangs: {ground.headroom:.3g} m")
    terminal.line(
        f"origin of the course: x {datum['east_m']:.3f}, y {datum['north_m']:.3f}, "
        f"z {datum['elevation_m']:.3f} m of the scan"
    )


def course_text(name: str, scan: str, heights: str, ground: ScanGround, rule: ScanRule) -> str:
    """Return the TOML text of the course of a scan, whose heights are in a file."""
    from grouser.description.course_text import write_course

    nodes = ", ".join(f"{count:,} {what}" for what, count in ground.nodes.items())
    shown = "".join(c if c.isprintable() else "-" for c in scan)
    content = {
        "name": re.sub(r"[^\w-]+", "-", name).strip("-_")[: limits.NAME_LENGTH] or "scan",
        "title": f"Ground of the scan {shown}",
        "description": f"Nodes: {nodes}. Gaps above {rule.clearance:g} m overhang the ground.",
        "start": {"x_m": ground.start[0], "y_m": ground.start[1]},
        "datum": scan_report(ground)["datum"],
        "terrain": [
            {
                "kind": "heightfield",
                "file": heights,
                "spacing_m": rule.spacing,
                "fill_m": 0.0,
            }
        ],
        "sources": {
            "start": "level ground near the middle, chosen by grouser course from-scan [A]",
            "datum": f"coordinates of the scan {shown} [M]",
            "terrain": f"scan {shown} in cells of {rule.spacing:g} m, by grouser course "
            "from-scan [M]",
        },
    }
    return write_course(content)

"""Draw soil-sizes.png and soil-pull.png: effects of soil by size, and pull over slip.

python docs/pictures/make_soil.py

A robot on a slope pulls the part of its weight that acts along it. Its mass is raised so that the
load on the belts is the same on every slope, so a slope of atan 0.2 is a pull of 0.2 of the weight.
Its centre of mass lies in the ground's plane, so that pressure is the same under all of the belts,
as in the closed forms. Belts run until the slip of the last metres does not change any more. The
numbers of soil-sizes.png become the table of docs/soils.md. Takes about a minute.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from scipy.optimize import root_scalar

from grouser import Robot, make_model
from grouser.description import load_soil, parse_course
from grouser.description.schema import parse_table
from grouser.laws.soil_drive import SoilDrive, belts_of
from grouser.models import command_sides, start_model

FOLDER = Path(__file__).parent
PAGE = FOLDER.parent / "soils.md"
SOILS = "dry-sand", "lete-sand", "clayey-soil", "lunar", "snow"
COURSE = 'name = "plane"\n[[terrain]]\nkind = "plane"\nslope_deg = {}\n[ruts]\non = false\n'
COURSE += '[surfaces.ground]\nsoil = "{}"\n'
TICK = 0.1  # [s]
STALLED = 0.9  # slip at which the greatest pull is taken
PITCH, HEIGHT = 0.02, 0.01  # of grousers [m]


@dataclass(frozen=True)
class Size:
    """A robot with two plain belts."""

    mass: float
    """Mass [kg]."""
    length: float
    """Length of contact of each belt [m]."""
    width: float
    """Width of each belt [m]."""
    colour: str
    """Colour in pictures."""

    @property
    def speed(self) -> float:
        """Speed of the belts at which all sizes settle within as many lengths [m/s]."""
        return math.sqrt(0.5 * self.length)

    def robot(self, *, grousers: bool = False) -> Robot:
        """Return the robot; its belts follow commands at once."""
        radius, gauge = 0.2 * self.length, 1.2 * self.length
        pulleys = [{"x_m": s * self.length, "z_m": radius, "radius_m": radius} for s in (0.5, -0.5)]
        belt: dict[str, Any] = {"width_m": self.width, "loop": {"pulleys": pulleys}}
        if grousers:
            count = round((2.0 * self.length + 2.0 * math.pi * radius) / PITCH)
            ribs = {"count": count, "shape": "cuboid", "length_m": 0.005, "height_m": HEIGHT}
            belt["grousers"] = ribs
        sides = (("left", 0.5 * gauge), ("right", -0.5 * gauge))
        inertia = self.mass * self.length**2 / 4.0
        content = {
            "name": "plain",
            "body": {
                "mass_kg": self.mass,
                "size_m": [self.length, 0.9 * gauge, radius],
                "centre_m": [0.0, 0.0, 2.5 * radius],
                "centre_of_mass_m": [0.0, 0.0, 1e-6],
                "inertia_kg_m2": [0.6 * inertia, 0.6 * inertia, inertia],
            },
            "tracks": [{"name": side, "side": side, "y_m": y, **belt} for side, y in sides],
            "drive": {"speed_limit_m_s": 2.0, "acceleration_limit_m_s2": 1e4},
        }
        return parse_table(Robot, content, "plain.toml")


SIZES = (
    Size(20.0, 0.45, 0.08, "#9ecae1"),
    Size(60.0, 0.5, 0.1, "#4292c6"),
    Size(200.0, 0.9, 0.2, "#2171b5"),
    Size(2000.0, 2.0, 0.4, "#08306b"),
)


def start(robot: Robot, soil: str, pull: float = 0.0) -> Any:
    """Return the plant on a slope that pulls such a share of the load on the belts."""
    model = make_model(f"csm:mass_factor={math.hypot(1.0, pull)}")
    course = parse_course(COURSE.format(math.degrees(math.atan(pull)), soil), "plane.toml")
    return start_model(model, robot, course)


def slip_at(size: Size, robot: Robot, soil: str, pull: float) -> float:
    """Return the steady slip of a pull; more than 1 for a robot that slides down [1]."""
    plant, command = start(robot, soil, pull), command_sides(robot, size.speed, size.speed)
    slips, before = [2.0], 0.0
    ticks = math.ceil(3.0 * size.length / size.speed / TICK)
    for _ in range(30):
        for _ in range(ticks):
            plant.advance(command, TICK)
        way = plant.motion.pose.x * math.hypot(1.0, pull)
        slips.append(1.0 - (way - before) / (size.speed * ticks * TICK))
        before = way
        if slips[-1] > 1.05 or np.ptp(slips[-3:]) < max(1e-5, 1e-3 * slips[-1]):
            break
    return slips[-1]


def resistance(size: Size, robot: Robot, soil: str, near: float) -> float:
    """Return resistance over weight: the slope down which the robot drives without slip [1]."""
    pulls = -near - (0.002 + 0.1 * near) * np.array((-1.0, 1.0))
    slips = [slip_at(size, robot, soil, float(pull)) for pull in pulls]
    return float(-np.interp(0.0, slips[::-1], pulls[::-1]))


def greatest_pull(size: Size, robot: Robot, soil: str, near: float) -> float:
    """Return the pull over weight at which a robot nearly stalls [1]."""

    def missing(pull: float) -> float:
        return slip_at(size, robot, soil, pull) - STALLED

    bracket = 0.94 * near, 1.04 * near
    return float(root_scalar(missing, bracket=bracket, xtol=5e-4 * near).root)


class Effects(NamedTuple):
    """What soil does to a robot."""

    sinkage: float
    """Sinkage at rest [m]."""
    resistance: float
    """Pull at which it drives without slip, over its weight, times -1 [1]."""
    slip: float
    """Slip for a pull of a fifth of its weight [1]."""
    gain: float
    """What grousers add to its greatest pull [1]."""


def measure(size: Size, soil: str) -> Effects:
    """Return what the model in three dimensions shows, searched for near the closed forms."""
    plain, weight = size.robot(), 9.81 * size.mass
    greatest = [
        greatest_pull(size, robot, soil, float(drive.pull(STALLED)) / weight)
        for robot, drive in zip((plain, size.robot(grousers=True)), closed(size, soil), strict=True)
    ]
    near = float(closed(size, soil)[0].resistance()) / weight
    return Effects(
        sinkage=-float(start(plain, soil).motion.pose.z),
        resistance=resistance(size, plain, soil, near),
        slip=slip_at(size, plain, soil, 0.2),
        gain=greatest[1] / greatest[0] - 1.0,
    )


def closed(size: Size, soil: str) -> tuple[SoilDrive, SoilDrive]:
    """Return the closed forms of the robot, smooth and with grousers."""
    smooth, ribbed = (
        SoilDrive(belts=belts_of(size.robot(grousers=ribs)), soil=load_soil(soil))
        for ribs in (False, True)
    )
    return smooth, ribbed


def expect(size: Size, soil: str, *, bulldozing: bool) -> Effects:
    """Return the effects by the closed forms."""
    (smooth, ribbed), weight = closed(size, soil), 9.81 * size.mass
    resists = float(smooth.compaction())
    resists += float(smooth.bulldozing()) if bulldozing else 0.0
    spare = float(smooth.resistance()) - resists
    greatest = [float(drive.thrust(STALLED)) - resists for drive in (smooth, ribbed)]
    return Effects(
        sinkage=float(smooth.sinkage()),
        resistance=resists / weight,
        slip=smooth.slip_for_pull(0.2 * weight - spare),
        gain=greatest[1] / greatest[0] - 1.0,
    )


PANELS = (
    ("sinkage", "sinkage at rest [mm]", 1e3),
    ("resistance", "resistance / weight [%]", 100.0),
    ("slip", "slip for a pull of 0.2 weights [%]", 100.0),
    ("gain", "greatest pull gained by 10 mm grousers [%]", 100.0),
)
KINDS = {"`csm`": 0, "without bulldozing": 2}
Row = tuple[Effects, Effects, Effects]
"""Effects at one size: of the model, by the closed forms, by those without bulldozing."""


def draw_panel(
    axes: Axes, found: Sequence[Sequence[Row]], field: str, title: str, unit: float
) -> None:
    """Draw one effect: bars of the model, closed forms as marks."""
    outline = [withStroke(linewidth=3.5, foreground="w")]
    for place, of_soil in enumerate(found):
        for k, (size, row) in enumerate(zip(SIZES, of_soil, strict=True)):
            x, (model, full, plain) = place + 0.2 * (k - 1.5), row
            axes.bar(x, unit * getattr(model, field), 0.18, color=size.colour)
            if field in ("resistance", "slip"):
                axes.plot(x, unit * getattr(plain, field), **PLAIN)
            axes.plot(x, unit * getattr(full, field), **CLOSED, path_effects=outline)
    axes.set_title(title, loc="left", fontsize=10)
    axes.set_xticks(range(len(SOILS)), SOILS)
    axes.tick_params(axis="x", length=0)
    axes.grid(visible=True, axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    if field != "gain":
        axes.set_yscale("log")
        axes.set_ylim(bottom=0.2 if field == "slip" else 0.005)
        if field == "slip":
            axes.set_yticks((0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0))
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")


CLOSED: dict[str, Any] = {"color": "k", "marker": "_", "linestyle": "", "markersize": 8}
PLAIN: dict[str, Any] = {
    "color": "#d95f0e", "marker": "D", "linestyle": "", "markersize": 4.5, "markerfacecolor": "w",
}  # fmt: skip


def draw_sizes() -> None:
    """Draw all effects of all soils at all sizes, and write them to the page."""
    found = [
        [
            (
                measure(size, soil),
                expect(size, soil, bulldozing=True),
                expect(size, soil, bulldozing=False),
            )
            for size in SIZES
        ]
        for soil in SOILS
    ]
    write_table(found)
    figure = Figure(figsize=(11.0, 7.0), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, panel in zip(figure.subplots(2, 2).flat, PANELS, strict=True):
        draw_panel(axes, found, *panel)
    marks = [
        Line2D([], [], color=s.colour, linewidth=8, label=f"csm, {s.mass:,g} kg") for s in SIZES
    ]
    marks.append(Line2D([], [], **CLOSED, label="closed form"))
    marks.append(Line2D([], [], **PLAIN, label="without bulldozing"))
    figure.legend(handles=marks, loc="outside lower center", ncols=6, frameon=False)
    figure.savefig(FOLDER / "soil-sizes.png", dpi=110)


def write_table(found: Sequence[Sequence[Row]]) -> None:
    """Write the effects of all soils at all sizes into the page of soils."""
    lines = ["| soil | from | sinkage mm | resistance % | slip % | grousers % |", "|---" * 6 + "|"]
    for soil, rows in zip(SOILS, found, strict=True):
        for kind, which in KINDS.items():
            cells = (
                " / ".join(in_words(unit * getattr(row[which], field)) for row in rows)
                for field, _, unit in PANELS
            )
            lines.append(f"| `{soil}` | {kind} | {' | '.join(cells)} |")
    text, begin, end = PAGE.read_text(), "<!-- sizes:begin -->\n", "<!-- sizes:end -->"
    before, after = text.split(begin)[0], text.split(end)[1]
    PAGE.write_text(f"{before}{begin}\n" + "\n".join(lines) + f"\n\n{end}{after}")


def in_words(number: float) -> str:
    """Return a number with two digits, or all before the point."""
    return f"{number:.0f}" if number >= 10.0 else f"{number:.2g}"


def draw_pulls() -> None:
    """Draw pull over slip of a robot of 60 kg on three soils."""
    figure = Figure(figsize=(7.6, 4.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for soil, colour in (("clayey-soil", "#8c510a"), ("dry-sand", "#d8961a"), ("snow", "#3182bd")):
        for ribs in (False, True):
            draw_pull(axes, SIZES[1], soil, colour, ribs=ribs)
    axes.axhline(0.0, color="0.5", linewidth=0.8)
    axes.plot([], [], "k-", label="closed form, smooth belts")
    axes.plot([], [], "k--", label="closed form, grousers of 10 mm")
    axes.plot([], [], "ko", markersize=5, label="csm, smooth belts")
    axes.plot([], [], "ko", markersize=5, markerfacecolor="w", label="csm, grousers of 10 mm")
    axes.set(xlabel="slip", ylabel="pull / weight", xlim=(-0.01, 1.0), ylim=(-0.23, 1.15))
    axes.set_title("A robot of 60 kg on belts of 0.5 m × 0.1 m", loc="left", fontsize=10)
    axes.grid(visible=True, alpha=0.3)
    axes.legend(frameon=False, loc="lower right", fontsize=9, ncols=2)
    figure.savefig(FOLDER / "soil-pull.png", dpi=110)


def draw_pull(axes: Axes, size: Size, soil: str, colour: str, *, ribs: bool) -> None:
    """Draw the closed form as a line, and the model on slopes as points."""
    weight, slips = 9.81 * size.mass, np.linspace(0.0, 1.0, 201)
    robot, drive = size.robot(grousers=ribs), closed(size, soil)[ribs]
    pulls = np.asarray(drive.pull(slips)) / weight
    axes.plot(slips, pulls, "--" if ribs else "-", color=colour)
    if not ribs:
        axes.text(0.985, pulls[-1] - 0.03, soil, color=colour, ha="right", va="top")
    for slip in (0.0, 0.015, 0.03, 0.06, 0.1, 0.17, 0.27, 0.42, 0.65):
        pull = float(np.interp(slip, slips, pulls))
        found = slip_at(size, robot, soil, pull)
        face = "w" if ribs else colour
        axes.plot(found, pull, "o", color=colour, markersize=5, markerfacecolor=face)


def main() -> None:
    """Draw both."""
    draw_pulls()
    draw_sizes()


if __name__ == "__main__":
    main()

"""The data sheet of a robot on soils: numbers, table, curves."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from grouser.description import Soil
from grouser.geometry import Array
from grouser.laws.soil_drive import Belts, SoilDrive, Turn
from grouser.report.colours import line_colour
from grouser.report.measure import TextTable
from grouser.report.panel import Panel, Series
from grouser.units import format_number

SLIPS = np.linspace(0.0, 1.0, 41) ** 2
"""Slips of the curves, closest where pull rises [1]."""
SHOWN_SLIPS = (0.05, 0.1, 0.2, 0.4)
"""Slips whose pulls are in the table [1]."""
FIFTH = 0.2
"""Pull over weight, and slip, by which soils are compared [1]."""
RADII_IN_GAUGES = np.geomspace(1.25, 50.0, 24)
"""Radii of the turns [gauges]."""
LOADS = np.linspace(0.0, 3.0, 61)
"""Weights of the curve of sinkage [weights of the robot]."""
SHOWN_RADII = (2.0, 10.0)
"""Radii of the table [gauges]."""
SLIP, RADIUS = "slip [1]", "radius of the turn [gauges]"
"""Labels of axes."""
LIMITS = {
    "block": "block shear",
    "single": "grousers",
    "belt": "belt",
    "soil": "soil",
}
"""What limits thrust, in words: blocks of soil between grousers, grousers one by one, the belt's
material on soil, soil on soil."""
ASSUMPTIONS = (
    "Pressure is the same under all of each belt; flippers do not touch the ground; turns are "
    "steady and to the left.",
    "Slopes are those that the robot climbs; whether the ground itself lies so steep is another "
    "question.",
    "K is uncertain by a factor of two, and with it slips for a pull and forces in wide turns.",
)
SMOOTH = (
    "The belts' own adhesion and friction are not stated: those of the soil are assumed, which is "
    "too much for smooth belts ([tracks.soil_contact] of the robot file)."
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SoilSheet:
    """All numbers of a robot on one soil."""

    drive: SoilDrive
    """Belts and soil."""
    speed: float
    """Speed of the centre in turns, and of the belts in a turn in place [m/s]."""
    pulls: Array
    """Drawbar pull at `SLIPS` [N]."""
    sinkages: Array
    """Sinkage without slip at `LOADS` [m]."""
    slopes: Array
    """Steepest slope with at most each of `SLIPS` [rad]."""
    turns: Turn
    """Turns of `RADII_IN_GAUGES`."""
    shown_turns: Turn
    """Turns of `SHOWN_RADII`."""
    pivot: Turn
    """Turn in place."""

    @classmethod
    def of(cls, drive: SoilDrive, speed: float) -> Self:
        """Return the sheet of a drive at a speed [m/s]."""
        count = len(RADII_IN_GAUGES)
        radii = drive.belts.gauge * np.concatenate([RADII_IN_GAUGES, SHOWN_RADII])
        turns = drive.turn(radii, speed)
        return cls(
            drive=drive,
            speed=speed,
            pulls=np.asarray(drive.pull(SLIPS)),
            sinkages=np.asarray(drive.sinkage(weight=LOADS * drive.belts.weight)),
            slopes=np.array([drive.greatest_slope(float(slip))[0] for slip in SLIPS]),
            turns=turns.take(slice(count)),
            shown_turns=turns.take(slice(count, None)),
            pivot=drive.pivot(speed),
        )

    @property
    def soil(self) -> Soil:
        """The soil."""
        return self.drive.soil

    def content(self) -> dict[str, Any]:
        """Return everything for JSON; keys spell units."""
        drive, weight = self.drive, self.drive.belts.weight
        strength, rule = drive.strength()
        slope, limit = drive.greatest_slope()
        power, slip = drive.straight_power(self.speed)
        return {
            "soil": self.soil.name,
            "pressure_Pa": float(drive.pressure()),
            "sinkage_m": float(drive.sinkage()),
            "compaction_N": float(drive.compaction()),
            "bulldozing_N": float(drive.bulldozing()),
            "strength_N": strength,
            "strength_limited_by": LIMITS[rule],
            "greatest_pull_N": float(self.pulls.max()),
            "slip_for_fifth_of_weight": drive.slip_for_pull(FIFTH * weight),
            "slope_deg": math.degrees(slope),
            "slope_limited_by": limit,
            "slope_at_fifth_slip_deg": math.degrees(drive.greatest_slope(FIFTH)[0]),
            "straight": {"power_W": power, "slip": slip},
            "turn_in_place": _turn_content(self.pivot),
            "pushing_aside_N_m": drive.aside_moment(),
            "turns": _turn_content(self.turns),
            "curve": {
                "slip": SLIPS.tolist(),
                "pull_N": self.pulls.tolist(),
                "slope_deg": np.rad2deg(self.slopes).tolist(),
            },
            "loads": {
                "weight_N": (LOADS * weight).tolist(),
                "sinkage_m": self.sinkages.tolist(),
            },
        }


def _turn_content(turn: Turn) -> dict[str, Any]:
    return {
        "radius_m": turn.radii.tolist(),
        "outer_force_N": turn.outer_forces.tolist(),
        "inner_force_N": turn.inner_forces.tolist(),
        "moment_N_m": turn.moments.tolist(),
        "power_W": turn.powers.tolist(),
    }


def belts_content(belts: Belts) -> dict[str, Any]:
    """Return the numbers of a robot that a sheet rests on, for JSON."""
    return {
        "weight_N": belts.weight,
        "belts": belts.count,
        "contact_length_m": belts.length,
        "belt_width_m": belts.width,
        "gauge_m": belts.gauge,
        "grouser_height_m": belts.grouser_height or None,
        "grouser_pitch_m": belts.grouser_pitch if belts.grouser_height else None,
        "tipping_slope_deg": math.degrees(belts.tipping_slope),
    }


def notes_of(sheets: Sequence[SoilSheet]) -> tuple[str, ...]:
    """Return what sheets assume, in sentences."""
    smooth = any(sheet.drive.strength()[1] == "soil" for sheet in sheets)
    return (*ASSUMPTIONS, SMOOTH) if smooth else ASSUMPTIONS


def sheet_table(title: str, sheets: Sequence[SoilSheet]) -> TextTable:
    """Return the table of sheets, a column for each soil."""
    contents = [sheet.content() for sheet in sheets]
    rows: list[tuple[str, ...]] = []
    for head, read in _ROWS.items():
        rows.append((head, *(_cell(read(content)) for content in contents)))
        if head == "thrust is limited by":
            rows += _pull_rows(sheets)
        if head == "soil pushed aside, at most [N m]":
            rows += _turn_rows(sheets)
    heads = ("", *(sheet.soil.name for sheet in sheets))
    return TextTable(title=title, heads=heads, rows=tuple(rows), lines=notes_of(sheets))


_ROWS: Mapping[str, Callable[[dict[str, Any]], Any]] = {
    "pressure [kPa]": lambda c: c["pressure_Pa"] / 1e3,
    "sinkage [mm]": lambda c: c["sinkage_m"] * 1e3,
    "compaction resistance [N]": lambda c: c["compaction_N"],
    "bulldozing resistance [N]": lambda c: c["bulldozing_N"],
    "greatest thrust [N]": lambda c: c["strength_N"],
    "thrust is limited by": lambda c: c["strength_limited_by"],
    "greatest pull [N]": lambda c: c["greatest_pull_N"],
    "slip for a pull of 0.2 weights [%]": lambda c: 100.0 * c["slip_for_fifth_of_weight"],
    "steepest slope [deg]": lambda c: c["slope_deg"],
    "slope is limited by": lambda c: c["slope_limited_by"],
    "slope at 20 % slip [deg]": lambda c: c["slope_at_fifth_slip_deg"],
    "turn in place: force of a side [N]": lambda c: c["turn_in_place"]["outer_force_N"][0],
    "turn in place: moment [N m]": lambda c: c["turn_in_place"]["moment_N_m"][0],
    "turn in place: power [W]": lambda c: c["turn_in_place"]["power_W"][0],
    "soil pushed aside, at most [N m]": lambda c: c["pushing_aside_N_m"],
    "straight: power [W]": lambda c: c["straight"]["power_W"],
}


def _pull_rows(sheets: Sequence[SoilSheet]) -> list[tuple[str, ...]]:
    return [
        (f"pull at {100.0 * slip:g} % slip [N]", *(_cell(s.drive.pull(slip)) for s in sheets))
        for slip in SHOWN_SLIPS
    ]


def _turn_rows(sheets: Sequence[SoilSheet]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for index, gauges in enumerate(SHOWN_RADII):
        for word, name in (
            ("outer force [N]", "outer_forces"),
            ("inner force [N]", "inner_forces"),
            ("moment [N m]", "moments"),
            ("power [W]", "powers"),
        ):
            cells = [_cell(getattr(sheet.shown_turns, name)[index]) for sheet in sheets]
            rows.append((f"radius {gauges:g} gauges: {word}", *cells))
    return rows


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    number = float(value)
    if math.isnan(number):
        return "none"
    return "< 0.001" if 0.0 < number < 1e-3 else format_number(number, 3)


def sheet_panels(sheets: Sequence[SoilSheet]) -> tuple[Panel, ...]:
    """Return the curves of sheets: over slip, and over the radius of turns."""
    weight, speed = sheets[0].drive.belts.weight, sheets[0].speed
    forces = (
        *_lines(sheets, RADII_IN_GAUGES, lambda s: s.turns.outer_forces / weight),
        *_lines(sheets, RADII_IN_GAUGES, lambda s: s.turns.inner_forces / weight, inner=True),
    )
    rows: list[tuple[str, str, str, str, tuple[Series, ...]]] = [
        ("pull", "Drawbar pull", SLIP, "pull / weight [1]",
         _lines(sheets, SLIPS, lambda s: s.pulls / weight)),
        ("slope", "Slope that is climbed", SLIP, "slope [deg]",
         _lines(sheets, SLIPS, lambda s: np.rad2deg(s.slopes))),
        ("sinkage", "Sinkage with a load", "weight / weight of the robot [1]", "sinkage [mm]",
         _lines(sheets, LOADS, lambda s: 1e3 * s.sinkages)),
        ("forces", "Sprocket forces, dashed: inner side", RADIUS, "force / weight [1]", forces),
        ("moment", "Turning resistance", RADIUS, "moment of lateral forces [N m]",
         _lines(sheets, RADII_IN_GAUGES, lambda s: s.turns.moments)),
        ("power", f"Power of the sprockets at {speed:g} m/s", RADIUS, "power [W]",
         _lines(sheets, RADII_IN_GAUGES, lambda s: s.turns.powers)),
    ]  # fmt: skip
    return tuple(
        Panel(key=key, title=title, x_label=x, y_label=y, series=lines)
        for key, title, x, y, lines in rows
    )


def _lines(
    sheets: Sequence[SoilSheet],
    x: Array,
    read: Callable[[SoilSheet], Array],
    *,
    inner: bool = False,
) -> tuple[Series, ...]:
    return tuple(
        Series(
            name="" if inner else sheet.soil.name,
            x=x,
            y=read(sheet),
            colour=line_colour(number),
            dash="dashed" if inner else "solid",
        )
        for number, sheet in enumerate(sheets)
    )


def fit_panel(drive: SoilDrive, slips: Array, pulls: Array, weights: Array | None = None) -> Panel:
    """Return measured pulls, and the curves that were fitted to them, for each weight [N]."""
    loads = np.full(slips.size, drive.belts.weight) if weights is None else weights
    at = np.linspace(min(0.0, float(slips.min())), max(float(slips.max()), 0.1), 201)
    lines: list[Series] = []
    for number, weight in enumerate(np.unique(loads).tolist()):
        rows, colour = loads == weight, line_colour(number)
        curve = np.asarray(drive.pull(at, weight))
        lines += [
            Series(name=f"fitted, {weight:.4g} N", x=at, y=curve, colour=colour),
            Series(name="", x=slips[rows], y=pulls[rows], colour=colour, dots=True),
        ]
    return Panel(
        key="fit",
        title="Drawbar pull, dots: measured",
        x_label=SLIP,
        y_label="pull [N]",
        series=tuple(lines),
    )

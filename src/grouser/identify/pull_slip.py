"""K, c and phi of a soil from measured drawbar pulls against slip.

The model is `laws.soil_drive`: pull = strength x mobilised share - resistance, by least squares.
Sinkage, and with it resistance, has the moduli of the soil that the fit starts from. Intervals are
those of the linearised fit, K in its logarithm; they hold what scatters in the measurements, not
what is wrong in the model.

One weight fixes only the strength, c A + W tan(phi). Then c is found for the angle of the given
soil; rows of several weights, in a column `weight`, separate the two.
"""

import csv
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import least_squares
from scipy.stats import t as student

from grouser import limits
from grouser.errors import InvalidLog
from grouser.geometry import Array
from grouser.identify.fit import Estimate
from grouser.laws.soil_drive import SoilDrive
from grouser.toml import read_text
from grouser.units import parse_number

COLUMNS = ("slip", "pull", "weight")
"""Columns of a table: slip [1], drawbar pull [N], and perhaps weight of the robot [N]."""
FEWEST_ROWS = 5
"""Rows that a fit needs at least."""
WEIGHT_RATIO = 1.2
"""Greatest over least weight from which on c and phi are told apart [1]."""
WIDEST = 9.0
"""Upper over lower end of the interval of K from which on K counts as not determined [1]."""
K_RANGE = 1e-5, 10.0
"""Least and greatest K that is searched [m]."""
ROUNDS = 4
"""Fits one after the other, each with the resistance of the one before."""
ANGLE_RANGE = 0.0, math.radians(60.0)
"""Least and greatest phi that is searched [rad]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PullCurve:
    """Measured pulls of one robot."""

    slips: Array
    """Slip of each row [1]."""
    pulls: Array
    """Drawbar pull of each row [N]."""
    weights: Array | None = None
    """Weight of the robot in each row; its own weight in all if None [N]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SoilFit:
    """A soil whose K, c and phi were found from pulls."""

    drive: SoilDrive
    """The drive with what was found."""
    estimates: dict[str, Estimate]
    """What was found, by key of a soil file, with intervals."""
    strength: Estimate
    """Greatest thrust at the robot's own weight [N]."""
    undetermined: frozenset[str]
    """Keys of the estimates, and "strength", whose intervals are too wide to use them."""
    rmse: float
    """Root mean square of measured less fitted pull [N]."""
    sentences: tuple[str, ...]
    """What could not be determined, and what would determine it."""


def read_pull_curve(path: str | Path) -> PullCurve:
    """Return the table of a CSV file with the columns slip, pull and perhaps weight.

    Headings may end in `_N`; lines that begin with # and empty ones are left out.

    Raises:
        InvalidLog: A column is missing, a cell is no number, a slip is not from -1 to 1, a weight
            is not positive, or there are too few rows.
        InvalidDescription: There is no such file, or it is no text.
    """
    text = read_text(path, limits.WAYPOINT_BYTES)
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    rows = list(csv.reader(lines, skipinitialspace=True))
    heads = [head.strip().removesuffix("_N").lower() for head in rows[0]] if rows else []
    for name in COLUMNS[:2]:
        if name not in heads:
            found = ", ".join(heads) or "nothing"
            problem = f"column {name!r} is missing; it needs slip and pull, and has {found}"
            raise InvalidLog(path, problem)
    if len(rows) - 1 < FEWEST_ROWS:
        raise InvalidLog(path, f"a fit needs {FEWEST_ROWS} rows at least, not {len(rows) - 1}")
    columns = {name: _column(path, rows, heads, name) for name in COLUMNS if name in heads}
    return PullCurve(slips=columns["slip"], pulls=columns["pull"], weights=columns.get("weight"))


def _column(path: str | Path, rows: list[list[str]], heads: list[str], name: str) -> Array:
    place = heads.index(name)
    numbers: list[float] = []
    for index, row in enumerate(rows[1:], start=1):
        number = parse_number(row[place]) if len(row) == len(heads) else None
        if number is None:
            given = ",".join(row)[:60]
            raise InvalidLog(path, f"row {index} must have a number for {name}, and is {given!r}")
        if name == "slip" and abs(number) > 1.0:
            problem = (
                f"row {index}: slip must be from -1 to 1, not {number:g}; divide per cent by 100"
            )
            raise InvalidLog(path, problem)
        if name == "weight" and number <= 0.0:
            raise InvalidLog(path, f"row {index}: weight must be positive, not {number:g}")
        numbers.append(number)
    return np.array(numbers)


def fit_pull_curve(curve: PullCurve, drive: SoilDrive) -> SoilFit:
    """Return K, c and phi with 95 % intervals; `drive` has the robot and the soil to start from."""
    weights = curve.weights
    if weights is not None and weights.max() >= WEIGHT_RATIO * weights.min():
        free = ("K", "c", "phi")
    else:
        free = ("K", "c")
    found = _Fit(curve, drive, free)
    if free == ("K", "c") and found.values["c"] < 1e-3 * float(drive.pressure()):
        without = drive.with_grip(0.0, _angle_of(drive), drive.soil.shear_modulus)
        found = _Fit(curve, without, ("K", "phi"))
    return SoilFit(
        drive=found.drive,
        estimates=found.estimates(),
        strength=found.strength(),
        undetermined=_undetermined(found),
        rmse=float(np.sqrt(np.mean(found.residuals**2))),
        sentences=tuple(_sentences(found)),
    )


def _cohesion_of(drive: SoilDrive) -> float:
    own = None if drive.belts.grouser_height else drive.belts.contact
    return drive.soil.cohesion if own is None else own.adhesion


def _angle_of(drive: SoilDrive) -> float:
    own = None if drive.belts.grouser_height else drive.belts.contact
    return drive.soil.friction_angle if own is None else own.friction_angle


class _Fit:
    """One least-squares fit; unknowns are log K, c over the mean pressure, and phi."""

    def __init__(self, curve: PullCurve, drive: SoilDrive, free: tuple[str, ...]) -> None:
        self.curve, self.start, self.free = curve, drive, free
        self.pressure = float(drive.pressure())
        bounds = {"K": tuple(map(math.log, K_RANGE)), "c": (0.0, 1e3), "phi": ANGLE_RANGE}
        low, high = np.array([bounds[name] for name in free]).T
        start = {
            "K": math.log(drive.soil.shear_modulus),
            "c": _cohesion_of(drive) / self.pressure,
            "phi": _angle_of(drive),
        }
        begin = np.clip([start[name] for name in free], low + 1e-6, high - 1e-6)
        self.drive = drive
        for _ in range(ROUNDS):
            solved = least_squares(
                self._residuals, begin, bounds=(low, high), x_scale="jac", args=(self.drive,)
            )
            begin = np.clip(solved.x, low + 1e-9, high - 1e-9)
            self.unknowns, self.jacobian = np.asarray(solved.x), np.asarray(solved.jac)
            self.residuals = np.asarray(solved.fun)
            self.drive = self._drive(self.unknowns)
        self.values = self._values(self.unknowns)
        self.values["strength"] = self.drive.strength()[0]

    def _values(self, unknowns: Array) -> dict[str, float]:
        given = dict(zip(self.free, unknowns.tolist(), strict=True))
        return {
            "K": math.exp(given["K"]),
            "c": given["c"] * self.pressure if "c" in given else _cohesion_of(self.start),
            "phi": given.get("phi", _angle_of(self.start)),
        }

    def _drive(self, unknowns: Array) -> SoilDrive:
        values = self._values(unknowns)
        return self.start.with_grip(values["c"], values["phi"], values["K"])

    def _residuals(self, unknowns: Array, before: SoilDrive) -> Array:
        """Return fitted less measured pulls; resistance is that of the round before.

        It depends a little on c and phi, which it must not be taken to determine.
        """
        drive, curve = self._drive(unknowns), self.curve
        if curve.weights is None:
            pulls = drive.thrust(curve.slips) - before.resistance(curve.slips)
            return np.asarray(pulls) - curve.pulls
        pulls = np.empty_like(curve.pulls)
        for weight in np.unique(curve.weights):
            rows = curve.weights == weight
            given = curve.slips[rows], float(weight)
            pulls[rows] = drive.thrust(*given) - before.resistance(*given)
        return pulls - curve.pulls

    def reach(self, slope: Array) -> float:
        """Return half of the 95 % interval of a number that changes so with the unknowns."""
        spare = len(self.residuals) - len(self.free)
        noise = float(self.residuals @ self.residuals) / spare
        sizes, axes = np.linalg.eigh(self.jacobian.T @ self.jacobian)
        # A direction that no row depends on has an interval without end.
        variance = noise * float(((axes.T @ slope) ** 2 / np.maximum(sizes, 1e-12)).sum())
        return float(student.ppf(0.975, spare)) * math.sqrt(variance)

    def half_widths(self) -> dict[str, float]:
        """Return half of each 95 % interval, in the unit of its unknown."""
        rows = np.eye(len(self.free))
        return {name: self.reach(row) for name, row in zip(self.free, rows, strict=True)}

    def estimates(self) -> dict[str, Estimate]:
        """Return what was free, by the keys of a soil file but in SI."""
        half, found = self.half_widths(), {}
        ratio, value = math.exp(min(half["K"], 50.0)), self.values["K"]
        low, high = max(value / ratio, K_RANGE[0]), min(value * ratio, K_RANGE[1])
        found["shear_modulus_m"] = Estimate(name="K", value=value, low=low, high=high, unit="m")
        if "c" in self.free:
            value, reach = self.values["c"], half["c"] * self.pressure
            found["cohesion_Pa"] = Estimate(
                name="c", value=value, low=max(value - reach, 0.0), high=value + reach, unit="Pa"
            )
        if "phi" in self.free:
            value, reach = (math.degrees(angle) for angle in (self.values["phi"], half["phi"]))
            found["friction_angle_deg"] = Estimate(
                name="phi", value=value, low=max(value - reach, 0.0), high=value + reach, unit="deg"
            )
        return found

    def strength(self) -> Estimate:
        """Return the greatest thrust at the robot's weight, with its interval."""
        value = self.values["strength"]
        steps = 1e-6 * np.maximum(np.abs(self.unknowns), 1e-3)
        slope = np.array(
            [
                (self._drive(self.unknowns + step).strength()[0] - value) / step.max()
                for step in np.diag(steps)
            ]
        )
        reach = self.reach(slope)
        return Estimate(
            name="strength", value=value, low=value - reach, high=value + reach, unit="N"
        )


def _undetermined(fit: _Fit) -> frozenset[str]:
    estimates, strength = fit.estimates(), fit.strength()
    shear = estimates["shear_modulus_m"]
    vague = {"shear_modulus_m"} if shear.high > WIDEST * shear.low else set[str]()
    if strength.high > 2.0 * strength.value:
        vague |= {"strength", *estimates}
    return frozenset(vague)


def _sentences(fit: _Fit) -> list[str]:
    """Return a sentence for each number that the measurements do not determine."""
    found: list[str] = []
    vague, values = _undetermined(fit), fit.values
    if "phi" not in fit.free:
        angle = math.degrees(values["phi"])
        found.append(
            f"phi cannot be determined from one weight, which fixes only the strength; c holds for "
            f"phi = {angle:.4g} deg. Measure with another weight, in a column weight [N]."
        )
    if "c" not in fit.free:
        found.append(
            "c cannot be determined from one weight, which fixes only the strength; the angle of "
            "the given soil alone is stronger than that, so phi is found for c = 0."
        )
    if "strength" in vague:
        slope = values["strength"] / values["K"]
        found.append(
            f"Strength, c and phi cannot be determined: only strength over K, {slope:.3g} N/m, is."
        )
    if "shear_modulus_m" in vague:
        found.append(f"K cannot be determined: {_advice_for_k(fit)}.")
    cohesion = fit.estimates().get("cohesion_Pa")
    if "phi" in fit.free and cohesion is not None and cohesion.low <= 0.0:
        found.append(
            f"c cannot be told from 0 with these weights: its interval reaches from 0 to "
            f"{cohesion.high:.3g} Pa. Measure with weights that differ more."
        )
    return found


def _advice_for_k(fit: _Fit) -> str:
    slips = np.abs(fit.curve.slips)
    rise = slips[slips > 0.0] * fit.drive.belts.length / fit.values["K"]
    if np.ptp(slips) < 1e-3 or not rise.size:
        return "all slips are the same; measure at several"
    if rise.min() > 2.0:
        return "no slip is small enough to show how the pull rises; measure at smaller slips"
    if rise.max() < 2.0:
        return "no slip is large enough to show how the pull levels off; measure at larger slips"
    return "the pulls scatter too much; measure more of them"

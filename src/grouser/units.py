"""Units of files, options and foreign logs; everything inside is SI."""

import math
import re
from numbers import Real
from typing import Any

from grouser import limits
from grouser.errors import InvalidValue, UnknownName

# Python would also read 1_0, other scripts' digits, and words such as infinity.
_NUMBER = re.compile(r"[-+]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?")

LARGEST = 1e300
"""Size of any number: what a float holds, and a sum of some of them [1]."""

FACTOR_TO_SI: dict[str, tuple[str, float]] = {
    "1": ("1", 1.0),
    "%": ("1", 0.01),
    "m": ("m", 1.0),
    "cm": ("m", 0.01),
    "mm": ("m", 0.001),
    "ft": ("m", 0.3048),
    "s": ("s", 1.0),
    "ms": ("s", 1e-3),
    "us": ("s", 1e-6),
    "ns": ("s", 1e-9),
    "m/s": ("m/s", 1.0),
    "cm/s": ("m/s", 0.01),
    "mm/s": ("m/s", 0.001),
    "km/h": ("m/s", 1.0 / 3.6),
    "m/s^2": ("m/s^2", 1.0),
    "g": ("m/s^2", 9.80665),
    "rad": ("rad", 1.0),
    "deg": ("rad", math.pi / 180.0),
    "rad/s": ("rad/s", 1.0),
    "deg/s": ("rad/s", math.pi / 180.0),
    "rpm": ("rad/s", math.pi / 30.0),
    "N": ("N", 1.0),
    "N m": ("N m", 1.0),
    "J": ("J", 1.0),
    "V": ("V", 1.0),
    "A": ("A", 1.0),
    "mA": ("A", 1e-3),
    "T": ("T", 1.0),
    "uT": ("T", 1e-6),
    "degC": ("degC", 1.0),
    "kg": ("kg", 1.0),
}
"""For each unit that may be written: the SI unit it becomes, and the factor."""

SUFFIXES: dict[str, str] = {
    "deg_s_sqrt_hz": "deg/s/sqrt(Hz)",
    "m_s2_sqrt_hz": "m/s^2/sqrt(Hz)",
    "deg_s_sqrt_s": "deg/s/sqrt(s)",
    "m_s2_sqrt_s": "m/s^2/sqrt(s)",
    "per_deg": "1/deg",
    "N_m_A": "N m/A",
    "N_m_V": "N m/V",
    "N_m_s": "N m s",
    "kg_m2": "kg m^2",
    "N_m3": "N/m^3",
    "deg_s": "deg/s",
    "m_s2": "m/s^2",
    "m_s": "m/s",
    "N_m": "N m",
    "degC": "degC",
    "deg": "deg",
    "hz": "Hz",
    "kg": "kg",
    "Pa": "Pa",
    "px": "px",
    "rad": "rad",
    "uT": "uT",
    "N": "N",
    "V": "V",
    "A": "A",
    "T": "T",
    "m": "m",
    "s": "s",
}
"""For each ending of a key that spells a unit: the unit. Longer endings come first."""


def split_unit(key: str) -> tuple[str, str]:
    """Return what a key names, and the unit that it spells: `height_m` is a height in m.

    A key that spells no unit is that of a plain number, in "1".
    """
    for suffix, unit in SUFFIXES.items():
        if key.endswith(f"_{suffix}"):
            return key.removesuffix(f"_{suffix}"), unit
    return key, "1"


def describe_range(unit: str, *, is_size: bool = False) -> str:
    """Return the range of numbers of a unit, as in "from 1e-06 to 100000 m".

    Args:
        unit: A unit of `limits.RANGES`.
        is_size: Whether numbers must be positive.
    """
    least, most = limits.RANGES[unit]
    return f"from {least if is_size else -most:g} to {most:g}{'' if unit == '1' else f' {unit}'}"


def check_range(name: str, value: Any, unit: str, *, is_size: bool = False) -> float:
    """Return a number that is within the range of its unit.

    Args:
        name: What it is called in messages.
        value: The number.
        unit: Its unit, of `limits.RANGES`.
        is_size: Whether it must be positive.

    Raises:
        InvalidValue: It is not a number, not finite, too large or too small.
    """
    least, most = limits.RANGES[unit]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not (least if is_size else -most) <= value <= most:
        raise InvalidValue(name, value, f"be {describe_range(unit, is_size=is_size)}")
    return float(value)


def is_number(value: object) -> bool:
    """Return whether a value is a number that is finite as a float; a truth value is none."""
    is_real = isinstance(value, Real) and not isinstance(value, bool)
    return is_real and -LARGEST <= value <= LARGEST  # type: ignore[operator]


def check_seed(seed: Any, name: str = "seed") -> int:
    """Return a seed of random numbers.

    Raises:
        InvalidValue: It is not a whole number from 0 to `limits.SEED`.
    """
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed <= limits.SEED:
        raise InvalidValue(name, seed, f"be a whole number from 0 to {limits.SEED}")
    return seed


def parse_number(word: str) -> float | None:
    """Return the finite number that a word spells, or None."""
    word = word.strip()
    is_number = len(word) <= limits.NAME_LENGTH and _NUMBER.fullmatch(word)
    number = float(word) if is_number else math.nan
    return number if math.isfinite(number) else None


def to_si(unit: str) -> tuple[str, float]:
    """Return the SI unit that `unit` becomes, and the factor to multiply with.

    Raises:
        UnknownName: The unit is not one of `FACTOR_TO_SI`.
    """
    if unit not in FACTOR_TO_SI:
        raise UnknownName("unit", unit, FACTOR_TO_SI)
    return FACTOR_TO_SI[unit]


def format_number(value: object, digits: int = 4) -> str:
    """Return a number in few digits, without an exponent where it is readable without."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, int) or not math.isfinite(value):
        return str(value)
    return f"{value:.{digits}g}" if abs(value) < 10**digits else f"{value:.0f}"


NEGLIGIBLE_DECIMALS = 4
"""Decimals of results that people read: a tenth of a millimetre, or a hundredth of a degree."""


def format_quantity(value: float, unit: str) -> str:
    """Return a result for people: with its unit, angles in degrees, and four digits.

    Args:
        value: The number [unit].
        unit: Its SI unit; "1" for a ratio or a count.
    """
    decimals = NEGLIGIBLE_DECIMALS
    if unit.startswith("rad"):
        value, unit, decimals = math.degrees(value), unit.replace("rad", "°"), decimals - 2
    number = f"{round(value, decimals) + 0.0:.4g}" if math.isfinite(value) else str(value)
    return number if unit == "1" else f"{number}{'' if unit == '°' else ' '}{unit}"

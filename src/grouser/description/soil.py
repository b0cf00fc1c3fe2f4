"""Soils: pressure and sinkage, strength and shear, by name, by file, or as a table of a surface.

Symbols are those of terramechanics. Bekker's pressure p at sinkage z under a plate of width b is
p = (k_c/b + k_phi) z^n, Mohr and Coulomb's strength is c + p tan(phi), and Janosi and Hanamoto's
shear stress after a displacement j is the strength times 1 - exp(-j/K).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from grouser import limits
from grouser.description.find import description_names, find_description, read_text
from grouser.description.schema import (
    Mistakes,
    Name,
    NotNegative,
    NotNegativeDegrees,
    Positive,
    Prose,
    Table,
    find_source,
    mistaken_sources,
    parse_table,
)
from grouser.errors import GrouserError, InvalidDescription, show_value
from grouser.toml import parse_toml
from grouser.units import split_unit

NO_SOIL = "none"
"""What a file writes instead of the name of a soil, for firm ground."""
PROSE = frozenset({"name", "title", "description", "sources"})
"""Fields of a soil that do not affect motion."""

_BOUNDS: dict[str, tuple[float, float, str]] = {
    "shear_modulus": (
        *limits.RANGES["m"],
        "; firm ground is a surface with friction and without a soil",
    ),
    "exponent": (*limits.SOIL_EXPONENT, ""),
    "cohesion": (0.0, limits.RANGES["Pa"][1], ""),
    "friction_angle": (0.0, limits.SOIL_ANGLE, ""),
}
"""For each field: the least and the greatest number of a file, and a remark for the message."""


class Soil(Table):
    """A soil as a TOML file, or as the table `soil` of a surface. Frozen."""

    name: Name = "own soil"
    """Name in options and tables."""
    title: Prose = ""
    """One-line description."""
    description: Prose = ""
    """Remarks for the reader."""
    cohesive_modulus: NotNegative = Field(alias="k_c")
    """Bekker's cohesive modulus of deformation [N/m^(n+1)]."""
    frictional_modulus: Positive = Field(alias="k_phi")
    """Bekker's frictional modulus of deformation [N/m^(n+2)]."""
    exponent: Positive = Field(alias="n")
    """Exponent of sinkage [1]."""
    cohesion: NotNegative = Field(alias="cohesion_Pa")
    """Shear strength without pressure [Pa]."""
    friction_angle: NotNegativeDegrees = Field(alias="friction_angle_deg")
    """Angle of internal friction: its tangent is strength per pressure [rad]."""
    shear_modulus: Positive = Field(alias="shear_modulus_m")
    """Shear displacement K after which 63 % of the strength is mobilised [m]."""
    unit_weight: Positive = Field(alias="unit_weight_N_m3")
    """Weight per volume, for what is pushed ahead and beside a belt [N/m^3]."""
    reload_stiffness: NotNegative = Field(alias="k_0", default=0.0)
    """Stiffness of unloading and reloading from no sinkage [Pa/m]."""
    reload_slope: NotNegative = Field(alias="a_u", default=0.0)
    """Its increase per sinkage; if both are 0, it is 20 times that of first loading [Pa/m^2]."""
    slip_sinkage: bool = False
    """Whether slip makes belts sink deeper."""
    sources: dict[str, Prose] = Field(default={}, max_length=limits.PIECES)
    """Source and uncertainty of each number, by key; see `source_of`."""

    def source_of(self, key: str) -> str | None:
        """Return the source and the uncertainty of a number, by its key in the file: `k_phi`."""
        return find_source(self.sources, key)

    @field_validator(*_BOUNDS, mode="before")
    @classmethod
    def _is_possible(cls, value: Any, info: ValidationInfo) -> Any:
        field = str(info.field_name)
        least, most, remark = _BOUNDS[field]
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number and not least <= value <= most:
            unit = split_unit(cls.model_fields[field].alias or field)[1]
            allowed = f"{least:g} to {most:g}{'' if unit == '1' else f' {unit}'}"
            raise Mistakes([f" must be from {allowed}, not {show_value(value)}{remark}"])
        return value

    @model_validator(mode="after")
    def _parts_fit_together(self) -> Self:
        if self.cohesion == 0.0 and self.friction_angle == 0.0:
            raise Mistakes(
                ["cohesion_Pa and friction_angle_deg must not both be 0, which is no strength"]
            )
        content = self.model_dump(by_alias=True, exclude_unset=True)
        mistakes = mistaken_sources(self.sources, content)
        if mistakes:
            raise Mistakes(mistakes)
        return self


def soil_names() -> tuple[str, ...]:
    """Return the names of the soils of the zoo and of plug-ins, sorted."""
    return description_names("soil")


def load_soil(name_or_path: str | Path) -> Soil:
    """Return a soil by its name in the zoo, or from a file.

    Raises:
        UnknownName: The zoo has no soil of that name.
        InvalidDescription: There is no such file, or it has mistakes; all of them are listed.
    """
    return parse_table(Soil, _read_soil(name_or_path), str(name_or_path))


def _read_soil(name_or_path: str | Path) -> dict[str, Any]:
    file = find_description("soil", name_or_path)
    return parse_toml(read_text(file), str(file))


def complete_soil(given: Any) -> Any:
    """Return the content of a surface's `soil`: a name, a table, or a table with `like`.

    The name "none" stands for firm ground, where a soil is a parameter or is changed.

    A table with `like` has the numbers of the soil that it names, except for its own.

    Raises:
        Mistakes: There is no such soil, or its file has mistakes.
    """
    if isinstance(given, str | Path):
        given = {"like": given}
    if given is None or isinstance(given, Soil):
        return given
    if not isinstance(given, Mapping):
        raise Mistakes([f" must be the name of a soil or a table, not {show_value(given)}"])
    if "like" not in given:
        return given
    like, own = given["like"], {key: value for key, value in given.items() if key != "like"}
    if like == NO_SOIL and not own:
        return None
    if not isinstance(like, str | Path):
        raise Mistakes([f"like must be the name or the file of a soil, not {show_value(like)}"])
    try:
        base = load_soil(like)
        content = _read_soil(like)
    except InvalidDescription as error:
        raise Mistakes([f" of {error.origin}: {each}" for each in error.mistakes]) from None
    except GrouserError as error:
        raise Mistakes([f" must name a soil: {error}"]) from None
    if not own:
        return base
    sources = {key: text for key, text in base.sources.items() if key not in own}
    return {**content, "name": f"{base.name}, changed", "sources": sources, **own}

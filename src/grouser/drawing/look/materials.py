"""Materials of surfaces by their names, and the palette of the parts of robots."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grouser.description.surface import GROUND, Surface
from grouser.drawing.colours import Colour


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What a surface is made of."""

    name: str
    """Name of its texture in `textures.MAKERS`."""
    colour: Colour
    """Colour where no texture is drawn: that of the texture from far away."""
    tile: float
    """Side of the square that one texture covers [m]."""
    roughness: float = 0.95
    """From a mirror, 0, to chalk, 1 [1]."""


def _materials() -> dict[str, Material]:
    made = (
        Material(name="pavement", colour=(0.64, 0.63, 0.60), tile=2.0, roughness=0.9),
        Material(name="concrete", colour=(0.73, 0.72, 0.69), tile=1.6, roughness=0.9),
        Material(name="neutral", colour=(0.45, 0.47, 0.50), tile=1.0, roughness=0.8),
        Material(name="asphalt", colour=(0.33, 0.33, 0.34), tile=1.2),
        Material(name="wood", colour=(0.73, 0.57, 0.38), tile=0.8, roughness=0.75),
        Material(name="earth", colour=(0.53, 0.43, 0.32), tile=1.5, roughness=1.0),
        Material(name="grass", colour=(0.41, 0.52, 0.26), tile=1.2, roughness=1.0),
        Material(name="sand", colour=(0.81, 0.72, 0.56), tile=1.5, roughness=1.0),
        Material(name="gravel", colour=(0.47, 0.46, 0.43), tile=1.0),
        Material(name="mud", colour=(0.34, 0.25, 0.17), tile=1.6, roughness=0.4),
        Material(name="clay", colour=(0.61, 0.47, 0.37), tile=1.4),
        Material(name="snow", colour=(0.87, 0.89, 0.93), tile=2.0, roughness=0.8),
        Material(name="ice", colour=(0.69, 0.81, 0.88), tile=2.0, roughness=0.12),
        Material(name="regolith", colour=(0.55, 0.55, 0.54), tile=1.6, roughness=1.0),
    )
    return {material.name: material for material in made}


MATERIALS = _materials()
"""All materials, by the names of their textures."""
WORDS: dict[str, str] = {
    "ice": "ice", "icy": "ice", "mud": "mud", "grass": "grass", "lawn": "grass", "turf": "grass",
    "sand": "sand", "gravel": "gravel", "stone": "gravel", "asphalt": "asphalt",
    "tarmac": "asphalt", "road": "asphalt", "concrete": "concrete", "cement": "concrete",
    "pavement": "pavement", "wood": "wood", "timber": "wood", "plank": "wood", "osb": "wood",
    "pallet": "wood", "snow": "snow", "clay": "clay", "loam": "earth", "earth": "earth",
    "dirt": "earth", "lunar": "regolith", "regolith": "regolith",
    "log": "wood",
}  # fmt: skip
"""Material by a word of the name of a surface or soil."""


def material_named(name: str) -> Material | None:
    """Return the material that a word of a name means, None if no word does.

    Words are separated by anything but letters; `clayey-soil` is clay, `wet_mud2` is mud.
    """
    words = "".join(letter if letter.isalpha() else " " for letter in name.lower()).split()
    for word in words:
        if word in WORDS:
            return MATERIALS[WORDS[word]]
    long = sorted((key for key in WORDS if len(key) > 3), key=len, reverse=True)
    for word in words:  # parts of words, such as clay in clayey
        found = next((key for key in long if key in word), None)
        if found is not None:
            return MATERIALS[WORDS[found]]
    return MATERIALS["earth"] if "soil" in words else None


def material_of(name: str, surface: Surface | None = None, otherwise: str = "neutral") -> Material:
    """Return the material of a surface, by its name, then by the name of its soil.

    `otherwise` names the material of the surface of everything that names no other, and of those
    whose names say nothing.
    """
    found = None if name == GROUND else material_named(name)
    if found is None and surface is not None and surface.soil is not None:
        found = material_named(surface.soil.name) or MATERIALS["earth"]
    if found is not None:
        return found
    return MATERIALS[otherwise if name == GROUND else "neutral"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paint:
    """How a part of a robot looks: one column of the palette."""

    colour: Colour
    """Colour as on screens."""
    roughness: float = 0.6
    """From a mirror, 0, to chalk, 1 [1]."""
    metallic: float = 0.0
    """From paint or rubber, 0, to bare metal, 1 [1]."""
    glow: float = 0.0
    """Share of its colour that it emits [1]."""


PALETTE: dict[str, Paint] = {
    "orange": Paint(colour=(0.95, 0.56, 0.08), roughness=0.42),
    "yellow": Paint(colour=(0.95, 0.74, 0.10), roughness=0.42),
    "red": Paint(colour=(0.76, 0.13, 0.09), roughness=0.42),
    "green": Paint(colour=(0.29, 0.34, 0.22), roughness=0.6),
    "blue": Paint(colour=(0.15, 0.34, 0.62), roughness=0.45),
    "white": Paint(colour=(0.90, 0.90, 0.88), roughness=0.5),
    "grey": Paint(colour=(0.46, 0.48, 0.51), roughness=0.55),
    "dark": Paint(colour=(0.15, 0.16, 0.18), roughness=0.6),
    "rubber": Paint(colour=(0.105, 0.105, 0.11), roughness=0.85),
    "shoe": Paint(colour=(0.15, 0.15, 0.155), roughness=0.8),
    "steel": Paint(colour=(0.60, 0.61, 0.62), roughness=0.42, metallic=0.35),
    "arm": Paint(colour=(0.31, 0.33, 0.36), roughness=0.5, metallic=0.2),
    "brass": Paint(colour=(0.83, 0.65, 0.30), roughness=0.35, metallic=0.4),
    "glass": Paint(colour=(0.04, 0.05, 0.07), roughness=0.12, metallic=0.1),
    "lamp": Paint(colour=(1.0, 0.97, 0.88), roughness=0.3, glow=0.9),
    "tail": Paint(colour=(0.85, 0.08, 0.05), roughness=0.3, glow=0.5),
}
"""Paints of the parts of robots, and of lines on the ground."""
COLUMNS = {name: number for number, name in enumerate(PALETTE)}
"""Column of each paint in the palette's pictures."""


def palette_rows() -> dict[str, NDArray[np.uint8]]:
    """Return the pictures of the palette, one pixel for each paint (1, n, 3).

    `colour` and `glow` are as on screens; `surface` has roughness in green, metallic in blue, as
    glTF files have them.
    """
    paints = PALETTE.values()
    colour = np.array([[paint.colour for paint in paints]])
    glow = np.array([[[paint.glow * c for c in paint.colour] for paint in paints]])
    surface = np.array([[(0.0, paint.roughness, paint.metallic) for paint in paints]])
    rows = {"colour": colour, "glow": glow, "surface": surface}
    return {name: np.round(255.0 * row).astype(np.uint8) for name, row in rows.items()}


def palette_places(name: str, count: int) -> NDArray[np.float64]:
    """Return texture coordinates (count, 2) of a paint in the palette's pictures."""
    return np.tile(((COLUMNS[name] + 0.5) / len(COLUMNS), 0.5), (count, 1))


def to_linear(colour: Colour | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return colours of a screen, from 0 to 1, without gamma."""
    shown = np.asarray(colour, dtype=np.float64)
    return np.where(shown > 0.04045, ((shown + 0.055) / 1.055) ** 2.4, shown / 12.92)

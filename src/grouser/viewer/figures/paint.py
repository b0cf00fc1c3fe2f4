"""How meshes get onto a viser scene: material and colours, the same everywhere."""

from typing import Literal, TypeAlias

import numpy as np
import viser
from numpy.typing import NDArray

from grouser.models.colours import Colour
from grouser.report.colours import LINES
from grouser.viewer.shapes.mesh import Mesh

Rgb: TypeAlias = tuple[int, int, int]
"""Red, green, blue from 0 to 255."""

MATERIAL: Literal["standard", "toon3", "toon5"] = "standard"
"""What surfaces are made of."""


def to_rgb(colour: Colour) -> Rgb:
    """Return a colour from 0 to 255."""
    red, green, blue = (round(255 * part) for part in colour)
    return red, green, blue


def line_rgb(number: int) -> Rgb:
    """Return a colour of the palette of figures, which colour-blind people tell apart."""
    red, green, blue = bytes.fromhex(LINES[number][1:])
    return red, green, blue


def mix(colour: Rgb, other: Rgb, share: float) -> Rgb:
    """Return a colour with a share of another in it [1]."""
    red, green, blue = (round(a + share * (b - a)) for a, b in zip(colour, other, strict=True))
    return red, green, blue


def to_linear(colours: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return colours (..., 3) from 0 to 255 as batched meshes want them: without gamma."""
    share = np.asarray(colours) / 255.0
    linear = np.where(share > 0.04045, ((share + 0.055) / 1.055) ** 2.4, share / 12.92)
    return np.round(255.0 * linear).astype(np.uint8)


def add_mesh(
    scene: viser.SceneApi,
    name: str,
    mesh: Mesh,
    colour: Rgb,
    *,
    opacity: float | None = None,
    both_sides: bool = False,
) -> viser.MeshHandle:
    """Add a mesh to a scene; `opacity` makes it translucent [1]."""
    return scene.add_mesh_simple(
        name,
        mesh.vertices,
        mesh.faces,
        color=colour,
        opacity=opacity,
        material=MATERIAL,
        side="double" if both_sides else "front",
        cast_shadow=False,
        receive_shadow=False,
    )

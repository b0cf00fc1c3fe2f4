"""Binary glTF files: triangles with materials, textures and colours, one draw call per part."""

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.drawing.colours import Colour
from grouser.drawing.look.materials import to_linear

FLOAT, BYTE, INDEX = 5126, 5121, 5125
"""Kinds of numbers in a glTF file."""
NEAREST, SMOOTH, MIPMAPS, REPEAT = 9728, 9729, 9987, 10497
"""Filters and wrapping of textures in a glTF file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """An encoded picture."""

    content: bytes
    """A JPEG or PNG file."""
    is_sharp: bool = False
    """Whether its pixels are shown as squares, as those of a palette."""

    @property
    def mime(self) -> str:
        """Kind of the file."""
        return "image/png" if self.content.startswith(b"\x89PNG") else "image/jpeg"


@dataclass(frozen=True, slots=True, kw_only=True)
class Skin:
    """Material of a part as glTF has it."""

    colour: Colour = (1.0, 1.0, 1.0)
    """Colour as on screens; multiplies the texture."""
    opacity: float = 1.0
    """From invisible, 0, to opaque, 1 [1]."""
    roughness: float = 1.0
    """From a mirror, 0, to chalk, 1; multiplies that of `surface` [1]."""
    metallic: float = 0.0
    """From paint, 0, to metal, 1; multiplies that of `surface` [1]."""
    texture: Image | None = None
    """Colours; one with transparency if it is a PNG file with an alpha channel."""
    surface: Image | None = None
    """Roughness in green, metallic in blue."""
    glow: Image | None = None
    """Light that it emits."""
    is_unlit: bool = False
    """Whether no light acts on it."""
    is_clear: bool = False
    """Whether it is blended with what is behind it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Triangles of one material."""

    vertices: NDArray[np.float64]
    """Corners (n, 3) [m]."""
    faces: NDArray[np.intp]
    """Numbers of the three corners of each triangle (m, 3)."""
    skin: Skin
    """Its material."""
    normals: NDArray[np.float64] | None = None
    """Normal at each corner (n, 3); means of the triangles if None [1]."""
    places: NDArray[np.float64] | None = None
    """Texture coordinates of each corner (n, 2) [1]."""
    light: NDArray[np.float64] | None = None
    """Linear colour of each corner (n, 3), which multiplies the material's [1]."""


def corner_normals(vertices: NDArray[np.float64], faces: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return one normal per corner: the mean of the triangles that meet there, by their areas."""
    a, b, c = vertices[faces].swapaxes(0, 1)
    across = np.cross(b - a, c - a)
    normals = np.zeros_like(vertices, dtype=np.float64)
    for corner in range(3):
        np.add.at(normals, faces[:, corner], across)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.where(length > 0.0, normals / np.where(length > 0.0, length, 1.0), (0.0, 0.0, 1.0))


def box_places(
    vertices: NDArray[np.float64], normals: NDArray[np.float64], tile: float
) -> NDArray[np.float64]:
    """Return texture coordinates by projection along the axis that each corner faces most.

    `tile` is the side of one texture [m].
    """
    axis = np.argmax(np.abs(normals), axis=1)
    pick = np.array([(1, 2), (0, 2), (0, 1)])[axis]
    return np.take_along_axis(np.asarray(vertices, dtype=np.float64), pick, axis=1) / tile


def write_glb(parts: Sequence[Part]) -> bytes:
    """Return a GLB file of all parts; z is up in it, as in the world."""
    file = _File()
    primitives = [file.add_part(part) for part in parts]
    return file.write(primitives)


class _File:
    """A GLB file that is being written."""

    def __init__(self) -> None:
        self._blob = bytearray()
        self._tree: dict[str, Any] = {
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0}], "bufferViews": [], "accessors": [], "materials": [],
            "images": [], "textures": [],
            "samplers": [
                {"magFilter": SMOOTH, "minFilter": MIPMAPS, "wrapS": REPEAT, "wrapT": REPEAT},
                {"magFilter": NEAREST, "minFilter": NEAREST, "wrapS": REPEAT, "wrapT": REPEAT},
            ],
        }  # fmt: skip
        self._images: dict[bytes, int] = {}
        self._skins: dict[int, int] = {}
        self._extensions: set[str] = set()

    def add_part(self, part: Part) -> dict[str, Any]:
        """Add a part; return its primitive."""
        vertices = np.ascontiguousarray(part.vertices, dtype="<f4")
        normals = part.normals
        if normals is None:
            normals = corner_normals(np.asarray(part.vertices), np.asarray(part.faces))
        ends = {"min": vertices.min(axis=0).tolist(), "max": vertices.max(axis=0).tolist()}
        attributes = {
            "POSITION": self._add(vertices, "VEC3", FLOAT, **ends),
            "NORMAL": self._add(np.ascontiguousarray(normals, dtype="<f4"), "VEC3", FLOAT),
        }
        if part.places is not None:
            places = np.ascontiguousarray(part.places, dtype="<f4")
            attributes["TEXCOORD_0"] = self._add(places, "VEC2", FLOAT)
        if part.light is not None:
            light = np.round(255.0 * np.clip(part.light, 0.0, 1.0)).astype("u1")
            # Rows of four bytes, as glTF requires.
            light = np.column_stack((light, np.full(len(light), 255, "u1")))
            attributes["COLOR_0"] = self._add(light, "VEC4", BYTE, normalized=True)
        faces = np.ascontiguousarray(part.faces, dtype="<u4").reshape(-1)
        indices = self._add(faces, "SCALAR", INDEX)
        return {"attributes": attributes, "indices": indices, "material": self._skin(part.skin)}

    def write(self, primitives: list[dict[str, Any]]) -> bytes:
        """Return the file with a mesh of these primitives."""
        self._blob += bytes(-len(self._blob) % 4)
        tree = {key: value for key, value in self._tree.items() if value != []}
        tree["meshes"] = [{"primitives": primitives}]
        tree["buffers"] = [{"byteLength": len(self._blob)}]
        if self._extensions:
            tree["extensionsUsed"] = sorted(self._extensions)
        text = json.dumps(tree, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        size = 12 + 8 + len(text) + 8 + len(self._blob)
        head = struct.pack("<4sII", b"glTF", 2, size) + struct.pack("<I4s", len(text), b"JSON")
        return head + text + struct.pack("<I4s", len(self._blob), b"BIN\0") + bytes(self._blob)

    def _put(self, data: bytes) -> int:
        self._blob += bytes(-len(self._blob) % 4)
        view = {"buffer": 0, "byteOffset": len(self._blob), "byteLength": len(data)}
        self._tree["bufferViews"].append(view)
        self._blob += data
        return len(self._tree["bufferViews"]) - 1

    def _add(self, values: NDArray[Any], kind: str, component: int, **more: Any) -> int:
        entry = {
            "bufferView": self._put(values.tobytes()), "componentType": component,
            "count": len(values), "type": kind,
        }  # fmt: skip
        self._tree["accessors"].append(entry | more)
        return len(self._tree["accessors"]) - 1

    def _picture(self, image: Image) -> dict[str, int]:
        if image.content not in self._images:
            view = self._put(image.content)
            self._tree["images"].append({"bufferView": view, "mimeType": image.mime})
            source = len(self._tree["images"]) - 1
            self._tree["textures"].append({"source": source, "sampler": int(image.is_sharp)})
            self._images[image.content] = source
        return {"index": self._images[image.content]}

    def _skin(self, skin: Skin) -> int:
        if id(skin) in self._skins:
            return self._skins[id(skin)]
        body: dict[str, Any] = {
            "baseColorFactor": [*to_linear(skin.colour).tolist(), skin.opacity],
            "roughnessFactor": skin.roughness,
            "metallicFactor": skin.metallic,
        }
        entry: dict[str, Any] = {"pbrMetallicRoughness": body}
        if skin.texture is not None:
            body["baseColorTexture"] = self._picture(skin.texture)
        if skin.surface is not None:
            body["metallicRoughnessTexture"] = self._picture(skin.surface)
        if skin.glow is not None:
            entry["emissiveTexture"] = self._picture(skin.glow)
            entry["emissiveFactor"] = [1.0, 1.0, 1.0]
        if skin.is_clear or skin.opacity < 1.0:
            entry["alphaMode"] = "BLEND"
        if skin.is_unlit:
            entry["extensions"] = {"KHR_materials_unlit": {}}
            self._extensions.add("KHR_materials_unlit")
        self._tree["materials"].append(entry)
        self._skins[id(skin)] = len(self._tree["materials"]) - 1
        return self._skins[id(skin)]

"""Meshes of a course: STL, OBJ, PLY and GLB.

Nonsense: corners that are not finite or absurdly far away, triangles without corners, no volume.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import trimesh

from grouser.description.mesh import Mesh
from grouser.description.mesh_file import MeshContent, read_mesh
from tests.fuzz.target import Target, require, write_input
from tests.viewer.bombs import many_instances


def _file(kind: str) -> bytes:
    content = trimesh.creation.box((1.0, 2.0, 0.5)).export(file_type=kind)
    return content if isinstance(content, bytes) else content.encode()


def _read(suffix: str) -> Callable[[bytes, Path], MeshContent]:
    def read(content: bytes, folder: Path) -> MeshContent:
        return read_mesh(write_input(folder, suffix, content), None)

    return read


def _check(found: MeshContent) -> None:
    vertices, triangles = found
    require(bool(np.isfinite(vertices).all()), "corners are not finite")
    require(float(np.abs(vertices).max()) <= 1e6, "corners are far away")
    require(len(triangles) >= 4 and int(triangles.max()) < len(vertices), "triangles")
    mesh = Mesh(vertices=vertices, triangles=triangles)
    middle = vertices[triangles].mean(axis=1)
    require(bool(np.isfinite(mesh.height(middle[:, 0], middle[:, 1])).any()), "no top")


TARGETS = [
    Target(
        name="mesh STL",
        samples=lambda: [_file("stl"), _file("stl_ascii")],
        attempt=_read(".stl"),
        check=_check,
        is_text=False,
    ),
    Target(
        name="mesh OBJ",
        samples=lambda: [_file("obj")],
        attempt=_read(".obj"),
        check=_check,
        words=("v 1e300 0 0", "f 1 2 9999999999", "mtllib /dev/zero", "usemtl x", "f -1 -2 -3"),
    ),
    Target(
        name="mesh PLY",
        samples=lambda: [
            _file("ply"),
            trimesh.creation.box().export(file_type="ply", encoding="ascii"),
        ],
        attempt=_read(".ply"),
        check=_check,
        is_text=False,
    ),
    Target(
        name="mesh GLB",
        samples=lambda: [_file("glb"), many_instances(3, 0)],
        attempt=_read(".glb"),
        check=_check,
        is_text=False,
    ),
]

"""Colours for a scene: what is seen, never what is felt."""

import mujoco
import numpy as np
from numpy.typing import NDArray

from grouser.description import Course
from grouser.description.heightfield import HeightField
from grouser.description.solid import Plane
from grouser.models import colours

COLOURS: dict[str, colours.Colour] = {
    "hull": colours.HULL,
    "belt": colours.BELT,
    "flipper": colours.FLIPPER,
    "wood": colours.WOOD,
    "concrete": colours.CONCRETE,
    "earth": colours.EARTH,
}
"""Colour of each material."""
LIGHT_FLOOR, DARK_FLOOR, LINES = (0.80, 0.83, 0.85), (0.74, 0.77, 0.80), (0.60, 0.63, 0.66)
SKY, HORIZON = (0.55, 0.69, 0.84), (0.93, 0.95, 0.97)
TILE = 0.5
"""Edge of a tile of the floor [m]."""
SUN = (0.3, -0.6, -1.0)
"""Direction in which the sun shines."""
SUN_DISTANCE = 5.0
"""How far the sun is from the robot, in sizes of the robot [1]."""
FAR = 300.0
"""How far one sees, in extents of the scene; less or more makes shadows grainy [1]."""


def paint_scene(
    spec: mujoco.MjSpec, course: Course, *, hull: str, middle: NDArray[np.float64], size: float
) -> None:
    """Give a scene colours, a light and a sky.

    Bodies that came from a file keep their own colours.

    Args:
        spec: The scene, which is changed: copy it if its physics is still in use.
        course: What the ground of the scene was made from.
        hull: Name of the body that carries everything.
        middle: Where the robot is, which lies in the middle of what has shadows [m].
        size: Size of the robot from end to end [m].
    """
    _add_materials(spec)
    _light(spec, middle, size)
    solids = {f"terrain{n}": solid for n, solid in enumerate(course.terrain.solids)}
    for geom in spec.geoms:
        owner = geom.parent.name
        if geom.name in solids:
            geom.material = _ground_material(solids[geom.name])
        elif owner == hull:
            geom.material = "hull" if geom.name.startswith(f"{hull}/") else "belt"
        elif not owner.startswith(f"{hull}/"):
            geom.material = "flipper"
    _show_patches(spec, course)


def _ground_material(solid: object) -> str:
    match solid:
        case Plane():
            return "floor"
        case HeightField():
            return "earth"
        case _:
            return "wood" if "pallet" in getattr(solid, "name", "") else "concrete"


def _add_materials(spec: mujoco.MjSpec) -> None:
    spec.add_texture(
        name="floor",
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
        mark=mujoco.mjtMark.mjMARK_EDGE,
        rgb1=LIGHT_FLOOR,
        rgb2=DARK_FLOOR,
        markrgb=LINES,
        width=512,
        height=512,
    )
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=SKY,
        rgb2=HORIZON,
        width=256,
        height=256,
    )
    floor = spec.add_material(name="floor", texrepeat=[0.5 / TILE, 0.5 / TILE], texuniform=True)
    floor.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "floor"
    floor.specular = 0.1
    for name, (red, green, blue) in COLOURS.items():
        spec.add_material(name=name, rgba=[red, green, blue, 1.0], specular=0.2, shininess=0.2)


def _light(spec: mujoco.MjSpec, middle: NDArray[np.float64], size: float) -> None:
    """Light the scene by a sun, and by a lamp at the eye for what lies in the shade."""
    spec.stat.center, spec.stat.extent = middle.tolist(), 2.5 * size
    spec.visual.map.zfar = FAR
    spec.worldbody.add_light(
        name="sun",
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        pos=(middle - SUN_DISTANCE * size * np.array(SUN)).tolist(),
        dir=list(SUN),
        diffuse=[0.65, 0.65, 0.62],
        specular=[0.2, 0.2, 0.2],
        castshadow=True,
    )
    spec.visual.headlight.ambient[:] = 0.4
    spec.visual.headlight.diffuse[:] = 0.3
    spec.visual.headlight.specular[:] = 0.0
    spec.visual.quality.shadowsize = 2048


def _show_patches(spec: mujoco.MjSpec, course: Course) -> None:
    for number, patch in enumerate(course.terrain.patches):
        where = patch.footprint
        pose = course.terrain.pose_at(where.x, where.y, where.yaw)
        spec.worldbody.add_site(
            name=f"patch{number}",
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[0.5 * where.length, 0.5 * where.width, 0.001],
            pos=[float(pose.x), float(pose.y), float(pose.z)],
            quat=pose.rotation.as_quat(scalar_first=True).tolist(),
            rgba=[*colours.PATCH, colours.PATCH_OPACITY],
        )

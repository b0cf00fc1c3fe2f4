"""Off-screen OpenGL rendering of a robot on a course."""

import os
import sys
from collections.abc import Callable, Sequence
from ctypes.util import find_library
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Self

import mujoco
import numpy as np
from numpy.typing import NDArray

from grouser.description import Course, Robot
from grouser.description.heightfield import HeightField
from grouser.description.mesh import Mesh
from grouser.description.solids import Plane, Solid
from grouser.drawing import colours
from grouser.drawing.belt_sites import GrouserGeoms, Ribs, has_own_belts
from grouser.drawing.camera import CameraPose, measure_robot
from grouser.drawing.soil_field import NAME as SOIL
from grouser.drawing.soil_field import SoilField
from grouser.drawing.soil_sheet import SoilSheet
from grouser.errors import GrouserError, InvalidValue
from grouser.geometry import Array, Pose
from grouser.models.contact.scene import TrackScene, make_scene
from grouser.models.contact.tracks import belts
from grouser.models.ground.ruts import RutGrid
from grouser.models.mujoco.build import build, place_hull
from grouser.models.mujoco.terrain import add_mesh
from grouser.models.rigid import HULL

if TYPE_CHECKING:
    from grouser.drawing.look.dress import DressedRobot

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
"""Side of a floor tile [m]."""
SUN = (0.3, -0.6, -1.0)
"""Direction of the sunlight in the world [1]."""
SUN_DISTANCE = 5.0
"""Distance of the sun from the robot, in robot extents [1]."""
FAR = 300.0
"""Far clipping distance in extents of the scene; other values make shadows grainy [1]."""


def paint_scene(
    spec: mujoco.MjSpec, course: Course, *, hull: str, middle: Array, size: float
) -> None:
    """Add colours, lights and a sky to a scene.

    Bodies from a file keep their own colours. Pass a copy of the scene if its physics is still in
    use. Shadows are drawn around the middle of the robot [m], whose largest extent is `size` [m].
    """
    _add_materials(spec)
    _light(spec, middle, size)
    solids = {f"terrain{n}": solid for n, solid in enumerate(course.terrain.solids)}
    _show_meshes(spec, solids)
    for geom in spec.geoms:
        owner = geom.parent.name
        # A mesh may have several geoms: terrain3.0, terrain3.1 ...
        if (solid := solids.get(geom.name.split(".")[0])) is not None:
            kinds = {Plane: "floor", HeightField: "earth"}
            other = "wood" if "pallet" in getattr(solid, "name", "") else "concrete"
            geom.material = kinds.get(type(solid), other)
        elif owner == hull:
            geom.material = "hull" if geom.name.startswith(f"{hull}/") else "belt"
        elif not owner.startswith(f"{hull}/"):
            geom.material = "flipper"
    _show_patches(spec, course)


def _show_meshes(spec: mujoco.MjSpec, solids: dict[str, Solid]) -> None:
    """Add what a scene has no shapes for: meshes, which touch nothing."""
    known = {geom.name for geom in spec.geoms}
    for name, solid in solids.items():
        if isinstance(solid, Mesh) and name not in known:
            add_mesh(spec, solid.vertices, solid.triangles, name)


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


def _light(spec: mujoco.MjSpec, middle: Array, size: float) -> None:
    """Add a sun that casts shadows, and a headlight that lights the shaded side."""
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


LIBRARIES = {"egl": "EGL", "osmesa": "OSMesa"}
"""OpenGL backends that need no screen, fastest first, and the library of each."""


def open_screen(width: int, height: int) -> Any:
    """Return an off-screen OpenGL context and make it current; `free` it afterwards.

    MuJoCo chooses a backend when it is imported, and fails without a screen. The environment
    variable MUJOCO_GL is used if it names a backend that needs no screen. GrouserError if none
    works.
    """
    chosen = os.environ.get("MUJOCO_GL", "").lower()
    wanted = (chosen,) if chosen in LIBRARIES else tuple(LIBRARIES)
    found = next((kind for kind in wanted if find_library(LIBRARIES[kind])), None)
    reason = "neither EGL nor OSMesa was found" if len(wanted) > 1 else f"{chosen} was not found"
    if found is not None:
        try:
            screen = import_module(f"mujoco.{found}").GLContext(width, height)
            screen.make_current()
            return screen
        except (ImportError, AttributeError, RuntimeError) as error:
            reason = f"{found} does not work here ({error})"
    raise GrouserError(
        f"rendering needs OpenGL without a screen, but {reason}; on Debian, install it with: "
        "apt-get install libegl1 libgl1-mesa-dri (or libosmesa6)"
    )


def release_screen() -> None:
    """Let go of the current OpenGL context, so that another thread can make it current."""
    # Only EGL knows which context a thread has; OSMesa works without letting go.
    egl = sys.modules.get("mujoco.egl")
    if egl is not None:
        egl.EGL.eglReleaseThread()


LARGEST = 8192
"""Largest width and height of a picture [pixels]."""
MAX_SHAPES = 20000
"""Largest number of shapes in a picture."""
SAMPLES = 4
"""Samples per pixel with anti-aliasing."""
SHADED = 2.5
"""Smallest distance around the robot in which shadows are drawn, in robot extents [1]."""
LAMP = 0.3
"""Brightness of the headlight, which is off when the camera looks straight down [1]."""
CLEARANCE = 3e-4
"""Height of drawn height fields above the floor, and difference in width of overlapping wheels;
without it, surfaces at the same place flicker [m]."""
SUNLIGHT, SKYLIGHT = (0.74, 0.70, 0.63), (0.31, 0.33, 0.37)
"""Light of the sun and of the sky in dressed scenes [1]."""
HAZE_FROM, HAZE_TO = 6.0, 60.0
"""Distances at which haze begins, and from which on nothing else is seen [m]."""
TRAIL = (0.0, 0.22, 0.42, 1.0)
"""Colour of the trail of a robot."""
TRAIL_WIDTH = 1.0 / 180.0
"""Width of the trail, in heights of the picture [1]."""


class Canvas:
    """Renders a robot on a course; holds an OpenGL context until `close`."""

    def __init__(
        self,
        scene: TrackScene,
        size: tuple[int, int],
        *,
        smooth: bool = True,
        ruts: RutGrid | None = None,
        decorate: Callable[[mujoco.MjSpec], None] | None = None,
        dressed: bool = False,
    ) -> None:
        """Prepare to render a scene in pictures of a size [pixels]; the robot is at the origin.

        Anti-aliasing (`smooth`) takes more than twice the time; `ruts` are those of soft ground;
        `decorate` adds visual elements. A scene that is `dressed` has textures, a sky, haze, and
        the hull and running gear of the robot; others show the shapes of its physics.
        """
        self._width, self._height = size
        if not (1 <= self._width <= LARGEST and 1 <= self._height <= LARGEST):
            raise InvalidValue("size", size, f"be from 1 to {LARGEST} pixels each way")
        built = build(scene)
        self._joints, data = built.flipper_joints, mujoco.MjData(built.model)
        data.qpos[self._joints] = [hinge.rest_angle for hinge in scene.hinges]
        mujoco.mj_kinematics(built.model, data)
        self._middle_in_hull, self.extent = measure_robot(built, data)
        spec, has_belts = built.spec, has_own_belts(scene)
        paint_scene(spec, scene.course, hull=HULL, middle=self._middle_in_hull, size=self.extent)
        self._grousers = GrouserGeoms(scene)
        self._dress = None
        if dressed:
            sheet = None if ruts is None else SoilSheet.of(scene.course.terrain, ruts)
            self._dress = _dress(spec, scene, sheet, has_belts=has_belts)
        marked = has_belts and not self._grousers and self._dress is None
        self._ribs = Ribs(spec, scene.robot, hull=HULL) if marked else None
        self._soil = None
        if ruts is not None:
            self._soil = SoilField(spec, scene.course, ruts, firm=LIGHT_FLOOR, tile=TILE)
        if decorate is not None:
            decorate(spec)
        _part_surfaces(spec, has_belts=has_belts)
        spec.visual.quality.offsamples = SAMPLES if smooth else 0
        spec.visual.global_.offwidth, spec.visual.global_.offheight = size
        self._model = spec.compile()
        self._data = mujoco.MjData(self._model)
        self._hull = self._model.body(HULL).id
        self._sun = self._model.light("sun").id
        self._screen = open_screen(*size)
        self._context = mujoco.MjrContext(self._model, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._shapes = mujoco.MjvScene(self._model, maxgeom=MAX_SHAPES)
        self._is_hazy = dressed
        self._shapes.flags[mujoco.mjtRndFlag.mjRND_FOG] = dressed
        self._arrange()
        if ruts is not None:
            self.show_ruts(ruts)

    @classmethod
    def of(
        cls,
        robot: Robot,
        course: Course,
        size: tuple[int, int],
        *,
        smooth: bool = True,
        ruts: RutGrid | None = None,
        decorate: Callable[[mujoco.MjSpec], None] | None = None,
        dressed: bool = False,
    ) -> Self:
        """Return a canvas of a robot on a course, its tracks as smooth belts."""
        scene = make_scene(robot, course, belts(patches=2))
        options = {"smooth": smooth, "ruts": ruts, "decorate": decorate, "dressed": dressed}
        return cls(scene, size, **options)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    @property
    def middle(self) -> Array:
        """Middle of the robot in the world frame [m]."""
        return self._data.xpos[self._hull] + self._turn @ self._middle_in_hull

    @property
    def heading(self) -> float:
        """Heading of the robot, counter-clockwise from world x [rad]."""
        return float(np.arctan2(self._turn[1, 0], self._turn[0, 0]))

    def place(
        self, pose: Pose, belt_travels: Sequence[float], flipper_angles: Sequence[float]
    ) -> None:
        """Place the robot, with the travel of each belt [m] and the angle of each flipper [rad]."""
        self._data.qpos[:7] = place_hull(pose)
        self._data.qpos[self._joints] = flipper_angles
        if self._ribs is not None:
            self._ribs.move(self._model, belt_travels)
        self._grousers.move(self._model, belt_travels)
        if self._dress is not None:
            self._dress.move(self._model, belt_travels, flipper_angles)
        self._arrange()

    def show_ruts(self, ruts: RutGrid) -> None:
        """Show the ruts of soft ground as they are now, in the grid that the canvas was made for.

        Raises:
            InvalidValue: The canvas has no soft ground, or its grid has other cells.
        """
        if self._soil is None or not self._soil.sheet.fits(ruts):
            raise InvalidValue("ruts", ruts.depth.shape, "be those of the canvas' own grid")
        self._screen.make_current()
        self._soil.show(ruts, self._model, self._context)

    def draw(self, camera_pose: CameraPose, trail: Array | None = None) -> NDArray[np.uint8]:
        """Return a picture (height, width, 3), with past positions (n, 3) as a line [m]."""
        camera = mujoco.MjvCamera()
        camera.lookat[:], camera.distance = camera_pose.middle, camera_pose.distance
        camera.azimuth, camera.elevation = np.degrees((camera_pose.azimuth, camera_pose.elevation))
        # A more distant camera needs shadows in a larger area.
        self._model.stat.extent = max(SHADED * self.extent, 1.2 * camera_pose.distance)
        self._context.shadowClip = self._model.stat.extent
        if self._is_hazy:
            self._model.vis.map.fogstart = HAZE_FROM / self._model.stat.extent
            self._model.vis.map.fogend = HAZE_TO / self._model.stat.extent
        self._aim_sun(camera_pose)
        everything = mujoco.mjtCatBit.mjCAT_ALL
        mujoco.mjv_updateScene(
            self._model, self._data, mujoco.MjvOption(), None, camera, everything, self._shapes
        )
        # Shadows cast by the floor would look grainy far from the robot; those of soft ground take
        # as much time as all the rest.
        for geom in self._shapes.geoms[: self._shapes.ngeom]:
            is_soil = self._soil is not None and geom.type == mujoco.mjtGeom.mjGEOM_HFIELD
            if is_soil or geom.type == mujoco.mjtGeom.mjGEOM_PLANE:
                geom.category = mujoco.mjtCatBit.mjCAT_DECOR
        if trail is not None:
            self._add_trail(trail)
        self._screen.make_current()  # another canvas may have made its own current
        area = mujoco.MjrRect(0, 0, self._width, self._height)
        mujoco.mjr_render(area, self._shapes, self._context)
        pixels = np.empty((self._height, self._width, 3), dtype=np.uint8)
        mujoco.mjr_readPixels(pixels, None, area, self._context)
        return pixels[::-1].copy()

    def close(self) -> None:
        """Release the OpenGL context."""
        self._screen.make_current()
        self._context.free()
        self._screen.free()

    def _arrange(self) -> None:
        mujoco.mj_kinematics(self._model, self._data)
        self._turn = self._data.xmat[self._hull].reshape(3, 3)

    def _aim_sun(self, camera_pose: CameraPose) -> None:
        """Aim the sun at the middle of the picture: shadows are drawn only around its target."""
        middle = np.array(camera_pose.middle)
        distance = SUN_DISTANCE * self._model.stat.extent / SHADED
        self._model.light_pos[self._sun] = middle - distance * np.array(SUN)
        self._model.stat.center[:] = middle
        from_side = 1.0 + np.sin(camera_pose.elevation)
        self._model.vis.headlight.diffuse[:] = LAMP * min(2.0 * from_side, 1.0)
        mujoco.mj_camlight(self._model, self._data)

    def _add_trail(self, trail: Array) -> None:
        width, shapes = max(TRAIL_WIDTH * self._height, 1.0), self._shapes
        line, colour = mujoco.mjtGeom.mjGEOM_LINE, np.array(TRAIL, dtype=np.float32)
        nowhere = np.zeros(3), np.zeros(3), np.zeros(9)
        for start, end in zip(trail[:-1], trail[1:], strict=True):
            if shapes.ngeom == shapes.maxgeom:
                return
            geom = shapes.geoms[shapes.ngeom]
            mujoco.mjv_initGeom(geom, line, *nowhere, colour)
            mujoco.mjv_connector(geom, line, width, start, end)
            geom.category = mujoco.mjtCatBit.mjCAT_DECOR
            shapes.ngeom += 1


def _dress(
    spec: mujoco.MjSpec, scene: TrackScene, sheet: SoilSheet | None, *, has_belts: bool
) -> "DressedRobot | None":
    """Dress ground, sky and robot; a robot whose belts are other shapes keeps them.

    Meshes need a package of the extra `viewer`; without it nothing is dressed.
    """
    if find_spec("trimesh") is None:
        return None
    from grouser.drawing.look.dress import DressedRobot, add_sky, add_textures, dress_ground

    add_sky(spec)
    add_textures(spec, scene.course)
    dress_ground(spec, scene.course, sheet)
    spec.light("sun").diffuse = list(SUNLIGHT)
    spec.visual.headlight.ambient[:] = SKYLIGHT
    spec.visual.quality.shadowsize = 4096
    is_own = has_belts and scene.robot.body.model_file is None and not scene.anchored
    return DressedRobot(spec, scene.robot, hull=HULL) if is_own else None


def _part_surfaces(spec: mujoco.MjSpec, *, has_belts: bool) -> None:
    """Move surfaces apart that would flicker: height fields and floor, overlapping wheels."""
    for number, geom in enumerate(spec.geoms):
        if geom.type == mujoco.mjtGeom.mjGEOM_HFIELD and geom.name != SOIL:
            geom.pos[2] += CLEARANCE
        elif geom.type == mujoco.mjtGeom.mjGEOM_CYLINDER and not has_belts:
            geom.size[1] += number % 5 * 2.0 * CLEARANCE

"""Cameras of a robot: pictures in colour or of depth, rendered with OpenGL.

The scene has the exact solids of the course, as rays meet them. Left out: the robot itself and
other robots, ruts, distortion, blur, exposure, and errors of depth at edges.
"""

import atexit
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy, deepcopy
from typing import Any

import mujoco
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from grouser.description import Course, Robot
from grouser.description.heightfield import HeightField
from grouser.description.mesh import Mesh
from grouser.description.sensors import Camera
from grouser.description.solids import Slab
from grouser.drawing.canvas import open_screen, paint_scene, release_screen
from grouser.errors import InvalidValue
from grouser.geometry import Array
from grouser.log.declaration import Declaration
from grouser.models.mujoco.terrain import add_field, add_mesh, add_plane, add_slab
from grouser.simulation.sensors.mounting import Mounting
from grouser.simulation.sensors.sensor import Moment, Sample, Sensor

NEAREST = 0.02
"""Nearest distance that is drawn, unless the least range is nearer [m]."""
FARTHEST = 200.0
"""Distance up to which colour is drawn [m]."""
SHADOWS = 4.0
"""Size of the surroundings in which shadows are drawn [m]."""
TO_OPENGL = np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""Takes coordinates of OpenGL's camera, x right, y up, -z ahead, to x ahead, y left, z up."""


class CameraSensor(Sensor):
    """Pictures (height, width, 3) of 8 bits, or depths (height, width) of 32 bits [m].

    Depth is the distance along the optical axis: infinite beyond the range, minus infinite where
    something is nearer, by REP 117. Colour gives the mean brightness as a column, depth the nearest
    one and the share of pixels that have one.

    A camera with a latency draws in a thread: the simulation waits only if a picture takes longer.
    """

    def __init__(
        self, robot: Robot, course: Course | None, table: Camera, generator: Generator
    ) -> None:
        if course is None:
            raise InvalidValue("course", course, "be given for a camera")
        self.name, self.rate, self.latency = table.name, table.rate, table.latency
        self._table, self._generator, self._mounting = table, generator, Mounting(table)
        self._view = CourseView(course, table)
        self._drawing = ThreadPoolExecutor(1, "camera") if self.latency > 0.0 else None
        words = {"brightness": "1"} if table.kind == "colour" else {"nearest": "m", "share": "1"}
        self.columns = tuple((f"{self.name}_{word}", unit) for word, unit in words.items())
        self.declarations = (_declare_image(table), _declare_info(table))

    def __deepcopy__(self, memo: Any) -> "CameraSensor":
        """Return a camera with its own noise, which draws by the same renderer."""
        if self._drawing is not None:
            self._drawing.submit(lambda: None).result()  # the picture that is drawn takes noise
        copied = copy(self)
        copied._generator = deepcopy(self._generator, memo)
        return copied

    def take(self, moment: Moment) -> Callable[[], Sample]:
        """Draw a picture, in a thread if there is time until it is known."""
        if self._drawing is None:
            return super().take(moment)
        # One picture after the other, so that noise is drawn in order.
        return self._drawing.submit(lambda: super(CameraSensor, self).take(moment)()).result

    def sample(self, moment: Moment) -> Sequence[float]:
        """Return the mean brightness [1]; or the nearest depth [m], and how many have one [1]."""
        place, turn = self._mounting.in_world(moment.motion)
        if not np.isfinite(place).all():
            return [np.nan] * len(self.columns)  # of a robot that is nowhere
        if self._table.kind == "colour":
            self.array = self._colour(place, turn)
            return [float(self.array.mean()) / 255.0]
        self.array = self._depth(place, turn)
        known = self.array[np.isfinite(self.array)]
        return [float(known.min(initial=np.inf)), known.size / self.array.size]

    def _colour(self, place: Array, turn: Array) -> NDArray[np.uint8]:
        picture, noise = self._view.colour(place, turn), self._table.level_noise
        if noise == 0.0:
            return picture
        noisy = picture + self._generator.normal(0.0, noise, picture.shape)
        return np.clip(np.round(noisy), 0, 255).astype(np.uint8)

    def _depth(self, place: Array, turn: Array) -> NDArray[np.float32]:
        depth, (near, far) = self._view.depth(place, turn), self._table.range
        if self._table.noise > 0.0:
            depth = depth + self._generator.normal(0.0, self._table.noise, depth.shape)
        depth = np.where(depth > far, np.inf, np.where(depth < near, -np.inf, depth))
        return depth.astype(np.float32)


class CourseView:
    """A course seen by a camera; OpenGL is opened when it is made, and closed with it.

    It may be used by one thread after another, not by two at once.
    """

    def __init__(self, course: Course, table: Camera) -> None:
        spec = mujoco.MjSpec()
        _add_solids(spec, course)
        paint_scene(spec, course, hull="", middle=np.zeros(3), size=SHADOWS)
        width, height = table.size
        fov = 2.0 * np.arctan(0.5 * height / table.focal_length)
        spec.worldbody.add_camera(name="eye", fovy=float(np.degrees(fov)))
        spec.visual.global_.offwidth, spec.visual.global_.offheight = table.size
        spec.visual.quality.offsamples = 0  # edges would have depths between near and far
        self._near = min(NEAREST, 0.5 * table.range[0])
        self._far = 1.05 * table.range[1] if table.kind == "depth" else FARTHEST
        self._model = _compile(spec, self._near, self._far)
        self._data, self._size = mujoco.MjData(self._model), table.size
        self._screen = open_screen(*table.size)
        self._context = mujoco.MjrContext(self._model, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        self._shapes = mujoco.MjvScene(self._model, maxgeom=self._model.ngeom + 1000)
        is_colour = table.kind == "colour"
        self._shapes.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = is_colour and table.shadows
        self._shapes.flags[mujoco.mjtRndFlag.mjRND_SKYBOX] = is_colour  # the sky has no depth
        self._shapes.flags[mujoco.mjtRndFlag.mjRND_HAZE] = is_colour
        release_screen()
        self.close = weakref.finalize(self, _close, self._screen, self._context)
        """Closes OpenGL; also called when the view is garbage-collected."""
        # Also at exit, before OpenGL's own handler: atexit runs in reverse order.
        self.close.atexit = False
        atexit.register(self.close)

    def colour(self, place: Array, turn: Array) -> NDArray[np.uint8]:
        """Return the picture (height, width, 3) from a place [m], turned by a matrix (3, 3) [1]."""
        width, height = self._size
        pixels = np.empty((height, width, 3), dtype=np.uint8)
        self._draw(place, turn, pixels, None)
        return pixels[::-1].copy()

    def depth(self, place: Array, turn: Array) -> Array:
        """Return depths (height, width) along the axis from a place [m]; infinite for the sky."""
        width, height = self._size
        read = np.empty((height, width), dtype=np.float32)
        self._draw(place, turn, None, read)
        near, far = self._near, self._far
        # The buffer holds (near far / depth - near) / (far - near): 1 is near, 0 is far.
        share = read[::-1].astype(np.float64)
        with np.errstate(divide="ignore"):
            return np.where(share > 0.0, near * far / (near + share * (far - near)), np.inf)

    def _draw(self, place: Array, turn: Array, pixels: Any, depth: Any) -> None:
        model, data = self._model, self._data
        model.cam_pos[0] = place
        mujoco.mju_mat2Quat(model.cam_quat[0], (turn @ TO_OPENGL).ravel())
        middle = place + turn[:, 0]
        model.stat.center[:] = middle
        model.light_pos[0] = middle - 2.0 * SHADOWS * model.light_dir[0]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_camlight(model, data)
        camera = mujoco.MjvCamera()
        camera.type, camera.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, 0
        everything = mujoco.mjtCatBit.mjCAT_ALL
        mujoco.mjv_updateScene(
            model, data, mujoco.MjvOption(), None, camera, everything, self._shapes
        )
        self._screen.make_current()
        area = mujoco.MjrRect(0, 0, *self._size)
        mujoco.mjr_render(area, self._shapes, self._context)
        mujoco.mjr_readPixels(pixels, depth, area, self._context)
        release_screen()


def _close(screen: Any, context: Any) -> None:
    screen.make_current()
    context.free()
    screen.free()


def _compile(spec: mujoco.MjSpec, near: float, far: float) -> mujoco.MjModel:
    """Return the model with clipping distances [m]; shadows are drawn as far as its extent."""
    spec.stat.extent = 2.5 * SHADOWS
    spec.visual.map.znear, spec.visual.map.zfar = near / spec.stat.extent, far / spec.stat.extent
    return spec.compile()


def _add_solids(spec: mujoco.MjSpec, course: Course) -> None:
    for number, solid in enumerate(course.terrain.solids):
        name = f"terrain{number}"
        match solid:
            case Slab() if solid.is_level:
                add_slab(spec, solid, name)
            case Slab():
                add_mesh(spec, *_wedge(solid), name)
            case HeightField():
                add_field(spec, solid, name)
            case Mesh():
                add_mesh(spec, solid.vertices, solid.triangles, name)
            case _:
                add_plane(spec, solid, name)


def _wedge(slab: Slab) -> tuple[Array, NDArray[np.intp]]:
    """Return the corners and triangles of a block whose top slopes."""
    corners = slab.footprint.corners
    tops = np.array([slab.top_start, slab.top_end, slab.top_end, slab.top_start])
    bottom = np.column_stack((corners, np.full(4, slab.bottom)))
    vertices = np.concatenate((bottom, np.column_stack((corners, tops))))
    sides = [(i, (i + 1) % 4) for i in range(4)]
    faces = [(4, 5, 6), (4, 6, 7), (0, 2, 1), (0, 3, 2)]
    faces += [face for a, b in sides for face in ((a, b, b + 4), (a, b + 4, a + 4))]
    return vertices, np.array(faces)


def _declare_image(table: Camera) -> Declaration:
    width, height = table.size
    encoding, size = ("rgb8", 3) if table.kind == "colour" else ("32FC1", 4)
    return Declaration(
        topic=f"{table.name}/image_raw",
        kind="sensor_msgs/msg/Image",
        frame=table.optical_frame,
        constants={
            "height": height,
            "width": width,
            "encoding": encoding,
            "is_bigendian": 0,
            "step": size * width,
        },
        array="data",
    )


def _declare_info(table: Camera) -> Declaration:
    (width, height), focal = table.size, table.focal_length
    x, y = 0.5 * (width - 1), 0.5 * (height - 1)
    return Declaration(
        topic=f"{table.name}/camera_info",
        kind="sensor_msgs/msg/CameraInfo",
        frame=table.optical_frame,
        constants={
            "height": height,
            "width": width,
            "distortion_model": "plumb_bob",
            "d": [0.0] * 5,
            "k": [focal, 0.0, x, 0.0, focal, y, 0.0, 0.0, 1.0],
            "r": [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
            "p": [focal, 0.0, x, 0.0, 0.0, focal, y, 0.0, 0.0, 0.0, 1.0, 0.0],
        },
    )

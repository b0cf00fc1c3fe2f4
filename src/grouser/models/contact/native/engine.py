"""Our own engine: robots in lanes of a vector, one robot with the same code and the same bits."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidValue
from grouser.geometry import Array, Pose
from grouser.models.contact.engine import READINGS, ContactTable, StepOptions
from grouser.models.contact.native.ground import build_ground
from grouser.models.contact.native.layout import *
from grouser.models.contact.native.step import (
    Commands,
    Ground,
    Robots,
    Scratch,
    make_settle,
    make_tick,
)
from grouser.models.contact.native.tables import build_tables, hull_parameters
from grouser.models.contact.placing import lift_above, lowest_points
from grouser.models.contact.scene import TrackScene
from grouser.models.contact.supervision import Threads, Turns
from grouser.models.contact.traction.law import LAWS
from grouser.notices import LOGGER
from grouser.version import VERSION

LANES = 8
"""Robots of a block."""
SINGLE_LANES = 16
"""The same in single precision."""
SETTLING_STEPS = 5000
"""Most steps in which a robot comes to rest at its start [1]."""
BRAKE = 0.97
"""Factor on all velocities after each step while a robot settles [1]."""
AT_REST = 1e-5
"""Largest velocity of a robot that has come to rest, while braked [m/s], [rad/s]."""

_TICKS = {code: make_tick(code, code % 100) for code in (1, LANES, 100 + SINGLE_LANES)}
_SETTLES = {code: make_settle(code, code % 100) for code in (1, LANES, 100 + SINGLE_LANES)}


class NativeEngine:
    """Builds worlds of our own kernel."""

    name: ClassVar[str] = "native"
    version: ClassVar[str] = f"grouser {VERSION}"
    shapes: ClassVar[frozenset[str]] = frozenset(
        {"belts", "grousers", "conveyors", "virtual force", "treadmill", "motor limits", "plane",
         "slab", "heightfield", "mesh", "patches"}
    )  # fmt: skip
    laws: ClassVar[Any] = LAWS

    def build(
        self, scene: TrackScene, law: Any, options: StepOptions, count: int
    ) -> "NativeWorld":
        """Return a world of robots that are not yet placed."""
        return NativeWorld(scene, law, options, count)


class NativeWorld:
    """Robots of one kind on one course, computed by our own kernel."""

    def __init__(self, scene: TrackScene, law: Any, options: StepOptions, count: int) -> None:
        self.scene, self.count, self.timestep = scene, count, options.timestep
        terrain = scene.course.terrain
        ground = build_ground(terrain, reach=2.0 * scene.size)
        tables = build_tables(scene, ground, options, law.memory)
        self._tables, self._rob, self._lay = tables, tables.numbers, tables.layout
        self._law = law.tables(list(terrain.surfaces.values()))
        self._ground = Ground(
            ground.faces, ground.edges, ground.cells, ground.face_starts, ground.face_items,
            ground.edge_starts, ground.edge_items, ground.heights, ground.tiles,
        )  # fmt: skip
        single = options.single and count > 1
        code = 1 if count == 1 else (100 + SINGLE_LANES if single else LANES)
        self._tick, self._settle = _TICKS[code], _SETTLES[code]
        self._width = code % 100
        self._blocks = -(-count // self._width)
        self._dtype = np.float32 if single else np.float64
        self._robots = self._make_robots()
        threads = 1 if self._blocks == 1 else options.threads
        self._threads = Threads(threads, Turns())
        self._scratch = [self._make_scratch() for _ in range(self._threads.count)]
        drives, hinges = int(self._lay[AT_DRIVES]), int(self._lay[AT_HINGES])
        self._readings = np.zeros((count, READINGS))
        self._drives, self._angles = np.zeros((count, 2, drives)), np.zeros((count, hinges))
        self._belts, self._lost = self._drives[:, 0], np.zeros(count)
        self._points = lowest_points(scene)

    def vary(self, which: NDArray[np.bool_], table: Array) -> None:
        """Set friction, mass and payload of the robots of a mask."""
        fields = hull_parameters(self.scene, self._tables.soft, table)
        first = int(self._lay[AT_ST_PARAMETERS])
        rows = self._rows_of(self._robots.state, int(self._lay[AT_ST_SIZE]))
        padded = self._pad(which)
        for column, values in fields.items():
            wide = self._pad(values)
            rows[padded, first + column : first + column + wide.shape[1]] = wide[padded]
        self._write(self._robots.state, rows)

    def place(self, which: NDArray[np.bool_], poses: Pose) -> None:
        """Put robots down at their poses and let them come to rest."""
        placed = lift_above(self.scene, poses, which, self._points)
        rotations = placed.rotation.as_quat(scalar_first=True).reshape(-1, 4)
        matrices = placed.rotation.as_matrix().reshape(-1, 3, 3)
        origins = np.stack(np.broadcast_arrays(placed.x, placed.y, placed.z), axis=-1).reshape(-1, 3)
        fields, lay = int(self._lay[AT_ST_SIZE]), self._lay
        rows = self._rows_of(self._robots.state, fields)
        chosen = self._pad(which)
        dynamic = int(lay[AT_ST_PARAMETERS])
        robots = np.minimum(np.flatnonzero(chosen), self.count - 1)
        fresh = np.zeros((len(robots), dynamic))
        offset = matrices @ self._tables.origin
        fresh[:, POS : POS + 3] = (origins + offset)[robots]
        fresh[:, QUAT : QUAT + 4] = rotations[robots]
        fresh[:, YAW] = np.broadcast_to(np.asarray(poses.yaw, np.float64), (self.count,))[robots]
        fresh[:, SEEN : SEEN + 3] = 1e9  # look around at once
        for k, hinge in enumerate(self.scene.hinges):
            at = int(lay[AT_ST_HINGES]) + HINGE_STATE * k
            angle = hinge.rest_angle
            fresh[:, at : at + 4] = angle, 0.0, np.cos(angle), np.sin(angle)
            rows[chosen, int(lay[AT_ST_GOALS]) + k] = angle
        rows[chosen, :dynamic] = fresh
        rows[chosen, int(lay[AT_ST_TARGETS]) : int(lay[AT_ST_TARGETS]) + int(lay[AT_DRIVES])] = 0.0
        self._write(self._robots.state, rows)
        memory = self._rows_of(self._robots.memory, int(lay[AT_MEMORY]))
        memory[chosen] = 0.0
        memory[chosen, : int(lay[AT_LAW_MEMORY]) : KEPT] = NOTHING
        self._write(self._robots.memory, memory)
        self._robots.tops[:] = 0
        self._robots.tops[:, :, 0] = lay[AT_SLOTS]
        self._come_to_rest(which)
        self._read()

    def advance(self, belts: Array, flippers: Array, steering: Array, steps: int) -> None:
        """Make some steps towards belt speeds and flipper angles."""
        commands = Commands(
            belts, flippers, steering, self._readings, self._drives, self._angles
        )
        if self._blocks == 1:
            for turn in self._threads.turns.of(steps):
                self._tick(0, 1, turn, self._robots, self._scratch[0], self._rob, self._lay,
                           self._ground, self._law, commands)  # fmt: skip
            return

        def work(thread: int, first: int, end: int, turn: int) -> None:
            self._tick(first, end, turn, self._robots, self._scratch[thread], self._rob, self._lay,
                       self._ground, self._law, commands)  # fmt: skip

        self._threads.share(self._blocks, steps, work)

    def turn(self, yaw: Array) -> None:
        """Turn each robot about its origin and the world's z axis, at once."""
        rows = self._rows_of(self._robots.state, int(self._lay[AT_ST_SIZE]))
        angle = self._pad(yaw)
        cos, sin = np.cos(angle), np.sin(angle)
        origin = self._pad(self._readings[:, :2])
        x, y = (rows[:, POS : POS + 2] - origin).T
        rows[:, POS], rows[:, POS + 1] = origin[:, 0] + cos * x - sin * y, origin[:, 1] + sin * x + cos * y
        c, s = np.cos(0.5 * angle), np.sin(0.5 * angle)
        q0, q1, q2, q3 = rows[:, QUAT : QUAT + 4].T.copy()
        rows[:, QUAT : QUAT + 4] = np.stack(
            [c * q0 - s * q3, c * q1 - s * q2, c * q2 + s * q1, c * q3 + s * q0], axis=1
        )
        rows[:, YAW] += angle
        self._write(self._robots.state, rows)
        self._read()

    @property
    def readings(self) -> Array:
        """Pose and twist of each robot, see `Reading`."""
        self._report_lost()
        return self._readings

    @property
    def belt_speeds(self) -> Array:
        """Actual speed of each belt [m/s]."""
        return self._belts

    @property
    def works(self) -> Array | None:
        """Work of each motor on its belt since the start [J]."""
        return None if self.scene.push_gains else self._drives[:, 1]

    @property
    def flipper_angles(self) -> Array:
        """Actual angle of each flipper [rad]."""
        return self._angles

    @property
    def lost_contacts(self) -> Array:
        """Contacts of each robot since its start that found no slot."""
        rows = self._rows_of(self._robots.state, int(self._lay[AT_ST_SIZE]))
        return rows[: self.count, LOST]

    @property
    def state(self) -> Array:
        """All that `advance` depends on, a row for each robot."""
        lay = self._lay
        rows = self._rows_of(self._robots.state, int(lay[AT_ST_SIZE]))
        memory = self._rows_of(self._robots.memory, int(lay[AT_MEMORY]))
        slots = np.arange(int(lay[AT_SLOTS]))
        unused = slots >= np.repeat(self._robots.tops[:, :, 0], self._width, axis=0)[..., None]
        kept = memory[:, : int(lay[AT_LAW_MEMORY])].reshape(*unused.shape, KEPT)
        kept[unused, 0] = NOTHING
        dynamic = int(lay[AT_ST_PARAMETERS])
        return np.concatenate([rows[:, :dynamic], memory], axis=1)[: self.count].astype(np.float64)

    @state.setter
    def state(self, state: Array) -> None:
        lay, dynamic = self._lay, int(self._lay[AT_ST_PARAMETERS])
        size = dynamic + int(lay[AT_MEMORY])
        if state.shape != (self.count, size):
            required = f"have {size} numbers for each robot, as of this robot on this course"
            raise InvalidValue("state", f"{state.shape[-1]} numbers", required)
        rows = self._rows_of(self._robots.state, int(lay[AT_ST_SIZE]))
        wide = self._pad(state)
        rows[:, :dynamic] = wide[:, :dynamic]
        self._write(self._robots.state, rows)
        self._write(self._robots.memory, wide[:, dynamic:])
        self._come_to_rest(np.zeros(self.count, np.bool_))
        self._read()

    def contacts(self, robot: int) -> ContactTable:
        """Return the contacts of one robot in the last step; of a world of one robot."""
        raise NotImplementedError

    @property
    def centre_of_mass(self) -> Array:
        """Centre of mass of each robot in the world frame [m]."""
        raise NotImplementedError

    def _make_robots(self) -> Robots:
        lay, blocks, width = self._lay, self._blocks, self._width
        near = int(lay[AT_NEAR])
        return Robots(
            state=_aligned(blocks * int(lay[AT_ST_SIZE]) * width, self._dtype),
            memory=_aligned(blocks * int(lay[AT_MEMORY]) * width, self._dtype),
            near=_aligned(max(blocks * near * width, 1), self._dtype),
            tops=np.zeros((blocks, int(lay[AT_GROUPS]), 3), np.int64),
            used=np.zeros((blocks, 2 + 2 * width), np.int64),
        )

    def _make_scratch(self) -> Scratch:
        lay = self._lay
        most = int(max(lay[AT_MOST_FACES], lay[AT_MOST_EDGES], 1))
        return Scratch(
            work=_aligned(int(lay[AT_WS_SIZE]) * self._width, self._dtype),
            ids=np.zeros((int(lay[AT_GROUPS] * lay[AT_SLOTS]) + 1, 4), np.int64),
            items=np.zeros(most, np.int64),
            counts=np.zeros(3, np.int64),
        )

    def _come_to_rest(self, which: NDArray[np.bool_]) -> None:
        """Let robots of a mask come to rest, braked so that they do not bounce."""
        size = int(self._lay[AT_ST_SIZE] + self._lay[AT_MEMORY]) * self._width

        def work(thread: int, first: int, end: int, _: int) -> None:
            kept = np.zeros(size, self._dtype)
            self._settle(first, end, self._robots, self._scratch[thread], self._rob, self._lay,
                         self._ground, self._law, which, kept, SETTLING_STEPS, BRAKE, AT_REST)  # fmt: skip

        self._threads.share(self._blocks, 1, work)

    def _read(self) -> None:
        """Read all robots again, without a step."""
        drives, hinges = self._drives.shape[2], self._angles.shape[1]
        self.advance(
            np.zeros((self.count, drives)), np.zeros((self.count, hinges)),
            np.zeros((self.count, 2)), 0,
        )  # fmt: skip

    def _rows_of(self, array: Any, fields: int) -> Array:
        """Return fields of robots as rows: a copy, a row per lane of all blocks."""
        blocks = array[: self._blocks * fields * self._width]
        return np.swapaxes(blocks.reshape(self._blocks, fields, self._width), 1, 2).reshape(-1, fields)

    def _write(self, array: Any, rows: Array) -> None:
        """Write rows of robots back as lanes."""
        fields = rows.shape[1]
        lanes = np.swapaxes(rows.reshape(self._blocks, self._width, fields), 1, 2)
        array[: lanes.size] = lanes.ravel()

    def _pad(self, values: Array) -> Array:
        """Return one row for each lane: those beyond the last robot repeat it."""
        more = self._blocks * self._width - len(values)
        return values if more == 0 else np.concatenate([values, np.repeat(values[-1:], more, axis=0)])

    def _report_lost(self) -> None:
        if self._lost.any():
            return
        at = LOST * self._width
        if self._robots.state[at] > 0.0:
            self._lost[:] = 1.0
            LOGGER.warning(
                "robot %r touched more ground at once than fits, %d contacts were left out; "
                "coarser ground or fewer patches would do",
                self.scene.robot.name, int(self._robots.state[at]),
            )  # fmt: skip


def _aligned(size: int, dtype: Any) -> Any:
    """Return zeros that begin at a cache line, so that no lane is loaded across two."""
    width = np.dtype(dtype).itemsize
    raw = np.zeros(size * width + 64, np.uint8)
    first = -raw.__array_interface__["data"][0] % 64
    return raw[first : first + size * width].view(dtype)

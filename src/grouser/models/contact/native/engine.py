"""Our own engine: robots in lanes of a vector, one robot with the same code and the same bits."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidValue
from grouser.geometry import Array, Pose
from grouser.models.contact.engine import READINGS, ContactTable, StepOptions
from grouser.models.contact.native.ground import GroundTables, build_ground
from grouser.models.contact.native.layout import *
from grouser.models.contact.native.report import read_centre, read_table
from grouser.models.contact.native.step import make_settle, make_tick
from grouser.models.contact.native.tables import build_tables, hull_parameters
from grouser.models.contact.placing import lift_above, lowest_points
from grouser.models.contact.scene import TrackScene
from grouser.models.contact.supervision import Threads, Turns
from grouser.models.contact.traction.belts import DriveTable
from grouser.models.contact.traction.law import LAWS
from grouser.notices import LOGGER
from grouser.version import VERSION

LANES, SINGLE_LANES, SINGLE = 8, 16, 100
"""Robots of a block, those in single precision, and what marks the latter."""
SETTLING_STEPS = 5000
"""Most steps in which a robot comes to rest at its start [1]."""
BRAKE = 0.97
"""Factor on all velocities after each step while a robot settles [1]."""
AT_REST = 1e-5
"""Largest velocity of a robot that has come to rest, while braked [m/s], [rad/s]."""
NOWHERE = 1e9
"""Place at which no robot ever looked around [m]."""

CODES = 1, LANES, SINGLE + SINGLE_LANES
TICKS = {code: make_tick(code, code % SINGLE) for code in CODES}
SETTLES = {code: make_settle(code, code % SINGLE) for code in CODES}


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
        single = options.single and count > 1
        code = 1 if count == 1 else (SINGLE + SINGLE_LANES if single else LANES)
        self._tick, self._settle, self._width = TICKS[code], SETTLES[code], code % SINGLE
        self._blocks = -(-count // self._width)
        self._dtype = np.float32 if single else np.float64
        self._ground, self._index = _flatten(ground, self._lay)
        self._make_robots()
        self._threads = Threads(1 if self._blocks == 1 else options.threads, Turns())
        self._scratch = [self._make_scratch() for _ in range(self._threads.count)]
        self._fixed = (self._values, self._counts, *self._scratch[0], self._rob, self._lay,
                       self._ground, self._index, self._law)  # fmt: skip
        drives, hinges = int(self._lay[AT_DRIVES]), int(self._lay[AT_HINGES])
        self._out = np.zeros((count, READINGS + 2 * drives + hinges))
        self.readings: Array = self._out[:, :READINGS]
        """Pose and twist of each robot, see `Reading`."""
        self.belt_speeds: Array = self._out[:, READINGS : READINGS + drives]
        """Actual speed of each belt [m/s]."""
        works = self._out[:, READINGS + drives : READINGS + 2 * drives]
        self.works: Array | None = None if scene.push_gains else works
        """Work of each motor on its belt since the start [J]."""
        self.flipper_angles: Array = self._out[:, READINGS + 2 * drives :]
        """Actual angle of each flipper [rad]."""
        self._points = lowest_points(scene)
        self._rest = DriveTable.at_rest(count, scene.robot)
        self._told = False

    def vary(self, which: NDArray[np.bool_], table: Array) -> None:
        """Set friction, mass and payload of the robots of a mask."""
        fields = hull_parameters(self.scene, self._tables.soft, table)
        rows, chosen = self._state_rows(), self._pad(which)
        first = int(self._lay[AT_ST_PARAMETERS])
        for column, values in fields.items():
            at = first + column
            rows[chosen, at : at + values.shape[1]] = self._pad(values)[chosen]
        self._write(self._state, rows)

    def place(self, which: NDArray[np.bool_], poses: Pose) -> None:
        """Put robots down at their poses and let them come to rest."""
        lay, chosen = self._lay, self._pad(which)
        robots = np.minimum(np.flatnonzero(chosen), self.count - 1)
        rows, dynamic = self._state_rows(), int(lay[AT_ST_PARAMETERS])
        fresh = np.zeros((len(robots), dynamic))
        placed = lift_above(self.scene, poses, which, self._points)
        # Written out: how a product of matrices rounds may depend on how many robots there are.
        turned, (ox, oy, oz) = placed.matrix.reshape(-1, 3, 3)[robots], self._tables.origin
        for k, value in enumerate((placed.x, placed.y, placed.z)):
            origin = np.broadcast_to(np.asarray(value, np.float64), (self.count,))[robots]
            fresh[:, POS + k] = origin + (
                turned[:, k, 0] * ox + turned[:, k, 1] * oy + turned[:, k, 2] * oz
            )
        fresh[:, QUAT : QUAT + 4] = placed.quaternion[robots]
        fresh[:, YAW] = np.broadcast_to(np.asarray(poses.yaw, np.float64), (self.count,))[robots]
        fresh[:, SEEN : SEEN + 3] = NOWHERE
        for k, hinge in enumerate(self.scene.hinges):
            at, angle = int(lay[AT_ST_HINGES]) + HINGE_STATE * k, hinge.rest_angle
            fresh[:, at : at + 4] = angle, 0.0, np.cos(angle), np.sin(angle)
            rows[chosen, int(lay[AT_ST_GOALS]) + k] = angle
        rows[chosen, :dynamic] = fresh
        first = int(lay[AT_ST_TARGETS])
        rows[chosen, first : first + int(lay[AT_DRIVES])] = 0.0
        self._write(self._state, rows)
        memory = self._memory_rows()
        memory[chosen] = 0.0
        memory[chosen, : int(lay[AT_LAW_MEMORY]) : KEPT] = NOTHING
        self._write(self._memory, memory)
        self._counts[:, : int(lay[AT_GROUPS]), 0] = lay[AT_SLOTS]
        self._come_to_rest(which)
        self._read()

    def drive(self, drives: DriveTable, limits: Array, duration: float, steps: int) -> None:
        """Obey the commands of a table for a tick of some steps, in one call of compiled code."""
        if self._blocks == 1 and steps <= self._threads.turns.most:
            lost = self._tick(0, 1, steps, duration, duration, *self._fixed, drives.values, limits,
                              self._out)  # fmt: skip
        else:
            lost = self._drive_blocks(drives, limits, duration, steps)
        if lost and not self._told:
            self._tell_lost()

    def _drive_blocks(
        self, drives: DriveTable, limits: Array, duration: float, steps: int
    ) -> float:
        """Advance many blocks in turns, on all threads; return how many contacts were lost."""
        lost = [0.0] * self._threads.count
        shared = self._fixed[5:]

        def work(thread: int, first: int, end: int, turn: int, done: int) -> None:
            before = duration if done == 0 else 0.0
            after = duration if done + turn >= steps else -1.0
            lost[thread] += self._tick(
                first, end, turn, before, after, *self._fixed[:2], *self._scratch[thread], *shared,
                drives.values, limits, self._out,
            )  # fmt: skip

        self._threads.share(self._blocks, steps, work)
        return sum(lost)

    def turn(self, yaw: Array) -> None:
        """Turn each robot about its origin and the world's z axis, at once."""
        rows, angle = self._state_rows(), self._pad(yaw)
        cos, sin = np.cos(angle), np.sin(angle)
        origin = self._pad(self.readings[:, :2])
        x, y = (rows[:, POS : POS + 2] - origin).T
        rows[:, POS] = origin[:, 0] + cos * x - sin * y
        rows[:, POS + 1] = origin[:, 1] + sin * x + cos * y
        c, s = np.cos(0.5 * angle), np.sin(0.5 * angle)
        q0, q1, q2, q3 = rows[:, QUAT : QUAT + 4].T.copy()
        turned = [c * q0 - s * q3, c * q1 - s * q2, c * q2 + s * q1, c * q3 + s * q0]
        rows[:, QUAT : QUAT + 4] = np.stack(turned, axis=1)
        rows[:, YAW] += angle
        self._write(self._state, rows)
        self._read()

    @property
    def lost_contacts(self) -> Array:
        """Contacts of each robot since its start that found no slot."""
        return self._state_rows()[: self.count, LOST]

    @property
    def state(self) -> Array:
        """All that `drive` depends on, a row for each robot."""
        lay, memory = self._lay, self._memory_rows()
        slots, groups = np.arange(int(lay[AT_SLOTS])), int(lay[AT_GROUPS])
        used = np.repeat(self._counts[:, :groups, 0], self._width, axis=0)
        kept = memory[:, : int(lay[AT_LAW_MEMORY])].reshape(len(memory), groups, len(slots), KEPT)
        kept[slots >= used[..., None], 0] = NOTHING
        memory[:, : int(lay[AT_LAW_MEMORY])] = kept.reshape(len(memory), -1)
        rows = self._state_rows()[:, : int(lay[AT_ST_PARAMETERS])]
        return np.concatenate([rows, memory], axis=1)[: self.count].astype(np.float64)

    @state.setter
    def state(self, state: Array) -> None:
        lay, dynamic = self._lay, int(self._lay[AT_ST_PARAMETERS])
        size = dynamic + int(lay[AT_MEMORY])
        if state.shape != (self.count, size):
            required = f"have {size} numbers for each robot, as of this robot on this course"
            raise InvalidValue("state", f"{state.shape[-1]} numbers", required)
        rows, wide = self._state_rows(), self._pad(state)
        rows[:, :dynamic] = wide[:, :dynamic]
        self._write(self._state, rows)
        self._write(self._memory, wide[:, dynamic:])
        self._come_to_rest(np.zeros(self.count, np.bool_))
        self._read()

    def contacts(self, robot: int) -> ContactTable:
        """Return the contacts of one robot in the last step, of a world of one robot."""
        work, ids, _ = self._scratch[0]
        return read_table(work, ids, self._state, self._counts[0], self._tables, self.timestep)

    @property
    def centre_of_mass(self) -> Array:
        """Centre of mass of each robot in the world frame [m]."""
        return read_centre(self.scene, self._state_rows()[: self.count], self._lay)

    def _make_robots(self) -> None:
        """Make state, memory and near ground of all robots in one array."""
        lay, lanes = self._lay, self._blocks * self._width
        sizes = [self._blocks * int(lay[entry]) for entry in (AT_ST_SIZE, AT_MEMORY, AT_NEAR)]
        lay[AT_MEMORY_AT], lay[AT_NEAR_AT] = sizes[0], sizes[0] + sizes[1]
        self._values = _aligned(sum(sizes) * self._width, self._dtype)
        self._state = self._values[: int(lay[AT_ST_SIZE]) * lanes]
        first = sizes[0] * self._width
        self._memory = self._values[first : first + int(lay[AT_MEMORY]) * lanes]
        rows = int(lay[AT_GROUPS]) + 1 + self._width
        self._counts = np.zeros((self._blocks, rows, 3), np.int64)

    def _make_scratch(self) -> tuple[Any, NDArray[np.int64], NDArray[np.int64]]:
        """Return workspace, numbers of contacts and list of near ground for a thread."""
        lay = self._lay
        most = int(max(lay[AT_MOST_FACES], lay[AT_MOST_EDGES], 1))
        contacts = int(lay[AT_GROUPS] * lay[AT_SLOTS]) + 1
        work = _aligned(int(lay[AT_WS_SIZE]) * self._width, self._dtype)
        return work, np.zeros((contacts, 4), np.int64), np.zeros(most, np.int64)

    def _come_to_rest(self, which: NDArray[np.bool_]) -> None:
        """Let robots of a mask come to rest, braked so that they do not bounce."""
        size = int(self._lay[AT_ST_SIZE] + self._lay[AT_MEMORY] + 1) * self._width

        def work(thread: int, first: int, end: int, turn: int, done: int) -> None:
            kept = np.zeros(size, self._dtype)
            self._settle(first, end, self._values, self._counts, *self._scratch[thread], self._rob,
                         self._lay, self._ground, self._index, self._law, which, kept,
                         SETTLING_STEPS, BRAKE, AT_REST)  # fmt: skip

        self._threads.share(self._blocks, 1, work)

    def _read(self) -> None:
        """Read all robots again, without a step."""
        self._tick(0, self._blocks, 0, 0.0, 0.0, *self._fixed, self._rest.values, np.zeros(5),
                   self._out)  # fmt: skip

    def _state_rows(self) -> Array:
        return self._rows_of(self._state, int(self._lay[AT_ST_SIZE]))

    def _memory_rows(self) -> Array:
        return self._rows_of(self._memory, int(self._lay[AT_MEMORY]))

    def _rows_of(self, array: Any, fields: int) -> Array:
        """Return fields of robots as rows: a copy, a row for each lane of all blocks."""
        blocks = array.reshape(self._blocks, fields, self._width)
        return np.swapaxes(blocks, 1, 2).reshape(-1, fields).copy()

    def _write(self, array: Any, rows: Array) -> None:
        """Write rows of robots back as lanes."""
        lanes = rows.reshape(self._blocks, self._width, rows.shape[1])
        array[:] = np.swapaxes(lanes, 1, 2).ravel()

    def _pad(self, values: Any) -> Any:
        """Return one row for each lane: those beyond the last robot repeat it."""
        more = self._blocks * self._width - len(values)
        return np.concatenate([values, np.repeat(values[-1:], more, axis=0)]) if more else values

    def _tell_lost(self) -> None:
        self._told = True
        LOGGER.warning(
            "robot %r touched more ground at once than fits, and %d contacts were left out; coarser "
            "ground or fewer patches would do",
            self.scene.robot.name, int(self.lost_contacts.max()),
        )  # fmt: skip


def _flatten(ground: GroundTables, lay: NDArray[np.int64]) -> tuple[Array, NDArray[np.int64]]:
    """Return the tables of the ground as one array of numbers and one of whole numbers."""
    values = {AT_CELLS: ground.cells, AT_FACES: ground.faces, AT_EDGES: ground.edges,
              AT_HEIGHTS: ground.heights, AT_TILES: ground.tiles}  # fmt: skip
    wholes = {AT_FACE_STARTS: ground.face_starts, AT_FACE_ITEMS: ground.face_items,
              AT_EDGE_STARTS: ground.edge_starts, AT_EDGE_ITEMS: ground.edge_items}  # fmt: skip
    for tables in (values, wholes):
        at = 0
        for entry, table in tables.items():
            lay[entry] = at
            at += table.size
    flat = np.concatenate([table.ravel() for table in values.values()])
    return flat, np.concatenate([table.ravel() for table in wholes.values()]).astype(np.int64)


def _aligned(size: int, dtype: Any) -> Any:
    """Return zeros that begin at a cache line, so that no lane is loaded across two."""
    width = np.dtype(dtype).itemsize
    raw = np.zeros(size * width + 64, np.uint8)
    first = -raw.__array_interface__["data"][0] % 64
    return raw[first : first + size * width].view(dtype)

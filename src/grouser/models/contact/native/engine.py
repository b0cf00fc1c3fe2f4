"""Our own engine: robots in lanes of a vector, one robot with the same code and the same bits."""

from copy import copy
from dataclasses import replace
from mmap import mmap
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from grouser import limits
from grouser.errors import InvalidValue
from grouser.geometry import Array, Pose
from grouser.models.contact.engine import READINGS, ContactTable, StepOptions
from grouser.models.contact.native.layout import *
from grouser.models.contact.native.report import read_centre, read_table
from grouser.models.contact.native.step import make_tick
from grouser.models.contact.native.tables import build_tables, hull_parameters
from grouser.models.contact.placing import lift_above, lowest_points, warn_of_sinking
from grouser.models.contact.scene import TrackScene
from grouser.models.contact.supervision import Threads, Turns
from grouser.models.contact.traction.belts import DriveTable
from grouser.models.contact.traction.law import LAWS
from grouser.models.ground.ground import GroundTables, build_ground
from grouser.models.ground.ruts import RutGrid, has_endless_soil, make_ruts
from grouser.notices import LOGGER
from grouser.version import VERSION

LANES, SINGLE_LANES, SINGLE = 8, 16, 100
"""Robots of a block, those in single precision, and what marks the latter."""
SETTLING_STEPS = 5000
"""Most steps in which a robot comes to rest at its start [1]."""
BRAKE = 0.97
"""Factor on all velocities after each step while a robot settles [1]."""
NOWHERE = 1e9
"""Place at which no robot ever looked around [m]."""

CODES = 1, LANES, SINGLE + SINGLE_LANES
TICKS = {code: make_tick(code, code % SINGLE) for code in CODES}


class NativeEngine:
    """Builds worlds of our own kernel."""

    name: ClassVar[str] = "native"
    version: ClassVar[str] = f"grouser {VERSION}"
    shapes: ClassVar[frozenset[str]] = frozenset(
        {"belts", "grousers", "conveyors", "virtual force", "treadmill", "motor limits", "plane",
         "slab", "heightfield", "mesh", "patches"}
    )  # fmt: skip
    laws: ClassVar[Any] = LAWS

    def build(self, scene: TrackScene, law: Any, options: StepOptions, count: int) -> "NativeWorld":
        """Return a world of robots that are not yet placed."""
        return NativeWorld(scene, law, options, count)


class NativeWorld:
    """Robots of one kind on one course, computed by our own kernel."""

    def __init__(self, scene: TrackScene, law: Any, options: StepOptions, count: int) -> None:
        self.scene, self.count, self.timestep = scene, count, options.timestep
        terrain = scene.course.terrain
        ground = build_ground(terrain, reach=2.0 * scene.size)
        self._ruts = make_ruts(scene.course) if law.memory and options.ruts else None
        tables = build_tables(scene, ground, options, has_memory=law.memory, ruts=self._ruts)
        self._tables, self._rob, self._lay = tables, tables.numbers, tables.layout
        self._law = law.tables(list(terrain.surfaces.values()))
        single = options.single and count > 1
        code = 1 if count == 1 else (SINGLE + SINGLE_LANES if single else LANES)
        self._tick, self._width = TICKS[code], code % SINGLE
        self._blocks = -(-count // self._width)
        self._dtype = np.float32 if single else np.float64
        self._ground, self._index = _flatten(ground, self._lay)
        self._make_robots()
        self._threads = Threads(1 if self._blocks == 1 else options.threads, Turns())
        self._scratch = [self._make_scratch() for _ in range(self._threads.count)]
        self._nobody = np.zeros(count, np.bool_)
        self._fixed = self._arguments()
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
        self._warned, self._warned_beyond = False, not has_endless_soil(scene.course)
        if int(self._lay[AT_SOIL]):
            warn_of_sinking(scene)

    def vary(self, which: NDArray[np.bool_], table: Array) -> None:
        """Set friction, mass and payload of the robots of a mask."""
        robots, blocks, lanes = self._lanes_of(which)
        fields = hull_parameters(self.scene, self._tables.soft, table[robots])
        first = int(self._lay[AT_ST_PARAMETERS])
        for column, values in fields.items():
            at = first + column
            self._states[blocks, at : at + values.shape[1], lanes] = values

    def place(self, which: NDArray[np.bool_], poses: Pose) -> None:
        """Put robots down at their poses and let them come to rest.

        Some of many do so in a world of their own, so that no block is computed for one robot.
        """
        if not which.any():
            return
        placed = lift_above(self.scene, poses, which, self._points)
        apart = self if which.all() else self._apart(which)
        apart._put_down(placed)
        if apart is not self:
            states, memories = apart._rows_of(apart._states), apart._rows_of(apart._memories)
            grids = apart._rows_of(apart._grids)
            rows = (part[: apart.count] for part in (states, memories, grids))
            self._take_over(which, *rows)

    def drive(self, drives: DriveTable, limits: Array, duration: float, steps: int) -> None:
        """Obey the commands of a table for a tick of some steps, in one call of compiled code."""
        if self._blocks == 1 and steps <= self._threads.turns.most:
            lost = self._tick(0, 1, steps, duration, duration, 1.0, *self._fixed, drives.values,
                              limits, self._out)  # fmt: skip
        else:
            lost = self._drive_blocks(drives, limits, duration, steps)
        if lost and not self._warned:
            self._warn_of_lost()
        if self._ruts is not None and not self._warned_beyond:
            self._warn_beyond(self._ruts)

    def _drive_blocks(
        self, drives: DriveTable, limits: Array, duration: float, steps: int
    ) -> float:
        """Advance many blocks in turns, on all threads; return how many contacts were lost."""
        lost = [0.0] * self._threads.count
        shared = self._fixed[6:]

        def work(thread: int, first: int, end: int, turn: int, done: int) -> None:
            before = duration if done == 0 else 0.0
            after = duration if done + turn >= steps else -1.0
            lost[thread] += self._tick(
                first, end, turn, before, after, 1.0, *self._fixed[:2], *self._scratch[thread],
                *shared, drives.values, limits, self._out,
            )  # fmt: skip

        self._threads.share(self._blocks, steps, work)
        return sum(lost)

    def push(self, force: Array, moment: Array) -> None:
        """Let a force and a moment act on the hull of each robot until the next call."""
        lay, everyone = self._lay, np.ones(self.count, np.bool_)
        lay[AT_FORCED] = bool(force.any() or moment.any())
        robots, blocks, lanes = self._lanes_of(everyone)
        at = int(lay[AT_ST_PARAMETERS]) + OUTSIDE
        rows = np.concatenate([force, moment], axis=1)
        self._states[blocks, at : at + 6, lanes] = rows[robots]

    def move(self, pose: Pose) -> None:
        """Put the only robot at a pose as it is, at rest; it then falls to the ground."""
        away = pose.matrix * self._tables.origin
        origin = np.array([pose.x, pose.y, pose.z], np.float64)
        row = self._states[0, :STATE, 0].copy()
        row[POS : POS + 3] = origin + (away[..., 0] + away[..., 1] + away[..., 2]).ravel()
        row[QUAT : QUAT + 4] = pose.quaternion
        row[VEL : VEL + 3] = row[SPIN : SPIN + 3] = 0.0
        row[YAW], row[SEEN : SEEN + 3] = pose.yaw, NOWHERE
        self._states[0, :STATE, 0] = row
        self._memories[:, : int(self._lay[AT_LAW_MEMORY]) : KEPT] = NOTHING
        self._read(np.ones(1, np.bool_))

    def turn(self, yaw: Array) -> None:
        """Turn each robot about its origin and the world's z axis, at once; none by 0."""
        robots, blocks, lanes = self._lanes_of(yaw != 0.0)
        rows, angle = self._states[blocks, :STATE, lanes], yaw[robots]
        cos, sin = np.cos(angle), np.sin(angle)
        origin = self.readings[robots, :2]
        x, y = (rows[:, POS : POS + 2] - origin).T
        rows[:, POS] = origin[:, 0] + cos * x - sin * y
        rows[:, POS + 1] = origin[:, 1] + sin * x + cos * y
        c, s = np.cos(0.5 * angle), np.sin(0.5 * angle)
        q0, q1, q2, q3 = rows[:, QUAT : QUAT + 4].T.copy()
        turned = [c * q0 - s * q3, c * q1 - s * q2, c * q2 + s * q1, c * q3 + s * q0]
        rows[:, QUAT : QUAT + 4] = np.stack(turned, axis=1)
        rows[:, YAW] += angle
        self._states[blocks, :STATE, lanes] = rows
        self._read(yaw != 0.0)

    def ruts(self, robot: int) -> RutGrid | None:
        """Return the ruts of one robot, a view of what grows; None without soil."""
        if self._ruts is None:
            return None
        grid = self._grids[robot // self._width, :, robot % self._width]
        return replace(self._ruts, depth=grid.reshape(self._ruts.depth.shape))

    @property
    def lost_contacts(self) -> Array:
        """Contacts of each robot since its start that found no slot."""
        return self._rows_of(self._states)[: self.count, LOST]

    @property
    def state(self) -> Array:
        """All that `drive` depends on, a row for each robot."""
        rows = self._rows_of(self._states)[:, : int(self._lay[AT_ST_PARAMETERS])]
        memories = self._without_unused(np.arange(self._blocks))
        parts = [rows, self._rows_of(memories), self._rows_of(self._grids)]
        return np.concatenate(parts, axis=1)[: self.count].astype(np.float64)

    @state.setter
    def state(self, state: Array) -> None:
        lay, dynamic = self._lay, int(self._lay[AT_ST_PARAMETERS])
        memories = dynamic + int(lay[AT_MEMORY])
        size = memories + int(lay[AT_RUTS])
        if state.shape != (self.count, size):
            required = f"have {size} numbers for each robot, as of this robot on this course"
            raise InvalidValue("state", f"{state.shape[-1]} numbers", required)
        parts = state[:, :dynamic], state[:, dynamic:memories], state[:, memories:]
        self._take_over(np.ones(self.count, np.bool_), *parts)

    def contacts(self, robot: int) -> ContactTable:
        """Return the contacts of one robot in the last step, of a world of one robot."""
        work, ids, *_ = self._scratch[0]
        return read_table(work, ids, self._state, self._counts[0], self._tables, self.timestep)

    @property
    def centre_of_mass(self) -> Array:
        """Centre of mass of each robot in the world frame [m]."""
        return read_centre(self.scene, self._rows_of(self._states)[: self.count], self._lay)

    def _make_robots(self) -> None:
        """Make state, memory and near ground of all robots in one array."""
        lay, lanes = self._lay, self._blocks * self._width
        parts = (AT_ST_SIZE, AT_MEMORY, AT_NEAR, AT_RUTS)
        sizes = [self._blocks * int(lay[entry]) for entry in parts]
        _check_size(sizes[3] * self._width, self.count)
        lay[AT_MEMORY_AT], lay[AT_NEAR_AT], lay[AT_RUTS_AT] = np.cumsum(sizes[:3])
        self._values = _aligned(sum(sizes) * self._width, self._dtype)
        self._state = self._values[: int(lay[AT_ST_SIZE]) * lanes]
        first = sizes[0] * self._width
        self._memory = self._values[first : first + int(lay[AT_MEMORY]) * lanes]
        self._states = self._state.reshape(self._blocks, int(lay[AT_ST_SIZE]), self._width)
        self._memories = self._memory.reshape(self._blocks, int(lay[AT_MEMORY]), self._width)
        first = int(lay[AT_RUTS_AT]) * self._width
        self._grids = self._values[first:].reshape(self._blocks, int(lay[AT_RUTS]), self._width)
        rows = int(lay[AT_GROUPS]) + 1 + self._width
        self._counts = np.zeros((self._blocks, rows, 3), np.int64)

    def _arguments(self) -> tuple[Any, ...]:
        """Return what every call of compiled code is given, on the first thread."""
        return (self._values, self._counts, *self._scratch[0], self._rob, self._lay, self._ground,
                self._index, self._law, self._nobody)  # fmt: skip

    def _apart(self, which: NDArray[np.bool_]) -> "NativeWorld":
        """Return a world of the robots of a mask alone, with their parameters, not yet placed."""
        world, own = copy(self), np.flatnonzero(which)
        world.count, world._blocks = len(own), -(-len(own) // self._width)
        world._lay, world._out = self._lay.copy(), np.zeros((len(own), self._out.shape[1]))
        world._make_robots()
        world._fixed = world._arguments()
        robots, blocks, lanes = world._lanes_of(np.ones(len(own), np.bool_))
        chosen = own[robots]
        rows = self._states[chosen // self._width, :, chosen % self._width]
        world._states[blocks, :, lanes] = rows
        return world

    def _put_down(self, placed: Pose) -> None:
        """Put all robots down at poses above the ground and let them come to rest."""
        lay, everyone = self._lay, np.ones(self.count, np.bool_)
        robots, blocks, lanes = self._lanes_of(everyone)
        fresh = np.zeros((self.count, int(lay[AT_ST_PARAMETERS])))
        # Summed by hand: a product of matrices rounds one robot otherwise than many.
        away = placed.matrix * self._tables.origin
        origins = np.stack([placed.x, placed.y, placed.z], axis=-1)
        fresh[:, POS : POS + 3] = origins + (away[..., 0] + away[..., 1] + away[..., 2])
        fresh[:, QUAT : QUAT + 4] = placed.quaternion
        fresh[:, YAW], fresh[:, SEEN : SEEN + 3] = placed.yaw, NOWHERE
        for k, hinge in enumerate(self.scene.hinges):
            at, angle = int(lay[AT_ST_HINGES]) + HINGE_STATE * k, hinge.rest_angle
            fresh[:, at : at + 4] = angle, 0.0, np.cos(angle), np.sin(angle)
            self._states[:, int(lay[AT_ST_GOALS]) + k] = angle
        self._states[blocks, : fresh.shape[1], lanes] = fresh[robots]
        steer, first = int(lay[AT_ST_PARAMETERS]) + STEER, int(lay[AT_ST_TARGETS])
        self._states[:, steer : steer + 2] = 0.0
        self._states[:, first : first + int(lay[AT_DRIVES])] = 0.0
        self._memories[:] = 0.0
        self._memories[:, : int(lay[AT_LAW_MEMORY]) : KEPT] = NOTHING
        if self._ruts is not None:
            self._memories[:, int(lay[AT_RUT_MEMORY])] = NOWHERE
            self._grids[:] = self._ruts.depth.ravel()[:, None]
        self._counts[:, : int(lay[AT_GROUPS]), 0] = lay[AT_SLOTS]
        self._come_to_rest(everyone, np.arange(self._blocks))
        self._read(everyone)

    def _take_over(
        self, which: NDArray[np.bool_], states: Array, memories: Array, grids: Array
    ) -> None:
        """Give the robots of a mask first fields of their states, memories and ruts, by rows."""
        robots, blocks, lanes = self._lanes_of(which)
        own, touched = np.searchsorted(np.flatnonzero(which), robots), np.unique(blocks)
        self._memories[touched] = self._without_unused(touched)
        self._states[blocks, : states.shape[1], lanes] = states[own]
        self._memories[blocks, :, lanes] = memories[own]
        self._grids[blocks, :, lanes] = grids[own]
        self._come_to_rest(np.zeros(self.count, np.bool_), touched)
        self._read(which)

    def _make_scratch(self) -> tuple[Any, NDArray[np.int64], NDArray[np.int64], Any]:
        """Return workspace, numbers of contacts, list of near ground and robots at rest."""
        lay = self._lay
        most = int(max(lay[AT_MOST_FACES], lay[AT_MOST_EDGES], 1))
        contacts = int(lay[AT_GROUPS] * lay[AT_SLOTS]) + 1
        work = _aligned(int(lay[AT_WS_SIZE]) * self._width, self._dtype)
        kept = np.zeros(int(lay[AT_ST_SIZE] + lay[AT_MEMORY] + 1) * self._width, self._dtype)
        return work, np.zeros((contacts, 4), np.int64), np.zeros(most, np.int64), kept

    def _come_to_rest(self, which: NDArray[np.bool_], blocks: NDArray[np.intp]) -> None:
        """Let robots of a mask come to rest, braked so that they do not bounce; in some blocks."""
        shared = self._fixed[6:-1]
        treadmill, self._rob[N_TREADMILL] = self._rob[N_TREADMILL], 0.0  # stands meanwhile

        def work(thread: int, first: int, end: int, turn: int, done: int) -> None:
            for b in blocks[first:end].tolist():
                self._tick(b, b + 1, SETTLING_STEPS, 0.0, 0.0, BRAKE, *self._fixed[:2],
                           *self._scratch[thread], *shared, which, self._rest.values, np.zeros(5),
                           self._out)  # fmt: skip

        self._threads.share(len(blocks), 1, work)
        self._rob[N_TREADMILL] = treadmill

    def _without_unused(self, blocks: NDArray[np.intp]) -> Any:
        """Return the memories of some blocks with slots that the last step did not use empty."""
        lay, memories = self._lay, self._memories[blocks]
        unused = np.arange(lay[AT_SLOTS]) >= self._counts[blocks, : lay[AT_GROUPS], 0][..., None]
        block, slot = np.nonzero(unused.reshape(len(blocks), -1))
        memories[block, KEPT * slot] = NOTHING
        return memories

    def _read(self, which: NDArray[np.bool_]) -> None:
        """Read the robots of a mask again, without a step; readings of the others stay."""
        blocks = np.unique(self._lanes_of(which)[1])
        others = np.isin(np.arange(self.count) // self._width, blocks) & ~which
        _, other_blocks, lanes = self._lanes_of(others)
        before, headings = self._out[others], self._states[other_blocks, YAW, lanes]
        for b in blocks.tolist():
            self._tick(b, b + 1, 0, 0.0, 0.0, 1.0, *self._fixed, self._rest.values, np.zeros(5),
                       self._out)  # fmt: skip
        self._out[others], self._states[other_blocks, YAW, lanes] = before, headings

    def _lanes_of(
        self, which: NDArray[np.bool_]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """Return robot, block and lane of all robots of a mask; lanes beyond the last repeat it."""
        places = np.flatnonzero(which)
        if len(places) and places[-1] == self.count - 1:
            places = np.append(places, np.arange(self.count, self._blocks * self._width))
        return np.minimum(places, self.count - 1), places // self._width, places % self._width

    def _rows_of(self, lanes: Any) -> Array:
        """Return fields of robots as rows: a copy, a row for each lane of all blocks."""
        blocks, fields, width = lanes.shape
        return np.swapaxes(lanes, 1, 2).reshape(blocks * width, fields).copy()

    def _warn_beyond(self, ruts: RutGrid) -> None:
        """Warn once when a robot is on soil beyond the grid of ruts."""
        rows, columns = ruts.depth.shape
        x, y = self.readings[:, 0], self.readings[:, 1]
        right, top = ruts.x + ruts.cell * columns, ruts.y + ruts.cell * rows
        beyond = (x < ruts.x) | (x > right) | (y < ruts.y) | (y > top)
        if beyond.any():
            self._warned_beyond = True
            LOGGER.warning(
                "robot %r has left the grid of ruts, x from %.3g to %.3g m and y from %.3g to %.3g "
                "m: soil beyond it keeps no ruts; an [area] of the course sets the grid of soil "
                "without an end",
                self.scene.robot.name, ruts.x, right, ruts.y, top,
            )  # fmt: skip

    def _warn_of_lost(self) -> None:
        self._warned = True
        LOGGER.warning(
            "robot %r touched more ground at once than fits, and %d contacts were left out; "
            "coarser ground or fewer patches would do",
            self.scene.robot.name, int(self.lost_contacts.max()),
        )  # fmt: skip


def _check_size(numbers: int, robots: int) -> None:
    """Check that the ruts of all robots fit the memory.

    Raises:
        InvalidValue: They do not.
    """
    if numbers > limits.RUT_NUMBERS:
        required = f"be at most {robots * limits.RUT_NUMBERS // numbers:,} on this grid of ruts; "
        required += "larger cells ([ruts] cell_m of the course) or the model's ruts=0 allow more"
        raise InvalidValue("robots", robots, required)


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
    """Return zeros that begin at a page of memory, so that no lane is loaded across two lines."""
    return np.frombuffer(mmap(-1, max(size, 1) * np.dtype(dtype).itemsize), dtype)

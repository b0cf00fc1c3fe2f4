"""A scene as tables of numbers: belts as links and spots, hull, hinges, grousers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.geometry import Array
from grouser.laws.slope import GRAVITY
from grouser.models.contact.engine import StepOptions
from grouser.models.contact.native.layout import *
from grouser.models.contact.native.links import (
    contact_softness,
    contact_time,
    make_links,
    make_rows,
    recovery,
)
from grouser.models.contact.native.places import make_places
from grouser.models.contact.scene import (
    SERVO_ARMATURE,
    SERVO_DAMPING,
    SERVO_STIFFNESS,
    ConvexShape,
    Hinge,
    TrackScene,
)
from grouser.models.ground.convex import convex_hull
from grouser.models.ground.facets import edge_rows, mesh_features
from grouser.models.ground.ground import GroundTables
from grouser.models.ground.ruts import RutGrid

NORMAL_SWEEPS = 10
"""Most sweeps over normals before friction joins [1]."""
MARGIN = 0.05
"""How far a robot may move before it looks for near ground again, over its size [1]."""
HULL_DEEP = 0.25
"""The same for the hull, over its smallest extent [1]."""
MORE_SLOTS = 16
"""Slots of a group besides two for each of its spots, for edges and corners [1]."""
STEEP, STEEP_ON_SOIL = 50.0, 2.0
"""Inverse of the angle between belt and face at which a patch has become a line or a point: on firm
ground, and on courses with soil, into which a belt sinks with its whole length [1]."""
BELLY = 0.2
"""Largest distance of samples on height fields below the hull, over the robot's size [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotTables:
    """Numbers of a robot on its ground."""

    numbers: Array
    """Header and parts, each number in SI units, see `layout` [any]."""
    layout: NDArray[np.int64]
    """Counts and where parts begin, see `layout`."""
    names: tuple[str, ...]
    """Name of the belt or shape of each group of contacts."""
    origin: Array
    """O in the body frame (3) [m]."""
    soft: float
    """Softness of a contact of the robot as described [1/kg]."""


def build_tables(
    scene: TrackScene, ground: GroundTables, options: StepOptions, *, has_memory: bool,
    ruts: RutGrid | None = None,
) -> RobotTables:  # fmt: skip
    """Return the tables of a scene's robot on a ground."""
    origin = scene.hull.centre
    carrier = np.zeros(3) if scene.anchored else origin  # what belts are seen from
    links, spots, owners = make_links(scene, carrier, in_lines=has_memory)
    shapes, sides, corners = _shapes(scene.shapes, origin, BELLY * scene.size)
    rows, path, ribs = make_rows(scene, owners, carrier, options.timestep)
    step = scene.robot.drive.speed_limit * options.timestep
    places = make_places(links, spots, rows, owners, step) if has_memory else []
    hull_faces, hull_edges = _hull_features(scene)
    hinges = [_hinge(hinge, origin) for hinge in scene.hinges]
    parts = {
        AT_OF_LINKS: links, AT_OF_SPOTS: spots, AT_OF_HINGES: hinges, AT_OF_SHAPES: shapes,
        AT_OF_SIDES: sides, AT_OF_CORNERS: corners, AT_OF_ROWS: rows, AT_OF_PATH: path,
        AT_OF_PLANES: ground.planes, AT_OF_FIELDS: ground.fields, AT_OF_PATCHES: ground.patches,
        AT_OF_HULL_FACES: hull_faces, AT_OF_HULL_EDGES: hull_edges, AT_OF_PLACES: places,
    }  # fmt: skip
    layout = np.zeros(AT_END, np.int64)
    numbers = _join(_header(scene, links, hinges, options), parts, layout)
    counts = _ground_counts(scene, ground) | {
        AT_LINKS: len(links), AT_HINGES: len(hinges), AT_SHAPES: len(shapes), AT_ROWS: len(rows),
        AT_HULL_FACES: len(hull_faces), AT_HULL_EDGES: len(hull_edges), AT_PLACES: len(places),
        AT_SOIL: has_memory and scene.has_soil,
        AT_SPOT_PLACES: sum(spot[SPOT_PLACE] >= 0.0 for spot in spots),
        AT_RUTS: ruts.depth.size if ruts else 0,
    }  # fmt: skip
    for entry, count in counts.items():
        layout[entry] = int(count)
    # On a rack half the grousers of a belt are between bars, and are pushed at both sides.
    busiest = max((int(row[R_COUNT]) for row in rows), default=0)
    _divide(layout, np.asarray(links), (busiest, ribs))
    if ruts is not None:
        numbers[N_RUT_X : N_RUT_ROWS + 1] = ruts.x, ruts.y, ruts.cell, *ruts.depth.shape[::-1]
    names = [scene.belts[owner].name for owner in owners] + [shape.name for shape in scene.shapes]
    names += [scene.belts[owners[int(row[R_LINK])]].name for row in rows]
    return RobotTables(
        numbers=numbers,
        layout=layout,
        names=tuple(names),
        origin=origin,
        soft=contact_softness(scene),
    )


def _ground_counts(scene: TrackScene, ground: GroundTables) -> dict[int, int]:
    """Return the counts and switches that do not depend on how belts are cut."""
    return {
        AT_DRIVES: len(scene.robot.drives), AT_PLANES: len(ground.planes),
        AT_FIELDS: len(ground.fields), AT_PATCHES: len(ground.patches),
        AT_MOST_FACES: ground.most_faces if len(ground.faces) else 0,
        AT_MOST_EDGES: ground.most_edges if len(ground.edges) else 0,
        AT_LIMITED: scene.belt_mass > 0.0, AT_PUSHED: scene.push_gains is not None,
        AT_ANCHORED: scene.anchored,
    }  # fmt: skip


def _join(header: Array, parts: dict[int, Any], layout: NDArray[np.int64]) -> Array:
    """Return header and parts as one array; set where the parts begin."""
    numbers, at = [header], N_HEADER
    for entry, part in parts.items():
        flat = np.asarray(part, np.float64).ravel()
        layout[entry] = at
        numbers.append(flat)
        at += flat.size
    return np.concatenate(numbers)


def _divide(layout: NDArray[np.int64], links: Array, ribs: tuple[int, int]) -> None:
    """Set where the parts of states, memory, near ground and workspace begin."""
    hinges, drives = int(layout[AT_HINGES]), int(layout[AT_DRIVES])
    groups = int(layout[AT_LINKS] + layout[AT_SHAPES] + layout[AT_ROWS])
    most = int((links[:, END] - links[:, FIRST]).max()) if len(links) else 0
    slots = max(2 * most + MORE_SLOTS, 24, ribs[0] + MORE_SLOTS if ribs[0] else 0)
    layout[AT_GROUPS], layout[AT_SLOTS] = groups, slots
    layout[AT_ST_HINGES] = STATE
    layout[AT_ST_DRIVES] = STATE + HINGE_STATE * hinges
    layout[AT_ST_PARAMETERS] = layout[AT_ST_DRIVES] + DRIVE_STATE * drives
    layout[AT_ST_GOALS] = layout[AT_ST_PARAMETERS] + PARAMETERS
    layout[AT_ST_TARGETS] = layout[AT_ST_GOALS] + hinges
    layout[AT_ST_SIZE] = layout[AT_ST_TARGETS] + drives
    layout[AT_LAW_MEMORY] = groups * slots * KEPT
    layout[AT_RUT_MEMORY] = layout[AT_LAW_MEMORY] + PLACE_MEMORY * layout[AT_PLACES]
    layout[AT_MEMORY] = layout[AT_RUT_MEMORY] + (R_STATE if layout[AT_RUTS] else 0)
    layout[AT_NEAR] = layout[AT_MOST_FACES] * FACE + layout[AT_MOST_EDGES] * EDGE
    at = WORKSPACE
    for entry, size in (
        (AT_WS_HINGES, HINGE_WORK * hinges),
        (AT_WS_LINKS, LINK_WORK * int(layout[AT_LINKS])),
        (AT_WS_DRIVES, DRIVE_WORK * (drives + 1)),
        (AT_WS_COUNTS, groups),
        (AT_WS_STAGE, groups * slots * STAGED),
        (AT_WS_SPARE, STAGED + 1),
        (AT_WS_CONTACTS, groups * slots * CONTACT),
        (AT_WS_BEST, 4 * 64 * BEST),
        (AT_WS_RIBS, RIB * ribs[1]),
        (AT_WS_DRAG, DRAG),
        (AT_WS_RUT, 3 * int(layout[AT_PLACES])),
    ):
        layout[entry] = at
        at += size
    layout[AT_WS_SIZE] = at


def _header(
    scene: TrackScene, links: Sequence[Sequence[float]], hinges: Sequence[Sequence[float]],
    options: StepOptions,
) -> Array:  # fmt: skip
    header = np.zeros(N_HEADER)
    header[N_TIMESTEP], header[N_GRAVITY], header[N_TOLERANCE] = (
        options.timestep, GRAVITY, options.tolerance
    )  # fmt: skip
    header[N_KEEP], header[N_PUSH] = recovery(
        contact_time(scene, options.timestep), options.timestep
    )
    header[N_ORIGIN_X : N_ORIGIN_Z + 1] = -scene.hull.centre
    low, high = _reach(scene, links, hinges)
    extent = float(np.linalg.norm(np.maximum(-low, high)))
    margin = MARGIN * extent
    header[N_REACH_LOW_X : N_REACH_LOW_Z + 1] = low - 1.5 * margin
    header[N_REACH_HIGH_X : N_REACH_HIGH_Z + 1] = high + 1.5 * margin
    header[N_MARGIN], header[N_TURN_ARM] = margin, extent
    header[N_BELT_MASS], header[N_BELT_FORCE] = scene.belt_mass, scene.belt_force
    if scene.push_gains is not None:
        header[N_GAIN_P : N_GAIN_D + 1] = scene.push_gains
    header[N_TREADMILL] = scene.treadmill
    if scene.anchored:
        pose = scene.carrier_pose
        header[N_ANCHOR : N_ANCHOR + 3] = float(pose.x), float(pose.y), float(pose.z)
        header[N_ANCHOR + 3 : N_ANCHOR + 12] = pose.rotation.as_matrix().ravel()
    header[N_SWEEPS], header[N_NORMAL_SWEEPS] = options.sweeps, NORMAL_SWEEPS
    header[N_STEEP] = STEEP_ON_SOIL if scene.has_soil else STEEP
    return header


def _hinge(hinge: Hinge, origin: Array) -> list[float]:
    place, inertia = np.array(hinge.place) - origin, hinge.inertia
    row = [0.0] * HINGE_ROW
    row[HX : HZ + 1] = place.tolist()
    row[CX], row[CZ] = float(inertia.centre[0]), float(inertia.centre[2])
    row[H_MASS] = inertia.mass
    moments = inertia.moments
    row[IXX], row[IYY], row[IZZ], row[IXZ] = (
        moments[0, 0], moments[1, 1], moments[2, 2], moments[0, 2]
    )  # fmt: skip
    row[ARMATURE], row[STIFFNESS], row[DAMPING] = SERVO_ARMATURE, SERVO_STIFFNESS, SERVO_DAMPING
    row[TORQUE] = min(hinge.torque_limit, 1e9)
    row[LOW], row[HIGH] = hinge.limits
    return row


def _shapes(
    shapes: Sequence[ConvexShape], origin: Array, spacing: float
) -> tuple[list[list[float]], list[list[float]], list[list[float]]]:
    """Return rows of convex shapes, their sides and their corners with samples below them."""
    rows: list[list[float]] = []
    sides: list[list[float]] = []
    corners: list[list[float]] = []
    for shape in shapes:
        planes, points = convex_hull(shape.vertices - origin)
        middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
        row = [0.0] * SHAPE
        row[SX : SZ + 1] = middle.tolist()
        row[RADIUS] = float(np.linalg.norm(points - middle, axis=1).max())
        row[FIRST_SIDE], row[END_SIDE] = len(sides), len(sides) + len(planes)
        row[FIRST_CORNER], row[END_CORNER] = len(corners), len(corners) + len(points)
        row[SHAPE_DEEPEST] = HULL_DEEP * float(np.ptp(points, axis=0).min())
        sides += [[*plane[:3], -plane[3]] for plane in planes]
        corners += points.tolist()
        corners += _samples_below(points, planes, spacing)
        row[END_SAMPLE] = len(corners)
        rows.append(row)
    return rows, sides, corners


def _hull_features(scene: TrackScene) -> tuple[Array, Array]:
    """Return faces and edges of a hull that lies on belts, as seen from O; none of other hulls."""
    faces, edges = [np.zeros((0, FACE))], [np.zeros((0, EDGE))]
    if not scene.anchored:
        return faces[0], edges[0]
    # Imported here: scipy.spatial takes a fifth of the time in which a run starts.
    from scipy.spatial import ConvexHull

    for shape in scene.shapes:
        points = shape.vertices - scene.hull.centre
        hull = ConvexHull(points)
        triangles = hull.simplices.astype(np.int64)
        a, b, c = (points[triangles[:, k]] for k in range(3))
        inside_out = np.einsum("ni,ni->n", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
        triangles[inside_out] = triangles[inside_out][:, ::-1]
        found, segments = mesh_features(points, triangles, 0)
        faces.append(found)
        edges.append(edge_rows(segments))
    return np.concatenate(faces), np.concatenate(edges)


def _samples_below(points: Array, planes: Array, spacing: float) -> list[list[float]]:
    """Return places on the lower sides of a convex shape, at most 256."""
    low, high = points.min(axis=0), points.max(axis=0)
    counts = np.minimum(np.ceil((high - low)[:2] / spacing).astype(int) + 1, 16)
    x, y = np.meshgrid(*(np.linspace(low[k], high[k], counts[k]) for k in range(2)))
    places = np.stack([x.ravel(), y.ravel()], axis=1)
    under = planes[planes[:, 2] < -0.3]
    heights = (-under[:, 3] - places @ under[:, :2].T) / under[:, 2]
    z = heights.max(axis=1)
    found = np.column_stack([places, z])
    inside = (found @ planes[:, :3].T + planes[:, 3] < 1e-9).all(axis=1)
    return found[inside].tolist()


def _reach(
    scene: TrackScene, links: Sequence[Sequence[float]], hinges: Sequence[Sequence[float]]
) -> tuple[Array, Array]:
    """Return the box around the robot with its flippers at any angle, as seen from O [m]."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    tall = max((b.grousers.height for b in scene.belts if b.grousers), default=0.0)
    for link in () if scene.anchored else links:
        for x, z, radius in ((link[AX], link[AZ], link[RA]), (link[BX], link[BZ], link[RB])):
            centre, around = np.array([x, 0.0, z]), radius + tall
            if link[BODY]:
                around += float(np.hypot(x, z))
                centre = np.array(hinges[int(link[BODY]) - 1][HX : HZ + 1])
            low[[0, 2]] = np.minimum(low[[0, 2]], centre[[0, 2]] - around)
            high[[0, 2]] = np.maximum(high[[0, 2]], centre[[0, 2]] + around)
        low[1], high[1] = min(low[1], link[Y0]), max(high[1], link[Y1])
    for shape in scene.shapes:
        points = shape.vertices - scene.hull.centre
        low, high = np.minimum(low, points.min(axis=0)), np.maximum(high, points.max(axis=0))
    return low, high


def hull_parameters(scene: TrackScene, soft: float, table: Array) -> dict[int, Array]:
    """Return parameters of robots, by their first field, from the columns of `Variation.table`."""
    factor, payload = table[:, 1], table[:, 2]
    at = table[:, 3:6] - scene.hull.centre
    mass = factor * scene.hull.mass + payload
    first = payload[:, None] * at
    moments = factor[:, None, None] * scene.hull.moments
    squares = (at[:, 0] ** 2 + at[:, 1] ** 2 + at[:, 2] ** 2)[:, None, None] * np.eye(3)
    moments = moments + payload[:, None, None] * (squares - at[:, :, None] * at[:, None, :])
    rows = [mass, *first.T, *(moments[:, i, i] for i in range(3)), moments[:, 0, 1],
            moments[:, 0, 2], moments[:, 1, 2]]  # fmt: skip
    flippers = factor * sum(hinge.inertia.mass for hinge in scene.hinges)
    total = mass + flippers
    pushed = factor * _inertia_about_z(scene) + payload * (at[:, 0] ** 2 + at[:, 1] ** 2)
    return {
        FRICTION: table[:, :1],
        HULL: np.stack(rows, axis=1),
        FACTOR: factor[:, None],
        SOFT: (soft * scene.mass / total)[:, None],
        WEIGHT: (GRAVITY * total)[:, None],
        PUSHED: np.stack([total, pushed], axis=1),
        CHOLESKY: _factor(mass, first, moments),
    }


def _inertia_about_z(scene: TrackScene) -> float:
    """Return the robot's moment of inertia about its centre of mass, flippers level [kg m^2]."""
    parts = [(scene.hull.mass, scene.hull.centre, scene.hull.moments[2, 2])]
    for hinge in scene.hinges:
        centre = np.array(hinge.place) + hinge.inertia.centre
        parts.append((hinge.inertia.mass, centre, hinge.inertia.moments[2, 2]))
    middle = sum((m * c for m, c, _ in parts), np.zeros(3)) / scene.mass
    return float(sum(i + m * ((c - middle)[:2] @ (c - middle)[:2]) for m, c, i in parts))


def _factor(mass: Array, first: Array, moments: Array) -> Array:
    """Return Cholesky factors of hulls' inertias, inverted diagonals first; their inverses."""
    square = np.zeros((len(mass), 6, 6))
    square[:, range(3), range(3)] = mass[:, None]
    square[:, 3:, 3:] = moments
    x, y, z = first.T
    for i, j, value in ((0, 4, z), (0, 5, -y), (1, 3, -z), (1, 5, x), (2, 3, y), (2, 4, -x)):
        square[:, i, j] = square[:, j, i] = value
    lower = np.linalg.cholesky(square)
    inverse = np.linalg.inv(lower)
    below = [(i, j) for i in range(1, 6) for j in range(i)]
    diagonal = [1.0 / lower[:, i, i] for i in range(6)]
    factor = [*diagonal, *(lower[:, i, j] for i, j in below)]
    inverse_factor = [*diagonal, *(inverse[:, i, j] for i, j in below)]
    return np.stack([*factor, *inverse_factor], axis=1, dtype=np.float64)

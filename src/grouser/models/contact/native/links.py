"""Belts as tables: links between circles, spots at which the ground presses, rows of grousers."""

from collections.abc import Sequence

import numpy as np

from grouser.description.loop import Arc
from grouser.geometry import Array
from grouser.models.contact.native.layout import *
from grouser.models.contact.scene import BeltSurface, GrouserRow, TrackScene

CONTACT_TIME, CONTACT_SIZE, IMPEDANCE = 0.015, 0.3, 0.95
"""Time in which a contact settles, for robots from a size on [s] [m], and its share of a rigid
contact [1]. Smaller robots have faster contacts, or they would sink in by a share of their size."""
CONTACT_STEPS = 4
"""Steps in which a contact settles at least [1]."""
DEEP = 0.45
"""Depth from which something lies behind a face or edge and is no contact, over the radius [1]."""
SAMPLE, LINE = 0.07, 0.1
"""Largest distance of samples on height fields along a belt and across it, over the robot's size
[1]."""
MANY = 0.5, 0.667, 0.667, 3.0, 3.0
"""Numbers of PATCHES for more places than it has, whose ends carry as much as the others."""
PATCHES = {
    2: (0.5, 0.5, 1.0, 1.0, 1.0, 1.0),
    3: (0.376, 0.5, 0.171, 0.171, 3.0, 3.0),
    4: (0.214, 0.457, 0.076, 0.506, 2.188, 1.827),
    5: (0.206, 0.5, 0.24, 0.24, 3.0, 3.0),
    6: (0.159, 0.5, 0.545, 0.545, 3.0, 3.0),
    7: (0.126, 0.5, 0.8, 0.8, 3.0, 3.0),
    8: (0.106, 0.5, 0.571, 0.571, 3.0, 3.0),
}
"""By places along each side of a run: load of each end over that of the run; where friction of an
end acts, over its length; factors on the squares of the radii of gyration of patches, over those of
uniform ones: along, of patches between the ends and at them; across, likewise. Chosen by statics so
that robots of many shapes turn as on evenly loaded strips."""
NARROW, MIDDLE = 0.125, (0.144, 0.492, 0.404, 1.148, 3.738, 0.481)
"""Width of a belt over its length up to which four places on each side are better placed as two at
each end and four in the middle, and the numbers of PATCHES for that."""

NO_PLACE = -1.0
"""Number of the place of a spot that remembers nothing."""


def contact_time(scene: TrackScene, timestep: float) -> float:
    """Return the time in which a contact of a robot settles [s]: with the root of small sizes."""
    share = min(scene.size / CONTACT_SIZE, 1.0) ** 0.5
    return max(CONTACT_TIME * share, CONTACT_STEPS * timestep)


def contact_softness(scene: TrackScene) -> float:
    """Return the softness of a contact [1/kg]: a share of how easily a belt's end is lifted."""
    robot = scene.robot
    mass = scene.mass
    inertia = scene.hull.moments
    half = 0.5 * max(robot.contact_length, 1e-6), 0.5 * robot.gauge
    for hinge in scene.hinges:
        arm = np.array(hinge.place) + hinge.inertia.centre - scene.hull.centre
        inertia = inertia + hinge.inertia.moments
        inertia = inertia + hinge.inertia.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    mobility = 1.0 / mass + half[0] ** 2 / inertia[1, 1] + half[1] ** 2 / inertia[0, 0]
    return (1.0 - IMPEDANCE) / IMPEDANCE * float(mobility)


def recovery(time: float, timestep: float) -> tuple[float, float]:
    """Return the kept share of an approach [1] and the recovery of a depth [1/s] per step."""
    stiff = IMPEDANCE * max(time, 2.0 * timestep)
    return 1.0 - timestep * 2.0 / stiff, timestep / stiff**2


def make_links(
    scene: TrackScene, origin: Array, *, in_lines: bool
) -> tuple[list[list[float]], list[list[float]], list[int]]:
    """Return rows of links, rows of spots, and the belt of each link.

    With `in_lines`, spots lie in two lines along every belt, so that places can be numbered.
    """
    links: list[list[float]] = []
    spots: list[list[float]] = []
    owners: list[int] = []
    for number, belt in enumerate(scene.belts):
        circles = _circles(belt)
        runs = _runs(circles)
        longest = max((_distance(circles[i], circles[j]) for i, j in runs), default=0.0)
        taken: set[int] = set()
        for i, j in sorted(runs, key=lambda run: -_distance(circles[run[0]], circles[run[1]])):
            share = _distance(circles[i], circles[j]) / longest if longest else 1.0
            count = max(2, round(belt.patches * share)) if i != j else 1
            row = _link(scene, belt, circles[i], circles[j], origin)
            outside = len(circles) > 2
            # Runs go around clockwise, so that outside is to their left, seen from the right.
            row[OUTER], row[OWNS_END] = (1.0, 0.0) if outside else (0.0, 1.0)
            ends = (i not in taken, j not in taken or i == j)
            taken |= {i, j}
            row[FIRST] = len(spots)
            spots += _spots(row, count, ends, in_lines=in_lines)
            row[END] = len(spots)
            row[ENDS] = sum(ends)
            row[SAMPLES] = (
                min(np.ceil(row[LENGTH] / (SAMPLE * scene.size)), 250) if count > 1 else 0
            )
            row[LINES] = max(np.ceil(belt.width / (LINE * scene.size)) - 1, 0)
            links.append(row)
            owners.append(number)
    return links, spots, owners


def _runs(circles: Sequence[tuple[float, float, float]]) -> list[tuple[int, int]]:
    """Return pairs of circles with a straight run between them; two circles are one link."""
    count = len(circles)
    if count == 1:
        return [(0, 0)]
    return [(0, 1)] if count == 2 else [(i, (i + 1) % count) for i in range(count)]


def _circles(belt: BeltSurface) -> list[tuple[float, float, float]]:
    """Return centre and radius of the pulleys, in the order in which the belt runs around them."""
    arcs = [arc for arc in belt.loop.segments if isinstance(arc, Arc)]
    return [(*arc.centre, arc.radius) for arc in arcs if arc.turn > 0.0]


def _distance(a: tuple[float, float, float], b: tuple[float, float, float]) -> float:
    return float(np.hypot(b[0] - a[0], b[1] - a[1]))


def _link(
    scene: TrackScene, belt: BeltSurface, a: tuple[float, float, float],
    b: tuple[float, float, float], origin: Array,
) -> list[float]:  # fmt: skip
    shift = origin if belt.body == 0 else np.zeros(3)
    y = belt.y - origin[1] + (0.0 if belt.body == 0 else scene.hinges[belt.body - 1].place[1])
    length = _distance(a, b)
    lean = (a[2] - b[2]) / length if length else 0.0
    row = [0.0] * LINK
    row[BODY], row[DRIVE] = belt.body, belt.drive
    row[Y0], row[Y1] = y - 0.5 * belt.width, y + 0.5 * belt.width
    row[AX], row[AZ], row[RA] = a[0] - shift[0], a[1] - shift[2], a[2]
    row[BX], row[BZ], row[RB] = b[0] - shift[0], b[1] - shift[2], b[2]
    row[LENGTH], row[INV_LENGTH] = length, 1.0 / length if length else 0.0
    row[TAPER] = lean / np.sqrt(1.0 - lean * lean)
    row[AROUND] = 0.5 * length + max(a[2], b[2])
    row[DEEPEST] = DEEP * max(a[2], b[2])
    return row


def _spots(
    link: list[float], count: int, ends: tuple[bool, bool], *, in_lines: bool
) -> list[list[float]]:
    """Return the places of a link at which the ground presses: at its ends, then between.

    A place stands for a cell of the strip. Load acts at the ends and sides, so that support is
    whole; friction acts in the middle of the cell, where slip differs because the robot turns.
    """
    width, length = link[Y1] - link[Y0], link[LENGTH]
    lines, numbers = 2, PATCHES.get(count, (1.0 / count, *MANY))
    if count == 4 and width <= NARROW * length and not in_lines:
        lines, count, numbers = 1, 6, MIDDLE
    end, at, along_between, along_end, across_between, across_end = numbers
    share, at = (end, at * end) if count > 1 else (1.0, 0.0)
    half, found = 0.5 * width, []
    for k, given in ((0, ends[0]), (1, ends[1] and count > 1)):
        for y, rub in ((link[Y0], link[Y0] + 0.5 * half), (link[Y1], link[Y1] - 0.5 * half)):
            if given:
                found.append(
                    [float(k), y, abs(k - at), rub, 0.5 / share,
                     share * length * np.sqrt(along_end / 12.0), half * np.sqrt(across_end / 12.0),
                     share * length * half, NO_PLACE]
                )  # fmt: skip
    between, across = (1.0 - 2.0 * end) / max(count - 2, 1), width / lines
    for k in range(count - 2):
        at = end + (k + 0.5) * between
        for line in range(lines):
            rub = link[Y0] + (line + 0.5) * across
            found.append(
                [at, rub if lines == 1 else link[Y0] + line * width, at, rub,
                 0.25 * lines / between, between * length * np.sqrt(along_between / 12.0),
                 across * np.sqrt(across_between / 12.0), between * length * across, NO_PLACE]
            )  # fmt: skip
    return found


def make_rows(
    scene: TrackScene, owners: Sequence[int], origin: Array, timestep: float
) -> tuple[list[list[float]], list[list[float]], int]:
    """Return rows of grousers, the segments of their loops, and how many grousers there are."""
    rows: list[list[float]] = []
    path: list[list[float]] = []
    ribs = 0
    for number, belt in enumerate(scene.belts):
        if belt.grousers is None:
            continue
        row = _grousers(scene, belt, belt.grousers, origin, timestep)
        row[R_LINK], row[R_RIBS] = owners.index(number), ribs
        row[R_PATH] = len(path)
        shift = origin if belt.body == 0 else np.zeros(3)
        for start, segment in zip(belt.loop.starts, belt.loop.segments, strict=True):
            path.append(
                [float(start), segment.length, segment.x - shift[0], segment.z - shift[2],
                 float(np.cos(segment.heading)), float(np.sin(segment.heading)), segment.curvature]
            )  # fmt: skip
        row[R_PATH_END] = len(path)
        ribs += belt.grousers.count
        rows.append(row)
    return rows, path, ribs


def _grousers(
    scene: TrackScene, belt: BeltSurface, grousers: GrouserRow, origin: Array, timestep: float
) -> list[float]:
    shift = origin if belt.body == 0 else np.zeros(3)
    y = belt.y - origin[1] + (0.0 if belt.body == 0 else scene.hinges[belt.body - 1].place[1])
    front, rear = (np.array(arc.centre) - shift[[0, 2]] for arc in belt.loop.end_arcs)
    axis = front - rear
    square = float(axis @ axis)
    tip = 0.5 * grousers.tip_length
    row = [0.0] * ROW
    row[R_Y0], row[R_Y1] = y - 0.5 * grousers.width, y + 0.5 * grousers.width
    row[R_AX], row[R_AZ] = rear.tolist()
    row[R_BX], row[R_BZ] = front.tolist()
    row[R_INV] = 1.0 / square if square else 0.0
    row[R_SHARES] = min(belt.patches if belt.body == 0 else max(2, belt.patches // 2), 32)
    row[R_COUNT], row[R_START], row[R_PITCH] = grousers.count, grousers.first, grousers.pitch
    row[R_FOOT], row[R_TIP] = 0.5 * grousers.foot_length, tip
    row[R_HIGH] = max(grousers.height - tip, 1e-6)
    row[R_KEEP], row[R_PUSH] = recovery(_grouser_time(scene, grousers, timestep), timestep)
    row[R_LOOP] = belt.loop.length
    rear_x, front_x, low, high = belt.loop.bounds
    row[R_MX], row[R_MZ] = 0.5 * (rear_x + front_x) - shift[0], 0.5 * (low + high) - shift[2]
    row[R_AROUND] = 0.5 * float(np.hypot(front_x - rear_x, high - low)) + grousers.height
    row[R_ROLLS] = 0.0 if grousers.follows_loop else 1.0
    row[R_DEEPEST] = DEEP * max(arc.radius for arc in belt.loop.end_arcs)
    return row


def _grouser_time(scene: TrackScene, grousers: GrouserRow, timestep: float) -> float:
    """Return the time in which a contact of a grouser settles [s].

    A contact at one side of a belt is a spring of 1 / (softness (IMPEDANCE time)^2) [N/m]: half a
    grouser.
    """
    time = contact_time(scene, timestep)
    if grousers.stiffness is None:
        return time
    spring = 0.5 * grousers.stiffness * grousers.width
    return max(time, (contact_softness(scene) * spring) ** -0.5 / IMPEDANCE)

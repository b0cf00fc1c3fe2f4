"""Small grounds, and points on their faces and edges."""

import numpy as np

from grouser.description.mesh import Mesh
from grouser.description.solids import Plane, Slab
from grouser.description.surface import Rectangle
from grouser.description.terrain import Terrain
from grouser.models.ground.facets import face_corners
from grouser.models.ground.ground import GroundTables, build_ground

REACH = 0.8


def mesh_of(vertices, triangles, name="mesh") -> Mesh:
    return Mesh(name=name, vertices=vertices, triangles=triangles)


def box(x, y, length, width, top, yaw=0.0, bottom=0.0, top_end=None) -> Slab:
    return Slab(
        footprint=Rectangle(x=x, y=y, yaw=yaw, length=length, width=width),
        top_start=top,
        top_end=top if top_end is None else top_end,
        bottom=bottom,
    )


def build(*solids, plane=True, reach=REACH) -> GroundTables:
    return build_ground(Terrain(solids=(*([Plane()] if plane else []), *solids)), reach=reach)


def cuboid(low, high) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices and outward triangles of a box along the axes."""
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in sides for t in ((a, b, c), (a, c, d))]
    return low + corners * (np.subtract(high, low)), np.array(triangles)


def extrude(profile, width) -> tuple[np.ndarray, np.ndarray]:
    """Return the mesh of a staircase: the profile (x, z) counter-clockwise seen from -y.

    The profile must be one whose ends are seen from its first corner.
    """
    many = len(profile)
    near = np.array([(x, -width / 2, z) for x, z in profile])
    far = near + [0.0, width, 0.0]
    triangles = [(0, k, k + 1) for k in range(1, many - 1)]
    triangles += [(many, many + k + 1, many + k) for k in range(1, many - 1)]
    for k in range(many):
        n = (k + 1) % many
        triangles += [(k, many + k, many + n), (k, many + n, n)]
    return np.concatenate((near, far)), np.array(triangles)


def face_points(faces, spacing=0.03):
    """Return points on faces and the face of each."""
    points, which = [], []
    for number, (a, b, c, d) in enumerate(face_corners(faces)):
        is_triangle = faces[number, 12] < 0
        nu, nv = (max(2, int(np.linalg.norm(e) / spacing) + 1) for e in (b - a, (c - a) - (b - a)))
        u, v = np.meshgrid((np.arange(nu) + 0.5) / nu, (np.arange(nv) + 0.5) / nv)
        u, v = u.ravel(), v.ravel()
        if is_triangle:
            u, v = u[u + v < 1], v[u + v < 1]
            p = a + u[:, None] * (b - a) + v[:, None] * (c - a)
        else:
            p = a + u[:, None] * (b - a) + v[:, None] * (d - a)
        points.append(p)
        which.append(np.full(len(p), number))
    return np.concatenate(points), np.concatenate(which)


def covered(points, normals, faces, slack=1e-6):
    """Return whether points lie on a face with the same normal."""
    found = np.zeros(len(points), bool)
    for face in faces:
        c, u, v, n, (hu, hv) = face[:3], face[3:6], face[6:9], face[9:12], face[12:14]
        away = points - c
        on = (normals @ n > 1 - 1e-6) & (np.abs(away @ n) < 1e-6 + 0.01 * slack)
        pu, pv = away @ u, away @ v
        if hu < 0:
            room = slack * max(np.linalg.norm(u), np.linalg.norm(v))
            on &= (pu > -1 / 3 - room) & (pv > -1 / 3 - room) & (pu + pv < 1 / 3 + room)
        else:
            on &= (np.abs(pu) < hu + slack) & (np.abs(pv) < hv + slack)
        found |= on
    return found


def edge_points(edges, spacing=0.02):
    """Return points of edges, but their ends."""
    points = []
    for row in edges[edges[:, 6] > 0]:
        many = max(2, int(row[6] / spacing))
        points.append(row[:3] + ((np.arange(many) + 0.5) / many * row[6])[:, None] * row[3:6])
    return np.concatenate(points)


def on_edges(points, edges):
    """Return the distance of points from the nearest edge."""
    best = np.full(len(points), np.inf)
    for row in edges:
        t = np.clip((points - row[:3]) @ row[3:6], 0.0, row[6])
        best = np.minimum(best, np.linalg.norm(row[:3] + t[:, None] * row[3:6] - points, axis=1))
    return best


def owned_corners(tables):
    return tables.edges[tables.edges[:, 9] > 0, :3]


def inside(slab, points, margin=0.0):
    """Return whether points are in a slab, at least by a margin."""
    (a, b, c), (d, e, f) = slab.footprint.along, slab.footprint.across
    x, y, z = points.T
    za, zb, zc = slab.top
    depth = np.minimum(
        0.5 * slab.footprint.length - np.abs(a * x + b * y + c),
        0.5 * slab.footprint.width - np.abs(d * x + e * y + f),
    )
    depth = np.minimum(depth, np.minimum(za * x + zb * y + zc - z, z - slab.bottom))
    return depth > margin


def free(points, slabs, margin=0.0):
    """Return whether points are above the level plane and in no slab, less a margin."""
    hit = points[:, 2] < -margin
    for slab in slabs:
        hit |= inside(slab, points, margin)
    return ~hit

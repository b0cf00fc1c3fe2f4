"""Robots are put above the ground: tilted as it is, and lifted where something is in the way."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.errors import InvalidValue
from grouser.geometry import Array, Pose
from grouser.laws.slope import GRAVITY
from grouser.laws.terramechanics import static_sinkage
from grouser.models.contact.scene import TrackScene, corners_of
from grouser.notices import LOGGER

ABOVE = 1e-5
"""How far above the ground a robot is put that had to be lifted, so that all of it lands [m]."""
CLEAR = 1e-3
"""How deep a robot may start in the ground [m]."""
SPACING = 0.05
"""Distance of places at which the ground below a robot is looked up, over its size [1]."""
POINTS_AT_ONCE = 65536
"""Points of robots for which the ground is looked up together."""
HEIGHTS = 1.5
"""How much higher than the robot something may be that it is put on [1]."""
SLOPE = 0.7
"""And how steep: over the half of the robot that is above it, as with stairs [1]."""


def lowest_points(scene: TrackScene) -> Array:
    """Return places on the outside of belts and hull (m, 3), in the body frame, at rest."""
    points = [corners_of(scene.shapes)]
    spacing = SPACING * scene.size
    for belt in () if scene.anchored else scene.belts:
        places = np.linspace(0.0, belt.loop.length, max(int(belt.loop.length / spacing), 12))
        x, z = (np.asarray(part) for part in belt.loop.point_at(places[:-1]))
        y = np.zeros_like(x)
        if belt.body:
            hinge = scene.hinges[belt.body - 1]
            cos, sin = np.cos(hinge.rest_angle), np.sin(hinge.rest_angle)
            x, z = hinge.place[0] + x * cos + z * sin, hinge.place[2] + z * cos - x * sin
            y = y + hinge.place[1]
        for across in np.linspace(-0.5, 0.5, 2 + int(belt.width / spacing)):
            points.append(np.stack([x, y + belt.y + across * belt.width, z], axis=1))
    return np.concatenate(points)


def lift_above(scene: TrackScene, poses: Pose, which: NDArray[np.bool_], points: Array) -> Pose:
    """Return poses on the ground at (x, y, yaw), lifted until `points` are clear of it.

    Only of the robots of the mask, one after the other.

    Raises:
        InvalidValue: Something is in the way of a robot that none can stand on.
    """
    x, y, yaw = (
        np.broadcast_to(np.asarray(value, np.float64), which.shape)[which]
        for value in (poses.x, poses.y, poses.yaw)
    )
    placed = scene.course.terrain.pose_at(x, y, yaw)
    deepest = _deepest(scene, placed, points)
    lift = np.where(deepest > CLEAR, deepest + ABOVE, 0.0)
    if scene.anchored:
        lift = lift + _height_of_belts(scene) - points[:, 2].min()
    too_high = lift > steppable_height(scene.robot)
    if too_high.any():
        i = int(np.argmax(too_high))
        required = f"be clear of obstacles for robot {scene.robot.name!r}"
        raise InvalidValue("start", f"({x[i]:g} m, {y[i]:g} m)", required)
    return replace(placed, z=placed.z + lift)


def _deepest(scene: TrackScene, placed: Pose, points: Array) -> Array:
    """Return how deep the deepest of some points of each robot is in the ground [m]."""
    matrices = placed.rotation.as_matrix().reshape(-1, 3, 3)
    origins = np.stack([placed.x, placed.y, placed.z], axis=-1)
    deepest = np.empty(len(origins))
    chunk = max(1, POINTS_AT_ONCE // len(points))
    for first in range(0, len(origins), chunk):
        part = slice(first, first + chunk)
        at = points @ np.swapaxes(matrices[part], 1, 2) + origins[part, None]
        x, y, z = np.moveaxis(at, -1, 0)
        depth = np.asarray(scene.course.terrain.height(x.copy(), y.copy())) - z
        deepest[part] = np.max(np.where(np.isnan(depth), -np.inf, depth), axis=1, initial=-np.inf)
    return deepest


def _height_of_belts(scene: TrackScene) -> float:
    """Return how high belts that stand in the world reach above their ground [m]."""
    return max(
        belt.loop.bounds[3] + (belt.grousers.height if belt.grousers else 0.0)
        for belt in scene.belts
    )


def steppable_height(robot: Robot) -> float:
    """Return how far a robot may be lifted so that it is clear of the ground at its start [m].

    A robot is put level over what is below it. On stairs it is lifted until its nose is clear:
    long robots farther than low ones.
    """
    tops = [track.loop.bounds[3] for track in robot.tracks]
    tops += [2.0 * wheel.radius for wheel in robot.wheels]
    height = max(robot.body.centre[2] + 0.5 * robot.body.size[2], *tops)
    reaches = [robot.front, -robot.rear]
    for flipper in robot.flippers:
        rear, front = flipper.track.loop.bounds[:2]
        reaches.append(abs(flipper.hinge[0]) + max(front, -rear))
    return max(HEIGHTS * height, SLOPE * max(reaches))


def warn_of_sinking(scene: TrackScene) -> None:
    """Warn where a robot at rest would sink into a soil deeper than its hull clears the ground."""
    robot = scene.robot
    width = max(track.width for track in robot.tracks)
    area = robot.contact_length * sum(track.width for track in robot.tracks)
    ground = min(track.loop.bounds[2] for track in robot.tracks)
    clearance = float(corners_of(scene.shapes)[:, 2].min()) - ground
    for name, surface in scene.course.terrain.surfaces.items():
        if surface.soil is None:
            continue
        sinkage = float(static_sinkage(surface.soil, GRAVITY * scene.mass / area, width))
        if sinkage > clearance:
            LOGGER.warning(
                "robot %r sinks %.3g m into surface %r, and its hull clears the ground by %.3g m: "
                "the hull then rests on the surface as on firm ground",
                robot.name, sinkage, name, clearance,
            )  # fmt: skip

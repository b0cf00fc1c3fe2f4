"""Robots are put above the ground: tilted as it is, and lifted where something stands in the way."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.errors import InvalidValue
from grouser.geometry import Array, Pose
from grouser.models.contact.scene import TrackScene, corners_of

ABOVE = 1e-5
"""How far above the ground a robot is put that had to be lifted, so that all of it lands [m]."""
CLEAR = 1e-3
"""How deep a robot may start in the ground [m]."""
SPACING = 0.05
"""Distance of places at which the ground below a robot is looked up, over its size [1]."""
HEIGHTS = 1.5
"""How much higher than the robot something may be that it is put on [1]."""
SLOPE = 0.7
"""And how steep: over the half of the robot that is above it, as with stairs [1]."""


def lowest_points(scene: TrackScene) -> Array:
    """Return places on the outside of belts and hull (m, 3), in the body frame, flippers at rest."""
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


def lift_above(
    scene: TrackScene, poses: Pose, which: NDArray[np.bool_], points: Array
) -> Pose:
    """Return poses of robots on the ground at (x, y, yaw), lifted until `points` are clear of it.

    Raises:
        InvalidValue: Something is in the way of a robot of the mask that none can stand on.
    """
    x, y, yaw = (np.broadcast_to(np.asarray(v, np.float64), which.shape) for v in
                 (poses.x, poses.y, poses.yaw))  # fmt: skip
    terrain = scene.course.terrain
    placed = terrain.pose_at(x.copy(), y.copy(), yaw.copy())
    matrices = placed.matrix.reshape(-1, 3, 3)
    origins = np.stack([x, y, np.asarray(placed.z)], axis=-1)
    lift = np.zeros(len(which))
    for i in np.flatnonzero(which):
        at = points @ matrices[i].T + origins[i]
        heights = np.asarray(terrain.height(at[:, 0].copy(), at[:, 1].copy()))
        deepest = float(np.nanmax(heights - at[:, 2], initial=-np.inf))
        lift[i] = deepest + ABOVE if deepest > CLEAR else 0.0
    if scene.anchored:
        lift = lift + _height_of_belts(scene) - points[:, 2].min()
    too_high = which & (lift > steppable_height(scene.robot))
    if too_high.any():
        i = int(np.argmax(too_high))
        required = f"be clear of obstacles for robot {scene.robot.name!r}"
        raise InvalidValue("start", f"({x[i]:g} m, {y[i]:g} m)", required)
    return replace(placed, z=placed.z + lift)


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

"""Contact pressure below each belt as a strip of coloured tiles beside it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import viser
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from trimesh.creation import box

from grouser.description import Robot
from grouser.laws.inertial import turn_matrix
from grouser.models import Contact, Motion
from grouser.report.colours import SCALE
from grouser.viewer.scene.overlays import SceneNode, add_batch, to_linear
from grouser.viewer.scene.vectors import HIDDEN, Scale

TILES = 16
"""Number of tiles of a strip [1]."""
WIDTH = 0.6
"""Width of a strip, as a share of the belt's [1]."""
GRAVITY = 9.81
"""Standard gravity, for the scale of colours [m/s^2]."""


@dataclass(frozen=True, slots=True)
class Strip:
    """Where a belt or wheel may touch the ground, in the body frame or in a flipper's."""

    name: str
    rear: float
    """Rear end of the strip [m]."""
    front: float
    """Front end of the strip [m]."""
    y: float
    """Middle of the belt [m]."""
    low: float
    """Height of the strip [m]."""
    width: float
    """Width of the belt [m]."""
    hinge: tuple[float, float, float] | None = None
    """Origin of the flipper's frame; None for the body frame [m]."""

    @property
    def tile(self) -> float:
        """Length of a tile [m]."""
        return (self.front - self.rear) / TILES


def strips_of(robot: Robot) -> tuple[Strip, ...]:
    """Return the strips of all tracks, wheels and flippers."""
    found = [
        Strip(track.name, *track.loop.bounds[:2], track.y, track.loop.bounds[2], track.width)
        for track in robot.tracks
    ]
    found += [
        Strip(one.name, one.x - one.radius, one.x + one.radius, one.y, 0.0, one.width)
        for one in robot.wheels
    ]
    for flipper in robot.flippers:
        rear, front, low, _ = flipper.track.loop.bounds
        width, hinge = flipper.track.width, flipper.hinge
        found.append(Strip(flipper.name, rear, front, hinge[1], low, width, hinge))
    return tuple(found)


def pressures(
    strip: Strip, contacts: Sequence[Contact], motion: Motion, angle: float = 0.0
) -> NDArray[np.float64]:
    """Return the mean pressure on each tile of a strip, from its rear end on [Pa].

    The load of each contact is spread evenly over its share of the strip's length.
    """
    own = [contact for contact in contacts if contact.drive == strip.name]
    if not own:
        return np.zeros(TILES)
    points = np.array([contact.position_in_world for contact in own])
    loads = [np.dot(contact.force_in_world, contact.normal_in_world) for contact in own]
    pose = motion.pose
    body = (points - (float(pose.x), float(pose.y), float(pose.z))) @ turn_matrix(pose)
    if strip.hinge is not None:
        body = (body - np.array(strip.hinge)) @ Rotation.from_euler("y", angle).as_matrix()
    along = np.clip(body[:, 0], strip.rear, strip.front)
    count = len(np.unique(np.round(along / (0.25 * strip.tile))))
    reach = 0.5 * max((strip.front - strip.rear) / max(count, 1), strip.tile)
    edges = np.linspace(strip.rear, strip.front, TILES + 1)
    ends = np.clip(np.stack((along - reach, along + reach)), strip.rear, strip.front)
    overlap = np.minimum(ends[1][:, None], edges[1:]) - np.maximum(ends[0][:, None], edges[:-1])
    share = np.clip(overlap, 0.0, None)
    share /= share.sum(axis=1, keepdims=True)
    return np.clip(loads @ share, 0.0, None) / (strip.tile * strip.width)


class PressureNode(SceneNode):
    """The strips of a robot, outside of its belts."""

    def __init__(self, scene: viser.SceneApi, name: str, robot: Robot) -> None:
        super().__init__(scene, name)
        self._strips, self._flippers = strips_of(robot), [f.name for f in robot.flippers]
        area = sum(one.width * (one.front - one.rear) for one in self._strips if not one.hinge)
        mean = robot.mass * GRAVITY / max(area, 1e-6)
        self.scale = Scale(1.0, mean)
        """Pressure of the darkest colour [Pa]."""
        self._size = robot.front - robot.rear
        count = TILES * len(self._strips)
        colours = np.zeros((count, 3), np.uint8)
        scales = np.full((count, 3), HIDDEN)
        self._node = add_batch(scene, f"{name}/tiles", box((1.0, 1.0, 1.0)), scales, colours)

    def show(self, motion: Motion) -> None:
        """Show the pressures at the contacts of the robot now."""
        pose = motion.pose
        self._root.position = (float(pose.x), float(pose.y), float(pose.z))
        turn = Rotation.from_matrix(turn_matrix(pose))
        self._root.wxyz = tuple(turn.as_quat(scalar_first=True))
        angles = dict(zip(self._flippers, map(float, motion.flipper_angles), strict=False))
        found = [
            pressures(one, motion.contacts, motion, angles.get(one.name, 0.0))
            for one in self._strips
        ]
        top = self.scale.fit(float(np.max(found)))
        places, turns, scales, colours = [], [], [], []
        for strip, values in zip(self._strips, found, strict=True):
            is_hidden = strip.hinge is not None and not values.any()
            place, tilt = self._place(strip, angles.get(strip.name, 0.0))
            places.append(place)
            turns.append(np.tile(tilt.as_quat(scalar_first=True), (TILES, 1)))
            tile = (0.96 * strip.tile, WIDTH * strip.width, 0.012 * self._size)
            scales.append(np.tile((HIDDEN,) * 3 if is_hidden else tile, (TILES, 1)))
            colours.append(colours_of(values / top))
        self._node.batched_positions = np.concatenate(places).astype(np.float32)
        self._node.batched_wxyzs = np.concatenate(turns).astype(np.float32)
        self._node.batched_scales = np.concatenate(scales).astype(np.float32)
        self._node.batched_colors = to_linear(np.concatenate(colours))

    def _place(self, strip: Strip, angle: float) -> tuple[NDArray[np.float64], Rotation]:
        """Return the middle of each tile in the body frame (n, 3) [m], and the strip's turn."""
        outside = 0.5 * (1.0 + WIDTH) * strip.width * (1.0 if strip.y >= 0.0 else -1.0)
        along = strip.rear + strip.tile * (np.arange(TILES) + 0.5)
        y, z = strip.y + outside, strip.low + 0.008 * self._size
        points = np.column_stack((along, np.full(TILES, y), np.full(TILES, z)))
        if strip.hinge is None:
            return points, Rotation.identity()
        tilt = Rotation.from_euler("y", angle)
        x, _, height = strip.hinge
        return tilt.apply(points * (1.0, 0.0, 1.0)) + (x, y, height), tilt


def colours_of(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the colours (n, 3) of shares of the largest pressure [1], from 0 to 255."""
    stops = np.array([tuple(bytes.fromhex(colour[1:])) for colour in SCALE], np.float64)
    place = np.clip(shares, 0.0, 1.0) * (len(stops) - 1)
    numbers = np.arange(len(stops))
    return np.column_stack([np.interp(place, numbers, stops[:, n]) for n in range(3)])

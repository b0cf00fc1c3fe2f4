"""A belt of rigid plates on hinges, closed around what `plate_guide` puts inside.

Plates are a chain of hinges in the plane of the track; that plane is what P1's two virtual walls
per track are for. Their pins run on the guide. Plates themselves touch only the ground: where the
belt bends they are chords, which would cut into a round pulley.
"""

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from grouser.description.loop import Arc, Loop
from grouser.models.contact.belt_geoms import BeltGeom, add_belt
from grouser.models.contact.pin_path import place_pins, shrink_loop
from grouser.models.contact.plate_guide import GUIDE_BIT, PIN_BIT, STIFF, PlateGuide
from grouser.models.contact.scene import HULL

THICKNESS, SLENDERNESS = 0.12, 0.2
"""Thickness of a plate over the radius of the smallest pulley, and at most over its own length,
assumed: a plate as thick as long would tip over its edge when the ground holds it [1]."""
HINGE_DAMPING, HINGE_INERTIA, HINGE_LENGTH = 0.02, 0.05, 0.09
"""Damping of a hinge over a plate's mass and length [m/s], and inertia over mass and length
squared [1], assumed. Hinges of plates shorter than the third [m] are as strong as its hinges:
else short plates whirl when a whole run falls on the ground, and the belt comes apart."""
PLATES_SHARE, AXLE_SHARE = 0.8, 0.1
"""Shares of the plates, and of the sprocket and the idler each, in the mass that moves [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlateBelt:
    """Makes belts of plates on the hull; flippers keep the rigid belts of `csm`."""

    pitch: float
    """About how long a plate is; as many as fit around the loop evenly [m]."""
    grousers: tuple[float, float] | None
    """Length and height of the rib on each plate; None for none [m]."""
    mass: float
    """Mass of a belt with sprocket and idler [kg]."""
    tension: float
    """Force of the idler's spring [N]."""

    def __call__(
        self, body: mujoco.MjsBody, loop: Loop, *, name: str, y: float, width: float, drive: int
    ) -> list[BeltGeom]:
        """Add a belt to a body; no surface of its geoms moves, as the plates do."""
        if body.name != HULL:
            return add_belt(body, loop, name=name, y=y, width=width, drive=drive, boxes=1)
        thickness = min(THICKNESS * smallest_radius(loop), SLENDERNESS * self.pitch)
        inner = shrink_loop(loop, thickness)
        pins, length = place_pins(inner, round(inner.length / self.pitch))
        self._add_chain(body, name, y, pins, np.array([length, width, thickness]))
        guide = PlateGuide(mass=AXLE_SHARE * self.mass, tension=self.tension)
        guide.add(body, shrink_loop(loop, 1.5 * thickness), name=name, y=y, width=width)
        return []

    def _add_chain(
        self,
        body: mujoco.MjsBody,
        name: str,
        y: float,
        pins: NDArray[np.float64],
        size: NDArray[np.float64],
    ) -> None:
        """Add all plates, from the first one both ways: a chain of half the length costs less."""
        chords = np.roll(pins, -1, axis=0) - pins
        headings = np.unwrap(np.arctan2(-chords[:, 1], chords[:, 0]))
        mass, length = PLATES_SHARE * self.mass / len(pins), float(size[0])
        first = self._add_plate(body, f"{name}/plate0", (pins[0, 0], y, pins[0, 1]), headings[0])
        slide = mujoco.mjtJoint.mjJNT_SLIDE  # the belt as a whole moves in the plane of the track
        for axis in ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]):
            inside = Rotation.from_euler("y", -headings[0]).apply(axis).tolist()
            first.add_joint(type=slide, axis=inside)
        self._shape(first, mass, size, hinge=0.0)
        for numbers, hinge in zip(split_chain(len(pins)), (0.0, length), strict=True):
            last, plate = 0, first
            for number in numbers:
                bend = headings[number] - headings[last]
                # A plate begins where the last one ends; the other way, it ends where that begins.
                x, z = (
                    (length, 0.0)
                    if hinge == 0.0
                    else (-length * np.cos(bend), length * np.sin(bend))
                )
                plate = self._add_plate(plate, f"{name}/plate{number}", (x, 0.0, z), bend)
                self._shape(plate, mass, size, hinge=hinge)
                last = number

    def _add_plate(
        self, carrier: mujoco.MjsBody, name: str, place: tuple[float, float, float], turn: float
    ) -> mujoco.MjsBody:
        quat = Rotation.from_euler("y", turn).as_quat(scalar_first=True).tolist()
        return carrier.add_body(name=name, pos=list(place), quat=quat)

    def _shape(
        self, plate: mujoco.MjsBody, mass: float, size: NDArray[np.float64], *, hinge: float
    ) -> None:
        """Give a plate its joint, at a place along it, its mass, and what touches."""
        length, width, thickness = (float(side) for side in size)
        strength = max(1.0, (HINGE_LENGTH / length) ** 2)
        plate.add_joint(
            type=mujoco.mjtJoint.mjJNT_HINGE,
            axis=[0.0, 1.0, 0.0],
            pos=[hinge, 0.0, 0.0],
            damping=HINGE_DAMPING * strength * mass * length,
            armature=HINGE_INERTIA * strength * mass * length**2,
        )
        plate.explicitinertial = True
        plate.mass, plate.ipos = mass, [0.5 * length, 0.0, 0.5 * thickness]
        plate.inertia = (mass / 12.0 * (np.sum(size**2) - size**2)).tolist()
        box = mujoco.mjtGeom.mjGEOM_BOX
        plate.add_geom(
            name=f"{plate.name}/face", type=box, size=(0.5 * size).tolist(), pos=plate.ipos
        )
        if self.grousers is not None:
            along, height = self.grousers
            plate.add_geom(
                name=f"{plate.name}/grouser",
                type=box,
                size=[0.5 * along, 0.5 * width, 0.5 * height],
                pos=[0.5 * length, 0.0, thickness + 0.5 * height],
            )
        plate.add_geom(
            name=f"{plate.name}/pin",
            type=mujoco.mjtGeom.mjGEOM_SPHERE,
            size=[0.5 * thickness, 0.0, 0.0],
            contype=PIN_BIT,
            conaffinity=GUIDE_BIT,
            **STIFF,
        )


def split_chain(count: int) -> tuple[range, range]:
    """Return the plates that follow plate 0 one way, and those that follow it the other way."""
    return range(1, count // 2 + 1), range(count - 1, count // 2, -1)


def smallest_radius(loop: Loop) -> float:
    """Return the radius of the smallest pulley of a loop [m]."""
    return min(segment.radius for segment in loop.segments if isinstance(segment, Arc))

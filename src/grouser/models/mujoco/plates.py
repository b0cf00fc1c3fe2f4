"""Belts of rigid plates on hinges, closed around sprocket, idler, rollers and a solid guide.

Plates are a chain of hinges in the plane of the track; P1 has two virtual walls per track for
that plane. Their pins slide on the guide without friction, but on the sprocket, which grips them
whatever the load: a cylinder, as in P1. Plates touch only the ground: where the belt bends they
are chords, which would cut into a round pulley. A spring pushes the idler outward, as a polygon
of plates changes its length when it runs around a pulley.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import root_scalar
from scipy.spatial.transform import Rotation

from grouser.description.loop import Arc, Line, Loop
from grouser.models.contact.scene import BeltSurface
from grouser.models.mujoco.belts import add_disc, add_run
from grouser.models.mujoco.build import BuiltScene
from grouser.models.mujoco.terrain import TERRAIN

SPROCKET = "sprocket"
"""End of the names of sprockets."""
PIN_BIT, GUIDE_BIT = 4, 8
"""Pins touch what guides them, and neither touches anything else."""
STIFF: dict[str, Any] = {"solref": [0.004, 1.0], "solimp": [0.98, 0.99, 0.001, 0.5, 2.0]}
"""Contacts of plates: they weigh little, and would sink in by millimetres otherwise."""
GRIP = 10.0
"""Friction between sprocket and pins, which P1 calls infinite [1]."""
TRAVEL = 0.1
"""How far the idler's spring is compressed, over the radius of the idler [1]."""
THICKNESS, SLENDERNESS = 0.12, 0.2
"""Thickness of a plate over the radius of the smallest pulley, and at most over its own length,
assumed: a plate as thick as long would tip over its edge when the ground holds it [1]."""
HINGE_DAMPING, HINGE_INERTIA, HINGE_LENGTH = 0.02, 0.05, 0.09
"""Damping of a hinge over a plate's mass and length [m/s], and inertia over mass and length
squared [1], assumed. Hinges of plates shorter than the third [m] are as strong as its hinges:
else short plates whirl when a whole run falls on the ground, and the belt comes apart."""
PLATES_SHARE, AXLE_SHARE = 0.8, 0.1
"""Shares of the plates, and of the sprocket and the idler each, in the mass that moves [1]."""
MOTOR_INERTIA = 10.0
"""Inertia of a motor over that of its sprocket, assumed [1]."""
BANDWIDTH = 50.0
"""Rate at which a motor takes its share of the robot to a speed, assumed [1/s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlateChain:
    """Makes belts of plates on the hull; flippers keep rigid belts."""

    tracks: tuple[str, ...]
    """Names of the tracks that have plates."""
    pitch: float
    """About how long a plate is; as many as fit around the loop evenly [m]."""
    grousers: tuple[float, float] | None
    """Length and height of the rib on each plate; None for none [m]."""
    mass: float
    """Mass of a belt with sprocket and idler [kg]."""
    tension: float
    """Force of the idler's spring [N]."""
    share: float
    """Mass of the robot that each motor moves [kg]."""
    force_limit: float = math.inf
    """Largest force of a motor on its belt [N]."""

    def replaces(self, belt: BeltSurface) -> bool:
        """Return whether a belt has plates."""
        return belt.body == 0 and belt.name in self.tracks

    def add(self, body: mujoco.MjsBody, belt: BeltSurface) -> None:
        """Add the plates of a belt, and what is inside of them."""
        thickness = min(THICKNESS * smallest_radius(belt.loop), SLENDERNESS * self.pitch)
        inner = shrink_loop(belt.loop, thickness)
        pins, length = place_pins(inner, round(inner.length / self.pitch))
        size = np.array([length, belt.width, thickness])
        _Plates(
            mass=PLATES_SHARE * self.mass / len(pins), size=size, grousers=self.grousers
        ).add_chain(body, belt, pins)
        guide = _Guide(mass=AXLE_SHARE * self.mass, tension=self.tension)
        guide.add(body, shrink_loop(belt.loop, 1.5 * thickness), belt)

    def finish(self, spec: mujoco.MjSpec) -> None:
        """Close the belts, add the motors of their sprockets, stiffen the ground."""
        if not self.tracks:
            return
        # Plates touch the hull.
        spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_FILTERPARENT
        spec.option.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE
        bodies = {body.name: body for body in spec.bodies}
        for name in self.tracks:
            half = sum(b.startswith(f"{name}/plate") for b in bodies) // 2
            length = float(bodies[f"{name}/plate1"].pos[0])
            closing = spec.add_equality(
                name=f"{name}/closing",
                type=mujoco.mjtEq.mjEQ_CONNECT,
                objtype=mujoco.mjtObj.mjOBJ_BODY,
                name1=f"{name}/plate{half}",  # where the two halves of the chain meet
                name2=f"{name}/plate{half + 1}",
                **STIFF,
            )
            closing.data[:3] = length, 0.0, 0.0
            motor = spec.add_actuator(
                name=f"{name}/{SPROCKET}",
                target=f"{name}/{SPROCKET}",
                trntype=mujoco.mjtTrn.mjTRN_JOINT,
            )
            radius = float(spec.geom(f"{name}/{SPROCKET}").size[0])
            radius += float(spec.geom(f"{name}/plate0/pin").size[0])
            # Pins are a chord apart: force and speed of the motor are those of the belt.
            motor.gear[0] = length / (2.0 * float(np.arcsin(0.5 * length / radius)))
        for geom in spec.geoms:
            if geom.name.startswith(TERRAIN):
                geom.solref, geom.solimp = STIFF["solref"], STIFF["solimp"]

    def control(self, built: BuiltScene) -> "SprocketControl":
        """Return the motors."""
        return SprocketControl(self, built)


class SprocketControl:
    """Motors of sprockets that push belts of plates to their speed: PI controls."""

    def __init__(self, chain: PlateChain, built: BuiltScene) -> None:
        model, drives = built.model, built.scene.robot.drives
        self._which = np.array([k for k, d in enumerate(drives) if d.name in chain.tracks], np.intp)
        names = [f"{drives[k].name}/{SPROCKET}" for k in self._which]
        self._actuators = np.array([model.actuator(name).id for name in names], np.intp)
        self._degrees = np.array([model.joint(name).dofadr[0] for name in names], np.intp)
        self._radii = model.actuator_gear[self._actuators, 0].copy()
        self._gains = BANDWIDTH * chain.share, 0.25 * BANDWIDTH**2 * chain.share
        self._limit, self._timestep = chain.force_limit, model.opt.timestep
        self.size = 2 * len(drives)
        """How many numbers the motors remember: the integral and the work of each drive."""

    def act(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        targets: NDArray[np.float64],
        steering: NDArray[np.float64],
        memory: NDArray[np.float64],
    ) -> None:
        """Set each motor's force on its belt; the integral waits while the motor is at a limit."""
        speed = data.qvel[self._degrees] * self._radii
        error = targets[self._which] - speed
        integrals, works = memory.reshape(2, -1)
        integral = integrals[self._which] + error * self._timestep
        force = self._gains[0] * error + self._gains[1] * integral
        within = np.abs(force) < self._limit
        integrals[self._which[within]] = integral[within]
        force = np.clip(force, -self._limit, self._limit)
        data.ctrl[self._actuators] = force
        works[self._which] += force * speed * self._timestep

    def belt_speeds(self, data: mujoco.MjData, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how fast the belts run; those without a sprocket as they should [m/s]."""
        belts = targets.copy()
        belts[self._which] = data.qvel[self._degrees] * self._radii
        return belts

    def works(self, memory: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the work of each motor [J]; 0 of drives without a sprocket."""
        return memory.reshape(2, -1)[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plates:
    """Makes the plates of one belt."""

    mass: float
    size: NDArray[np.float64]
    grousers: tuple[float, float] | None

    def add_chain(self, body: mujoco.MjsBody, belt: BeltSurface, pins: NDArray[np.float64]) -> None:
        """Add all plates, from the first one both ways: a chain of half the length costs less."""
        chords = np.roll(pins, -1, axis=0) - pins
        headings = np.unwrap(np.arctan2(-chords[:, 1], chords[:, 0]))
        name, length = f"{belt.name}/plate", float(self.size[0])
        first = _add_turned(body, f"{name}0", (pins[0, 0], belt.y, pins[0, 1]), headings[0])
        slide = mujoco.mjtJoint.mjJNT_SLIDE  # the belt as a whole moves in the plane of the track
        for axis in ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]):
            inside = Rotation.from_euler("y", -headings[0]).apply(axis).tolist()
            first.add_joint(type=slide, axis=inside)
        self._shape(first, hinge=0.0)
        for numbers, hinge in zip(split_chain(len(pins)), (0.0, length), strict=True):
            last, plate = 0, first
            for number in numbers:
                bend = headings[number] - headings[last]
                # A plate begins where the last one ends; the other way, it ends where that begins.
                back = -length * np.cos(bend), length * np.sin(bend)
                x, z = (length, 0.0) if hinge == 0.0 else back
                plate = _add_turned(plate, f"{name}{number}", (x, 0.0, z), bend)
                self._shape(plate, hinge=hinge)
                last = number

    def _shape(self, plate: mujoco.MjsBody, *, hinge: float) -> None:
        """Give a plate its joint, at a place along it, its mass, and what touches."""
        length, width, thickness = (float(side) for side in self.size)
        strength = max(1.0, (HINGE_LENGTH / length) ** 2) * self.mass
        plate.add_joint(
            type=mujoco.mjtJoint.mjJNT_HINGE,
            axis=[0.0, 1.0, 0.0],
            pos=[hinge, 0.0, 0.0],
            damping=HINGE_DAMPING * strength * length,
            armature=HINGE_INERTIA * strength * length**2,
        )
        plate.explicitinertial = True
        plate.mass, plate.ipos = self.mass, [0.5 * length, 0.0, 0.5 * thickness]
        squares = self.size**2
        plate.inertia = (self.mass / 12.0 * (np.sum(squares) - squares)).tolist()
        box, half = mujoco.mjtGeom.mjGEOM_BOX, (0.5 * self.size).tolist()
        plate.add_geom(name=f"{plate.name}/face", type=box, size=half, pos=plate.ipos)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Guide:
    """Makes what is inside of one belt."""

    mass: float
    tension: float

    def add(self, body: mujoco.MjsBody, loop: Loop, belt: BeltSurface) -> None:
        """Add sprocket, idler, rollers and guide to the hull; `loop` is their outline."""
        front, rear = loop.end_arcs
        name, width = belt.name, belt.width
        for number, segment in enumerate(loop.segments):
            if isinstance(segment, Line):
                geom = add_run(body, segment, f"{name}/guide{number}", (belt.y, width, 0.01))
            elif segment is rear or segment is front:
                label = f"{name}/{SPROCKET if segment is rear else 'idler'}"
                axle = self._add_axle(body, label, segment, belt.y)
                geom = add_disc(axle, label, (0.0, 0.0, 0.0), segment.radius, width)
                (self._turn if segment is rear else self._push)(axle, segment.radius)
            else:
                centre = (segment.centre[0], belt.y, segment.centre[1])
                geom = add_disc(body, f"{name}/roller{number}", centre, segment.radius, width)
            geom.contype, geom.conaffinity = GUIDE_BIT, PIN_BIT
            geom.condim, geom.priority = (3, 1) if segment is rear else (1, 1)
            geom.friction = [GRIP, 0.0, 0.0]
            geom.solref, geom.solimp = STIFF["solref"], STIFF["solimp"]

    def _add_axle(self, body: mujoco.MjsBody, name: str, arc: Arc, y: float) -> mujoco.MjsBody:
        axle = body.add_body(name=name, pos=[arc.centre[0], y, arc.centre[1]])
        axle.explicitinertial, axle.mass, axle.ipos = True, self.mass, [0.0, 0.0, 0.0]
        about = 0.25 * self.mass * arc.radius**2
        axle.inertia = [about, 2.0 * about, about]
        return axle

    def _turn(self, sprocket: mujoco.MjsBody, radius: float) -> None:
        """Let the sprocket turn with its motor."""
        sprocket.add_joint(
            name=sprocket.name,
            type=mujoco.mjtJoint.mjJNT_HINGE,
            axis=[0.0, 1.0, 0.0],
            armature=MOTOR_INERTIA * self.mass * radius**2,
        )

    def _push(self, idler: mujoco.MjsBody, radius: float) -> None:
        """Let the idler slide forward on its spring, and hardly backward."""
        travel = TRAVEL * radius
        stiffness = self.tension / travel
        idler.add_joint(
            name=idler.name,
            type=mujoco.mjtJoint.mjJNT_SLIDE,
            axis=[1.0, 0.0, 0.0],
            stiffness=stiffness,
            springref=travel,
            damping=float(np.sqrt(stiffness * 10.0 * self.mass)),
            range=[-0.5 * travel, 3.0 * travel],
            limited=mujoco.mjtLimited.mjLIMITED_TRUE,
        )


def _add_turned(
    carrier: mujoco.MjsBody, name: str, place: Sequence[float], turn: float
) -> mujoco.MjsBody:
    quat = Rotation.from_euler("y", turn).as_quat(scalar_first=True).tolist()
    return carrier.add_body(name=name, pos=list(place), quat=quat)


def split_chain(count: int) -> tuple[range, range]:
    """Return the plates that follow plate 0 one way, and those that follow it the other way."""
    return range(1, count // 2 + 1), range(count - 1, count // 2, -1)


def smallest_radius(loop: Loop) -> float:
    """Return the radius of the smallest pulley of a loop [m]."""
    return min(segment.radius for segment in loop.segments if isinstance(segment, Arc))


def shrink_loop(loop: Loop, depth: float) -> Loop:
    """Return the loop that runs inside another at a depth [m]; its arcs turn outward."""
    segments = []
    for segment in loop.segments:
        x = segment.x - depth * math.sin(segment.heading)
        z = segment.z - depth * math.cos(segment.heading)
        inner = replace(segment, x=x, z=z)
        if isinstance(inner, Arc):
            inner = replace(inner, radius=inner.radius - depth)
        segments.append(inner)
    return Loop(tuple(segments))


def place_pins(loop: Loop, count: int) -> tuple[NDArray[np.float64], float]:
    """Return the places (x, z) of as many pins on a loop, evenly apart, and their distance [m].

    Plates are chords: the distance is that through the air, not along the loop.
    """
    guess = loop.length / count

    def overshoot(pitch: float) -> float:
        return _walk(loop, count, pitch)[-1] - loop.length

    pitch = root_scalar(overshoot, bracket=(0.7 * guess, guess), xtol=1e-12).root
    places = np.array(_walk(loop, count, pitch)[:-1])
    return np.column_stack(loop.point_at(places)), pitch


def _walk(loop: Loop, count: int, pitch: float) -> list[float]:
    """Return the places that a walk along a loop in steps of a pitch reaches [m]."""
    places = [0.0]
    for _ in range(count):
        here = places[-1]
        x, z = (float(v) for v in loop.point_at(here))

        def gap(there: float, x: float = x, z: float = z) -> float:
            u, w = loop.point_at(there)
            return math.hypot(float(u) - x, float(w) - z) - pitch

        ahead = (here + 0.9 * pitch, here + 1.6 * pitch)
        places.append(root_scalar(gap, bracket=ahead, xtol=1e-12).root)
    return places

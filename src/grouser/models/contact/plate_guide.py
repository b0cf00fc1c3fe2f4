"""What is inside a belt of plates: sprocket, idler, rollers and a solid guide.

Pins slide on all of it without friction, but on the sprocket, which grips them whatever the load:
a cylinder, as in P1. The idler is pushed outward by a spring, as a polygon of plates changes its
length when it runs around a pulley.
"""

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from grouser.description.loop import Arc, Line, Loop
from grouser.models.contact.belt_geoms import add_run, quaternion
from grouser.models.contact.scene import SPROCKET

PIN_BIT, GUIDE_BIT = 4, 8
"""Pins touch what guides them, and neither touches anything else."""
STIFF: dict[str, Any] = {"solref": [0.004, 1.0], "solimp": [0.98, 0.99, 0.001, 0.5, 2.0]}
"""Contacts of plates: they weigh little, and would sink in by millimetres otherwise."""
GRIP = 10.0
"""Friction between sprocket and pins, which P1 calls infinite [1]."""
TRAVEL = 0.1
"""How far the idler's spring is compressed, over the radius of the idler [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlateGuide:
    """Makes the inside of a belt of plates."""

    mass: float
    """Mass of the sprocket, and of the idler [kg]."""
    tension: float
    """Force of the idler's spring [N]."""

    def add(self, body: mujoco.MjsBody, loop: Loop, *, name: str, y: float, width: float) -> None:
        """Add it to the hull.

        Args:
            body: The hull.
            loop: The outline of the guide.
            name: What the track is called.
            y: Where its centre line is [m].
            width: Its width [m].
        """
        front, rear = loop.end_arcs
        for number, segment in enumerate(loop.segments):
            if isinstance(segment, Line):
                geom = add_run(body, segment, f"{name}/guide{number}", y, width, 0.01)
            elif segment is rear:
                axle = self._add_axle(body, f"{name}/{SPROCKET}", segment, y)
                geom = _add_disc(axle, f"{name}/{SPROCKET}", segment.radius, width, (0, 0, 0))
                _turn(axle, f"{name}/{SPROCKET}", armature=10.0 * self.mass * segment.radius**2)
            elif segment is front:
                axle = self._add_axle(body, f"{name}/idler", segment, y)
                geom = _add_disc(axle, f"{name}/idler", segment.radius, width, (0, 0, 0))
                self._push(axle, segment.radius)
            else:
                centre = (segment.centre[0], y, segment.centre[1])
                geom = _add_disc(body, f"{name}/roller{number}", segment.radius, width, centre)
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


def close_belts(spec: mujoco.MjSpec, names: tuple[str, ...]) -> None:
    """Close the belts of some tracks, add the motors of their sprockets, stiffen the ground."""
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_FILTERPARENT  # plates touch the hull
    spec.option.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE  # as `hold` reads it
    bodies = {body.name: body for body in spec.bodies}
    for name in names:
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
        radius = float(spec.geom(f"{name}/{SPROCKET}").size[0])
        radius += float(spec.geom(f"{name}/plate0/pin").size[0])
        motor = spec.add_actuator(
            name=f"{name}/{SPROCKET}",
            target=f"{name}/{SPROCKET}",
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
        )
        # Pins are a chord apart: force and speed of the motor are those of the belt.
        motor.gear[0] = length / (2.0 * float(np.arcsin(0.5 * length / radius)))
    for geom in spec.geoms:
        if geom.name.startswith("terrain"):
            geom.solref, geom.solimp = STIFF["solref"], STIFF["solimp"]


def _turn(axle: mujoco.MjsBody, name: str, armature: float) -> None:
    """Let the sprocket turn, with the inertia of a motor that is ten times its own, assumed."""
    axle.add_joint(
        name=name,
        type=mujoco.mjtJoint.mjJNT_HINGE,
        axis=[0.0, 1.0, 0.0],
        armature=armature,
    )


def _add_disc(
    body: mujoco.MjsBody,
    name: str,
    radius: float,
    width: float,
    centre: tuple[float, float, float],
) -> mujoco.MjsGeom:
    return body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_CYLINDER,
        size=[radius, 0.5 * width, 0.0],
        pos=list(centre),
        quat=quaternion(np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]])),
    )

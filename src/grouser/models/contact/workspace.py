"""What the compiled traction works on: tables of a scene, memory of one robot."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grouser.models.contact.riders import Riders

MOST_CONTACTS = 511
"""Contacts that are given traction; no robot here has nearly as many [1]."""


class SceneTables(NamedTuple):
    """What holds for every robot of a scene; arrays count the engine's geoms unless said."""

    is_robot: NDArray[np.bool_]
    """Whether a geom belongs to the robot."""
    drive: NDArray[np.int64]
    """Which drive moves a geom's surface; the number of drives for none."""
    surface: NDArray[np.float64]
    """Linear and angular velocity of a surface per belt speed, in the geom's frame."""
    along: NDArray[np.float64]
    """Friction along a belt, of geoms of the ground."""
    across: NDArray[np.float64]
    """Friction across a belt, of geoms of the ground."""
    patches: NDArray[np.float64]
    """A row per patch: x, y, cos, sin, half length, half width, friction along, across."""
    hull: int
    """The engine's number of the hull's body."""
    sprockets: NDArray[np.float64]
    """A row per drive: actuator and degree of its sprocket, radius; -1 without one."""
    is_run: NDArray[np.bool_]
    """Whether a geom is a box of a straight run, whose ends lie inside the belt."""
    riders: Riders
    """What rides on belts."""


class Memory(NamedTuple):
    """Memory of one robot; rows up to `count[0]` hold the contacts of the last step."""

    count: NDArray[np.int64]
    """Contacts with traction, and sweeps that the last step took."""
    belts: NDArray[np.float64]
    """Speed of each drive's belt, and zero for what has none [m/s]."""
    targets: NDArray[np.float64]
    """Speed that each drive's motor works towards [m/s]."""
    inverse_masses: NDArray[np.float64]
    """One over each belt's inertia; zero for a belt that no force slows [1/kg]."""
    forces: NDArray[np.float64]
    """Largest force of each drive's motor on its belt [N]."""
    motors: NDArray[np.float64]
    """Impulse of each drive's motor on its belt, of drives with a limit [N s]."""
    friction: NDArray[np.float64]
    """Factor on all friction [1]."""
    steering: NDArray[np.float64]
    """For friction along the circle about the robot's centre of rotation (P1): 1 or 0, speed
    [m/s] and yaw rate [rad/s]."""
    push: NDArray[np.float64]
    """For a virtual force on the hull: gains P [1/s], I [1/s^2] and D [1], mass [kg] and moment
    of inertia about the vertical [kg m^2]; no force if all are zero."""
    errors: NDArray[np.float64]
    """Integrals of the errors of its three velocities (ahead, left, yaw) or, with sprockets, of
    the speeds of belts; and the last errors."""
    motor_gains: NDArray[np.float64]
    """Of the motors of sprockets: force per error of belt speed [N s/m], and per its integral
    [N/m]."""
    stiffness: NDArray[np.float64]
    """Inertia with all that constraints hold, degrees by degrees; empty if nothing does."""
    first: NDArray[np.int64]
    """Where the span of degrees begins in which a row of its factor is not zero."""
    jacobian: NDArray[np.float64]
    """Two rows per contact: joint velocities to tangents."""
    response: NDArray[np.float64]
    """Two rows per contact: what a unit impulse does to joint velocities."""
    span: NDArray[np.int64]
    """Degrees beside the hull's in which a contact's response is not zero: first, and end."""
    velocity: NDArray[np.float64]
    """Joint velocities while impulses are sought; of what constraints hold, see `hold`."""
    answer: NDArray[np.float64]
    """What the last step's friction does to them."""
    impulse: NDArray[np.float64]
    """Tangential impulses [N s]."""
    last_impulse: NDArray[np.float64]
    """Those of the last step [N s]."""
    last_geom: NDArray[np.int64]
    """Whose they were; -1 ends the list."""
    surface: NDArray[np.float64]
    """Velocity of the belt's surface along the tangents, per belt speed [1]."""
    limit: NDArray[np.float64]
    """Largest impulse along and across the belt [N s]."""
    mobility: NDArray[np.float64]
    """Impulse that stops a unit of slip at a contact that is alone, 1/D [kg]."""
    position: NDArray[np.float64]
    """Where contacts are in the world [m]."""
    tangents: NDArray[np.float64]
    """Tangent along and across the belt, in the world."""
    normal: NDArray[np.float64]
    """Normal, out of the ground."""
    load: NDArray[np.float64]
    """Normal force [N]."""
    geom: NDArray[np.int64]
    """The robot's geom."""
    drive: NDArray[np.int64]
    """Which drive moves its surface; the number of drives for none."""
    approach: NDArray[np.float64]
    """Velocity of a rider's surface along the normal, per belt speed [1]."""
    drag: NDArray[np.float64]
    """Inertia with which a contact along the normal resists a change within a step [kg]."""
    travel: NDArray[np.float64]
    """How far each loop with riders has moved since its last roll-back [m]."""
    rolled: NDArray[np.int64]
    """How often each was rolled back, less how often forward."""
    footprint: NDArray[np.float64]
    """A row per rider: x, z, cos and sin of the belt's heading, and its curvature there."""
    work: NDArray[np.float64]
    """Work that each drive has done on its belts since the start [J]."""


def make_memory(
    degrees: int, drives: int, *, held: bool = False, loops: int = 0, riders: int = 0
) -> Memory:
    """Return memory for a robot of so many degrees of freedom and drives, at rest.

    Args:
        degrees: Degrees of freedom.
        drives: What takes a belt speed.
        held: Whether constraints hold parts of the robot together, as they do belts of plates.
        loops: Belts on which something rides.
        riders: What rides on them.
    """
    n = MOST_CONTACTS + 1  # one more ends the list of the last step
    return Memory(
        count=np.zeros(2, np.int64),
        belts=np.zeros(drives + 1),
        targets=np.zeros(drives + 1),
        inverse_masses=np.zeros(drives + 1),
        forces=np.full(drives + 1, np.inf),
        motors=np.zeros(drives + 1),
        friction=np.ones(1),
        steering=np.zeros(3),
        push=np.zeros(5),
        errors=np.zeros((2, max(3, drives))),
        motor_gains=np.zeros(2),
        stiffness=np.zeros((degrees, degrees) if held else (0, 0)),
        first=np.zeros(degrees, np.int64),
        jacobian=np.zeros((2 * n, degrees)),
        response=np.zeros((2 * n, degrees)),
        span=np.tile(np.array([6, degrees]), (n, 1)),
        velocity=np.zeros(degrees),
        answer=np.zeros(degrees),
        impulse=np.zeros((n, 2)),
        last_impulse=np.zeros((n, 2)),
        last_geom=np.full(n, -1),
        surface=np.zeros((n, 2)),
        limit=np.zeros((n, 2)),
        mobility=np.zeros(n),
        position=np.zeros((n, 3)),
        tangents=np.zeros((n, 2, 3)),
        normal=np.zeros((n, 3)),
        load=np.zeros(n),
        geom=np.zeros(n, np.int64),
        drive=np.zeros(n, np.int64),
        approach=np.zeros(n),
        drag=np.zeros(n),
        travel=np.zeros(loops),
        rolled=np.zeros(loops, np.int64),
        footprint=np.zeros((riders, 5)),
        work=np.zeros(drives + 1),
    )


def make_memories(robots: int, one: Memory) -> Memory:
    """Return memory for many robots: each array has one more axis, the first, for the robot.

    Args:
        robots: How many.
        one: The memory of one of them.
    """
    many = Memory._make(np.zeros((robots, *array.shape), array.dtype) for array in one)
    many.forces[:] = np.inf
    many.friction[:] = 1.0
    many.last_geom[:] = -1
    many.span[:] = one.span
    return many


def memory_of(memories: Memory, robot: int) -> Memory:
    """Return the memory of one of many robots, as views."""
    return Memory._make(array[robot] for array in memories)

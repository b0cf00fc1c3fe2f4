"""Hinges of front sub-tracks that give under load: a spring between command and angle.

The model holds flippers at their angles. Here the angle that is commanded follows the moment of the
ground's forces about the hinge, so that a sub-track stands where its spring would let it.
Left out: inertia and weight of the sub-track.
"""

import math

import numpy as np

from grouser.description import Robot
from grouser.models import Motion

DELAY = 0.1
"""Time in which a hinge gives, assumed: moments jump as grousers come and go [s]."""


class GivingHinges:
    """Angles of flippers, of which the front ones give."""

    def __init__(self, robot: Robot, angles: tuple[float, ...], give: float) -> None:
        """Begin without load.

        Args:
            robot: A robot with front flippers first, then rear ones.
            angles: Angles of all flippers without load [rad].
            give: Angle per moment of each front hinge [rad/(N m)].
        """
        self._fronts = robot.flippers[: (len(robot.flippers) + 1) // 2]
        self._angles, self._give = np.array(angles), give
        self._moments = np.zeros(len(self._fronts))

    @property
    def angles(self) -> tuple[float, ...]:
        """Angles of all flippers now [rad]."""
        given = self._angles.copy()
        given[: len(self._fronts)] += self._give * self._moments
        return tuple(given.tolist())

    def follow(self, motion: Motion, duration: float) -> None:
        """Give for a time [s] to the contacts of a motion, of a robot that drives along x."""
        pose = motion.pose
        c, s = math.cos(float(pose.pitch)), math.sin(float(pose.pitch))
        now = np.zeros_like(self._moments)
        places = {front.name: number for number, front in enumerate(self._fronts)}
        for contact in motion.contacts:
            number = places.get(contact.drive)
            if number is None:
                continue
            hx, _, hz = self._fronts[number].hinge
            x, _, z = contact.position_in_world
            fx, _, fz = contact.force_in_world
            above = z - float(pose.z) + s * hx - c * hz
            now[number] += above * fx - (x - float(pose.x) - c * hx - s * hz) * fz
        self._moments += (now - self._moments) * (duration / DELAY)

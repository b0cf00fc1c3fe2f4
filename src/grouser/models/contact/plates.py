"""Belts of plates on hinges around sprocket, idler and guide: P1's most detailed tracks.

Each plate is a body. A motor turns the sprocket, the sprocket pulls pins, plates push on the
ground with MuJoCo's own friction, and the belt finds its own way around the guide. Plates move in
the plane of the track. Flippers keep rigid belts, as 10 cm plates would not go around their ends.
Only MuJoCo computes this model.

P1 gives the length of plates and their parts, nothing else: thickness, masses, spring, grousers
and control are assumed.

Left out: belts that stretch; pins have no friction but on the sprocket.
"""

import math
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from grouser.description import Course, Robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose, Scalar
from grouser.limits import LIGHTEST_TRACK, PLATES
from grouser.models.assumptions import Assumption
from grouser.models.contact.contact_model import ContactModel
from grouser.models.contact.engine import ENGINES
from grouser.models.contact.traction.law import LAWS
from grouser.models.model import Plant
from grouser.models.parameters import Range

BELT_SHARE = 0.4
"""Share of what moves in the mass of a track [1]."""
LIGHT_TRACK = 0.1
"""Mass of a track that the robot's file does not weigh, over that of the robot [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatesModel(ContactModel):
    """Three dimensions, belts of plates."""

    name: ClassVar[str] = "plates"
    summary: ClassVar[str] = "3D, belts of hinged plates on sprockets, with or without grousers"
    source: ClassVar[str] = "P1 Pecka et al. 2017"
    own_engine: ClassVar[str] = "mujoco"

    timestep: Annotated[float, Range(1e-4, 0.002, "s")] = 0.001
    """Step of the engine; pins and plates are stiff and need a short one [s]."""
    pitch: Annotated[float | None, Range(1e-3, 1.0, "m")] = None
    """About how long a plate is; if not given, 10 cm or what the pulleys allow [m]."""
    grousers: bool = False
    """Whether each plate has a rib across it."""
    grouser_height: Annotated[float | None, Range(1e-4, 0.1, "m")] = None
    """How far ribs stand out, and how long they are along the belt; if not given, a fifth of a
    plate, but no more than 1 cm [m]."""
    tension: Annotated[float, Range(0.05, 5.0)] = 0.4
    """Force of the spring behind each idler, over the robot's weight [1]."""
    torque_limit: Annotated[float | None, Range(1e-3, 1e4, "N m")] = None
    """Largest torque of a motor on its sprocket; that of the robot's file if not given [N m]."""
    friction_factor: Annotated[Scalar, Range(0.0, 100.0)] = 1.0
    """Factor on the friction of all surfaces; one for each robot of many, if an array [1]."""

    engine: Annotated[str, ENGINES] = "mujoco"
    """Engine that computes the motion; only MuJoCo has plates."""

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> Plant:
        """Put the robot on the course; many robots at once if the pose has arrays."""
        from grouser.models.contact.scene import make_scene
        from grouser.models.contact.tracks import belts
        from grouser.models.mujoco.plates import PlateChain

        mass = _moving_mass(robot)
        pitch = _pitch(robot, self.pitch) if robot.tracks else 0.0
        height = min(0.2 * pitch, 0.01) if self.grouser_height is None else self.grouser_height
        limit = robot.drive.torque_limit if self.torque_limit is None else self.torque_limit
        chain = PlateChain(
            tracks=tuple(track.name for track in robot.tracks),
            pitch=pitch,
            grousers=(height, height) if self.grousers else None,
            mass=mass,
            tension=self.tension * 9.81 * robot.mass,
            share=robot.mass / len(robot.drives),
            force_limit=math.inf if limit is None else limit / robot.sprocket_radius,
        )
        scene = make_scene(
            _without(robot, mass), course, belts(patches=2), extras=(("mujoco", chain),)
        )
        # The limit of the motors is part of the chain.
        return self.start_scene(
            replace(scene, belt_mass=0.0, belt_force=math.inf),
            pose,
            law=LAWS.find("coulomb")(),
            friction_factor=self.friction_factor,
        )

    def assumptions(self, robot: Robot, course: Course | None = None) -> tuple[Assumption, ...]:
        """Return what is assumed of friction, motors, inertia and the weight of belts."""
        found = ContactModel.assumptions(self, robot, course)
        if self.torque_limit is not None:
            found = tuple(a for a in found if a.keys != ("drive.torque_limit_N_m",))
        if any(track.mass for track in robot.tracks):
            return found
        basis = f"{LIGHT_TRACK:.0%} of the robot's"
        belts = Assumption(
            quantity="mass of a track", value=LIGHT_TRACK * robot.mass, unit="kg", basis=basis,
            keys=("tracks.mass_kg",),
        )  # fmt: skip
        return (*found, belts)


def _moving_mass(robot: Robot) -> float:
    """Return the mass of a belt with its sprocket and idler [kg]."""
    heaviest = max((track.mass for track in robot.tracks), default=0.0)
    if 0.0 < heaviest < LIGHTEST_TRACK * robot.mass:
        least = LIGHTEST_TRACK * robot.mass
        required = f"be 0, for a usual one, or {least:g} kg and more: plates would come apart"
        raise InvalidValue(f"mass of the tracks of {robot.name!r}", heaviest, required)
    return BELT_SHARE * (heaviest or LIGHT_TRACK * robot.mass)


def _without(robot: Robot, mass: float) -> Robot:
    """Return the robot without the masses that are in its belts."""
    tracks = tuple(
        track.model_copy(update={"mass": max(track.mass - mass, 0.0)}) for track in robot.tracks
    )
    taken = sum(track.mass for track in robot.tracks) - sum(track.mass for track in tracks)
    rest = mass * len(tracks) - taken  # of robots whose files do not weigh their tracks
    share = 1.0 - rest / robot.body.mass
    if share <= 0.0:
        required = f"be above {rest:g} kg, what belts of plates weigh that the file does not weigh"
        raise InvalidValue(f"mass of the body of {robot.name!r}", robot.body.mass, required)
    inertia = tuple(share * moment for moment in robot.body.inertia)
    body = robot.body.model_copy(update={"mass": share * robot.body.mass, "inertia": inertia})
    return robot.model_copy(update={"tracks": tracks, "body": body})


def _pitch(robot: Robot, asked: float | None) -> float:
    from grouser.models.mujoco.plates import smallest_radius

    radius = min(smallest_radius(track.loop) for track in robot.tracks)
    longest, shortest = 1.25 * radius, 0.1 * radius
    pitch = min(0.1, longest) if asked is None else asked
    if not shortest <= pitch <= longest:
        required = f"be from {shortest:.3f} to {longest:.3f} m for the pulleys of {robot.name!r}"
        raise InvalidValue("plates:pitch", pitch, required)
    around = max(track.loop.length for track in robot.tracks)
    if around > PLATES * pitch:
        required = (
            f"be at most {PLATES}: tracks of {around:.3g} m need a pitch of "
            f"{around / PLATES:.3g} m, and the pulleys of {robot.name!r} allow {longest:.3g} m"
        )
        raise InvalidValue("plates of a belt", math.ceil(around / pitch), required)
    return pitch

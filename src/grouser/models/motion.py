"""The common view of a moving robot, whatever model moves it."""

from dataclasses import dataclass

from grouser.geometry import Pose, Scalar, Twist


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """One place where a drive touches the ground."""

    drive: str
    """Name of the track, flipper or wheel."""
    position_in_world: tuple[float, float, float]
    """Where it touches [m]."""
    normal_in_world: tuple[float, float, float]
    """Direction out of the ground [1]."""
    force_in_world: tuple[float, float, float]
    """Force of the ground on the robot, normal and friction together [N]."""
    slip_in_world: tuple[float, float, float]
    """Velocity of the belt's surface relative to the ground [m/s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Motion:
    """Where a robot is, how it moves, and what its drives do; drives in the robot's order."""

    pose: Pose
    """Body frame in the world frame."""
    twist: Twist
    """Velocity of the body, in the body frame."""
    belt_speeds_commanded: tuple[Scalar, ...]
    """Speeds that were asked for [m/s]."""
    belt_speeds: tuple[Scalar, ...]
    """Speeds that the drives reached [m/s]."""
    belt_travels: tuple[Scalar, ...]
    """Signed distance that each belt or rim has run since the start; see `add_travels` [m]."""
    flipper_angles: tuple[Scalar, ...] = ()
    """Angle of each flipper about body y, positive lowers its front end [rad]."""
    slips: tuple[Scalar, ...] = ()
    """Slip ratio of each drive, 1 - ground speed / belt speed; 0 for a belt that stands [1]."""
    works: tuple[Scalar, ...] = ()
    """Work that each drive has done on its belts since the start, from models that know it [J]."""
    phase: Scalar = 0.0
    """Which part of a model is active, for models that have parts; see the model's page [1]."""
    contacts: tuple[Contact, ...] = ()
    """Contacts, from models that have them, when asked for."""
    tip_over_margin: float | None = None
    """How far the centre of mass is inside the ground that carries the robot, when contacts
    are asked for; negative where it tips over [m]."""

    def force_on(self, drive: str) -> tuple[float, float]:
        """Return the normal and the friction force on a drive or flipper, from contacts [N]."""
        normal = friction = 0.0
        for contact in self.contacts:
            if contact.drive == drive:
                pairs = zip(contact.force_in_world, contact.normal_in_world, strict=True)
                load = sum(force * along for force, along in pairs)
                total = sum(force * force for force in contact.force_in_world)
                normal += load
                friction += max(total - load * load, 0.0) ** 0.5
        return normal, friction


def add_travels(
    travels: tuple[Scalar, ...], belt_speeds: tuple[Scalar, ...], duration: float
) -> tuple[Scalar, ...]:
    """Return belt travels one tick later: travel + speed at the end of the tick x duration [m].

    Every plant uses this rule, so that a travel is the sum of a log's belt speeds times its ticks.

    Args:
        travels: Travel of each belt before the tick [m].
        belt_speeds: Speed of each belt at the end of the tick [m/s].
        duration: Length of the tick [s].
    """
    return tuple(t + speed * duration for t, speed in zip(travels, belt_speeds, strict=True))

"""Motion of a robot, the same for all models."""

from dataclasses import dataclass

from grouser.geometry import Pose, Scalar, Twist


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """One contact point between a track, flipper or wheel and the ground."""

    drive: str
    """Name of the track, flipper or wheel."""
    position_in_world: tuple[float, float, float]
    """Position of the contact point [m]."""
    normal_in_world: tuple[float, float, float]
    """Unit normal, out of the ground [1]."""
    force_in_world: tuple[float, float, float]
    """Force of the ground on the robot, normal and friction together [N]."""
    slip_in_world: tuple[float, float, float]
    """Velocity of the belt's surface relative to the ground [m/s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Motion:
    """Pose, velocity, belts and flippers of a robot; tracks and wheels in the robot's order."""

    pose: Pose
    """Body frame in the world frame."""
    twist: Twist
    """Velocity of the body, in the body frame."""
    belt_speeds_commanded: tuple[Scalar, ...]
    """Commanded belt speeds [m/s]."""
    belt_speeds: tuple[Scalar, ...]
    """Actual belt speeds [m/s]."""
    belt_travels: tuple[Scalar, ...]
    """Signed distance that each belt or rim has run since the start; see `add_travels` [m]."""
    flipper_angles: tuple[Scalar, ...] = ()
    """Angle of each flipper about body y, positive lowers its front end [rad]."""
    slips: tuple[Scalar, ...] = ()
    """Slip ratio of each track, 1 - ground speed / belt speed; 0 at standstill [1]."""
    works: tuple[Scalar, ...] = ()
    """Work of each motor on its belt since the start; empty if the model has no forces [J]."""
    phase: Scalar = 0.0
    """Active phase of models that have phases; see the model's page [1]."""
    contacts: tuple[Contact, ...] = ()
    """Contacts; empty unless the model computes them and `contacts` is on."""
    tip_over_margin: float | None = None
    """Distance of the centre of mass inside the support polygon, with `contacts` on; negative
    where the robot tips over [m]."""

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

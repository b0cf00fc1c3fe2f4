"""A tracked robot on one soil: pull against slip, sinkage, slopes, turns and power, when steady.

Sums of `terramechanics` and `skid_steering` over a robot's belts. The pressure is the same under
all of each belt, whatever the slope and the pull; belts are alike; flippers do not touch the
ground. With a slip i and the weight W on the belts,

    pull(i) = strength x mobilised share(i) - compaction - bulldozing
    a slope s is climbed where pull(i) with W cos(s) is at least W sin(s)

Strength along belts with grousers is that of `grouser_strength`; across belts, grousers add
nothing. A belt without grousers has its own adhesion and friction if its file states them.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.optimize import root_scalar

from grouser.description import Robot, Soil
from grouser.description.track import SoilContact
from grouser.errors import InvalidValue
from grouser.geometry import Array, Scalar
from grouser.laws.skid_steering import SkidVehicle, SteadyDrive, steady_drive, steady_turn
from grouser.laws.slope import GRAVITY
from grouser.laws.terramechanics import (
    bulldozing_resistance,
    compaction_resistance,
    grouser_strength,
    mobilised_share,
    shear_strength,
    slip_sinkage,
    static_sinkage,
)

Rule = Literal["block", "single", "belt", "soil"]
"""What limits thrust: the block between grousers, each grouser alone, the belt's own material, or
the soil under a belt for which no adhesion and friction are stated."""
SLOPE_LIMIT = math.radians(80.0)
"""Slopes are searched up to here [rad]."""
UNBALANCED = 1e-6
"""Force over weight that a steady turn may leave over [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Belts:
    """The belts of a robot that stand on level ground, as equal ones."""

    weight: float
    """Weight of the robot [N]."""
    count: int
    """Number of belts that touch the ground [1]."""
    length: float
    """Length of contact of each [m]."""
    width: float
    """Width of each [m]."""
    gauge: float
    """Distance between the centre lines of left and right [m]."""
    grouser_height: float = 0.0
    """Height of grousers; 0 for smooth belts [m]."""
    grouser_pitch: float = math.inf
    """Distance from one grouser to the next [m]."""
    contact: SoilContact | None = None
    """Grip of the belts' own material; that of the soil if None."""
    com_height: float = 0.0
    """Height of the centre of mass over the ground [m]."""
    com_to_rear: float = math.inf
    """How far the centre of mass is ahead of the rear end of contact [m]."""

    @property
    def area(self) -> float:
        """Area of contact of all belts [m^2]."""
        return self.count * self.length * self.width

    @property
    def tipping_slope(self) -> float:
        """Slope on which the centre of mass is over the rear end of contact [rad]."""
        return math.atan2(self.com_to_rear, self.com_height)


def belts_of(robot: Robot) -> Belts:
    """Return the belts of a robot on level ground; lengths and widths are means.

    Raises:
        InvalidValue: The robot has no track with a straight run on the ground.
    """
    tracks = [track for track in robot.tracks if track.loop.contact_run is not None]
    if not tracks:
        raise InvalidValue("robot", robot.name, "have tracks with a straight run on the ground")
    runs = [track.loop.contact_run for track in tracks]
    first = tracks[0]
    com_x, _, com_z = robot.centre_of_mass
    rear = min(run.middle[0] - 0.5 * run.length for run in runs if run)
    return Belts(
        weight=GRAVITY * robot.mass,
        count=len(tracks),
        length=sum(run.length for run in runs if run) / len(tracks),
        width=sum(track.width for track in tracks) / len(tracks),
        gauge=robot.gauge,
        grouser_height=first.grousers.height if first.grousers else 0.0,
        grouser_pitch=first.pitch or math.inf,
        contact=first.soil_contact,
        com_height=com_z,
        com_to_rear=com_x - rear,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Steady left turns, one for each radius."""

    radii: Array
    """Radius of the way of the centre [m]."""
    inner_forces: Array
    """Force of the sprockets on the left belts, motion resistance included [N]."""
    outer_forces: Array
    """The same on the right [N]."""
    moments: Array
    """Moment of the lateral forces of the ground, against the turn [N m]."""
    powers: Array
    """Power of all sprockets: that of turning without resistance, in which an inner belt that is
    dragged gives power back, and that of driving straight [W]."""

    def take(self, rows: slice) -> "Turn":
        """Return some of the turns."""
        return Turn(**{name: getattr(self, name)[rows] for name in self.__dataclass_fields__})


@dataclass(frozen=True, slots=True, kw_only=True)
class SoilDrive:
    """Steady driving of belts on a soil. Weights default to the robot's own."""

    belts: Belts
    """The belts."""
    soil: Soil
    """The soil."""

    def pressure(self, weight: Scalar | None = None) -> Scalar:
        """Return the pressure under the belts [Pa]."""
        return self._weight(weight) / self.belts.area

    def sinkage(self, slip: Scalar = 0.0, weight: Scalar | None = None) -> Scalar:
        """Return how deep the belts sink in [m]."""
        narrow = min(self.belts.width, self.belts.length)
        depth = static_sinkage(self.soil, self.pressure(weight), narrow)
        return slip_sinkage(depth, slip) if self.soil.slip_sinkage else depth + 0.0 * slip

    def compaction(self, slip: Scalar = 0.0, weight: Scalar | None = None) -> Scalar:
        """Return the resistance of the ruts of all belts [N]."""
        depth = self.sinkage(slip, weight)
        return self.belts.count * compaction_resistance(self.soil, self.belts.width, depth)

    def bulldozing(self, slip: Scalar = 0.0, weight: Scalar | None = None) -> Scalar:
        """Return the resistance of the soil that the fronts of all belts push [N]."""
        depth = self.sinkage(slip, weight)
        return self.belts.count * bulldozing_resistance(self.soil, self.belts.width, depth)

    def resistance(self, slip: Scalar = 0.0, weight: Scalar | None = None) -> Scalar:
        """Return compaction and bulldozing [N]."""
        return self.compaction(slip, weight) + self.bulldozing(slip, weight)

    def strength(self, weight: float | None = None) -> tuple[float, Rule]:
        """Return the greatest thrust, and what limits it [N]."""
        belts = self.belts
        if not belts.grouser_height:
            plain = self._plain_strength(weight)
            return plain, "soil" if belts.contact is None else "belt"
        pairs = belts.count / 2.0  # the law is that of two belts
        size = belts.length, belts.width, belts.grouser_height, belts.grouser_pitch
        limit, rule = grouser_strength(self.soil, float(self._weight(weight)) / pairs, *size)
        return pairs * limit, rule

    def strength_across(self, weight: float | None = None) -> float:
        """Return the greatest lateral force [N]."""
        return self._plain_strength(weight)

    def thrust(self, slip: Scalar, weight: float | None = None) -> Scalar:
        """Return the force of the ground along the belts [N]."""
        share = mobilised_share(self.soil.shear_modulus, slip, self.belts.length)
        return self.strength(weight)[0] * share

    def pull(self, slip: Scalar, weight: float | None = None) -> Scalar:
        """Return the drawbar pull: thrust less resistance [N]."""
        return self.thrust(slip, weight) - self.resistance(slip, weight)

    def slip_for_pull(self, pull: float) -> float:
        """Return the least slip with a pull; NaN if the robot never pulls so much [1]."""
        slips = np.linspace(0.0, 1.0, 1001)
        enough = np.flatnonzero(self.pull(slips) >= pull)
        if not enough.size:
            return math.nan
        if enough[0] == 0:
            return 0.0
        low, high = slips[enough[0] - 1], slips[enough[0]]
        return _root(lambda slip: float(self.pull(slip)) - pull, float(low), float(high))

    def greatest_slope(self, most_slip: float = 1.0) -> tuple[float, str]:
        """Return the steepest slope that is climbed with at most such a slip [rad], and its limit.

        The limit is "grip", "tipping over", or "resistance" where level ground is too much; then
        the slope is 0.
        """
        # Without slip-sinkage, pull grows with slip.
        slips = most_slip * np.linspace(0.0 if self.soil.slip_sinkage else 1.0, 1.0, 101)
        weight = self.belts.weight

        def spare(slope: float) -> float:
            best = float(np.max(self.pull(slips, weight * math.cos(slope))))
            return best - weight * math.sin(slope)

        if spare(0.0) <= 0.0:
            return 0.0, "resistance"
        grip = _root(spare, 0.0, SLOPE_LIMIT) if spare(SLOPE_LIMIT) < 0.0 else SLOPE_LIMIT
        tipping = self.belts.tipping_slope
        return (tipping, "tipping over") if tipping < grip else (grip, "grip")

    def straight_power(self, speed: float) -> tuple[float, float]:
        """Return power of the sprockets on level ground [W] and slip; NaN if it cannot move."""
        slip = self.slip_for_pull(0.0)
        return float(self.resistance(slip)) * speed / max(1.0 - slip, 1e-9), slip

    @property
    def skid_vehicle(self) -> SkidVehicle:
        """The robot as the law of skid steering sees it."""
        belts = self.belts
        return SkidVehicle(
            length=belts.length,
            gauge=belts.gauge,
            width=belts.width,
            friction=self.strength()[0] / belts.weight,
            friction_across=self.strength_across() / belts.weight,
            shear_modulus=self.soil.shear_modulus,
            com_height=belts.com_height,
        )

    def turn(self, radii: Array, speed: float) -> Turn:
        """Return steady left turns of radii [m] at a speed [m/s]; NaN without a balance."""
        return self._describe(steady_turn(self.skid_vehicle, radii, speed), radii, speed)

    def pivot(self, belt_speed: float) -> Turn:
        """Return the turn in place with belts at such speeds against each other [m/s]."""
        found = steady_drive(self.skid_vehicle, -belt_speed, belt_speed)
        return self._describe(found, np.zeros(1), belt_speed)

    def aside_moment(self) -> float:
        """Return the moment against turning of soil that the belts' sides push, at most [N m].

        The front half of each belt pushes to one side, the rear half to the other, with the full
        passive pressure of the soil: what a turn in place comes near to.
        """
        belts = self.belts
        side = bulldozing_resistance(self.soil, belts.length, self.sinkage())
        return float(belts.count * side * belts.length / 4.0)

    def with_grip(
        self, cohesion: float, friction_angle: float, shear_modulus: float
    ) -> "SoilDrive":
        """Return the drive with another c [Pa], phi [rad] and K [m] between belts and ground."""
        grip = {"cohesion": cohesion, "friction_angle": friction_angle}
        if self.belts.contact is not None and not self.belts.grouser_height:
            own = self.belts.contact.model_copy(
                update={"adhesion": cohesion, "friction_angle": friction_angle}
            )
            belts, grip = replace(self.belts, contact=own), {}
        else:
            belts = self.belts
        soil = self.soil.model_copy(update={**grip, "shear_modulus": shear_modulus})
        return SoilDrive(belts=belts, soil=soil)

    def _weight(self, weight: Scalar | None) -> Scalar:
        return self.belts.weight if weight is None else weight

    def _plain_strength(self, weight: float | None) -> float:
        own, soil = self.belts.contact, self.soil
        if own is not None and not self.belts.grouser_height:
            grip = {"cohesion": own.adhesion, "friction_angle": own.friction_angle}
            soil = soil.model_copy(update=grip)
        return self.belts.area * float(shear_strength(soil, self.pressure(weight)))

    def _describe(self, drive: SteadyDrive, radii: Array, speed: float) -> Turn:
        weight, drag = self.belts.weight, 0.5 * float(self.resistance())
        known = np.where(drive.imbalance < UNBALANCED, 1.0, np.nan)
        inner, outer = known * weight * drive.left.along, known * weight * drive.right.along
        turning = inner * drive.left_speed + outer * drive.right_speed
        return Turn(
            radii=radii,
            inner_forces=inner + drag * np.sign(drive.left_speed),
            outer_forces=outer + drag * np.sign(drive.right_speed),
            moments=known * weight * drive.turning_moment,
            powers=turning + self.straight_power(speed)[0],
        )


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    return float(root_scalar(function, bracket=(low, high), method="brentq").root)

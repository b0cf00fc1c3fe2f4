"""Where a robot turns about: centres of rotation and width of its file, or computed by statics.

The one place that says how wide a robot turns where nothing was measured: kinematic models, path
followers, commands by twist, odometry and exports take it from here.
"""

import math
from dataclasses import dataclass, fields

from grouser.description import Robot
from grouser.errors import InvalidValue
from grouser.geometry import Scalar
from grouser.laws.icr import IcrMotion, SteeringEfficiency, TrackIcrs, equivalent_wheelbase
from grouser.laws.skid_statics import centres_spread, turn_centres
from grouser.laws.slope import GRAVITY
from grouser.models.assumptions import TurningBasis
from grouser.models.standing import UnknownStanding, even_standing, standing

COMPUTED = "computed, even loads and Coulomb friction"
"""Where a computed width comes from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputedTurn:
    """How a robot turns by the statics of its own shape and mass."""

    icrs: TrackIcrs
    """Centres of rotation of its tracks."""
    doubt: str = ""
    """Why they are no more than a guess; empty if they are not."""

    @property
    def words(self) -> str:
        """Where they come from."""
        return f"guessed: {self.doubt}" if self.doubt else COMPUTED


def computed_turn(robot: Robot) -> ComputedTurn:
    """Return how a robot turns on level ground with its flippers at rest, whatever its file says.

    Where it is not known how it stands, as if its tracks or wheels carried it alone and evenly.
    """
    try:
        return ComputedTurn(icrs=turn_centres(standing(robot)))
    except (UnknownStanding, InvalidValue) as error:
        return ComputedTurn(icrs=turn_centres(even_standing(robot)), doubt=str(error))


# Effective width over width in turns: from the robot file, or derived from it.


def effective_width(robot: Robot) -> float:
    """Return the width of the differential drive that turns like the robot [m].

    P0 eq 7 with the offsets of the file; the distance of its centres of rotation where it has
    those only; where it has neither, what statics computes.
    """
    base = robot.slip.wheelbase
    if base is None:
        return icr_distance(robot)
    return float(
        equivalent_wheelbase(base.length, base.width, base.offset_x, base.offset_y, base.gamma)
    )


def width_source(robot: Robot) -> str:
    """Return where the effective width comes from."""
    if robot.slip.wheelbase is not None:
        return "slip.wheelbase"
    return "slip.icr" if robot.slip.icr is not None else computed_turn(robot).words


def icr_distance(robot: Robot) -> float:
    """Return the distance between the tracks' centres of rotation [m]."""
    return float(track_icrs(robot).width)


def icr_basis(robot: Robot) -> TurningBasis:
    """Return the distance of the centres of rotation, and where it comes from."""
    source = width_source(robot) if robot.slip.icr is None else "slip.icr"
    return TurningBasis(icr_distance(robot), source)


def track_icrs(robot: Robot, width_ratio: Scalar | None = None) -> TrackIcrs:
    """Return the tracks' centres of rotation, or those for an effective width ratio [1].

    Those of the file; else those of its equivalent wheelbase; else what statics computes.
    """
    if width_ratio is not None:
        return SteeringEfficiency(width_ratio).icrs(robot.gauge)
    icr = robot.slip.icr
    if icr is not None:
        return TrackIcrs(left_y=icr.left_y, right_y=icr.right_y, x=icr.x)
    if robot.slip.wheelbase is None:
        return computed_turn(robot).icrs
    half = effective_width(robot) / 2.0
    return TrackIcrs(left_y=half, right_y=-half, x=0.0)


def icr_motion(robot: Robot) -> IcrMotion:
    """Return how the centres of rotation move; constant if the file has no slopes."""
    icr = robot.slip.icr
    if icr is None:
        return IcrMotion()
    return IcrMotion(**{field.name: getattr(icr, field.name) for field in fields(IcrMotion)})


def steering_efficiency(robot: Robot) -> SteeringEfficiency:
    """Return the steering efficiency, from the centres of rotation."""
    return SteeringEfficiency(icr_distance(robot) / robot.gauge)


# How far a robot may turn otherwise.


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnDeviations:
    """Standard deviations of how a robot turns, from what a model takes."""

    rate: float
    """Of the yaw rate, over the yaw rate [1]."""
    ahead: float
    """Of where the body turns about along x [m]."""
    aside: float
    """Of where the middle of the tracks' centres is along y [m]."""
    doubt: str = ""
    """Why nothing is known; empty if something is."""


UNKNOWN_RATE, UNKNOWN_PLACE = 0.5, 0.25
"""Deviations where it is not known how a robot stands: of the yaw rate [1]; of places, over the
gauge [1] [A]."""
FASTEST = 0.2
"""Greatest lateral acceleration of a usual turn, over g [1] [A]."""


def turn_deviations(robot: Robot, width: float, x: float = 0.0, y: float = 0.0) -> TurnDeviations:
    """Return how far a robot may turn otherwise than a model takes, on ground that is not known.

    Statics gives the spread over friction along and across, load and speed. Where the model's
    numbers are others than those of statics, as measured ones may be, there are two opinions: their
    difference counts as another deviation, since nothing says that the ground is the same.

    Args:
        robot: The robot.
        width: Distance of the centres of rotation that the model takes [m].
        x: Where they are along x [m].
        y: Where the middle between them is [m].
    """
    found = computed_turn(robot)
    left, right, ahead = (found.icrs.left_y, found.icrs.right_y, found.icrs.x)
    others = width / (left - right) - 1.0, x - ahead, y - 0.5 * (left + right)
    rate, ahead, aside = map(math.hypot, _spread(robot), others)
    return TurnDeviations(rate=rate, ahead=ahead, aside=aside, doubt=found.doubt)


def _spread(robot: Robot) -> tuple[float, float, float]:
    """Return the spread of `centres_spread`; wide where it is not known how the robot stands."""
    brisk = (0.5 * robot.drive.speed_limit) ** 2 / (2.0 * icr_distance(robot) * GRAVITY)
    try:
        return centres_spread(standing(robot), min(brisk, FASTEST))
    except (UnknownStanding, InvalidValue):
        return UNKNOWN_RATE, UNKNOWN_PLACE * robot.gauge, UNKNOWN_PLACE * robot.gauge

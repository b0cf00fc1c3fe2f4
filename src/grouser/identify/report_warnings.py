"""Warnings of a report: signs of a wrong unit, a wrong column or a wrong clock.

Each function looks at one thing, and returns sentences; none if all is well.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from grouser.geometry import Array
from grouser.identify.driven import STILL_SHARE, belt_motion
from grouser.identify.families import FAMILIES
from grouser.identify.family import KnownRobot, LinearMotion, Parameter
from grouser.identify.fit import Fit
from grouser.identify.fit_family import BOUND_TOLERANCE
from grouser.identify.identify import Identification
from grouser.identify.judge import HoldOut, judge
from grouser.identify.pieces import MAX_CLOCK_OFFSET, piece_of_observations
from grouser.identify.prediction_limits import CONFIDENCE, MIN_COVERAGE
from grouser.identify.prepare import Prepared
from grouser.identify.record import Record

MANY_OUTLIERS = 0.1
"""Share of outliers above which there is a warning [1]."""
MUCH_UNEXPLAINED = 0.15
"""Unexplained share of the motion, rms, above which there is a warning [1]."""
LARGE_SLIP = 0.5
"""Slip ratio above which, or below its negative, a unit may be wrong [1]."""
LARGE_GYRO_SLIP = 0.9
"""The same with a gyroscope alone, where slip includes all that a robot turns less than an ideal
one of the same width [1]."""
MOST_OUTSIDE = 0.1
"""Share of observations at times without belt speeds above which there is a warning [1]."""
MOST_UNSEEN = 0.3
"""Share of the time driven without observations above which there is a warning [1]."""
LONGEST_GAP = 1.0
"""Time to the nearest observation above which a belt speed is without one [s]."""
MOST_REPEATED = 0.3
"""Share of observations that repeat the one before above which there is a warning [1]."""
ODOMETRY_ERROR = 0.003
"""Error of a drive without slip, over what the belts ran or turned, below which the observed
motion may have been computed from them [1]."""


def find_warnings(found: Identification) -> tuple[str, ...]:
    """Return all warnings of an identification; of the first fit if none is recommended."""
    fit, record = found.best_first[0], found.record
    parameters = FAMILIES[fit.family].parameters(found.known_robot, (record,))
    return (
        *implausible_slips(found.fits.values(), record.observation.kind),
        *clock_on_limit(fit),
        *values_on_limit(fit, parameters),
        *many_outliers(fit),
        *much_unexplained(fit),
        *poor_coverage(fit),
        *(() if record.steady else (*poor_overlap(record), *repeated_observations(record))),
        *looks_like_odometry(_ideal_hold_out(found), record, found.known_robot.gauge),
    )


def values_on_limit(fit: Fit, parameters: Sequence[Parameter]) -> tuple[str, ...]:
    """Warn of identified values at an end of their range."""
    found = []
    for p in parameters:
        estimate = fit.parameters.get(p.name)
        if estimate is None:
            continue
        if min(estimate.value - p.low, p.high - estimate.value) <= BOUND_TOLERANCE * p.span:
            unit = "" if p.unit == "1" else f" {p.unit}"
            found.append(
                f"{p.name} of {fit.family} is on its limit, {estimate.value:.3g}{unit}: check "
                "units, signs and columns of the log."
            )
    return tuple(found)


def clock_on_limit(fit: Fit) -> tuple[str, ...]:
    """Warn of a clock offset at an end of its range."""
    offset = fit.parameters.get("time_offset")
    if offset is None or abs(offset.value) < (1.0 - BOUND_TOLERANCE) * MAX_CLOCK_OFFSET:
        return ()
    return (
        f"The clock offset is on its limit, {offset.value:.3g} s: the clocks of belts and "
        "observations are farther apart than that, or one of both is of another drive; shift the "
        "times of one of them, as by `offset` of time in a column map, and fit again.",
    )


def implausible_slips(fits: Iterable[Fit], kind: str) -> tuple[str, ...]:
    """Warn of slip ratios that hint at a wrong unit or radius; one warning for all fits."""
    most = LARGE_GYRO_SLIP if kind == "gyro" else LARGE_SLIP
    for fit in fits:
        slips = _slips(fit)
        if slips is None:
            continue
        words = f"slip is {slips[0]:.2g} left and {slips[1]:.2g} right ({fit.family})"
        if min(slips) > most:
            return (f"{words}: are wheel speeds in m/s? A wrong radius or unit looks like this.",)
        if min(slips) <= -most:
            return (
                f"{words}: the robot moves much faster than its belts; are wheel speeds in m/s, "
                "and is the radius right?",
            )
    return ()


def _slips(fit: Fit) -> tuple[float, float] | None:
    """Return identified slip ratios of the left and the right side; None if there are none."""
    constants = fit.details.get("constants", {})
    found = {name: e.value for name, e in fit.parameters.items()}
    left, right = (found.get(n, constants.get(n)) for n in ("slip_left", "slip_right"))
    return None if left is None or right is None else (float(left), float(right))


def many_outliers(fit: Fit) -> tuple[str, ...]:
    """Warn of many outliers."""
    if fit.outliers <= MANY_OUTLIERS:
        return ()
    return (
        f"{100.0 * fit.outliers:.0f} % of the measurements are outliers for {fit.family}: "
        "observations that jump, or slip that the family does not describe.",
    )


def much_unexplained(fit: Fit) -> tuple[str, ...]:
    """Warn of much unexplained motion."""
    if not fit.unexplained > MUCH_UNEXPLAINED:
        return ()
    return (
        f"{fit.family} leaves {100.0 * fit.unexplained:.0f} % of the motion unexplained: check "
        "signs and sides of the belts, or take another family.",
    )


def poor_coverage(fit: Fit) -> tuple[str, ...]:
    """Warn of limits that held-out errors exceed too often, one sentence for each quantity."""
    found = []
    limits = () if fit.limits is None else (fit.limits.position, fit.limits.heading)
    for limit in (limit for limit in limits if limit is not None and limit.table):
        worst = min(limit.table, key=lambda row: row.coverage)
        if worst.coverage < MIN_COVERAGE:
            found.append(
                f"The {100.0 * CONFIDENCE:.0f} % limits of the {limit.quantity} hold only "
                f"{100.0 * worst.coverage:.0f} % of the held-out errors after {worst.horizon:.3g} "
                "s: the drive is too short or differs from part to part; expect larger errors."
            )
    return tuple(found)


def poor_overlap(record: Record) -> tuple[str, ...]:
    """Warn of observations without belt speeds, and of belt speeds without observations."""
    times, found = record.observation.time, []
    outside = float(np.mean(piece_of_observations(record) < 0)) if times.size else 0.0
    if outside > MOST_OUTSIDE:
        found.append(
            f"{100.0 * outside:.0f} % of the observations are at times without belt speeds: do "
            "both have the same clock and the same drive?"
        )
    unseen = record.steps * (_nearest(times, record.time) > LONGEST_GAP)
    share = float(unseen.sum()) / max(record.duration, 1e-12)
    if share > MOST_UNSEEN:
        found.append(
            f"{100.0 * share:.0f} % of the time driven has no observation within "
            f"{LONGEST_GAP:g} s: belts and observations hardly overlap."
        )
    return tuple(found)


def _nearest(times: Array, wanted: Array) -> Array:
    """Return the distance of each wanted time to the nearest of some increasing times [s]."""
    padded = np.concatenate(([-np.inf], times, [np.inf]))
    after = np.searchsorted(times, wanted)
    return np.minimum(wanted - padded[after], padded[after + 1] - wanted)


def repeated_observations(record: Record) -> tuple[str, ...]:
    """Warn of observations that repeat the one before while the belts move: sample and hold."""
    seen = record.observation
    if seen.kind == "gyro" or seen.time.size < 2:
        return ()
    same = np.all(np.diff(seen.values, axis=1) == 0.0, axis=0)
    moving = _belts_move(record, seen.time)[1:]
    share = float(np.mean(same[moving])) if moving.any() else 0.0
    if share <= MOST_REPEATED:
        return ()
    what = "poses" if seen.kind == "pose" else "observations"
    return (
        f"{100.0 * share:.0f} % of the {what} repeat the one before while the belts move (sample "
        "and hold): mark them as not measured, with empty cells.",
    )


def _belts_move(record: Record, times: Array) -> NDArray[np.bool_]:
    """Return whether the belts move at some times."""
    faster = np.maximum(np.abs(record.left), np.abs(record.right))
    moving = faster > max(STILL_SHARE * float(faster.max()), 1e-6)
    return moving[np.clip(np.searchsorted(record.time, times), 0, record.time.size - 1)]


def _ideal_hold_out(found: Identification) -> HoldOut:
    """Return the errors of a drive without slip with the nominal gauge."""
    if (fit := found.fits.get("ideal")) is not None:
        return fit.hold_out
    offset = found.best_first[0].values.get("time_offset", 0.0)
    linear = LinearMotion(yaw_half=2.0 / found.known_robot.gauge, time_offset=offset)
    prepared = Prepared(
        record=found.record, known_robot=KnownRobot(gauge=found.known_robot.gauge),
        blocks=found.blocks, linear=linear, known=(),
    )  # fmt: skip
    model = prepared.model(FAMILIES["ideal"])
    values = prepared.start_values(model)
    return judge(model, [values] * found.blocks.folds, found.blocks, found.record)


def looks_like_odometry(hold_out: HoldOut, record: Record, gauge: float) -> tuple[str, ...]:
    """Warn if a drive without slip predicts the observed motion almost without error."""
    _, turn_rate, weights = belt_motion(record, gauge)
    turned = hold_out.horizon * float(
        np.sum(weights * np.abs(turn_rate)) / max(float(weights.sum()), 1e-12)
    )
    shares = []
    if hold_out.position:
        shares.append(hold_out.per_metre)
    if hold_out.heading and turned > 0.0:
        shares.append(hold_out.heading[max(hold_out.heading)] / turned)
    if not shares or not max(shares) < ODOMETRY_ERROR:
        return ()
    return (
        "A drive without slip and with the nominal gauge predicts the observed motion to "
        f"{100.0 * max(shares):.2g} %: this may be wheel odometry, computed from the belts "
        "themselves, which holds no slip; use poses of another sensor.",
    )

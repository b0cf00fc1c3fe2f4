"""What P3 says of motions, slips and forces, over motor maps that were kept by frequencies alone.

Numbers of steps are of the edge at 15 s, those of slips and forces of the last 30 s of 45.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.stats import rankdata, spearmanr

from grouser.control import PoseGains
from grouser.laws.track_forces import magic_formula
from grouser.models.planar.constants import Constants
from grouser.papers.p3.manoeuvre import MANOEUVRES, run_many
from grouser.papers.p3.motor_maps import find_maps, stays
from grouser.papers.p3.response import WINDOW_START, measure_step
from grouser.papers.p3.shares import Estimates, middle_of, share_of
from grouser.papers.p3.table4 import (
    FACTORS,
    NAMES,
    ROWS,
    STATE_COLUMNS,
    follow_all,
    printed_table,
)
from grouser.papers.variation import Variation

ACROSS = ("step-y", "step-y-pitched", "step-y-rolled")
"""Steps of the same size across, on level, pitched and rolled ground."""
SHOWN = ("sine-y", *ACROSS)
"""Manoeuvres whose slips P3 shows in Figs 18 and 19."""
DRIVEN = tuple(
    (state, name)
    for name, manoeuvre in MANOEUVRES.items()
    for state in ("x", "dx/dt", "y", "dy/dt", "psi", "omega")
    if (manoeuvre.x if state in ("x", "dx/dt") else manoeuvre.y)
)
"""States that a manoeuvre moves, by its reference or by the turning that this takes."""
SIMPLER: Mapping[str, tuple[str, ...]] = {
    "P on y": ("y_d", "yaw_p", "yaw_d"),
    "P on heading": ("y_p", "y_d", "yaw_d"),
    "P on y and heading": ("y_d", "yaw_d"),
    "PD on heading": ("y_p", "y_d"),
    "PD on y": ("yaw_p", "yaw_d"),
}
"""Gains that P3's simpler controllers leave out; PD on x is kept."""
CHOSEN_BY = "PD on y"
"""The one that the reading of the D gains was chosen by."""


def peak_slip(stiffness: float, shape: float, curvature: float) -> float:
    """Return the slip of the largest force of a curve [1] or [rad]."""
    found = minimize_scalar(
        lambda slip: -magic_formula(slip, stiffness, shape, 1.0, curvature),
        bounds=(0.0, 0.5), method="bounded", options={"xatol": 1e-9},
    )  # fmt: skip
    return float(found.x)  # pyright: ignore[reportAttributeAccessIssue]


Runs = Mapping[str, NDArray[np.float64]]
"""Histories of all robots by manoeuvre, from the edge at 15 s on."""


def follow_maps(count: int, variation: Variation) -> tuple[Constants, Runs]:
    """Return so many motor maps that were kept, and their manoeuvres."""
    maps, _ = find_maps(count, variation)
    count = int(np.size(maps.inertia))
    start = round(WINDOW_START / PoseGains().period)
    runs = [history[:, start:] for history in follow_all(maps, count)]
    return maps, dict(zip(NAMES, runs, strict=True))


def describe_maps(maps: Constants, runs: Runs) -> Estimates:
    """Return what holds for which share of motor maps, and medians over them."""
    found: Estimates = {}
    for describe in (_compare_steps, _compare_slips, _compare_errors):
        found |= describe(maps, runs)
    found |= _try_controllers(maps)
    return found


def _measure(runs: Runs, name: str, axis: str, key: str) -> NDArray[np.float64]:
    """Return a number of the step of every robot."""
    history = runs[name][:, :, "xy".index(axis)]
    time: NDArray[np.float64] = np.arange(history.shape[1]) * PoseGains().period
    found = [measure_step(axis, time, values)[f"{axis}_{key}"] for values in history]
    return np.array(found, dtype=float)


def _compare_steps(maps: Constants, runs: Runs) -> Estimates:
    along = _measure(runs, "step-x", "x", "overshoot_pct")
    across = {name: _measure(runs, name, "y", "overshoot_pct") for name in ACROSS}
    peaks = _measure(runs, "step-x", "x", "peaks_over_3pct")
    level = np.ptp(runs["step-y"][:, :, 0], axis=1) / np.ptp(runs["step-y"][:, :, 1], axis=1)
    sine = np.ptp(runs["sine-y"][:, :, 0], axis=1) / np.ptp(runs["sine-y"][:, :, 1], axis=1)
    others = np.maximum(across["step-y"], across["step-y-rolled"])
    return {
        "steps along overshoot more than steps across": share_of(along > across["step-y"]),
        "steps along ring longer than steps across": share_of(
            peaks > _measure(runs, "step-y", "y", "peaks_over_3pct")
        ),
        "steps uphill overshoot most of those across": share_of(across["step-y-pitched"] > others),
        "overshoot along": middle_of(along),
        "overshoot across": middle_of(across["step-y"]),
        "overshoot across, uphill": middle_of(across["step-y-pitched"]),
        "x over y in steps across": middle_of(level),
        "x over y in sines across": middle_of(sine),
        "heading in steps across": middle_of(
            np.rad2deg(np.abs(runs["step-y"][:, :, 2]).max(axis=1))
        ),
    }


def _rms(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the root mean square by robot, over time and both tracks."""
    return np.sqrt(np.mean(values**2, axis=tuple(range(1, values.ndim))))


def _use_of_slip(maps: Constants, history: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Return the slips along and across, over those of the largest forces, by robot [1]."""
    along = peak_slip(maps.track_stiffness, maps.track_shape, maps.track_curvature)  # pyright: ignore[reportArgumentType]
    across = peak_slip(maps.lateral_stiffness, maps.lateral_shape, maps.lateral_curvature)  # pyright: ignore[reportArgumentType]
    return _rms(history[:, :, 13:15] + maps.shift) / along, _rms(history[:, :, 15]) / across


def clips(history: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which robots have forces that the friction ellipse shortens."""
    return np.any(history[:, :, 16] > 1.0, axis=1)


def _compare_slips(maps: Constants, runs: Runs) -> Estimates:
    peak = peak_slip(maps.track_stiffness, maps.track_shape, maps.track_curvature)  # pyright: ignore[reportArgumentType]
    mean = {n: np.mean(runs[n][:, :, 13:15] + maps.shift, axis=(1, 2)) / peak for n in ACROSS}
    used = {name: _use_of_slip(maps, runs[name]) for name in SHOWN}
    clipped = {name: clips(runs[name]) for name in NAMES}
    return {
        "slip is nearer to the peak uphill": share_of(mean["step-y-pitched"] > mean["step-y"]),
        "mean slip over the peak's, uphill": middle_of(mean["step-y-pitched"]),
        "mean slip over the peak's, level": middle_of(mean["step-y"]),
        "more slip along than across": share_of(
            np.all([along > across for along, across in used.values()], axis=0)
        ),
        "the friction ellipse clips when rolled": share_of(clipped["step-y-rolled"]),
        "the friction ellipse clips in some manoeuvre": share_of(
            np.any(list(clipped.values()), axis=0)
        ),
        "largest use of the friction ellipse when rolled": middle_of(
            runs["step-y-rolled"][:, :, 16].max(axis=1)
        ),
    }


def _compare_errors(maps: Constants, runs: Runs) -> Estimates:
    """Return how P3's printed errors go with the slips and motions that are simulated."""
    ranks = rankdata(printed_table(), axis=1).mean(axis=0)
    used = np.array([_use_of_slip(maps, runs[name]) for name in NAMES])
    correlations = [
        [float(spearmanr(ranks, one).statistic) for one in used[:, k].T]  # pyright: ignore[reportAttributeAccessIssue]
        for k in (0, 1)
    ]
    motion = {name: _motion(runs[name]) for name in NAMES}
    errors = {
        (state, name): printed_table()[ROWS.index((state, "rms")), NAMES.index(name)]
        for state, name in DRIVEN
    }
    states = list(dict.fromkeys(state for state, _ in ROWS))
    smaller = [errors[state, name] < motion[name][:, states.index(state)] for state, name in DRIVEN]
    return {
        "printed errors go with slip along": middle_of(correlations[0]),
        "printed errors go with slip across": middle_of(correlations[1]),
        "printed errors are smaller than the motion": middle_of(np.mean(smaller, axis=0)),
    }


def _motion(history: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard deviation of each state of Table 4 over time, by robot."""
    return np.std(history[:, :, STATE_COLUMNS] * FACTORS, axis=1)


def _try_controllers(maps: Constants) -> Estimates:
    """Return for which share of maps simpler controllers lose the robot in steps across."""
    count = int(np.size(maps.inertia))
    lost: dict[str, NDArray[np.bool_]] = {}
    for structure, names in SIMPLER.items():
        gains = PoseGains().without(*names)
        held = [
            stays(run_many(MANOEUVRES[name], gains, maps, count=count, every=5)[1])
            for name in ACROSS
        ]
        lost[structure] = ~np.all(held, axis=0)
    found = {f"lost with {structure} alone": share_of(flags) for structure, flags in lost.items()}
    others = [flags for structure, flags in lost.items() if structure != CHOSEN_BY]
    return found | {"lost with simpler controllers": share_of(np.concatenate(others))}

"""Overshoot, settling and error statistics of a manoeuvre.

Window: the last 30 s of 45; steps are judged from the edge at 15 s, which is two amplitudes
high. A peak counts from 3 % of the step on.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from grouser.log import Log
from grouser.papers.p3.manoeuvre import FREQUENCY, HALF_PERIOD, Manoeuvre

WINDOW_START = 15.0
"""When the window begins, with an edge of the square waves [s]."""
SETTLED = 0.5
"""Time before the next edge over which the final value is the mean [s]."""
CALM = 2.0
"""Time before the last edge in which voltages should be calm [s]."""
LEAST_PEAK = 0.03
"""Share of the step that makes a peak [1]."""


def measure_response(
    log: Log, manoeuvre: Manoeuvre, shift: float, voltage_limit: float = 10.0
) -> dict[str, float | None]:
    """Return the numbers that describe a manoeuvre, by names that spell their unit.

    Args:
        log: A log of `run_manoeuvre`, of at least 25 s.
        manoeuvre: What was followed.
        shift: Horizontal shift of the tracks' slip, S_h [1].
        voltage_limit: Voltage that counts as saturated [V].
    """
    rows = log.time >= WINDOW_START - 1e-9
    time = log.time[rows] - WINDOW_START
    found: dict[str, float | None] = {}
    for axis, amplitude in (("x", manoeuvre.x), ("y", manoeuvre.y)):
        if amplitude and manoeuvre.shape == "square":
            found |= measure_step(axis, time, log[axis][rows])
        elif amplitude:
            gain, phase = fit_sine(time, log[axis][rows], FREQUENCY)
            # The reference starts a whole number of periods before the window.
            lead = 0.0 if amplitude > 0.0 else np.pi
            phase = float(np.angle(np.exp(1j * (phase - lead))))
            found |= {f"{axis}_gain": gain / abs(amplitude)}
            found |= {f"{axis}_phase_deg": float(np.rad2deg(phase))}
        if amplitude:
            found[f"max_abs_d{axis}_dt"] = float(np.abs(log[f"{axis}_rate"][rows]).max())
    slips = np.concatenate([log[f"track_slip.{side}"][rows] + shift for side in ("left", "right")])
    volts = np.stack([log[f"motor_voltage_commanded.{s}"][rows] for s in ("left", "right")])
    utilisation = log["utilisation"][rows]
    return found | {
        "x_peak_to_peak": float(np.ptp(log["x"][rows])),
        "y_peak_to_peak": float(np.ptp(log["y"][rows])),
        "psi_max_deg": float(np.rad2deg(np.abs(log["yaw"][rows]).max())),
        "omega_max": float(np.abs(log["yaw_rate"][rows]).max()),
        "mean_slip_offset": float(slips.mean()),
        "mean_abs_slip_offset": float(np.abs(slips).mean()),
        "alpha_max_deg": float(np.rad2deg(np.abs(log["sideslip"][rows]).max())),
        "ellipse_utilisation_max": float(utilisation.max()),
        "fraction_clipped": float(np.mean(utilisation > 1.0)),
        "voltage_saturated_fraction": float(np.mean(np.abs(volts) >= voltage_limit - 1e-9)),
        "voltage_step_std": _restlessness(log),
        "x_droop_at_t5": float(np.interp(5.0 - 1e-6, log.time, log["x"])),
    }


def measure_step(
    axis: str, time: NDArray[np.float64], values: NDArray[np.float64]
) -> dict[str, float | None]:
    """Return overshoot, frequencies and rise time of a step at time zero.

    Args:
        axis: What to call it.
        time: Time since the edge [s].
        values: What moved, from the edge on [m].
    """
    rows = time < HALF_PERIOD - 1e-9
    time, values = time[rows], values[rows]
    final = values[time >= HALF_PERIOD - SETTLED].mean()
    share = (values - values[0]) / (final - values[0])
    peaks = _peaks(time, share - 1.0)
    beyond = np.flatnonzero(share >= 1.0)
    first = time[int(np.argmax(share))]
    spacing = np.diff([when for when, _ in peaks]) if len(peaks) > 1 else np.empty(0)
    return {
        f"{axis}_overshoot_pct": float(100.0 * (share.max() - 1.0)),
        f"{axis}_peaks_over_3pct": float(len(peaks)),
        f"{axis}_f_from_first_peak_Hz": float(0.5 / first) if first > 0.0 else None,
        f"{axis}_f_from_successive_peaks_Hz": (
            float(0.5 / spacing.mean()) if spacing.size else None
        ),
        f"{axis}_rise_to_final_s": float(time[beyond[0]]) if beyond.size else None,
    }


def _restlessness(log: Log) -> float:
    """Return the spread of the left voltage's change per sample, shortly before the end [V]."""
    end = log.duration - 1e-6
    rows = (log.time > end - CALM) & (log.time < end)
    return float(np.std(np.diff(log["motor_voltage_commanded.left"][rows])))


def _peaks(time: NDArray[np.float64], error: NDArray[np.float64]) -> list[tuple[float, float]]:
    """Return time and size of the extremes after the first crossing of the final value."""
    signs = np.sign(error)
    crossings = np.flatnonzero(np.diff(signs) != 0.0) + 1
    found: list[tuple[float, float]] = []
    for begin, end in pairwise([*crossings, len(error)]):
        place = begin + int(np.argmax(np.abs(error[begin:end])))
        if abs(error[place]) >= LEAST_PEAK:
            found.append((float(time[place]), float(error[place])))
    return found


def fit_sine(
    time: NDArray[np.float64], values: NDArray[np.float64], frequency: float
) -> tuple[float, float]:
    """Return amplitude and phase [rad] of the sine of a frequency [Hz] in some values."""
    angle = 2.0 * np.pi * frequency * time
    basis = np.stack((np.sin(angle), np.cos(angle), np.ones_like(angle)), axis=1)
    (sine, cosine, _), *_ = np.linalg.lstsq(basis, values, rcond=None)
    return float(np.hypot(sine, cosine)), float(np.arctan2(cosine, sine))


STATES = {
    "x": ("x", "m", 1.0),
    "dx/dt": ("x_rate", "m/s", 1.0),
    "y": ("y", "m", 1.0),
    "dy/dt": ("y_rate", "m/s", 1.0),
    "psi": ("yaw", "deg", float(np.rad2deg(1.0))),
    "omega": ("yaw_rate", "rad/s", 1.0),
}
"""Column of a log, unit as printed and factor to it, by P3's name of the state."""
STATISTICS = ("max", "mean", "rms")
"""Largest, mean and root mean square of the error's size."""

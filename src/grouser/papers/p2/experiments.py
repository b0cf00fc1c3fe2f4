"""Experiments that compute P2's printed numbers again from other printed numbers."""

import numpy as np
from numpy.typing import NDArray

from grouser.laws.turning_experiment import (
    TurningRun,
    fit_radius_power_law,
    fit_speed_difference,
    is_width_credible,
    path_length_error,
    process_turning_run,
    slippage_ratios,
    start_of_turn,
)
from grouser.laws.turning_geometry import (
    FourWheels,
    apparent_speed_difference,
    drift_angle,
    half_speed_difference,
    offset_ahead,
    outward_speed,
    radius_by_power_law,
    radius_from_wheel_speeds,
    true_speed_difference,
    wheel_angles,
    wheel_radii,
    wheel_velocities,
)
from grouser.papers.p2.tables import (
    DURATION_13,
    LENGTH,
    PATH_BY_PLACE,
    PATH_BY_SPEED,
    WHEELS,
    WIDTH,
    read_columns,
    read_quantities,
    rebuild_wheel_speeds,
)
from grouser.papers.paper import Findings
from grouser.papers.variation import AS_STATED, Variation
from grouser.report import Panel, Series
from grouser.report.colours import REFERENCE, line_colour


def process_run_13(variation: Variation = AS_STATED) -> Findings:
    """Return slippage ratios, speed differences and wheel radii of run 13."""
    printed, table_4 = read_quantities("table3.csv"), read_quantities("table4.csv")
    lengths = FourWheels(*(printed[f"L_x{wheel}"] for wheel in WHEELS))
    ratios = slippage_ratios(lengths, printed["L_xo_t"], printed["L_xi_t"])
    speeds = FourWheels(*(length / DURATION_13 for length in lengths))
    radii = wheel_radii(printed["R_0"], table_4["D"], LENGTH, WIDTH)
    return Findings(
        values={
            **{f"sl_{wheel} of run 13": float(getattr(ratios, wheel)) for wheel in WHEELS},
            **{f"R_{wheel} of run 13": float(getattr(radii, wheel)) for wheel in WHEELS},
            **{f"mean speed of {wheel}, run 13": float(getattr(speeds, wheel)) for wheel in WHEELS},
            **{f"mean speed {side} by path, run 13": printed[f"L_x{letter}_t"] / DURATION_13
               for side, letter in (("outside", "o"), ("inside", "i"))},
            "Ev_a of run 13": float(apparent_speed_difference(speeds)),
            "Ev_t of run 13": (printed["L_xo_t"] - printed["L_xi_t"]) / DURATION_13,
            "R01 of run 13 from its paths": float(radius_from_wheel_speeds(speeds, WIDTH)),
            "largest difference of front and rear radii": _most_apart(printed["R_0"]),
        }
    )  # fmt: skip


def _most_apart(radius: float) -> float:
    """Return how far front and rear radii are apart when D is half of L [m]."""
    radii = wheel_radii(radius, 0.5 * LENGTH, LENGTH, WIDTH)
    return float(max(abs(radii.o2 - radii.o1), abs(radii.i2 - radii.i1)))


def rebuild_run_13(variation: Variation = AS_STATED) -> Findings:
    """Return what eqs 13-18 find in run 13 when eqs 1-12 drive it: straight, then the turn."""
    printed, table_4 = read_quantities("table3.csv"), read_quantities("table4.csv")
    radius, offset = printed["R_0"], table_4["D"]
    yaw_rate = 0.5 * (printed["Vbar_xo_t"] + printed["Vbar_xi_t"]) / radius
    recorded = _record_turn(radius, offset, yaw_rate)
    turn = process_turning_run(recorded.between(start_of_turn(recorded)), LENGTH, WIDTH)
    angles = wheel_angles(radius, offset, LENGTH, WIDTH)
    sides = FourWheels(o1=0.5, o2=0.5, i1=-0.5, i2=-0.5)
    return Findings(
        values={
            "R_0 of run 13, rebuilt": turn.radius,
            "D of run 13, rebuilt": turn.offset,
            "D of run 13 by eq 8": float(
                offset_ahead(yaw_rate * radius, outward_speed(yaw_rate, offset),
                             half_speed_difference(yaw_rate, WIDTH), WIDTH)
            ),
            **{f"L_x{wheel} of run 13, rebuilt": float(getattr(turn.wheel_lengths, wheel))
               for wheel in WHEELS},
            **{f"R_{wheel} of run 13 by its angle": float((radius + side * WIDTH) / np.cos(angle))
               for wheel, side, angle in zip(WHEELS, sides, angles, strict=True)},
            "Ev_t of run 13 by eq 6": 2.0 * float(half_speed_difference(yaw_rate, WIDTH)),
        }
    )  # fmt: skip


def _record_turn(radius: float, offset: float, yaw_rate: float) -> TurningRun:
    """Return two seconds of straight driving and run 13's turn, sampled at 50 Hz."""
    printed = read_quantities("table3.csv")
    lengths = FourWheels(*(printed[f"L_x{wheel}"] for wheel in WHEELS))
    ratios = slippage_ratios(lengths, printed["L_xo_t"], printed["L_xi_t"])
    straight, samples = 100, 101 + round(50.0 * DURATION_13)
    times = np.linspace(0.0, 2.0 + DURATION_13, samples)
    turns = np.arange(samples) >= straight
    speed = np.full(samples, yaw_rate * radius)
    forward, _ = wheel_velocities(speed, np.where(turns, yaw_rate, 0.0), offset, LENGTH, WIDTH)
    # Rims of outer wheels run ahead of the ground, those of inner wheels behind it (eq 17).
    factors = (ratios.o1, ratios.o2, 1.0 / ratios.i1, 1.0 / ratios.i2)
    return TurningRun(
        times=times,
        speed=speed,
        yaw=yaw_rate * np.where(turns, times - times[straight], 0.0),
        wheel_speeds=FourWheels(
            *(v * np.where(turns, f, 1.0) for v, f in zip(forward, factors, strict=True))
        ),
        leftward_speed=-speed * np.tan(drift_angle(radius, offset)) * turns,
    )


def summarise_ratios(variation: Variation = AS_STATED) -> Findings:
    """Return how slippage ratios of Table 5 scatter, and how far two path lengths are apart."""
    runs = {name: values[3:] for name, values in read_columns("table5.csv").items()}
    outer, inner = (
        float(np.abs(runs[f"sl_{side}1"] - runs[f"sl_{side}2"]).max()) for side in ("o", "i")
    )
    apart = abs(PATH_BY_SPEED - PATH_BY_PLACE)
    error = float(path_length_error(PATH_BY_SPEED, PATH_BY_PLACE))
    values = {
        **{f"spread of sl_{wheel}, runs 4 to 26": float(np.ptp(runs[f"sl_{wheel}"]))
           for wheel in WHEELS},
        "largest difference of sl_o1 and sl_o2": outer,
        "largest difference of sl_i1 and sl_i2": inner,
        "difference of path lengths": apart,
        "relative difference of path lengths": 100.0 * abs(error),
    }  # fmt: skip
    return Findings(values=values)


def fit_runs(variation: Variation = AS_STATED) -> Findings:
    """Return the fits of eqs 19 and 20 over all runs but the first, and their scatter."""
    runs = {name: values[1:] for name, values in read_columns("table5.csv").items()}
    line = fit_speed_difference(runs["Ev_a_mps"], runs["Ev_t_mps"])
    power = fit_radius_power_law(runs["Ev_t_mps"], runs["R0_m"])
    values = {
        "slope of eq 19": line.slope,
        "intercept of eq 19": line.intercept,
        "R² of eq 19": line.r2,
        "rmse of eq 19": line.rmse,
        "coefficient of eq 20": power.coefficient,
        "exponent of eq 20": power.exponent,
        "R² of eq 20": power.r2,
        "rmse of eq 20": power.rmse,
    }
    apparent = np.linspace(0.0, runs["Ev_a_mps"].max(), 50)
    true = np.linspace(runs["Ev_t_mps"].min(), runs["Ev_t_mps"].max(), 100)
    panels = (
        _scatter("eq19", "Speed difference: path against wheels", "Ev_a [m/s]", "Ev_t [m/s]",
                 runs["Ev_a_mps"], runs["Ev_t_mps"],
                 apparent, line.slope * apparent + line.intercept),
        _scatter("eq20", "Turning radius over speed difference", "Ev_t [m/s]", "R0 [m]",
                 runs["Ev_t_mps"], runs["R0_m"],
                 true, power.coefficient * true**power.exponent),
    )  # fmt: skip
    return Findings(values=values, panels=panels)


def predict_radii(variation: Variation = AS_STATED) -> Findings:
    """Return Table 6: radii by both ways, from the wheel speeds behind Table 5."""
    table = read_columns("table5.csv")
    kept = is_width_credible(table["Bc_m"], WIDTH)
    runs = {name: column[kept] for name, column in table.items()}
    first = np.asarray(radius_from_wheel_speeds(rebuild_wheel_speeds(runs), WIDTH))
    differences = np.asarray(true_speed_difference(runs["Ev_a_mps"]))
    second = np.asarray(radius_by_power_law(differences))
    values = {"runs of Table 6": float(np.count_nonzero(kept))}
    values |= _by_run("Ev_t1", runs["no"], differences)
    for name, radii in (("R01", first), ("R02", second)):
        errors = 100.0 * (radii / runs["R0_m"] - 1.0)
        values |= {f"mean error of {name}": float(np.abs(errors).mean())}
        values |= {f"largest error of {name}": float(np.abs(errors).max())}
        values |= _by_run(name, runs["no"], radii)
        values |= _by_run(f"error of {name}", runs["no"], errors)
    even = np.array([runs["R0_m"].min(), runs["R0_m"].max()])
    panel = Panel(
        key="table6", title="Radius from wheel speeds, against the true one (Table 6)",
        x_label="R0 [m]", y_label="predicted radius [m]",
        series=(
            Series(name="equal", x=even, y=even, colour=REFERENCE, dash="dashed"),
            Series(name="R01, with eq 19", x=runs["R0_m"], y=first, colour=line_colour(0),
                   dots=True),
            Series(name="R02, direct fit", x=runs["R0_m"], y=second, colour=line_colour(3),
                   dots=True),
        ),
    )  # fmt: skip
    return Findings(values=values, panels=(panel,))


def _by_run(
    name: str, numbers: NDArray[np.float64], column: NDArray[np.float64]
) -> dict[str, float]:
    return {
        f"{name} of run {int(number)}": float(value)
        for number, value in zip(numbers, column, strict=True)
    }


def _scatter(
    key: str, title: str, x_label: str, y_label: str, x: NDArray[np.float64],
    y: NDArray[np.float64], line_x: NDArray[np.float64], line_y: NDArray[np.float64],
) -> Panel:  # fmt: skip
    dots = Series(name="runs 2 to 26", x=x, y=y, colour=line_colour(0), dots=True)
    line = Series(name="fit", x=line_x, y=line_y, colour=line_colour(3))
    return Panel(key=key, title=title, x_label=x_label, y_label=y_label, series=(dots, line))

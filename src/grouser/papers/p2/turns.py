"""Experiments that simulate P2's turns, and predict radii out of sample."""

from dataclasses import replace

import numpy as np

from grouser.geometry import Array
from grouser.laws.turning_experiment import fit_speed_difference
from grouser.papers.p2.draw_turns import (
    draw_differences,
    draw_errors,
    draw_pairs,
    draw_sensitivity,
)
from grouser.papers.p2.predict import (
    FITTED,
    bootstrap,
    by_both_fits,
    by_closed_form,
    error_interval,
    line_intervals,
    mean_error,
    relative_errors,
    tight_runs,
    wide_runs,
    without_slip,
)
from grouser.papers.p2.simulate import (
    FRICTION,
    SHEAR_MODULUS,
    SimulatedTurns,
    TurnSettings,
    shear_model,
    simulate_turns,
)
from grouser.papers.p2.tables import credible_runs
from grouser.papers.paper import Findings
from grouser.papers.variation import AS_STATED, Variation

FRICTIONS = (0.6, 0.8, 1.0)
"""Frictions of dry, firm ground, for the sensitivity [1]."""
MODULI = (0.0025, SHEAR_MODULUS, 0.025)
"""Shear moduli: a stiff pneumatic tyre, whose slip stiffness is 14 times its load, soft tread, and
loam [m]."""
RUN_13 = 12
"""Place of run 13, the only one with a printed D."""
TURNING_OUT = slice(1, 3), slice(3, None)
"""Runs 2 and 3, with R0 < 20 m, and the rest; run 1 is left out as in P2's fits."""
DIP = 0.02
"""Least fall of a rim below its steady speed that counts as a dip [m/s]."""
STATED_BIAS = 0.01
"""By which share right wheels roll further than left ones, as stated before the first run; it was
chosen knowing the intercept of eq 19 [1]."""
BIASES = np.linspace(-0.02, 0.02, 401)
"""Biases among which that of the tight turns is found [1]."""
KINDS = {"rigid wheels": TurnSettings(), "shear law": TurnSettings(model=shear_model())}
"""The two ways in which all turns are simulated."""


def simulate_all(variation: Variation = AS_STATED) -> Findings:
    """Return errors of radii and slippage of the simulated turns, both ways."""
    found = {name: simulate_turns(settings, variation) for name, settings in KINDS.items()}
    values: dict[str, float] = {}
    intervals: dict[str, tuple[float, float]] = {}
    for name, turns in found.items():
        radii, seed = turns.column("radius"), variation.seed
        values |= {f"{key}, {name}": value for key, value in _measure(turns).items()}
        slope, intercept = line_intervals(
            turns.column("apparent_difference"), turns.column("true_difference"), seed
        )
        intervals |= {
            f"mean error of the radius, {name}": error_interval(radii, seed),
            f"slope of eq 19, {name}": slope,
            f"intercept of eq 19, {name}": intercept,
        }
    radii = {name: turns.column("radius") for name, turns in found.items()}
    panels = (
        draw_differences(found),
        draw_errors({"no slip": without_slip(), "closed form": by_closed_form(), **radii}),
    )
    return Findings(values=values, panels=panels, intervals=intervals)


def _measure(turns: SimulatedTurns) -> dict[str, float]:
    """Return what is compared with P2's tables."""
    apparent, true = turns.column("apparent_difference"), turns.column("true_difference")
    line = fit_speed_difference(apparent[FITTED], true[FITTED])
    nearer = np.abs(relative_errors(turns.column("radius"))) < np.abs(
        relative_errors(without_slip())
    )
    outer = 0.5 * (turns.slippage("o1") + turns.slippage("o2"))
    tight, others = TURNING_OUT
    return {
        "mean error of the radius": mean_error(turns.column("radius")),
        "share of runs nearer than no slip": float(nearer[credible_runs()].mean()),
        "true over apparent difference": float(np.median(true[FITTED] / apparent[FITTED])),
        "slope of eq 19": line.slope,
        "intercept of eq 19": line.intercept,
        "apparent width": float(np.median(turns.widths)),
        "D of run 13": turns.results[RUN_13].offset,
        "outer slippage at R0 < 20 m beyond that of others": float(
            outer[tight].mean() - outer[others].mean()
        ),
        "largest lateral speed of run 13": float(turns.largest_leftward[RUN_13]),
    }


def vary_settings(variation: Variation = AS_STATED) -> Findings:
    """Return how the error of the radius depends on friction, pairs of wheels and modulus."""
    rigid, shear = KINDS.values()
    changes: dict[str, tuple[TurnSettings, float]] = {
        **{f"µ {mu:g}": (rigid, mu / FRICTION) for mu in FRICTIONS},
        "paired": (replace(rigid, paired=True), 1.0),
        **{f"K {1e3 * k:g} mm": (replace(shear, model=shear_model(k)), 1.0) for k in MODULI},
    }
    errors = {
        name: mean_error(
            simulate_turns(
                settings, replace(variation, friction=variation.friction * factor)
            ).column("radius")
        )
        for name, (settings, factor) in changes.items()
    }
    key = "largest over least error of the radius among settings"
    return Findings(
        values={key: max(errors.values()) / min(errors.values())},
        panels=(draw_sensitivity(errors),),
    )


def predict_out_of_sample(variation: Variation = AS_STATED) -> Findings:
    """Return errors of eqs 19 and 20, each without the run that it predicts."""
    first, second = by_both_fits()
    sizes = [np.abs(relative_errors(radii)) for radii in (first, second)]
    gain = sizes[1] - sizes[0]
    kept, seed = credible_runs(), variation.seed
    names = {"eq 19": first, "eq 20": second}
    values = {f"mean error of {name}, leave one out": mean_error(r) for name, r in names.items()}
    intervals = {
        f"mean error of {name}, leave one out": error_interval(r, seed) for name, r in names.items()
    }
    key = "error of eq 20 beyond that of eq 19, leave one out"
    values[key] = float(gain[kept].mean())
    intervals[key] = bootstrap(lambda d: gain[d].mean(axis=1), np.flatnonzero(kept), seed)
    panel = draw_errors(names)
    return Findings(values=values, panels=(panel,), intervals=intervals)


def share_torque(variation: Variation = AS_STATED) -> Findings:
    """Return slippage of front and rear wheels when those of a side share its torque evenly."""
    shared = TurnSettings(sharing=("outer", "inner"))
    turns = simulate_turns(shared, variation)
    soft = simulate_turns(replace(shared, model=shear_model()), variation)
    apart = {
        side: (turns.slippage(f"{side[0]}1") - turns.slippage(f"{side[0]}2"))
        for side in ("outer", "inner")
    }
    later = TURNING_OUT[1]
    softly = np.abs(soft.slippage("i1") - soft.slippage("i2"))[later]
    medians = {side: float(np.median(np.abs(values[later]))) for side, values in apart.items()}
    runs, inner = np.arange(len(apart["inner"]))[later], np.abs(apart["inner"])
    key = "difference of sl_i1 and sl_i2, shared torque"
    return Findings(
        values={
            key: medians["inner"],
            f"{key}, shear law": float(np.median(softly)),
            "inner over outer difference, shared torque": medians["inner"] / medians["outer"],
            "share of runs with a slower inner rear wheel, shared torque": float(
                (apart["inner"][later] > 0.0).mean()
            ),
            "the inner rear wheel of run 13 dips, shared torque": float(turns.dip[RUN_13] > DIP),
        },
        intervals={key: bootstrap(lambda d: np.median(inner[d], axis=1), runs, variation.seed)},
        panels=(draw_pairs(apart),),
    )


def explain_intercept(variation: Variation = AS_STATED) -> Findings:
    """Return what a bias between the sides does: as stated, and as found from tight turns."""
    rigid = TurnSettings()
    even = simulate_turns(rigid, variation)
    stated = simulate_turns(replace(rigid, bias=STATED_BIAS), variation)
    bias = _find_bias(even.column("radius"), stated.column("radius"))
    found = simulate_turns(replace(rigid, bias=bias), variation)
    radii = found.column("radius")
    tight, wide = tight_runs(), wide_runs()
    line = fit_speed_difference(
        stated.column("apparent_difference")[FITTED], stated.column("true_difference")[FITTED]
    )
    key = "mean error of wide turns, bias of tight turns"
    return Findings(
        values={
            "intercept of eq 19, bias of 1 %": line.intercept,
            "slope of eq 19, bias of 1 %": line.slope,
            "mean error of the radius, bias of 1 %": mean_error(stated.column("radius")),
            "bias of tight turns": bias,
            key: mean_error(radii, among=wide),
            "growth of the error, bias of tight turns": (
                mean_error(radii, among=wide) - mean_error(radii, among=tight)
            ),
            "growth of the error, no bias": (
                mean_error(even.column("radius"), among=wide)
                - mean_error(even.column("radius"), among=tight)
            ),
            "apparent width, bias of tight turns": float(np.median(found.widths)),
        },
        intervals={key: error_interval(radii, variation.seed, among=wide)},
        panels=(
            draw_differences({"bias of 1 %": stated}),
            draw_errors({"bias": radii}),
        ),
    )


def _find_bias(even: Array, biased: Array) -> float:
    """Return the bias with the least mean error in tight turns; curvature is linear in it [1]."""
    per_bias = (1.0 / biased - 1.0 / even) / STATED_BIAS
    radii = (1.0 / (1.0 / even + bias * per_bias) for bias in BIASES)
    errors = [mean_error(r, among=tight_runs()) for r in radii]
    return float(BIASES[int(np.argmin(errors))])

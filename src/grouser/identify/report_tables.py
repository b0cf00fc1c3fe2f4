"""Tables of a report of an identification, for terminal and page."""

import math

import numpy as np

from grouser.identify.choice import CONFIDENCE
from grouser.identify.fit import Fit
from grouser.identify.prediction_limits import MIN_BLOCKS, GrowingLimit
from grouser.identify.record import CHANNELS
from grouser.identify.summary import NOT_LIMITS, Summary, judged_facts, number
from grouser.report import TextTable
from grouser.units import format_number

PERCENT = f"{100.0 * CONFIDENCE:.0f} %"
RECOMMENDED = " *"
"""Mark behind the name of the recommended family."""


def judged_table(summary: Summary) -> TextTable:
    """Return what was judged."""
    facts = judged_facts(summary.found)
    rows = [("log", facts["source"])]
    if facts["steady"]:
        rows.append(("rows", f"{facts['belt_speeds']} steady states"))
    else:
        usual = number(facts["median_piece_s"])
        count = facts["pieces"]
        rows.append(("pieces", f"{count} of {usual} s" if count == 1 else
                     f"{count}, the median lasts {usual} s"))  # fmt: skip
        rows.append(("time driven", f"{number(facts['driven_s'])} s"))
    kind = facts["observation"]
    rows.append(("observed", f"{kind} ({', '.join(CHANNELS[kind])}), {facts['observations']} rows"))
    if not facts["steady"]:
        rates = (facts["belt_rate_hz"] or math.nan, facts["observation_rate_hz"])
        belts, seen = (number(rate) for rate in rates)
        rows.append(("rates", f"belts {belts} Hz, observations {seen} Hz"))
        rows.append(("clock offset", _clock(summary)))
    rows.append(("held out", _held_out(summary)))
    if facts["horizon_s"]:
        rows.append(("horizon", f"{number(facts['horizon_s'])} s, {facts['predictions']} "
                     "predictions, and as many of random length"))  # fmt: skip
    return TextTable(
        title="What was judged", heads=("what", "how much"), rows=tuple(rows), words=2,
    )  # fmt: skip


def _held_out(summary: Summary) -> str:
    blocks = summary.found.blocks
    if blocks.count < 2:
        return "nothing"
    return f"{blocks.count} blocks ({blocks.kind}) in {blocks.folds} folds, each predicted unseen"


def _clock(summary: Summary) -> str:
    fit = summary.found.best_first[0]
    offset = fit.parameters.get("time_offset")
    if offset is None:
        return f"{number(fit.values.get('time_offset', math.nan))} s, not identified"
    low, high = number(1e3 * offset.low), number(1e3 * offset.high)
    return f"{number(1e3 * offset.value)} ms ({low} to {high}): observations less belts"


def error_table(summary: Summary) -> TextTable:
    """Return the error of each family with limits, the least first, and why some are dropped."""
    found = summary.found
    unit = next((f.hold_out.unit for f in found.fits.values() if f.hold_out.errors.size), "m")
    heads = (
        "family", "status", f"error, {unit}", f"{PERCENT} from", "to", "more than best", "from",
        "to",
    )  # fmt: skip
    errors = found.recommendation.errors
    rows = []
    for fit in by_error(summary):
        e = errors.get(fit.family)
        cells = ["–"] * 6 if e is None else [
            number(v) for v in (e.value, e.low, e.high, e.excess, e.excess_low, e.excess_high)
        ]  # fmt: skip
        if fit.family == found.recommendation.best:
            cells[3:] = ["best", "", ""]
        rows.append((family_name(summary, fit), str(fit.status), *cells))
    lines = [f"{name} is not recommended: {why}" for name, why in summary.reasons().items()]
    if summary.chosen is not None:
        what = (
            "heading" if unit == "rad" else "centre of a track, position and heading in one number"
        )
        limits = f"limits are {PERCENT}, by bootstrap of blocks"
        lines.insert(0, f"* recommended. The error is that of the {what}; {limits}.")
    return TextTable(
        title="Prediction errors on held-out data", heads=heads, rows=tuple(rows),
        lines=tuple(lines), words=2,
    )  # fmt: skip


def by_error(summary: Summary) -> list[Fit]:
    """Return all fits, the least error first, those without one last."""
    errors = summary.found.recommendation.errors
    return sorted(
        summary.found.fits.values(),
        key=lambda fit: errors[fit.family].value if fit.family in errors else math.inf,
    )


def family_name(summary: Summary, fit: Fit) -> str:
    """Return the name of a family, with a mark if it is recommended."""
    return fit.family + (RECOMMENDED if fit is summary.chosen else "")


def horizon_table(summary: Summary) -> TextTable | None:
    """Return mean errors of each family by horizon, and medians; None if there are none."""
    fits = by_error(summary)
    places = sorted({h for fit in fits for h in fit.hold_out.position})
    turns = sorted({h for fit in fits for h in fit.hold_out.heading})
    if not places and not turns:
        return None
    what = [name for name, known in (("position", places), ("heading", turns)) if known]
    heads, rows = ["family"], []
    heads += [f"{h:g} s, m" for h in places] + (["median, m"] if places else [])
    heads += [f"{h:g} s, deg" for h in turns] + (["median, deg"] if turns else [])
    for fit in fits:
        hold, row = fit.hold_out, [family_name(summary, fit)]
        if places:
            known = [*(hold.position.get(h, math.nan) for h in places),
                     hold.medians.get("position", math.nan)]  # fmt: skip
            row += [number(v) for v in known]
        if turns:
            known = [*(hold.heading.get(h, math.nan) for h in turns),
                     hold.medians.get("heading", math.nan)]  # fmt: skip
            row += [number(math.degrees(v)) for v in known]
        rows.append(tuple(row))
    return TextTable(
        title=f"Mean {' and '.join(what)} error by horizon", heads=tuple(heads), rows=tuple(rows),
        lines=("Medians are at the longest horizon.",),
    )  # fmt: skip


def limit_table(summary: Summary) -> TextTable | None:
    """Return limits of predictions by horizon; None if nothing is recommended."""
    fit = summary.chosen
    if fit is None:
        return None
    limits = fit.limits
    parts = () if limits is None else (limits.position, limits.heading)
    known = [limit for limit in parts if limit is not None]
    lines = [NOT_LIMITS]
    if not known:
        blocks = np.unique(fit.hold_out.blocks).size
        lines.insert(0, f"There are no limits: {blocks} blocks were judged, and {MIN_BLOCKS} are "
                     "needed; drive for longer.")  # fmt: skip
    return TextTable(
        title=f"{PERCENT} limits of predictions, {fit.family}",
        heads=("quantity", "horizon, s", "limit", "unit", "held-out errors inside", "predictions"),
        rows=tuple(row for limit in known for row in _limit_rows(limit)), lines=tuple(lines),
    )  # fmt: skip


def _limit_rows(limit: GrowingLimit) -> list[tuple[str, ...]]:
    scale, unit = (math.degrees(1.0), "deg") if limit.unit == "rad" else (1.0, limit.unit)
    return [
        (
            limit.quantity, number(row.horizon), number(scale * row.limit), unit,
            f"{100.0 * row.coverage:.0f} %" if math.isfinite(row.coverage) else "–",
            str(row.count),
        )
        for row in limit.table
    ]  # fmt: skip


def parameter_table(summary: Summary | None, fit: Fit) -> TextTable:
    """Return the parameters of a fit with intervals, and advice on unidentifiable ones."""
    rows = [
        (e.name, number(e.value, 4), number(e.low, 4), number(e.high, 4), e.unit)
        for e in fit.parameters.values()
    ]
    rows += [(n, format_number(v), "fixed", "", "") for n, v in fit.fixed.items()]
    advice = fit.advice if summary is None else summary.advice(fit)
    lines = [*fit.doubts, *advice]
    if fit.hold_out.quantity == "force":
        lines.insert(0, f"Error of forces that were held out: {number(fit.hold_out.score)} N.")
    counted = f"{fit.samples} numbers in {fit.windows} windows"
    if fit.clusters:
        counted += f" of {fit.clusters} independent blocks"
    return TextTable(
        title=f"{fit.family}: {fit.status}, {counted}, {100.0 * fit.outliers:.1f} % outliers",
        heads=("parameter", "value", "95 % from", "to", "unit"), rows=tuple(rows),
        lines=tuple(lines),
    )  # fmt: skip


def drive_train_table(summary: Summary) -> TextTable | None:
    """Return how belts follow commands; None if motion was predicted from measured belts."""
    train = summary.found.drive_train
    if train is None:
        return None
    rows = [
        (e.name, number(e.value, 4), number(e.low, 4), number(e.high, 4), e.unit)
        for e in train.intervals
    ] or [("lag", number(train.lag, 4), "", "", "s")]
    lines = ()
    if np.isfinite(train.error):
        lines = (f"Root mean square error of a belt speed: {number(train.error)} m/s.",)
    return TextTable(
        title="Belt speeds from commands", heads=("parameter", "value", "95 % from", "to", "unit"),
        rows=tuple(rows), lines=lines,
    )  # fmt: skip


def driven_table(summary: Summary) -> TextTable:
    """Return speeds and turns that were driven, and manoeuvres that are missing."""
    driven = summary.driven
    rows = [
        ("mean belt speed", *(number(v) for v in driven.speed), "m/s"),
        ("turn rate of the belts", *(number(v) for v in driven.turn_rate), "rad/s"),
        ("faster belt in motion", *(number(v) for v in driven.faster_belt), "m/s"),
    ]
    shares = ", ".join(f"{name} {100.0 * share:.0f} %" for name, share in driven.shares.items())
    missing = driven.missing() or ("No manoeuvre is missing.",)
    return TextTable(
        title="What was driven", heads=("by the belts", "from", "to", "unit"), rows=tuple(rows),
        lines=(f"Time in motion: {shares}.", *missing),
    )  # fmt: skip

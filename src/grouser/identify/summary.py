"""What a report of an identification says, for terminal, page and JSON alike."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from grouser.identify.choice import CONFIDENCE
from grouser.identify.driven import Driven, describe_driven, useful_advice
from grouser.identify.families import FAMILIES
from grouser.identify.fit import Fit
from grouser.identify.identify import Identification
from grouser.identify.pieces import describe_pieces, piece_of_observations
from grouser.identify.record import Record
from grouser.identify.report_warnings import find_warnings
from grouser.units import format_number

NOT_LIMITS = (
    "Intervals of parameters are not limits of predictions: they say how well a mean value is "
    "known, not how far a single drive goes off."
)
"""Sentence beside parameters and limits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """An identification, and what a report adds to it."""

    found: Identification
    driven: Driven
    warnings: tuple[str, ...]

    @property
    def chosen(self) -> Fit | None:
        """The recommended fit; None if there is none."""
        return self.found.fits.get(self.found.recommendation.family)

    @property
    def sentence(self) -> str:
        """The recommendation."""
        words = self.found.recommendation.sentence
        if self.chosen is None:
            return f"No family is recommended: {words.removeprefix('none: ')}."
        return f"Recommended is {words}."

    @property
    def price(self) -> str:
        """What the next cheaper family would cost; empty if none is cheaper, or none was judged."""
        choice = self.found.recommendation
        if self.chosen is None or choice.family != choice.best:
            return ""  # the recommendation itself names the price
        cost = FAMILIES[choice.family].cost
        cheaper = {
            name: error
            for name, error in choice.errors.items()
            if FAMILIES[name].cost < cost and name not in choice.dropped
        }
        if not cheaper:
            return ""
        name = min(cheaper, key=lambda name: cheaper[name].excess)
        error, unit = cheaper[name], self.chosen.hold_out.unit
        return (
            f"The price of a cheaper family: the error of {name} is larger by "
            f"{number(error.excess, 2)} {unit} ({number(error.excess_low, 2)} to "
            f"{number(error.excess_high, 2)}, {100.0 * CONFIDENCE:.0f} % limits)."
        )

    def advice(self, fit: Fit) -> tuple[str, ...]:
        """Return what a fit leaves unidentified, without manoeuvres that were driven already."""
        return useful_advice(fit.advice, self.driven)

    def reasons(self) -> dict[str, str]:
        """Return why families are not recommended: not fitted, or dropped."""
        failed = {n: f"it was not fitted: {why}" for n, why in self.found.failures.items()}
        return {**self.found.recommendation.dropped, **failed}

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON values, in the order of the page."""
        choice = self.found.recommendation
        return {
            "recommended": choice.family or None,
            "why": choice.sentence,
            "price": self.price,
            "best": choice.best or None,
            "as_good": choice.as_good,
            "warnings": self.warnings,
            "judged": judged_facts(self.found),
            "errors": {name: asdict(error) for name, error in choice.errors.items()},
            "dropped": choice.dropped,
            "refused": self.found.failures,
            "driven": self.driven.to_dict(),
            **(
                {}
                if self.found.drive_train is None
                else {"drive_train": self.found.drive_train.to_dict()}
            ),
            "fits": {
                name: {**fit.to_dict(), "advice": self.advice(fit)}
                for name, fit in self.found.fits.items()
            },
        }


def summarise(found: Identification) -> Summary:
    """Return what a report of an identification says."""
    return Summary(
        found=found,
        driven=describe_driven(found.record, found.known_robot.gauge),
        warnings=find_warnings(found),
    )


def number(value: float, digits: int = 3) -> str:
    """Return a number in few digits; a dash if it is not known."""
    return format_number(value, digits) if np.isfinite(value) else "–"


def observation_rate(record: Record) -> float:
    """Return the median rate of observations within pieces; NaN if there are too few [Hz]."""
    piece = piece_of_observations(record)
    steps = np.diff(record.observation.time)[np.diff(piece) == 0]
    return 1.0 / float(np.median(steps)) if steps.size else float("nan")


def judged_facts(found: Identification) -> dict[str, Any]:
    """Return what was judged, as plain JSON values; rates are None for steady states."""
    record, fit = found.record, found.best_first[0]
    hold, offset = fit.hold_out, fit.parameters.get("time_offset")
    seen = record.observation
    facts: dict[str, Any] = {"source": record.name, "steady": record.steady}
    if not record.steady:
        facts |= describe_pieces(record)
        facts["pieces"] = record.first.size
        facts["belt_rate_hz"] = 1.0 / record.period if record.period > 0.0 else None
        facts["observation_rate_hz"] = observation_rate(record)
    return facts | {
        "belt_speeds": record.time.size,
        "observation": seen.kind,
        "observations": int(np.isfinite(seen.values).any(axis=0).sum()),
        "blocks": found.blocks.count,
        "block": found.blocks.kind,
        "folds": found.blocks.folds,
        "horizon_s": hold.horizon or None,
        "predictions": hold.starts,
        "clock_offset_s": None
        if offset is None
        else {"value": offset.value, "low": offset.low, "high": offset.high},
    }

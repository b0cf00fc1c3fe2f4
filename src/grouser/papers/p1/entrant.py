"""The eight models of P1, and the numbers that its authors searched for each."""

from dataclasses import dataclass

from grouser.errors import InvalidValue
from grouser.models import Model, make_model


@dataclass(frozen=True, slots=True, kw_only=True)
class Knob:
    """A number that is searched."""

    name: str
    """What it is called here and in files."""
    start: float
    """Where the search begins [1]."""
    low: float
    """Lower end of its range [1]."""
    high: float
    """Upper end of its range [1]."""

    @property
    def spread(self) -> float:
        """Standard deviation of samples: a quarter of the range, assumed [1]."""
        return 0.25 * (self.high - self.low)


LINEAR = Knob(name="linear_gain", start=1.0, low=0.8, high=1.2)
ANGULAR = Knob(name="angular_gain", start=1.0, low=0.6, high=2.4)
EFFICIENCY = Knob(name="steering_efficiency", start=1.0, low=0.3, high=1.0)
ALONG = Knob(name="mu_first", start=2.0, low=0.5, high=2.5)
ACROSS = Knob(name="mu_second", start=0.5, low=0.2, high=1.4)
"""P1 prints neither start vectors nor ranges: gains start at 1, friction at the default of the
authors' public plugin, 2.0 along and 0.5 across; ranges are assumed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """One of P1's models."""

    name: str
    """What P1 calls it."""
    reference: str
    """Which model of ours it is."""
    knobs: tuple[Knob, ...]
    """What is searched."""
    family: str
    """Its column in Table II."""

    @property
    def start(self) -> dict[str, float]:
        """Where the search begins, by name [1]."""
        return {knob.name: knob.start for knob in self.knobs}

    def check_values(self, values: object) -> dict[str, float]:
        """Return values of knobs that come from a file, by name [1].

        Raises:
            InvalidValue: They are not numbers by the names of knobs, within their ranges.
        """
        knobs = {knob.name: knob for knob in self.knobs}
        if not isinstance(values, dict) or not set(values) <= set(knobs):
            raise InvalidValue("values", values, f"be numbers by the names {', '.join(knobs)}")
        for name, value in values.items():
            low, high = knobs[name].low, knobs[name].high
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not is_number or not low <= value <= high:
                raise InvalidValue(name, value, f"be a number from {low:g} to {high:g}")
        return dict(values)

    def make(self, values: dict[str, float]) -> Model:
        """Return the model with some values of its knobs."""
        own = {k: v for k, v in values.items() if not k.startswith("mu_")}
        return make_model(self.reference, **own)

    def friction(self, values: dict[str, float]) -> tuple[float, float]:
        """Return friction along and across belts [1]."""
        return values.get(ALONG.name, ALONG.start), values.get(ACROSS.name, ACROSS.start)


GRIPPING = (LINEAR, ANGULAR, ALONG, ACROSS)
ENTRANTS = {
    entrant.name: entrant
    for entrant in (
        Entrant(name="csm", reference="csm", family="csm",
                knobs=(LINEAR, ANGULAR, EFFICIENCY, ALONG, ACROSS)),
        Entrant(name="4wheels", reference="wheels:count=4", family="wheels", knobs=GRIPPING),
        Entrant(name="8wheels", reference="wheels:count=8", family="wheels", knobs=GRIPPING),
        Entrant(name="no_friction", reference="frictionless", family="no_friction",
                knobs=(LINEAR, ANGULAR, EFFICIENCY)),
        Entrant(name="plates10", reference="plates:pitch=0.1", family="plates", knobs=GRIPPING),
        Entrant(name="plates2", reference="plates:pitch=0.02", family="plates", knobs=GRIPPING),
        Entrant(name="plates10g", reference="plates:pitch=0.1,grousers=1", family="plates",
                knobs=GRIPPING),
        Entrant(name="plates2g", reference="plates:pitch=0.02,grousers=1", family="plates",
                knobs=GRIPPING),
    )
}  # fmt: skip
"""P1's models by their names, in the order of Table I."""

"""A sweep: a scenario in which two numbers are varied, run at each pair as a task."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser import limits
from grouser.errors import InvalidValue, NotFinite, UnknownName
from grouser.report.panel import Mark, Series
from grouser.scenario import Scenario, run
from grouser.sources import package_source
from grouser.sweep.outcomes import OUTCOMES, Outcome, WorkMeter, measure_outcomes
from grouser.tasks import OnProgress, Task, Workers, content_hash, run_tasks
from grouser.units import check_range, parse_number, split_unit

SUBJECTS = ("course", "driver", "flippers", "model", "robot", "variation")
"""Fields of a scenario whose numbers can be varied."""
STUCK_AFTER = 5.0
"""Time without progress on a path that ends a run, unless the scenario has one [s]."""
_FORM = "be written as KEY=FROM:TO:STEP or KEY=VALUE,VALUE, as in course.height_m=0.05:0.3:0.05"


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A number of a scenario, and the values that it takes."""

    key: str
    """Key of `Scenario.vary`, as `course.height_m`."""
    values: tuple[float, ...]
    """Its values, increasing [unit as the key spells]."""
    label: str = ""
    """Label of the axis on a map; the key with its unit if empty."""
    shown: tuple[float, ...] = ()
    """Places of the values on the map; the values themselves if empty [unit of the label]."""

    @property
    def title(self) -> str:
        """Label of the axis on a map."""
        return self.label or _title(self.key)

    @property
    def places(self) -> tuple[float, ...]:
        """Place of each value on the map [unit of the label]."""
        return self.shown or self.values

    @classmethod
    def parse(cls, option: str, text: str) -> "Axis":
        """Return the axis that a word such as `course.height_m=0.05:0.3:0.05` describes.

        Args:
            option: The option that it was given with, for messages.
            text: The word; `drive.` is short for `driver.`.

        Raises:
            InvalidValue: It is not written like that, or has too few or too many values.
            UnknownName: Its key does not begin with one of `SUBJECTS`.
        """
        if len(text) > limits.WORD_LENGTH:
            required = f"have at most {limits.WORD_LENGTH:,} characters"
            raise InvalidValue(option, f"{len(text):,}", required)
        key, equals, rest = (word.strip() for word in text.partition("="))
        subject, dot, parameter = key.partition(".")
        if subject == "drive":  # as the option is called
            subject, key = "driver", f"driver.{parameter}"
        if not (subject and dot and parameter and equals):
            raise InvalidValue(option, text, _FORM)
        if subject not in SUBJECTS:
            raise UnknownName("subject of a sweep", subject, SUBJECTS)
        values = (
            _parse_range(option, text, rest) if ":" in rest else _parse_list(option, text, rest)
        )
        most = limits.AXIS_VALUES
        if not 2 <= len(values) <= most:
            count = f"{len(values)}" if len(values) <= most else "more"
            raise InvalidValue(option, text, f"have from 2 to {most} values, and has {count}")
        if sorted(set(values)) not in (list(values), list(reversed(values))):
            raise InvalidValue(option, text, "have values that rise, or fall")
        return cls(key=key, values=tuple(sorted(values)))


def _parse_range(option: str, text: str, words: str) -> list[float]:
    try:
        start, end, step = _parse_list(option, text, words.replace(":", ","))
    except ValueError:
        raise InvalidValue(option, text, _FORM) from None
    # Divided by a step that is too small, the numbers may overflow; then there are too many.
    steps = (end - start) / step if step else -1.0
    if steps < 0.0:
        raise InvalidValue(option, text, "have a step that leads from the first to the last value")
    count = math.floor(min(steps, limits.AXIS_VALUES) + 1e-9) + 1
    # Rounded, so that 0.05 + 2 * 0.05 is 0.15 in files and labels.
    return [round(start + number * step, 9) for number in range(count)]


def _parse_list(option: str, text: str, words: str) -> list[float]:
    values = [parse_number(word) for word in words.split(",")[: limits.AXIS_VALUES + 1]]
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(values):
        raise InvalidValue(option, text, _FORM)
    for number in numbers:
        check_range(f"{option} {text[:60]}: value", number, "1")
    return numbers


def _title(key: str) -> str:
    """Return a key with its unit in brackets: `course.height [m]`."""
    name, unit = split_unit(key)
    return key if name == key else f"{name} [{unit}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class PointExperiment:
    """What is run at each point of a sweep, where it is not the scenario's driver."""

    summary: str
    """One line about it, beside the map."""
    outcomes: Mapping[str, Outcome]
    """Its outcomes by name."""
    make_tasks: Callable[["Sweep"], list[Task]]
    """Returns a task for each point, row by row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """A scenario, the two numbers that are varied, and the outcome that the map shows."""

    name: str
    """Name of its files."""
    title: str = ""
    """Title of the map; made of scenario and outcome if empty."""
    scenario: Scenario
    """What is run at each point, but for the two numbers."""
    x: Axis
    """What is varied along the horizontal axis."""
    y: Axis
    """What is varied along the vertical axis."""
    outcome: str = "reached"
    """Name of the outcome that the map shows."""
    experiment: PointExperiment | None = None
    """What is run at each point instead of the driver; None for the driver."""
    marks: tuple[Mark, ...] = ()
    """Published results."""
    lines: tuple[Series, ...] = ()
    """Expected limits."""

    def find_outcome(self) -> Outcome:
        """Return the outcome that the map shows.

        Raises:
            UnknownName: There is no such outcome.
        """
        known = self.experiment.outcomes if self.experiment else OUTCOMES
        if self.outcome not in known:
            raise UnknownName("outcome", self.outcome, known)
        return known[self.outcome]

    def point(self, x: float, y: float) -> Scenario:
        """Return the scenario of a point [units as the keys of the axes spell].

        Raises:
            UnknownName: There is no such number.
        """
        # In the order of keys, flippers.all_raised_deg comes before those of one end.
        pairs = sorted(((self.x.key, x), (self.y.key, y)))
        found = self.scenario
        for key, value in pairs:
            found = found.vary(key, value)
        return found

    def tasks(self) -> list[Task]:
        """Return a task for each point, row by row; its name has a hash of all it depends on.

        Every point is loaded and checked before the first one runs.

        Raises:
            GrouserError: A number does not exist, or cannot have one of its values.
        """
        if self.experiment is not None:
            return self.experiment.make_tasks(self)
        tasks, names = list[Task](), tuple(OUTCOMES)
        for y in self.y.values:
            for x in self.x.values:
                loaded = self.point(x, y).load()
                if not tasks:
                    loaded.start()  # whether the model can drive there at all
                scenario, stop = loaded.scenario, loaded.scenario.stop
                has_path = loaded.plan is not None and loaded.plan.progress is not None
                if has_path and stop.stuck_after is None:
                    scenario = scenario.vary("stop.stuck_after", STUCK_AFTER)
                # The names of outcomes, too: a result that lacks one is of no use.
                parts = package_source(), loaded.model.computed_by, scenario.content_hash, names
                name = f"{self.x.key}={x:g}, {self.y.key}={y:g} ({content_hash(*parts)})"
                arguments = {"scenario": scenario.content()}
                tasks.append(Task(name=name, function=run_point, arguments=arguments))
        return tasks


def run_point(scenario: Mapping[str, Any]) -> dict[str, float]:
    """Return all outcomes of a scenario by name; NaN where a number was no longer finite."""
    try:
        result = run(Scenario.from_content(scenario), observers=[WorkMeter()])
    except NotFinite:
        return dict.fromkeys(OUTCOMES, math.nan)
    if result.status == "interrupted":
        raise KeyboardInterrupt
    return measure_outcomes(result.log, result.loaded.course)


def run_sweep(
    sweep: Sweep, workers: Workers, file: Path, on_progress: OnProgress = lambda *_: None
) -> NDArray[np.float64]:
    """Return the values of the map, a row for each y and a column for each x.

    Raises:
        GrouserError: A number or outcome does not exist, or cannot have its value.
    """
    sweep.find_outcome()
    tasks = sweep.tasks()

    def is_valid(kept: Any) -> bool:
        return isinstance(kept, dict) and isinstance(kept.get(sweep.outcome), int | float)

    done = run_tasks(
        tasks, workers, file=file, what="results of a sweep",
        on_progress=on_progress, is_valid=is_valid,
    )  # fmt: skip
    found = dict(done)
    values = np.array([found[task.name][sweep.outcome] for task in tasks])
    return values.reshape(len(sweep.y.values), len(sweep.x.values))

"""All models in all scenarios, run after run; what is done stays done."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from grouser.description import Robot, load_robot
from grouser.errors import InvalidValue
from grouser.log import write_atomically
from grouser.papers.p1.drive_scenario import drive_scenario
from grouser.papers.p1.entrant import ENTRANTS, Entrant
from grouser.papers.p1.measures import measure
from grouser.papers.p1.reference import load_reference
from grouser.papers.p1.scenario import SCENARIOS, Scenario
from grouser.version import VERSION

ROBOT = "absolem"
"""P1's robot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One model in one scenario, once."""

    entrant: str
    """Which model, by P1's name."""
    scenario: str
    """Which scenario."""
    run: int
    """Number of the repetition."""
    metrics: Mapping[str, float]
    """What was measured, by name [m], [rad]."""
    seconds: float
    """Processor time that the drive took [s]."""
    reference: str
    """What it was measured against; empty if against a target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """Who drives what, how often, and where results are kept."""

    entrants: tuple[Entrant, ...] = tuple(ENTRANTS.values())
    """The models."""
    scenarios: tuple[Scenario, ...] = SCENARIOS
    """The drives."""
    runs: int = 10
    """Repetitions of each."""
    values: Mapping[str, dict[str, float]] = field(default_factory=dict)
    """Searched values by model; where a model has none, the search's start [1]."""
    references: Path | None = None
    """Folder of recordings; None for the stand-ins."""
    file: Path | None = None
    """Where outcomes are kept, and looked up; None for nowhere."""

    def outcomes(
        self, tell: Callable[[str, int, int], None] = lambda *_: None
    ) -> Iterator[Outcome]:
        """Yield all outcomes; those that the file has are not driven again.

        Args:
            tell: Is told what is driven next, how many are done, and how many there are.
        """
        kept = self._read()
        robot = load_robot(ROBOT)
        plan = [
            (entrant, scenario, run)
            for entrant in self.entrants
            for scenario in self.scenarios
            for run in range(self.runs)
        ]
        for done, (entrant, scenario, run) in enumerate(plan):
            key = self._key(entrant, scenario, run)
            if key not in kept:
                tell(f"{entrant.name}, {scenario.name}, run {run + 1}", done, len(plan))
                kept[key] = asdict(self._drive(robot, entrant, scenario, run))
                if self.file is not None:
                    write_atomically(self.file, json.dumps(kept, indent=1))
            yield Outcome(**kept[key])

    def _drive(self, robot: Robot, entrant: Entrant, scenario: Scenario, run: int) -> Outcome:
        values = self._values(entrant)
        course = scenario.load_course(*entrant.friction(values))
        reference = (
            load_reference(scenario, robot, course, self.references)
            if scenario.needs_reference
            else None
        )
        drive, seconds = drive_scenario(scenario, entrant.make(values), robot, course, run)
        return Outcome(
            entrant=entrant.name,
            scenario=scenario.name,
            run=run,
            metrics=measure(scenario, drive, reference),
            seconds=seconds,
            reference=reference.source if reference else "",
        )

    def _values(self, entrant: Entrant) -> dict[str, float]:
        return entrant.start | self.values.get(entrant.name, {})

    def _key(self, entrant: Entrant, scenario: Scenario, run: int) -> str:
        recording = self.references and self.references / f"{scenario.name}.csv"
        digest = recording.read_bytes() if recording and recording.exists() else b""
        settings = [VERSION, entrant.reference, self._values(entrant), scenario.legs]
        text = json.dumps(settings, sort_keys=True).encode() + digest
        mark = hashlib.sha256(text).hexdigest()[:12]
        return f"{entrant.name}/{scenario.name}/{run}/{mark}"

    def _read(self) -> dict[str, dict[str, Any]]:
        if self.file is None or not self.file.exists():
            return {}
        try:
            return json.loads(self.file.read_text())
        except ValueError:
            required = "be results of a contest, or not be there"
            raise InvalidValue("results", str(self.file), required) from None

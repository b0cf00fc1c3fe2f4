"""All models in all scenarios, run after run; what is done stays done."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from grouser import limits
from grouser.description import load_robot
from grouser.papers.p1.drive_scenario import drive_scenario
from grouser.papers.p1.entrant import ENTRANTS, Entrant
from grouser.papers.p1.measures import Drive, measure
from grouser.papers.p1.reference import Trajectory, load_reference
from grouser.papers.p1.scenario import SCENARIOS, Scenario
from grouser.spread import ALONE, Crew, Task, Tell, spread
from grouser.storage import read_file
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

    def outcomes(self, tell: Tell = lambda *_: None, crew: Crew = ALONE) -> Iterator[Outcome]:
        """Yield all outcomes; those that the file has are not driven again.

        Args:
            tell: Is told what was driven last, how many are done, and how many there are.
            crew: Who drives; more than one process yields outcomes as they come, in any order.
        """
        tasks = [
            Task(
                name=self._key(entrant, scenario, run),
                function=_drive_once,
                arguments={"contest": self, "entrant": entrant, "scenario": scenario, "run": run},
            )
            for entrant in self.entrants
            for scenario in self.scenarios
            for run in range(self.runs)
        ]
        what = "results of a contest"
        done = spread(tasks, crew, file=self.file, what=what, tell=tell, fits=_is_outcome)
        for _, kept in done:
            yield Outcome(**kept)

    def in_order(self, outcomes: Iterable[Outcome]) -> list[Outcome]:
        """Return outcomes in the order of models, scenarios and runs."""
        models = [entrant.name for entrant in self.entrants]
        drives = [scenario.name for scenario in self.scenarios]
        return sorted(
            outcomes, key=lambda o: (models.index(o.entrant), drives.index(o.scenario), o.run)
        )

    def _values(self, entrant: Entrant) -> dict[str, float]:
        return entrant.start | self.values.get(entrant.name, {})

    def _key(self, entrant: Entrant, scenario: Scenario, run: int) -> str:
        recording = self.references and self.references / f"{scenario.name}.csv"
        digest = read_file(recording, limits.LOG_BYTES) if recording and recording.exists() else b""
        settings = [VERSION, entrant.reference, self._values(entrant), scenario.legs]
        text = json.dumps(settings, sort_keys=True).encode() + digest
        mark = hashlib.sha256(text).hexdigest()[:12]
        return f"{entrant.name}/{scenario.name}/{run}/{mark}"


def _is_outcome(kept: Any) -> bool:
    """Return whether a kept result has the fields of an outcome."""
    if not isinstance(kept, dict) or set(kept) != {f.name for f in fields(Outcome)}:
        return False
    texts = [kept[name] for name in ("entrant", "scenario", "reference")]
    numbers = [kept["run"], kept["seconds"]]
    if not isinstance(kept["metrics"], dict):
        return False
    numbers += kept["metrics"].values()
    known = all(isinstance(number, int | float) for number in numbers)
    return known and all(isinstance(text, str) for text in texts)


def drive_entrant(
    entrant: Entrant,
    scenario: Scenario,
    values: dict[str, float],
    *,
    run: int = 0,
    references: Path | None = None,
) -> tuple[Outcome, Drive, Trajectory | None]:
    """Drive a scenario once; return what was measured, the drive, and what it should have been.

    Args:
        entrant: Who drives.
        scenario: What.
        values: Its searched values [1].
        run: Number of the repetition.
        references: Folder of recordings; None for the stand-ins.
    """
    robot = load_robot(ROBOT)
    course = scenario.load_course(*entrant.friction(values))
    reference = (
        load_reference(scenario, robot, course, references) if scenario.needs_reference else None
    )
    drive, seconds = drive_scenario(scenario, entrant.make(values), robot, course, run)
    outcome = Outcome(
        entrant=entrant.name,
        scenario=scenario.name,
        run=run,
        metrics=measure(scenario, drive, reference),
        seconds=seconds,
        reference=reference.source if reference else "",
    )
    return outcome, drive, reference


def _drive_once(contest: Contest, entrant: Entrant, scenario: Scenario, run: int) -> dict[str, Any]:
    values = contest._values(entrant)
    outcome, _, _ = drive_entrant(entrant, scenario, values, run=run, references=contest.references)
    return asdict(outcome)

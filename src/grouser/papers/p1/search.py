"""P1's search of parameters, and better ones beside it; an interrupted search goes on.

A search is a chain of questions "what do these vectors cost?". The vectors of one round do not
depend on each other, so several processes may look for answers. Each answer is written down at
once. Whoever starts the same search again asks the same questions, as all chance comes from the
seed, and the answers that are known come from the file.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grouser import limits
from grouser.errors import InvalidValue, Unreadable
from grouser.extras import require_extra
from grouser.papers.p1.contest import Contest
from grouser.papers.p1.scenarios import SCENARIOS, Entrant, Scenario
from grouser.papers.p1.tables import table_1
from grouser.storage import parse_json, read_file, write_atomically
from grouser.tasks import SERIAL, Task, Workers, run_tasks
from grouser.version import VERSION

Method: TypeAlias = Literal["p1", "cem", "cma"]
"""P1's own; the cross-entropy method; covariance matrix adaptation."""
Vector: TypeAlias = NDArray[np.float64]
"""A value per knob, each over its range: 0 at the lower end, 1 at the upper [1]."""
Ask: TypeAlias = Callable[[Sequence[Vector]], list[float]]
"""Finds what each vector of a round costs."""
SPREAD = 0.25
"""Standard deviation of samples, over the range [1]."""
ELITE = 0.4
"""Share of the samples that the cross-entropy method learns from [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What is searched, how, and where answers are kept."""

    entrant: Entrant
    """Whose parameters."""
    method: Method = "p1"
    """How."""
    iterations: int = 5
    """Rounds of samples."""
    samples: int = 5
    """Vectors in each round."""
    trials: int = 3
    """Runs of each scenario for one vector, averaged."""
    scenarios: tuple[Scenario, ...] = SCENARIOS
    """What counts."""
    references: Path | None = None
    """Folder of recordings; None for the stand-ins."""
    seed: int = 0
    """Where all chance comes from."""
    file: Path | None = None
    """Where answers are kept, and looked up; None for nowhere."""

    def run(
        self,
        tell: Callable[[int, int, float], None] = lambda *_: None,
        workers: Workers = SERIAL,
    ) -> dict[str, Any]:
        """Search, and return the best values, their cost, and all answers.

        Args:
            tell: Is told how many answers are known, how many there will be, and the best cost.
            workers: Who finds the costs of one round.

        Raises:
            Unreadable: The file holds something else than answers of the same search.
        """
        known = {_name(answer["values"]): answer for answer in self._read()}
        asked: list[str] = []
        total = self.iterations * self.samples + 1

        def ask(vectors: Sequence[Vector]) -> list[float]:
            wanted = {_name(values): values for values in map(self._values, vectors)}
            tasks = [
                Task(name=name, function=_find_cost, arguments={"search": self, "values": values})
                for name, values in wanted.items()
                if name not in known
            ]
            for name, found in run_tasks(tasks, workers):
                known[name] = {"values": wanted[name], "cost": found}
                self._write(list(known.values()))
                tell(len(known), total, min(answer["cost"] for answer in known.values()))
            names = [_name(self._values(vector)) for vector in vectors]
            asked.extend(names)
            return [float(known[name]["cost"]) for name in names]

        _METHODS[self.method](ask, self._start(), self)
        answers = [known[name] for name in asked]
        best = min(answers, key=lambda answer: answer["cost"])
        return {**self._settings(), "best": best, "answers": answers}

    def _start(self) -> Vector:
        return np.array([(k.start - k.low) / (k.high - k.low) for k in self.entrant.knobs])

    def _values(self, vector: Vector) -> dict[str, float]:
        pairs = zip(self.entrant.knobs, vector, strict=True)
        return {k.name: round(float(k.low + share * (k.high - k.low)), 9) for k, share in pairs}

    def _cost(self, values: dict[str, float]) -> float:
        """Return the weighted sum of P1's metrics, each over the csm column of Table I + 0.1."""
        titles = {scenario.name: scenario for scenario in self.scenarios}
        contest = Contest(
            entrants=(self.entrant,),
            scenarios=self.scenarios,
            runs=self.trials,
            values={self.entrant.name: values},
            references=self.references,
        )
        total = 0.0
        for outcome in contest.outcomes():
            scenario = titles[outcome.scenario]
            for name in scenario.metrics:
                weight = 1.0 / (table_1()[scenario.title, name]["csm"].mean + 0.1)
                total += weight * outcome.metrics[name] / self.trials
        return total

    def _settings(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "entrant": self.entrant.name,
            "method": self.method,
            "iterations": self.iterations,
            "samples": self.samples,
            "trials": self.trials,
            "scenarios": [scenario.name for scenario in self.scenarios],
            "references": str(self.references or ""),
            "seed": self.seed,
        }

    def _write(self, answers: list[dict[str, Any]]) -> None:
        if self.file is not None:
            best = min(answers, key=lambda answer: answer["cost"])
            content = {**self._settings(), "best": best, "answers": answers}
            write_atomically(self.file, json.dumps(content, indent=1))

    def _read(self) -> list[dict[str, Any]]:
        """Return the answers of the same search, if the file holds them."""
        if self.file is None or not self.file.exists():
            return []
        remedy = "move it away, or name another file"
        try:
            content = parse_json(read_file(self.file, limits.RESULT_BYTES))
            if not isinstance(content, dict) or not isinstance(content.get("answers"), list):
                raise ValueError("there is no list of answers")
            if {key: content.get(key) for key in self._settings()} != self._settings():
                raise Unreadable(self.file, f"holds the answers of another search; {remedy}")
            return [self._check_answer(answer) for answer in content["answers"]]
        except (ValueError, InvalidValue) as error:
            problem = f"does not hold the answers of a search ({error})"
            raise Unreadable(self.file, f"{problem}; {remedy}") from error

    def _check_answer(self, answer: object) -> dict[str, Any]:
        if not isinstance(answer, dict):
            raise InvalidValue("an answer", answer, "have values and their cost")
        values = self.entrant.check_values(answer.get("values"))
        if len(values) != len(self.entrant.knobs):
            raise InvalidValue("values", values, "name all parameters that are searched")
        cost = answer.get("cost")
        if not isinstance(cost, int | float) or isinstance(cost, bool) or not cost >= 0.0:
            raise InvalidValue("cost", cost, "be a number from 0")
        return {"values": values, "cost": float(cost)}


def _name(values: dict[str, float]) -> str:
    return json.dumps(values, sort_keys=True)


def _find_cost(search: Search, values: dict[str, float]) -> float:
    return search._cost(values)


def _search_as_p1(ask: Ask, start: Vector, search: Search) -> None:
    """Sample around the best vector so far; the covariance never changes."""
    chance = np.random.default_rng(search.seed)
    best, least = start, ask([start])[0]
    for _ in range(search.iterations):
        vectors = chance.normal(best, SPREAD, (search.samples, len(start))).clip(0.0, 1.0)
        for vector, found in zip(vectors, ask(list(vectors)), strict=True):
            if found < least:
                best, least = vector, found


def _search_by_cross_entropy(ask: Ask, start: Vector, search: Search) -> None:
    """Sample around the mean of the best few; their spread is the next one."""
    chance = np.random.default_rng(search.seed)
    ask([start])
    mean, spread = start, np.full(len(start), SPREAD)
    elite = max(2, round(ELITE * search.samples))
    for _ in range(search.iterations):
        vectors = chance.normal(mean, spread, (search.samples, len(start))).clip(0.0, 1.0)
        chosen = vectors[np.argsort(ask(list(vectors)))[:elite]]
        mean, spread = chosen.mean(axis=0), 0.5 * spread + 0.5 * chosen.std(axis=0)


def _search_by_adaptation(ask: Ask, start: Vector, search: Search) -> None:
    """Let CMA-ES ask, within the ranges."""
    require_extra("the search 'cma'", "identify", "cma")
    import cma

    ask([start])
    options = {
        "bounds": [0.0, 1.0],
        "popsize": search.samples,
        "seed": search.seed + 1,  # zero would take the clock
        "verbose": -9,
        "maxiter": search.iterations,
    }
    strategy = cma.CMAEvolutionStrategy(start.clip(0.05, 0.95), SPREAD, options)
    for _ in range(search.iterations):
        vectors = strategy.ask()
        strategy.tell(vectors, ask([np.asarray(vector) for vector in vectors]))


_METHODS: dict[str, Callable[[Ask, Vector, Search], None]] = {
    "p1": _search_as_p1,
    "cem": _search_by_cross_entropy,
    "cma": _search_by_adaptation,
}

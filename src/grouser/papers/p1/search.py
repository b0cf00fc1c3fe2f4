"""P1's search of parameters, and better ones beside it; an interrupted search continues.

The cost is of metrics against targets only, each over a fixed scale: sums over a trajectory need
recordings of the real robot, which are lost, and would tune a model to our own stand-in. All of
P1's models have the same budget, that of P1's search: 26 vectors. P1 drove each three times, as its
simulator was not deterministic; ours are, and drive once, for the first two of ten seconds: speeds
are steady after 0.2 s, and plates of 2 cm take half a minute of processor time for ten.

A search evaluates the cost of vectors, round by round. The vectors of one round do not depend on
each other, so several processes may evaluate them. Each cost is stored at once. All random numbers
come from the seed: the same search, started again, evaluates the same vectors, and takes known
costs from its file.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grouser import limits
from grouser.errors import InvalidValue, NotFinite, Unreadable
from grouser.extras import require_extra
from grouser.papers.p1.comparison import drive_model
from grouser.papers.p1.scenarios import SCENARIOS, TUNED_ON, P1Model, P1Scenario
from grouser.storage import parse_json, read_file, write_atomically
from grouser.tasks import SERIAL, Task, Workers, run_tasks
from grouser.version import VERSION

Method: TypeAlias = Literal["p1", "cem", "cma"]
"""P1's own, the cross-entropy method, covariance matrix adaptation."""
Vector: TypeAlias = NDArray[np.float64]
"""A value per parameter as a share of its range, from 0 to 1 [1]."""
Evaluate: TypeAlias = Callable[[Sequence[Vector]], list[float]]
"""Returns the cost of each vector of a round."""
SPREAD = 0.25
"""Standard deviation of samples, over the range [1]."""
ELITE = 0.4
"""Share of the samples that the cross-entropy method uses [1]."""
SCALES = {
    ("straight", "d_t"): 3.0, ("rotate", "d_yaw"): 6.0, ("back-and-forth", "d_st"): 0.4,
    ("stand", "d_st"): 0.2, ("stand", "d_omega"): 0.1,
}  # fmt: skip
"""What each metric of the cost is divided by: the commanded distance and angle, the length of a
leg, and what P1's model without friction slides and turns on the stairs [m], [rad]. The angle of
`rotate` is not wrapped, or a robot that never turns would score 0.28 rad."""
HORIZON = 2.0
"""How long scenarios with a target ahead are driven for the cost [s]."""
DIVERGED = 10.0
"""Cost of a scenario in which a number is no longer finite: more than not to move at all [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A model, a method, and where costs are kept."""

    model: P1Model
    """The model whose parameters are searched."""
    method: Method = "p1"
    """The method."""
    iterations: int = 5
    """Rounds of samples."""
    samples: int = 5
    """Vectors in each round."""
    trials: int = 1
    """Runs of each scenario for one vector, averaged."""
    scenarios: tuple[P1Scenario, ...] = tuple(s for s in SCENARIOS if s.name in TUNED_ON)
    """Scenarios whose metrics make the cost, of those that have targets."""
    horizon: float = HORIZON
    """How long scenarios with a target ahead are driven [s]."""
    seed: int = 0
    """Seed of all random numbers."""
    file: Path | None = None
    """File of costs that are kept; None for none."""

    def run(
        self,
        on_progress: Callable[[int, int, float], None] = lambda *_: None,
        workers: Workers = SERIAL,
    ) -> dict[str, Any]:
        """Search; return the best values, their cost, and all evaluated values with their costs.

        Args:
            on_progress: Called with the number of known costs, their total, and the best cost.
            workers: What evaluates the vectors of one round.

        Raises:
            Unreadable: The file holds something else than answers of the same search.
        """
        known = {_name(answer["values"]): answer for answer in self._read()}
        evaluated: list[str] = []
        total = self.iterations * self.samples + 1

        def evaluate(vectors: Sequence[Vector]) -> list[float]:
            wanted = {_name(values): values for values in map(self._values, vectors)}
            tasks = [
                Task(name=name, function=_find_cost, arguments={"search": self, "values": values})
                for name, values in wanted.items()
                if name not in known
            ]
            for name, found in run_tasks(tasks, workers):
                known[name] = {"values": wanted[name], **found}
                self._write(list(known.values()))
                on_progress(len(known), total, min(answer["cost"] for answer in known.values()))
            names = [_name(self._values(vector)) for vector in vectors]
            evaluated.extend(names)
            return [float(known[name]["cost"]) for name in names]

        _METHODS[self.method](evaluate, self._start(), self)
        answers = [known[name] for name in evaluated]
        best = min(answers, key=lambda answer: answer["cost"])
        return {**self._settings(), "best": best, "answers": answers}

    def _start(self) -> Vector:
        return np.array([(k.start - k.low) / (k.high - k.low) for k in self.model.parameters])

    def _values(self, vector: Vector) -> dict[str, float]:
        pairs = zip(self.model.parameters, vector, strict=True)
        return {k.name: round(float(k.low + share * (k.high - k.low)), 9) for k, share in pairs}

    def _cost(self, values: dict[str, float]) -> float:
        """Return the sum of the metrics over their scales, averaged over trials."""
        total = 0.0
        for whole in self.scenarios:
            scenario = whole.shorten(self.horizon)
            share = scenario.duration / whole.duration
            for run in range(self.trials):
                try:
                    metrics = drive_model(self.model, scenario, values, run=run)[0].metrics
                except NotFinite:
                    total += DIVERGED / self.trials
                    continue
                for (name, metric), scale in SCALES.items():
                    if name == scenario.name:
                        total += abs(metrics[metric]) / (scale * share) / self.trials
        return total

    def _settings(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "model": self.model.name,
            "method": self.method,
            "iterations": self.iterations,
            "samples": self.samples,
            "trials": self.trials,
            "scenarios": [scenario.name for scenario in self.scenarios],
            "horizon": self.horizon,
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
            raise InvalidValue("an answer", answer, "have values, their cost and its seconds")
        values = self.model.check_values(answer.get("values"))
        if len(values) != len(self.model.parameters):
            raise InvalidValue("values", values, "name all parameters that are searched")
        cost = answer.get("cost")
        if not isinstance(cost, int | float) or isinstance(cost, bool) or not cost >= 0.0:
            raise InvalidValue("cost", cost, "be a number from 0")
        seconds = answer.get("seconds")
        if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not seconds >= 0.0:
            raise InvalidValue("seconds", seconds, "be a number from 0")
        return {"values": values, "cost": float(cost), "seconds": float(seconds)}


def _name(values: dict[str, float]) -> str:
    return json.dumps(values, sort_keys=True)


def _find_cost(search: Search, values: dict[str, float]) -> dict[str, float]:
    """Return the cost of some values, and the processor time that it took [s]."""
    begin = time.process_time()
    cost = search._cost(values)
    return {"cost": cost, "seconds": round(time.process_time() - begin, 3)}


def _search_as_p1(evaluate: Evaluate, start: Vector, search: Search) -> None:
    """Sample around the best vector so far; the covariance never changes."""
    random = np.random.default_rng(search.seed)
    best, least = start, evaluate([start])[0]
    for _ in range(search.iterations):
        vectors = random.normal(best, SPREAD, (search.samples, len(start))).clip(0.0, 1.0)
        for vector, found in zip(vectors, evaluate(list(vectors)), strict=True):
            if found < least:
                best, least = vector, found


def _search_by_cross_entropy(evaluate: Evaluate, start: Vector, search: Search) -> None:
    """Sample around the mean of the best few; their spread is the next one."""
    random = np.random.default_rng(search.seed)
    evaluate([start])
    mean, spread = start, np.full(len(start), SPREAD)
    elite = max(2, round(ELITE * search.samples))
    for _ in range(search.iterations):
        vectors = random.normal(mean, spread, (search.samples, len(start))).clip(0.0, 1.0)
        chosen = vectors[np.argsort(evaluate(list(vectors)))[:elite]]
        mean, spread = chosen.mean(axis=0), 0.5 * spread + 0.5 * chosen.std(axis=0)


def _search_by_adaptation(evaluate: Evaluate, start: Vector, search: Search) -> None:
    """Search by CMA-ES within the ranges."""
    require_extra("the search 'cma'", "identify", "cma")
    import cma

    evaluate([start])
    options = {
        "bounds": [0.0, 1.0],
        "popsize": search.samples,
        "seed": search.seed + 1,  # zero would be the time of day
        "verbose": -9,
        "maxiter": search.iterations,
    }
    strategy = cma.CMAEvolutionStrategy(start.clip(0.05, 0.95), SPREAD, options)
    for _ in range(search.iterations):
        vectors = strategy.ask()
        strategy.tell(vectors, evaluate([np.asarray(vector) for vector in vectors]))


_METHODS: dict[str, Callable[[Evaluate, Vector, Search], None]] = {
    "p1": _search_as_p1,
    "cem": _search_by_cross_entropy,
    "cma": _search_by_adaptation,
}

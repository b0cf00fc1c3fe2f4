"""Runs the experiments of papers, and compares their numbers with the claims."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grouser.papers.paper import (
    PAPERS,
    Conclusion,
    Experiment,
    Findings,
    Paper,
    Status,
    Verdict,
)
from grouser.papers.variation import AS_STATED, VARIATIONS, Variation
from grouser.report import Panel
from grouser.sources import package_source
from grouser.tasks import OnProgress, Task, Workers, run_tasks


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """The verdicts, conclusions and figures of one paper."""

    paper: Paper
    """The paper."""
    verdicts: tuple[Verdict, ...]
    """Each claim, and our number beside it."""
    panels: tuple[Panel, ...]
    """Its figures, drawn again."""

    @property
    def conclusions(self) -> list[tuple[Conclusion, Status]]:
        """What the paper concludes, and what became of it: failures first."""
        by_key = {verdict.claim.key: verdict for verdict in self.verdicts}
        judged = [(c, c.judge(by_key)) for c in self.paper.conclusions]
        order = list(Status)
        return sorted(judged, key=lambda pair: order.index(pair[1]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """A verdict that another friction, mass or seed turns."""

    variation: str
    """What was varied."""
    stated: Verdict
    """The verdict as stated."""
    varied: Verdict
    """The verdict with the variation."""


def run_experiment(
    paper: str, name: str, friction: float = 1.0, mass: float = 1.0, seed: int = 0
) -> dict[str, Any]:
    """Return the findings of an experiment, perhaps varied, as plain values."""
    (experiment,) = (e for e in PAPERS[paper].experiments if e.name == name)
    return experiment.run(Variation(friction=friction, mass=mass, seed=seed)).to_json()


def reproduce(
    papers: Sequence[Paper],
    *,
    quick: bool = False,
    workers: Workers | None = None,
    file: Path | None = None,
    on_progress: OnProgress = lambda *_: None,
) -> list[Reproduction]:
    """Return the verdicts of papers.

    Raises:
        TaskFailed: An experiment came to nothing.
    """
    (found,) = _run_varied([AS_STATED], papers, quick, workers, file, on_progress)
    return found


def find_flips(
    papers: Sequence[Paper],
    variations: Mapping[str, Variation] = VARIATIONS,
    *,
    quick: bool = False,
    workers: Workers | None = None,
    file: Path | None = None,
    on_progress: OnProgress = lambda *_: None,
) -> tuple[list[Reproduction], list[Flip]]:
    """Return the verdicts of papers, and those on evidence that a variation turns.

    Numbers that depend on the computer are left out: they need no variation in order to turn.

    Raises:
        TaskFailed: An experiment came to nothing.
    """
    every = [AS_STATED, *variations.values()]
    stated, *varied = _run_varied(every, papers, quick, workers, file, on_progress)
    flips = []
    for name, reproductions in zip(variations, varied, strict=True):
        for before, after in zip(stated, reproductions, strict=True):
            flips += [
                Flip(variation=name, stated=one, varied=other)
                for one, other in zip(before.verdicts, after.verdicts, strict=True)
                if one.claim.kind.can_fail and not one.claim.is_timed and one.word != other.word
            ]
    return stated, flips


def _run_varied(
    variations: Sequence[Variation],
    papers: Sequence[Paper],
    quick: bool,
    workers: Workers | None,
    file: Path | None,
    on_progress: OnProgress,
) -> list[list[Reproduction]]:
    """Return the reproductions of papers under each variation, all of them run at once."""
    wanted = [e for p in papers for e in p.experiments if e.is_quick or not quick]
    lacks = {e.key: e.find_lack() for e in wanted}
    # Slow experiments first: then none of them runs alone at the end.
    chosen = sorted((e for e in wanted if not lacks[e.key]), key=lambda e: -e.seconds)
    tasks = {_task_name(e, v): _make_task(e, v) for v in variations for e in chosen}

    def report(name: str, done: int, total: int) -> None:
        on_progress(name.rpartition(" ")[0], done, total)

    found = {
        name: Findings.from_json(content)
        for name, content in run_tasks(
            list(tasks.values()), workers, file=file, what="findings", on_progress=report,
            is_valid=_are_findings,
        )
    }  # fmt: skip
    return [
        [_judge(paper, {e.key: found[_task_name(e, v)] for e in chosen}, lacks) for paper in papers]
        for v in variations
    ]


def _make_task(experiment: Experiment, variation: Variation) -> Task:
    return Task(
        name=_task_name(experiment, variation),
        function=run_experiment,
        arguments={
            "paper": experiment.paper,
            "name": experiment.name,
            **_changes(experiment, variation),
        },
    )


def _changes(experiment: Experiment, variation: Variation) -> dict[str, float]:
    """Return what a variation changes of an experiment, by name."""
    return {
        name: getattr(variation, name)
        for name in experiment.depends_on
        if name in variation.changed
    }


def _are_findings(kept: Any) -> bool:
    """Return whether a kept result can be read."""
    try:
        found = Findings.from_json(kept)
    except (ValueError, LookupError, TypeError, AttributeError):
        return False
    return all(isinstance(value, int | float) for value in found.values.values())


def _task_name(experiment: Experiment, variation: Variation) -> str:
    changes = [f"{name} {value:g}" for name, value in _changes(experiment, variation).items()]
    return " ".join((experiment.key, *changes, package_source()))


def merge_panels(panels: Iterable[Panel]) -> tuple[Panel, ...]:
    """Return figures, those of one key merged; of lines of one name the first is kept."""
    merged: dict[str, Panel] = {}
    for panel in panels:
        if panel.key not in merged:
            merged[panel.key] = panel
            continue
        before = merged[panel.key]
        names = {line.name for line in before.series}
        more = tuple(line for line in panel.series if line.name not in names)
        merged[panel.key] = replace(before, series=before.series + more)
    return tuple(merged.values())


def _judge(paper: Paper, found: Mapping[str, Findings], lacks: Mapping[str, str]) -> Reproduction:
    own = [found[e.key] for e in paper.experiments if e.key in found]
    values = {key: value for findings in own for key, value in findings.values.items()}
    values |= paper.derive(values)
    intervals = {key: limits for findings in own for key, limits in findings.intervals.items()}
    verdicts = tuple(
        Verdict(
            claim=claim,
            ours=values.get(claim.key),
            interval=intervals.get(claim.key),
            lack=lacks.get(f"{paper.name}/{claim.experiment}", ""),
        )
        for claim in paper.make_claims()
    )
    panels = [panel for findings in own for panel in findings.panels]
    return Reproduction(
        paper=paper, verdicts=verdicts, panels=merge_panels((*panels, *paper.draw(values)))
    )

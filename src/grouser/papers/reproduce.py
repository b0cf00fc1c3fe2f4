"""Run what papers claim, and judge it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grouser.papers.catalogue import PAPERS
from grouser.papers.claim import Verdict
from grouser.papers.experiment import Experiment, Findings
from grouser.papers.paper import Paper
from grouser.report import Panel
from grouser.spread import Crew, Task, Tell, mark_settings, spread
from grouser.version import VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """What came of one paper."""

    paper: Paper
    """Which."""
    verdicts: tuple[Verdict, ...]
    """Each claim, and our number beside it."""
    panels: tuple[Panel, ...]
    """Its figures, drawn again."""


def run_experiment(paper: str, name: str) -> dict[str, Any]:
    """Return what an experiment finds, as JSON knows it."""
    (experiment,) = (e for e in PAPERS[paper].experiments if e.name == name)
    return experiment.run().to_json()


def reproduce(
    papers: Sequence[Paper],
    *,
    quick: bool = False,
    crew: Crew | None = None,
    file: Path | None = None,
    tell: Tell = lambda *_: None,
) -> list[Reproduction]:
    """Return the verdicts of papers.

    Args:
        papers: Which.
        quick: Leave out what takes longer than half a minute.
        crew: Who computes.
        file: Where findings are kept, and looked up.
        tell: Is told of each experiment that is done.

    Raises:
        TaskFailed: An experiment came to nothing.
    """
    asked = [e for p in papers for e in p.experiments if e.is_quick or not quick]
    # What takes long begins first, so that nobody waits for the last one.
    asked.sort(key=lambda experiment: experiment.is_quick)
    keys = {_task_name(e): e.key for e in asked}
    tasks = [
        Task(
            name=_task_name(e),
            function=run_experiment,
            arguments={"paper": e.paper, "name": e.name},
        )
        for e in asked
    ]
    found = {
        keys[name]: Findings.from_json(content)
        for name, content in spread(tasks, crew, file=file, what="findings", tell=tell)
    }
    return [_judge(paper, found) for paper in papers]


def _task_name(experiment: Experiment) -> str:
    return f"{experiment.key} {mark_settings(VERSION)}"


def _judge(paper: Paper, found: Mapping[str, Findings]) -> Reproduction:
    own = [found[e.key] for e in paper.experiments if e.key in found]
    values = {key: value for findings in own for key, value in findings.values.items()}
    verdicts = tuple(
        Verdict(claim=claim, ours=values.get(claim.key)) for claim in paper.make_claims()
    )
    panels = tuple(panel for findings in own for panel in findings.panels)
    return Reproduction(paper=paper, verdicts=verdicts, panels=(*panels, *paper.draw(values)))

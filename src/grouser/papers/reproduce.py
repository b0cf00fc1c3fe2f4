"""Run what papers claim, and judge it."""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from grouser.papers.paper import PAPERS, Experiment, Findings, Paper, Verdict
from grouser.report import Panel
from grouser.tasks import OnProgress, Task, Workers, content_hash, run_tasks
from grouser.version import VERSION

SOURCES = (".py", ".csv", ".json", ".toml")
"""Files that findings depend on."""


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
    workers: Workers | None = None,
    file: Path | None = None,
    tell: OnProgress = lambda *_: None,
) -> list[Reproduction]:
    """Return the verdicts of papers.

    Args:
        papers: Which.
        quick: Skip slow experiments.
        workers: What computes.
        file: Where findings are kept, and looked up.
        tell: Is told of each experiment that is done.

    Raises:
        TaskFailed: An experiment came to nothing.
    """
    wanted = [e for p in papers for e in p.experiments if e.is_quick or not quick]
    lacks = {e.key: e.find_lack() for e in wanted}
    asked = [e for e in wanted if not lacks[e.key]]
    # What takes long begins first, so that nobody waits for the last one.
    asked.sort(key=lambda experiment: -experiment.seconds)
    keys = {_task_name(e): e.key for e in asked}
    tasks = [
        Task(
            name=_task_name(e),
            function=run_experiment,
            arguments={"paper": e.paper, "name": e.name},
        )
        for e in asked
    ]

    def tell_key(name: str, done: int, total: int) -> None:
        tell(keys.get(name, name), done, total)

    found = {
        keys[name]: Findings.from_json(content)
        for name, content in run_tasks(
            tasks, workers, file=file, what="findings", on_progress=tell_key, is_valid=_are_findings
        )
    }
    return [_judge(paper, found, lacks) for paper in papers]


def _are_findings(kept: Any) -> bool:
    """Return whether a kept result can be read."""
    try:
        found = Findings.from_json(kept)
    except (ValueError, LookupError, TypeError, AttributeError):
        return False
    return all(isinstance(value, int | float) for value in found.values.values())


@cache
def _mark_code() -> str:
    """Return a word that differs when anything of this package does: then nothing kept counts."""
    package = Path(str(files("grouser")))
    kept = sorted(file for file in package.rglob("*") if file.suffix in SOURCES)
    content = {str(file.relative_to(package)): zlib.crc32(file.read_bytes()) for file in kept}
    return content_hash(VERSION, content)


def _task_name(experiment: Experiment) -> str:
    return f"{experiment.key} {_mark_code()}"


def merge_panels(panels: Iterable[Panel]) -> tuple[Panel, ...]:
    """Return figures, those of one key as one: lines of a name that is there are left out."""
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
    verdicts = tuple(
        Verdict(
            claim=claim,
            ours=values.get(claim.key),
            lack=lacks.get(f"{paper.name}/{claim.experiment}", ""),
        )
        for claim in paper.make_claims()
    )
    panels = [panel for findings in own for panel in findings.panels]
    return Reproduction(
        paper=paper, verdicts=verdicts, panels=merge_panels((*panels, *paper.draw(values)))
    )

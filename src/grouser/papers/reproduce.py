"""Runs the experiments of papers, and compares their numbers with the claims."""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from grouser.papers.paper import PAPERS, Experiment, Findings, Paper, Verdict
from grouser.papers.variation import Variation
from grouser.report import Panel
from grouser.tasks import OnProgress, Task, Workers, content_hash, run_tasks
from grouser.version import VERSION

SOURCES = (".py", ".csv", ".json", ".toml")
"""Files that findings depend on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """The verdicts and figures of one paper."""

    paper: Paper
    """The paper."""
    verdicts: tuple[Verdict, ...]
    """Each claim, and our number beside it."""
    panels: tuple[Panel, ...]
    """Its figures, drawn again."""


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
    wanted = [e for p in papers for e in p.experiments if e.is_quick or not quick]
    lacks = {e.key: e.find_lack() for e in wanted}
    chosen = [e for e in wanted if not lacks[e.key]]
    # Slow experiments first: then none of them runs alone at the end.
    chosen.sort(key=lambda experiment: -experiment.seconds)
    keys = {_task_name(e): e.key for e in chosen}
    tasks = [
        Task(
            name=_task_name(e),
            function=run_experiment,
            arguments={"paper": e.paper, "name": e.name},
        )
        for e in chosen
    ]

    def tell_key(name: str, done: int, total: int) -> None:
        on_progress(keys.get(name, name), done, total)

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
    """Return a hash of this package's files: findings of other files do not count."""
    package = Path(str(files("grouser")))
    kept = sorted(file for file in package.rglob("*") if file.suffix in SOURCES)
    content = {str(file.relative_to(package)): zlib.crc32(file.read_bytes()) for file in kept}
    return content_hash(VERSION, content)


def _task_name(experiment: Experiment) -> str:
    return f"{experiment.key} {_mark_code()}"


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

"""Published numbers of a robot for its data sheet, by the experiments of `grouser reproduce`."""

from typing import Any

from grouser.datasheet import Settings
from grouser.description import Robot, load_robot
from grouser.errors import UnknownName
from grouser.papers.paper import PAPERS, Findings, Verdict
from grouser.papers.reproduce import run_experiment
from grouser.sources import package_source
from grouser.tasks import Task, content_hash

EXPERIMENTS = {
    "quince": (("P4", "steps"), ("P4", "highest"), ("P4", "failures")),
    "absolem": (("P1", "stairs"),),
}
"""Papers and experiments by robot: P4's Table IV and how Quince fails, P1's stairs."""
QUICK = (("P4", "steps"),)
"""Experiments that are run if quick."""


def published_tasks(robot: Robot, settings: Settings) -> list[Task]:
    """Return the tasks that find what was published of a robot; none if it was changed."""
    try:
        if load_robot(robot.name).content_hash != robot.content_hash:
            return []
    except UnknownName:
        return []
    wanted = EXPERIMENTS.get(robot.name, ())
    chosen = [pair for pair in wanted if pair in QUICK or not settings.is_quick]
    mark = content_hash(package_source(), robot.content_hash)
    return [
        Task(
            name=f"{robot.name}: {paper} {name} ({mark})",
            function=published_rows,
            arguments={"paper": paper, "experiment": name},
        )
        for paper, name in chosen
    ]


def published_rows(paper: str, experiment: str) -> list[dict[str, Any]]:
    """Return the claims of an experiment with our numbers, as `grouser reproduce` has them."""
    findings = Findings.from_json(run_experiment(paper, experiment))
    rows = []
    for claim in PAPERS[paper].make_claims():
        if claim.experiment == experiment:
            verdict = Verdict(claim=claim, ours=findings.values.get(claim.key))
            rows.append(
                {
                    "claim": claim.key,
                    "where": f"{paper} {claim.where}",
                    "published": claim.published,
                    "ours": verdict.ours,
                    "unit": claim.unit,
                    "verdict": str(verdict.word),
                }
            )
    return rows

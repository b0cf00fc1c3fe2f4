"""Run claims with progress, print them, write the page."""

import json
from dataclasses import asdict
from functools import partial

from rich.progress import Progress

from grouser.cli.main import DONE
from grouser.cli.output import FolderOutput
from grouser.cli.terminal import Terminal
from grouser.extras import require_extra
from grouser.papers.page import (
    compose_claims,
    count_reasons,
    count_verdicts,
    format_published,
    format_value,
)
from grouser.papers.paper import PAPERS, Word
from grouser.papers.reproduce import Reproduction, reproduce
from grouser.storage import write_atomically
from grouser.tasks import Workers


def report_claims(
    names: tuple[str, ...],
    *,
    quick: bool,
    cluster: str | None,
    out_dir: FolderOutput,
    as_json: bool,
) -> int:
    """Run what was asked for; return the exit code."""
    require_extra("the page of claims", "plots", "plotly")
    for name in names:
        PAPERS.find(name)
    papers = [PAPERS[name] for name in names or PAPERS]
    page, table = out_dir.claim("claims.html"), out_dir.claim("claims.json")
    terminal = Terminal()
    console = terminal.err
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=1.0)

        def tell(what: str, done: int, total: int) -> None:
            progress.update(task, description=what, completed=done / max(total, 1))

        found = reproduce(
            papers,
            quick=quick,
            workers=Workers(cluster=cluster),
            file=out_dir.path / "findings.json",
            tell=tell,
        )
    written = page.write(partial(write_atomically, content=compose_claims(found)))
    content = [_content(reproduction) for reproduction in found]
    text = json.dumps(content, indent=1, ensure_ascii=False)
    table.write(partial(write_atomically, content=text))
    if as_json:
        terminal.json(content)
        return DONE
    for reproduction in found:
        _print(reproduction, terminal)
    terminal.line(f"page: {written}")
    return DONE


def _content(reproduction: Reproduction) -> dict[str, object]:
    return {
        "paper": reproduction.paper.name,
        "title": reproduction.paper.title,
        "claims": [
            asdict(v.claim) | {"ours": v.ours, "verdict": str(v.word), "reason": v.reason}
            for v in reproduction.verdicts
        ],
    }


def _print(reproduction: Reproduction, terminal: Terminal) -> None:
    counts = count_verdicts(reproduction.verdicts)
    words = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    terminal.heading(f"{reproduction.paper.name} {reproduction.paper.title}: {words}")
    rows = [
        (
            v.claim.key, format_published(v.claim), format_value(v.claim, v.ours),
            v.claim.unit, str(v.word), v.claim.where, v.reason if v.word != Word.AGREES else "",
        )
        for v in reproduction.verdicts
        if v.word != Word.INCOMPARABLE
    ]  # fmt: skip
    headings = ("claim", "published", "ours", "unit", "verdict", "where", "why")
    terminal.table(headings, rows, numbers=(1, 2))
    for (where, reason), count in count_reasons(reproduction.verdicts).items():
        terminal.line(f"{where}: {count} cannot be compared, because {reason}")

"""`grouser reproduce`: what of the papers is reproduced."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from grouser.cli.exits import DONE, INTERRUPTED
from grouser.cli.options import OutFolder, options
from grouser.cli.shared_options import Cluster, ResultOptions
from grouser.cli.terminal import Terminal, show_steps
from grouser.extras import require_extra

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grouser.papers.paper import Paper
    from grouser.papers.reproduce import Flip, Reproduction


@options
class ReproduceOptions:
    """Which experiments run, where, and where results go."""

    quick: Annotated[bool, Parameter(negative="")] = False
    """Skip slow experiments: two minutes on two cores."""
    vary: Annotated[bool, Parameter(negative="")] = False
    """Also change friction and mass by 10 %, and the seed, and print which verdicts turn."""
    cluster: Cluster = None
    out: OutFolder | None = None
    """Where to write claims.html and claims.json; out/reproduce if not given."""


def reproduce(
    *papers: Annotated[str, Parameter(name="PAPER")],
    given: ReproduceOptions = ReproduceOptions(),
    results: ResultOptions = ResultOptions(),
) -> int:
    """Run what the papers conclude: what is reproduced, and each published number beside ours.

    Finished experiments are kept: after an interrupt, the same command continues.

    Args:
        papers: Which papers: P0 to P4; all if none is named.
        given: The options.
        results: How results are written.
    """
    from grouser.cli.output import FolderOutput
    from grouser.papers.page import compose_claims
    from grouser.papers.paper import PAPERS
    from grouser.storage import write_atomically

    usual = Path("out/reproduce")
    folder = FolderOutput.of("--out", given.out, usual, overwrite=results.overwrite)
    require_extra("the page of claims", "plots", "plotly")
    for name in papers:
        PAPERS.find(name)
    chosen = [PAPERS[name] for name in papers or PAPERS]
    page, table = folder.claim("claims.html"), folder.claim("claims.json")
    terminal = Terminal()
    file = folder.path / "findings.json"
    try:
        found, flips = _run(chosen, given, file, terminal)
    except KeyboardInterrupt:
        terminal.remark(f"grouser: interrupted; the same command continues from {file}")
        return INTERRUPTED
    varied = flips if given.vary else None
    written = page.write(partial(write_atomically, content=compose_claims(found, varied)))
    content = [_describe_claims(reproduction) for reproduction in found]
    text = json.dumps(content, indent=1, ensure_ascii=False)
    table.write(partial(write_atomically, content=text))
    if results.as_json:
        turned = {"flips": [_describe_flip(flip) for flip in flips]}
        terminal.json({"papers": content} | turned if given.vary else content)
        return DONE
    _print(found, varied, terminal)
    terminal.line(f"page: {written}")
    return DONE


def _run(
    papers: Sequence[Paper], given: ReproduceOptions, file: Path, terminal: Terminal
) -> tuple[list[Reproduction], list[Flip]]:
    from grouser.papers.reproduce import find_flips
    from grouser.papers.variation import VARIATIONS
    from grouser.tasks import Workers

    with show_steps(terminal) as tell:
        return find_flips(
            papers,
            VARIATIONS if given.vary else {},
            quick=given.quick,
            workers=Workers(cluster=given.cluster),
            file=file,
            on_progress=lambda what, done, total: tell(what, done / max(total, 1)),
        )


def _print(found: Sequence[Reproduction], flips: Sequence[Flip] | None, terminal: Terminal) -> None:
    for reproduction in found:
        _print_claims(reproduction, terminal)
    if flips is not None:
        _print_flips(flips, terminal)


def _describe_claims(reproduction: Reproduction) -> dict[str, object]:
    return {
        "paper": reproduction.paper.name,
        "title": reproduction.paper.title,
        "conclusions": [
            {"conclusion": c.words, "where": c.where, "status": str(status), "claims": c.claims,
             "comment": c.untestable or c.comment}
            for c, status in reproduction.conclusions
        ],
        "claims": [
            asdict(v.claim)
            | {"ours": v.ours, "interval": v.interval, "verdict": str(v.word), "reason": v.reason}
            for v in reproduction.verdicts
        ],
    }  # fmt: skip


def _describe_flip(flip: Flip) -> dict[str, object]:
    return {
        "paper": flip.stated.claim.paper, "claim": flip.stated.claim.key,
        "variation": flip.variation, "stated": str(flip.stated.word), "ours": flip.stated.ours,
        "varied": str(flip.varied.word), "ours_varied": flip.varied.ours,
    }  # fmt: skip


def _print_claims(reproduction: Reproduction, terminal: Terminal) -> None:
    from grouser.papers.page import (
        count_evidence,
        describe_others,
        format_ours,
        format_published,
        format_value,
    )
    from grouser.papers.paper import Word

    counts = count_evidence(reproduction.verdicts)
    words = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    title = f"{reproduction.paper.name} {reproduction.paper.title}"
    terminal.heading(f"{title}: evidence {words or 'none'}")
    rows = [
        (str(status), c.words, c.untestable or c.comment) for c, status in reproduction.conclusions
    ]
    terminal.table(("conclusion is", "conclusion", "what was found"), rows)
    claims = [
        (
            v.claim.key, str(v.claim.kind), format_published(v.claim), format_ours(v),
            format_value(v.claim, v.claim.null), v.claim.unit, str(v.word),
            v.reason if v.word != Word.AGREES else "",
        )
        for v in reproduction.verdicts
        if v.claim.kind.can_fail
    ]  # fmt: skip
    headings = ("claim", "kind", "published", "ours", "null", "unit", "verdict", "why")
    terminal.table(headings, claims, numbers=(2, 3, 4))
    if others := describe_others(reproduction.verdicts):
        terminal.remark(f"no evidence: {others}")


def _print_flips(flips: Sequence[Flip], terminal: Terminal) -> None:
    from grouser.papers.page import format_ours

    terminal.heading("verdicts that another friction, mass or seed turns")
    rows = [
        (f.stated.claim.paper, f.stated.claim.key, f.variation,
         f"{f.stated.word}: {format_ours(f.stated)}", f"{f.varied.word}: {format_ours(f.varied)}")
        for f in flips
    ]  # fmt: skip
    if not rows:
        terminal.line("none")
        return
    terminal.table(("paper", "claim", "varied", "as stated", "then"), rows)

"""A whole run of claims in short, and tables of it.

`docs/claims.json`, the README's table and the page `docs/reproduce.md` are made of it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from grouser.errors import InvalidValue
from grouser.papers.page import (
    NOTHING,
    count_evidence,
    describe_others,
    describe_sources,
    format_null,
    format_ours,
    format_published,
    number_notes,
)
from grouser.papers.paper import PAPERS, Claim, Kind, Status, Verdict, Word
from grouser.papers.reproduce import Flip, Reproduction
from grouser.papers.variation import VARIATIONS
from grouser.version import VERSION

DIGITS, DIGITS_TIMED = 6, 3
"""Significant digits of our numbers that are kept, and of those that depend on the computer."""


def summarise_verdicts(verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    """Return verdicts as JSON knows them.

    Raises:
        InvalidValue: Something was not run.
    """
    for verdict in verdicts:
        if verdict.word == Word.MISSING or verdict.lack:
            required = "have been run: a summary is of a whole run, with the firmware built"
            raise InvalidValue("claim", verdict.claim.key, required)
    return [
        {
            "key": v.claim.key,
            "published": v.claim.published,
            "ours": _round(v.claim, v.ours),
            "interval": None if v.interval is None else [float(f"{x:.3g}") for x in v.interval],
            "verdict": str(v.word),
        }
        for v in verdicts
    ]


def summarise_run(found: Sequence[Reproduction], flips: Sequence[Flip]) -> dict[str, Any]:
    """Return a whole run in short, and the verdicts that a quick varied run turned."""
    papers = {r.paper.name: summarise_verdicts(r.verdicts) for r in found}
    return {"version": VERSION, "papers": papers, "flips": [describe_flip(f) for f in flips]}


def describe_flip(flip: Flip) -> dict[str, str]:
    """Return a verdict that a variation turned, as JSON knows it."""
    return {
        "paper": flip.stated.claim.paper, "key": flip.stated.claim.key,
        "variation": flip.variation, "stated": str(flip.stated.word),
        "varied": str(flip.varied.word),
    }  # fmt: skip


def restore_run(summary: Mapping[str, Any]) -> list[Reproduction]:
    """Return a run in short as reproductions, without figures."""
    found = []
    for name, rows in summary["papers"].items():
        claims = {claim.key: claim for claim in PAPERS[name].make_claims()}
        verdicts = [
            Verdict(claim=claims[row["key"]], ours=row["ours"], interval=_pair(row["interval"]))
            for row in rows
            if row["key"] in claims
        ]
        found.append(Reproduction(paper=PAPERS[name], verdicts=tuple(verdicts), panels=()))
    return found


def _pair(limits: Sequence[float] | None) -> tuple[float, float] | None:
    return None if limits is None else (limits[0], limits[1])


def tabulate_papers(summary: Mapping[str, Any]) -> str:
    """Return a line for each paper: its conclusions by what became of them, and the evidence."""
    statuses = (Status.FAILED, Status.PARTLY, Status.REPRODUCED, Status.UNTESTABLE)
    heads = " | ".join(("paper", *statuses, "evidence"))
    rows = [f"| {heads} |", "|---" * (len(statuses) + 2) + "|"]
    others = []
    for r in restore_run(summary):
        cells = [
            "<br>".join(c.words for c, found in r.conclusions if found == status) or "–"
            for status in statuses
        ]
        name = f"**{r.paper.name}** {r.paper.title}"
        rows.append(f"| {' | '.join(_escape(c) for c in (name, *cells, _count(r)))} |")
        others.append(f"{r.paper.name} {describe_others(r.verdicts)}")
    grey = f"<sub>Numbers that are no evidence: {'; '.join(others)}.</sub>"
    return "\n".join((*rows, "", grey))


def tabulate_claims(summary: Mapping[str, Any]) -> str:
    """Return the page: per paper its conclusions, its evidence, and other numbers by kind."""
    parts = []
    for r in restore_run(summary):
        parts += [f"## {r.paper.name}: {r.paper.title}", ""]
        parts += ["| status | conclusion | where | what was found |", "|---|---|---|---|"]
        parts += [
            _line((f"**{status}**", c.words, c.where, c.untestable or c.comment))
            for c, status in r.conclusions
        ]
        parts += ["", f"Evidence: {_count(r)}.", ""]
        shown = [v for v in r.verdicts if v.claim.kind.can_fail]
        notes = number_notes(shown)
        heads = "claim | kind | published | ours | unit | within | null | verdict | where | note"
        parts += [f"| {heads} |", "|---" * 10 + "|", *(_evidence(v, notes) for v in shown), ""]
        parts += [f"{number}. {text}" for text, number in notes.items()]
        parts += ["", "Why numbers differ:", "", *_reasons(shown), ""]
        parts += [f"No evidence: {describe_others(r.verdicts)}.", ""]
        parts += [*_fold([v for v in r.verdicts if not v.claim.kind.can_fail]), ""]
    return "\n".join((*parts, *_flips(summary["flips"]))).rstrip()


def _flips(flips: Sequence[Mapping[str, str]]) -> list[str]:
    lines = ["## Verdicts that another friction, mass or seed turns", ""]
    lines += [f"Of the quick experiments, with {', '.join(VARIATIONS)}:", ""]
    lines += ["| paper | claim | varied | as stated | then |", "|---|---|---|---|---|"]
    cells = ("paper", "key", "variation", "stated", "varied")
    return [*lines, *(_line([flip[cell] for cell in cells]) for flip in flips)]


def replace_between(text: str, word: str, content: str) -> str:
    """Return a text with other content between the comments `word:begin` and `word:end`.

    Raises:
        InvalidValue: The text has no such comments.
    """
    begin, end = f"<!-- {word}:begin -->\n", f"\n<!-- {word}:end -->"
    before, found, rest = text.partition(begin)
    _, ended, after = rest.partition(end)
    if not found or not ended:
        raise InvalidValue("page", text[:40], f"have the comments {word}:begin and {word}:end")
    return before + begin + content + end + after


def _count(reproduction: Reproduction) -> str:
    counts = count_evidence(reproduction.verdicts)
    return f"{counts[Word.AGREES]} agree, {counts[Word.DIFFERS]} differ"


def _evidence(verdict: Verdict, notes: Mapping[str, int]) -> str:
    claim = verdict.claim
    return _line(
        (
            claim.key, claim.kind, format_published(claim), format_ours(verdict), claim.unit,
            f"{claim.tolerance:.2g}", format_null(claim), verdict.word, claim.where,
            str(notes.get(describe_sources(claim), "")),
        )
    )  # fmt: skip


def _reasons(verdicts: Sequence[Verdict]) -> list[str]:
    """Return a line for each reason why numbers differ, with all that it explains."""
    by_reason: dict[str, list[str]] = {}
    for v in verdicts:
        if v.word == Word.DIFFERS:
            by_reason.setdefault(v.claim.remark.rstrip("."), []).append(v.claim.key)
    return [f"- {'; '.join(keys)}: {reason}." for reason, keys in by_reason.items()]


def _fold(verdicts: Sequence[Verdict]) -> list[str]:
    """Return the table of numbers that are no evidence, but for those of lost sources."""
    compared = [v for v in verdicts if v.claim.kind != Kind.INCOMPARABLE]
    hidden: dict[tuple[str, str], int] = {}
    for v in verdicts:
        if v.claim.kind == Kind.INCOMPARABLE:
            place = v.claim.where, v.claim.incomparable
            hidden[place] = hidden.get(place, 0) + 1
    lines = [f"- {where} ({n}) cannot be compared: {why}." for (where, why), n in hidden.items()]
    if not compared:
        return lines
    head = ["| claim | kind | published | ours | unit | within | verdict | where | mark |"]
    rows = [
        _line(
            (
                v.claim.key, v.claim.kind, format_published(v.claim), format_ours(v), v.claim.unit,
                f"{v.claim.tolerance:.2g}", v.word, v.claim.where, v.claim.mark,
            )
        )
        for v in compared
    ]  # fmt: skip
    return [*lines, "", *head, "|---" * 9 + "|", *rows]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_escape(cell) for cell in cells) + " |"


def _escape(text: str) -> str:
    return text.replace("|", "\\|")


def _round(claim: Claim, value: float | None) -> float | None:
    if value is None:
        return None
    # What is left of a zero differs from computer to computer.
    least = max(NOTHING * claim.tolerance, 1e-9)
    digits = DIGITS_TIMED if claim.is_timed else DIGITS
    return float(f"{value:.{digits}g}") if abs(value) > least else 0.0

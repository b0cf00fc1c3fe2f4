"""A whole run of claims in short: what is the same on every computer, and tables of it.

`docs/claims.json`, the README's table and the page `docs/reproduce.md` are made of it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from grouser.errors import InvalidValue
from grouser.papers.page import NOTHING, format_published, format_value
from grouser.papers.paper import Claim, Verdict, Word
from grouser.papers.reproduce import PAPERS
from grouser.version import VERSION

DIGITS = 6
"""Significant digits of our numbers that are kept."""
_JUDGED = (Word.AGREES, Word.DIFFERS, Word.INCOMPARABLE)


def summarise_verdicts(verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    """Return verdicts as JSON knows them, without numbers that depend on the computer.

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
            "ours": _round(v.claim, v.ours) if not v.claim.is_timed else None,
            "verdict": str(v.word),
        }
        for v in verdicts
    ]


def summarise_run(verdicts: Mapping[str, Sequence[Verdict]]) -> dict[str, Any]:
    """Return a whole run in short, from the verdicts of each paper by its name."""
    papers = {name: summarise_verdicts(found) for name, found in verdicts.items()}
    return {"version": VERSION, "papers": papers}


def tabulate_papers(summary: Mapping[str, Any]) -> str:
    """Return a line for each paper: how many numbers agree, and the main ones."""
    rows = [
        f"| source | {' | '.join(_JUDGED)} |",
        "|---" * (len(_JUDGED) + 1) + "|",
    ]
    for name, found in summary["papers"].items():
        paper = PAPERS[name]
        counts = Counter(row["verdict"] for row in found)
        numbers = " | ".join(str(counts[word]) for word in _JUDGED)
        rows.append(f"| {name} {paper.title} | {numbers} |")
    return "\n".join(rows)


def tabulate_claims(summary: Mapping[str, Any]) -> str:
    """Return all claims as a page: what differs and why, what is compared, and what cannot be."""
    parts = []
    for name, found in summary["papers"].items():
        paper, kept = PAPERS[name], _by_key(found)
        claims = [claim for claim in paper.make_claims() if claim.key in kept]
        compared = [c for c in claims if not c.incomparable]
        differing = [c for c in compared if kept[c.key]["verdict"] == Word.DIFFERS]
        hidden = Counter((c.where, c.incomparable) for c in claims if c.incomparable)
        parts += [f"## {name}: {paper.title}", "", _count(found), ""]
        if differing:
            parts += ["What differs:", "", *_reasons(differing), ""]
        if hidden:
            parts += ["What cannot be compared:", ""]
            parts += [f"- {where} ({n}): {why}." for (where, why), n in hidden.items()]
            parts += [""]
        parts += ["| claim | published | ours | unit | within | verdict | where | mark |"]
        parts += ["|---|---|---|---|---|---|---|---|"]
        parts += [_row(claim, kept[claim.key]) for claim in compared]
        parts += [""]
    return "\n".join(parts).rstrip()


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


def _by_key(found: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    return {row["key"]: row for row in found}


def _count(found: Sequence[Mapping[str, Any]]) -> str:
    counts = Counter(row["verdict"] for row in found)
    return ", ".join(f"{counts[word]} {word}" for word in _JUDGED) + "."


def _reasons(claims: Sequence[Claim]) -> list[str]:
    """Return a line for each reason, with all that it explains."""
    by_reason: dict[str, list[str]] = {}
    for claim in claims:
        by_reason.setdefault(claim.remark, []).append(claim.key)
    return [f"- {'; '.join(keys)}: {reason}." for reason, keys in by_reason.items()]


def _row(claim: Claim, kept: Mapping[str, Any]) -> str:
    ours = format_value(claim, kept["ours"])
    cells = (
        claim.key, format_published(claim), ours, claim.unit, f"{claim.tolerance:.2g}",
        kept["verdict"], claim.where, claim.mark,
    )  # fmt: skip
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _round(claim: Claim, value: float | None) -> float | None:
    if value is None:
        return None
    # What is left of a zero differs from computer to computer.
    least = max(NOTHING * claim.tolerance, 1e-9)
    return float(f"{value:.{DIGITS}g}") if abs(value) > least else 0.0

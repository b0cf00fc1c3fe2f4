"""Claims as pages and tables."""

from collections import Counter
from collections.abc import Sequence

from grouser.papers.paper import Claim, Verdict, Word
from grouser.papers.reproduce import Reproduction
from grouser.report import Section, Sheet, compose_document

KINDS = {Word.AGREES: "good", Word.DIFFERS: "bad"}
"""Colours of verdicts; all others are grey."""
NOTHING = 1e-3
"""Share of the tolerance below which a number is as good as zero [1]."""
HEADINGS = ("claim", "verdict", "published", "ours", "unit", "tolerance", "where", "mark", "remark")
"""Columns of a table of claims."""


def compose_claims(reproductions: Sequence[Reproduction]) -> str:
    """Return the page as HTML."""
    return compose_document(
        "What the papers print, and what comes out here",
        [
            _summary(reproductions),
            *(_section(r) for r in reproductions),
            *(_hidden(r) for r in reproductions),
        ],
    )


def count_verdicts(verdicts: Sequence[Verdict]) -> dict[Word, int]:
    """Return how often each verdict was given, all of them named."""
    counted = Counter(verdict.word for verdict in verdicts)
    return {word: counted[word] for word in Word}


def count_reasons(verdicts: Sequence[Verdict]) -> dict[tuple[str, str], int]:
    """Return how many numbers of a place cannot be compared, by place and reason."""
    hidden = [v for v in verdicts if v.word == Word.INCOMPARABLE]
    return dict(Counter((v.claim.where, v.reason) for v in hidden))


def format_value(claim: Claim, value: float | None) -> str:
    """Return a number of a claim, rounded for reading."""
    if value is None:
        return "–"
    if claim.unit == "yes/no":
        return "yes" if value else "no"
    if abs(value) < NOTHING * claim.tolerance:
        return "0"
    return f"{value:.5g}"


def format_published(claim: Claim) -> str:
    """Return the published number of a claim, and whether it is a limit."""
    sign = {"near": "", "at most": "≤\N{NO-BREAK SPACE}", "at least": "≥\N{NO-BREAK SPACE}"}[
        claim.sense
    ]
    return sign + format_value(claim, claim.published)


def _summary(reproductions: Sequence[Reproduction]) -> Section:
    rows = [
        (f"{r.paper.name} {r.paper.title}", *map(str, count_verdicts(r.verdicts).values()))
        for r in reproductions
    ]
    words = (
        "Marks: T stated in the text, R reconstructed, A with an assumption. A number agrees if "
        "it is within its tolerance: the last printed digit where possible, else as stated.",
    )
    sheet = Sheet(headings=("paper", *Word), rows=tuple(rows))
    return Section(title="Summary", words=words, sheets=(sheet,))


def _section(reproduction: Reproduction) -> Section:
    paper = reproduction.paper
    judged = [v for v in reproduction.verdicts if v.word != Word.INCOMPARABLE]
    return Section(
        title=f"{paper.name}: {paper.title}",
        sheets=(_sheet(judged),) if judged else (),
        panels=reproduction.panels,
    )


def _hidden(reproduction: Reproduction) -> Section:
    """Return the table of claims that cannot be compared, which comes last."""
    hidden = [v for v in reproduction.verdicts if v.word == Word.INCOMPARABLE]
    words = (
        f"{count} of {where}: {reason}."
        for (where, reason), count in count_reasons(reproduction.verdicts).items()
    )
    return Section(
        title=f"{reproduction.paper.name}: what cannot be compared",
        words=tuple(words) or ("Nothing.",),
        sheets=(_sheet(hidden),) if hidden else (),
    )


def _sheet(verdicts: Sequence[Verdict]) -> Sheet:
    rows = []
    for verdict in verdicts:
        claim = verdict.claim
        row = (
            claim.key, (str(verdict.word), KINDS.get(verdict.word, "none")),
            format_published(claim), format_value(claim, verdict.ours), claim.unit,
            f"{claim.tolerance:.2g}" if verdict.word != Word.INCOMPARABLE else "",
            claim.where, claim.mark, (verdict.reason, "words" if verdict.reason else "none"),
        )  # fmt: skip
        rows.append(row)
    return Sheet(headings=HEADINGS, rows=tuple(rows))

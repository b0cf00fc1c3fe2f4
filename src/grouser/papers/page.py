"""Conclusions, evidence and other numbers of papers: in short, as rows and as a page."""

from collections import Counter
from collections.abc import Sequence

from grouser.papers.paper import Claim, Kind, Status, Verdict, Word
from grouser.papers.reproduce import Flip, Reproduction
from grouser.papers.variation import VARIATIONS
from grouser.report import Section, Sheet, compose_document

COLOURS = {
    Word.AGREES: "good", Word.DIFFERS: "bad",
    Status.REPRODUCED: "good", Status.FAILED: "bad", Status.PARTLY: "fair",
}  # fmt: skip
"""Colours of verdicts and statuses; all others are grey."""
NOTHING = 1e-3
"""Share of the tolerance below which a number is as good as zero [1]."""
EVIDENCE = ("claim", "kind", "verdict", "published", "ours", "unit", "tolerance", "null", "where",
            "why it differs", "note")  # fmt: skip
"""Columns of a table of claims that could have failed."""
OTHERS = ("claim", "kind", "verdict", "published", "ours", "unit", "tolerance", "where", "mark",
          "remarks")  # fmt: skip
"""Columns of a table of all other claims."""
KINDS = (
    "A number is evidence if a wrong model could have come to another: it is independent of the "
    "claim, or held out from a fit. Each such claim states what a model that does nothing scores "
    "(null), and differs from it. Calibrated: an input was chosen so that it comes out. "
    "Round trip: the published value was put in. Recomputed: the paper's formula on the paper's "
    "numbers. Own law: a formula of ours stands where the paper prints nothing. Definition: it "
    "follows from how things are built."
)
"""What the kinds of evidence mean."""


def compose_claims(reproductions: Sequence[Reproduction], flips: Sequence[Flip] | None) -> str:
    """Return the page as HTML; with `flips`, also which verdicts a variation turns."""
    varied = [] if flips is None else [_varied(flips)]
    return compose_document(
        "What of the papers is reproduced",
        [
            _summary(reproductions),
            *(_conclusions(r) for r in reproductions),
            *varied,
            *(_evidence(r) for r in reproductions),
            *(_others(r) for r in reproductions),
        ],
    )


def count_statuses(reproduction: Reproduction) -> dict[Status, int]:
    """Return how many conclusions came to each status, failures first."""
    counted = Counter(status for _, status in reproduction.conclusions)
    return {status: counted[status] for status in Status}


def count_evidence(verdicts: Sequence[Verdict]) -> dict[Word, int]:
    """Return the verdicts on claims that could have failed, all words named."""
    counted = Counter(v.word for v in verdicts if v.claim.kind.can_fail)
    return {word: counted[word] for word in Word}


def describe_others(verdicts: Sequence[Verdict]) -> str:
    """Return in one line how many numbers are no evidence, by kind."""
    parts = []
    for kind in Kind:
        found = [v for v in verdicts if v.claim.kind == kind]
        if kind.can_fail or not found:
            continue
        agree = sum(v.word == Word.AGREES for v in found)
        judged = f" ({agree} agree)" if kind != Kind.INCOMPARABLE else ""
        parts.append(f"{len(found)} {kind}{judged}")
    return ", ".join(parts)


def format_value(claim: Claim, value: float | None) -> str:
    """Return a number of a claim, rounded for reading."""
    if value is None:
        return "–"
    if claim.unit == "yes/no":
        return "yes" if value else "no"
    if abs(value) < NOTHING * claim.tolerance:
        return "0"
    return f"{value:.5g}"


def format_ours(verdict: Verdict) -> str:
    """Return our number with its interval, rounded for reading."""
    text = format_value(verdict.claim, verdict.ours)
    if verdict.interval is None:
        return text
    low, high = verdict.interval
    return f"{text} [{low:.3g}, {high:.3g}]"


def format_published(claim: Claim) -> str:
    """Return the published number of a claim, and whether it is a limit."""
    sign = {"near": "", "at most": "≤\N{NO-BREAK SPACE}", "at least": "≥\N{NO-BREAK SPACE}"}[
        claim.sense
    ]
    return sign + format_value(claim, claim.published)


def format_null(claim: Claim) -> str:
    """Return what a model that does nothing scores, and what that model is."""
    if claim.null is None:
        return ""
    model = f": {claim.null_model}" if claim.null_model else ""
    return format_value(claim, claim.null) + model


def describe_sources(claim: Claim) -> str:
    """Return where inputs come from, what was assumed and what was tried, in a few sentences."""
    named = (
        ("Inputs: ", claim.inputs_from),
        ("Assumed: ", claim.assumptions),
        ("Tried: ", claim.variants_tried),
    )
    return " ".join(f"{name}{text.rstrip('.')}." for name, text in named if text)


def number_notes(verdicts: Sequence[Verdict]) -> dict[str, int]:
    """Return the number of each different description of sources, from 1."""
    texts = dict.fromkeys(describe_sources(v.claim) for v in verdicts)
    return {text: number for number, text in enumerate(filter(None, texts), start=1)}


def _summary(reproductions: Sequence[Reproduction]) -> Section:
    rows = []
    for r in reproductions:
        evidence = count_evidence(r.verdicts)
        rows.append(
            (
                f"{r.paper.name} {r.paper.title}",
                *map(str, count_statuses(r).values()),
                str(evidence[Word.AGREES]),
                str(evidence[Word.DIFFERS]),
                (describe_others(r.verdicts), "none"),
            )
        )
    headings = ("conclusions of", *Status, "evidence: agrees", "differs", "no evidence")
    sheet = Sheet(headings=headings, rows=tuple(rows))
    return Section(title="Summary", words=(KINDS,), sheets=(sheet,))


def _conclusions(reproduction: Reproduction) -> Section:
    rows = [
        (
            (str(status), COLOURS.get(status, "none")), (conclusion.words, "words"),
            conclusion.where, (conclusion.untestable or conclusion.comment, "words"),
        )
        for conclusion, status in reproduction.conclusions
    ]  # fmt: skip
    sheet = Sheet(headings=("status", "conclusion", "where", "what was found"), rows=tuple(rows))
    paper = reproduction.paper
    return Section(title=f"{paper.name}: {paper.title}", sheets=(sheet,) if rows else ())


def _varied(flips: Sequence[Flip]) -> Section:
    rows = [
        (
            flip.stated.claim.paper, flip.stated.claim.key, flip.variation,
            f"{flip.stated.word}: {format_ours(flip.stated)}",
            f"{flip.varied.word}: {format_ours(flip.varied)}",
        )
        for flip in flips
    ]  # fmt: skip
    headings = ("paper", "claim", "varied", "as stated", "then")
    return Section(
        title="Verdicts that another friction, mass or seed turns",
        words=(f"Varied: {', '.join(VARIATIONS)}.", *(() if rows else ("No verdict turns.",))),
        sheets=(Sheet(headings=headings, rows=tuple(rows)),) if rows else (),
    )


def _evidence(reproduction: Reproduction) -> Section:
    shown = [verdict for verdict in reproduction.verdicts if verdict.claim.kind.can_fail]
    notes = number_notes(shown)
    rows = []
    for verdict in shown:
        claim = verdict.claim
        row = (
            claim.key, str(claim.kind),
            (str(verdict.word), COLOURS.get(verdict.word, "none")),
            format_published(claim), format_ours(verdict), claim.unit, f"{claim.tolerance:.2g}",
            format_null(claim), claim.where,
            (verdict.reason if verdict.word != Word.AGREES else "", "words"),
            str(notes.get(describe_sources(claim), "")),
        )  # fmt: skip
        rows.append(row)
    sources = Sheet(
        headings=("note", "inputs, assumptions, and what was tried"),
        rows=tuple((str(number), text) for text, number in notes.items()),
    )
    return Section(
        title=f"{reproduction.paper.name}: evidence and figures",
        sheets=(Sheet(headings=EVIDENCE, rows=tuple(rows)), sources) if rows else (),
        panels=reproduction.panels,
    )


def _others(reproduction: Reproduction) -> Section:
    rows = []
    for verdict in reproduction.verdicts:
        claim = verdict.claim
        if claim.kind.can_fail:
            continue
        row = (
            claim.key, str(claim.kind), (str(verdict.word), COLOURS.get(verdict.word, "none")),
            format_published(claim), format_ours(verdict), claim.unit, f"{claim.tolerance:.2g}",
            claim.where, claim.mark, (_remark(verdict), "words"),
        )  # fmt: skip
        rows.append(row)
    return Section(
        title=f"{reproduction.paper.name}: numbers that are no evidence",
        words=(describe_others(reproduction.verdicts) or "None",),
        sheets=(Sheet(headings=OTHERS, rows=tuple(rows)),) if rows else (),
        is_folded=True,
    )


def _remark(verdict: Verdict) -> str:
    reason = f"{verdict.reason.rstrip('.')}." if verdict.reason else ""
    return f"{reason} {describe_sources(verdict.claim)}".strip()

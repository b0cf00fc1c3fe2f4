"""Write docs/claims.json, the README's table and the tables of docs/reproduce.md.

    python -m docs.make_claims

runs all claims, or takes them from out/reproduce where `grouser reproduce` has left them.
"""

import json
from pathlib import Path

from docs.claim_tables import (
    replace_between,
    summarise_run,
    tabulate_claims,
    tabulate_papers,
)

from grouser.papers.paper import PAPERS
from grouser.papers.reproduce import find_flips, reproduce
from grouser.storage import write_atomically

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Write all three."""
    found = reproduce(list(PAPERS.values()), file=Path("out/reproduce/findings.json"))
    _, flips = find_flips(
        list(PAPERS.values()), quick=True, file=Path("out/reproduce/findings.json")
    )
    summary = summarise_run(found, flips)
    write_atomically(
        ROOT / "docs/claims.json", json.dumps(summary, indent=1, ensure_ascii=False) + "\n"
    )
    for page, word, content in (
        (ROOT / "README.md", "checked", tabulate_papers(summary)),
        (ROOT / "docs/reproduce.md", "claims", tabulate_claims(summary)),
    ):
        write_atomically(page, replace_between(page.read_text(), word, content))


if __name__ == "__main__":
    main()

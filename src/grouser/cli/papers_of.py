"""Which papers the numbers of a description come from."""

import re
from collections.abc import Mapping


def papers_of(sources: Mapping[str, str]) -> list[str]:
    """Return the papers that the sources of a description name, such as P0, sorted."""
    return sorted({paper for text in sources.values() for paper in re.findall(r"\bP\d\b", text)})

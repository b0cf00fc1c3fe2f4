"""The papers by name: the one place where a new one is added."""

from grouser.papers.p0.claims import P0
from grouser.papers.p1.claims import P1
from grouser.papers.p2.claims import P2
from grouser.papers.p4.claims import P4
from grouser.papers.paper import Paper
from grouser.papers.tankbot.claims import P3

PAPERS: dict[str, Paper] = {paper.name: paper for paper in (P0, P1, P2, P3, P4)}
"""All five, in their order."""

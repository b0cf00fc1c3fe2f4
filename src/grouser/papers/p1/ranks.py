"""Whether our models rank as P1's do: Spearman's correlation of each row with targets."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from grouser.papers.p1.scenarios import P1_MODELS
from grouser.papers.p1.tables import ABSOLUTE_ROWS, UNITS, name_cell, table_1
from grouser.papers.paper import draw_stems
from grouser.report import Panel
from grouser.report.colours import REFERENCE, line_colour

CRITICAL = 0.643
"""Spearman's correlation of eight pairs that one random order in twenty exceeds [1]."""
RESOLUTION = 1e-3
"""Our numbers that differ by less rank alike: they are zero but for rounding [m], [rad]."""
DRAWS = 1000
"""Resampled sets of models, for intervals [1]."""


def name_rank(scenario: str, metric: str) -> str:
    """Return what the rank correlation of a row is called."""
    return f"rank correlation of {scenario} {metric}"


def correlate_ranks(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return Spearman's correlation; 0 if all of ours, or of theirs, are alike [1]."""
    mine = rankdata(np.round(np.asarray(ours) / RESOLUTION))
    other = rankdata(np.asarray(theirs))
    if np.ptp(mine) == 0.0 or np.ptp(other) == 0.0:
        return 0.0
    return float(np.corrcoef(mine, other)[0, 1])


def resample_ranks(
    ours: Sequence[float], theirs: Sequence[float], seed: int = 0
) -> tuple[float, float]:
    """Return the 90 % interval of the correlation over models that are drawn again [1]."""
    random = np.random.default_rng(seed)
    pairs: NDArray[np.float64] = np.array([ours, theirs])
    drawn = [
        correlate_ranks(*pairs[:, random.integers(pairs.shape[1], size=pairs.shape[1])])
        for _ in range(DRAWS)
    ]
    low, high = np.quantile(drawn, (0.05, 0.95))
    return float(low), float(high)


def _row(
    values: Mapping[str, float], scenario: str, metric: str
) -> tuple[list[float], list[float]] | None:
    """Return our numbers and P1's, of all models; None if one was not driven."""
    found = [values.get(name_cell(scenario, metric, name)) for name in P1_MODELS]
    ours = [number for number in found if number is not None]
    if len(ours) < len(found):
        return None
    return ours, [table_1()[scenario, metric][name].mean for name in P1_MODELS]


def compare_ranks(values: Mapping[str, float]) -> dict[str, float]:
    """Return the rank correlation of each row that all models were driven for."""
    rows = {row: _row(values, *row) for row in ABSOLUTE_ROWS}
    return {name_rank(*row): correlate_ranks(*pair) for row, pair in rows.items() if pair}


def draw_rows(values: Mapping[str, float]) -> tuple[Panel, ...]:
    """Return each row with targets, ours beside P1's, of the models that were driven."""
    panels = []
    for scenario, metric in ABSOLUTE_ROWS:
        names = [name for name in P1_MODELS if name_cell(scenario, metric, name) in values]
        if names:
            printed = table_1()[scenario, metric]
            ours = [values[name_cell(scenario, metric, name)] for name in names]
            groups = {
                "ours": (ours, line_colour(0)),
                "P1": ([printed[name].mean for name in names], REFERENCE),
            }
            key, title = f"row-{scenario}-{metric}", f"Table I, {scenario}"
            label = f"{metric} [{UNITS[metric]}]"
            panels.append(draw_stems(key, title, label, names, groups))
    return tuple(panels)


def draw_ranks(values: Mapping[str, float]) -> tuple[Panel, ...]:
    """Return the rank correlations with their intervals; nothing if a model was not driven."""
    rows = {row: _row(values, *row) for row in ABSOLUTE_ROWS}
    pairs = {" ".join(row): pair for row, pair in rows.items() if pair}
    if not pairs:
        return ()
    limits = [resample_ranks(*pair) for pair in pairs.values()]
    groups = {
        "5 % of resampled models": ([low for low, _ in limits], line_colour(1)),
        "correlation": ([correlate_ranks(*pair) for pair in pairs.values()], line_colour(0)),
        "95 % of resampled models": ([high for _, high in limits], line_colour(2)),
        "critical value of eight models": ([CRITICAL] * len(pairs), REFERENCE),
    }
    title = "Do our models rank as P1's? Spearman's correlation"
    return (draw_stems("ranks", title, "correlation [1]", list(pairs), groups),)

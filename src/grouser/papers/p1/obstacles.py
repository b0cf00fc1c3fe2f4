"""Pallet and stairs from several starts and with several frictions: who crosses, who stands.

P1 prints no friction, and where its robot was put down only in a picture. So each model is driven
with all frictions of a list and from starts around the course's own. All settings were stated
before the first run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.geometry import Pose
from grouser.models import make_model, vary_model
from grouser.papers.p1.comparison import GLUE
from grouser.papers.p1.scenarios import P1_MODELS, SCENARIOS, P1Model
from grouser.papers.variation import AS_STATED, Variation
from grouser.report import Panel, Series
from grouser.report.colours import line_colour
from grouser.scenario.run import Loaded
from grouser.simulation import run_batch

PALLET_FRICTIONS = (0.6, 0.8, 1.0, 1.2, 1.4, 1.7, 2.0)
"""Friction along belts on the pallet: rubber on wood up to the authors' demonstration world, which
has 2.0 for belts with grousers [1]."""
STAIR_FRICTIONS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0, 1.2, 1.4, 1.7, 2.0)
"""Friction along belts on the stairs [1]."""
COARSE_FRICTIONS = (0.6, 1.2, 2.0)
"""Friction of those models that take a minute for each drive [1]."""
ACROSS = 0.25
"""Friction across belts over that along them, as in the authors' demonstration world [1]."""
SPREAD = (0.02, 0.02, np.radians(2.0))
"""Standard deviation of starts: x, y [m], yaw [rad]; how well a person puts a robot down."""
STARTS = 10
"""Starts for each friction [1]."""
FAR_EDGE = 1.8
"""Where the pallet ends on its course; who has crossed it has its middle beyond that [m]."""
STANDS = 0.05
"""How far a robot may end from where it is put down to stand: Table I prints that as 0.0 [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """Outcomes of one model on one obstacle."""

    frictions: tuple[float, ...]
    """Friction along the belts [1]."""
    outcomes: NDArray[np.float64]
    """1 if it crossed, or stood, else 0, NaN if it diverged: a row for each friction, a column for
    each start [1]."""

    @property
    def shares(self) -> NDArray[np.float64]:
        """Share of the starts with a good outcome, of each friction; NaN without any [1]."""
        return np.array([mean_known(row) for row in self.outcomes])

    @property
    def share(self) -> float:
        """Share of all drives with a good outcome [1]."""
        return mean_known(self.outcomes)

    @property
    def interval(self) -> tuple[float, float]:
        """90 % interval of the share of all drives, by resampling starts [1]."""
        random = np.random.default_rng(0)
        starts = self.outcomes.shape[1]
        drawn = [
            mean_known(self.outcomes[:, random.integers(starts, size=starts)]) for _ in range(500)
        ]
        low, high = np.nanquantile(drawn, (0.05, 0.95))
        return float(low), float(high)

    def does_worse_than(self, other: "Sweep") -> bool:
        """Return whether it has less good outcomes where neither diverged."""
        known = np.isfinite(self.outcomes) & np.isfinite(other.outcomes)
        return bool(self.outcomes[known].sum() < other.outcomes[known].sum())

    @property
    def least(self) -> float:
        """Least friction from which on most outcomes are good; infinite if there is none [1].

        Not all: from some starts a robot tips over an edge with one friction and not with another.
        """
        bad = np.flatnonzero(~(self.shares > 0.5))
        first = int(bad[-1]) + 1 if len(bad) else 0
        return self.frictions[first] if first < len(self.frictions) else np.inf


def mean_known(outcomes: NDArray[np.float64]) -> float:
    """Return the mean of all outcomes but NaN; NaN if there is none [1]."""
    known = outcomes[np.isfinite(outcomes)]
    return float(known.mean()) if known.size else np.nan


def sweep_pallet(
    model: P1Model,
    values: Mapping[str, float],
    frictions: Sequence[float] = PALLET_FRICTIONS,
    starts: int = STARTS,
    variation: Variation = AS_STATED,
) -> Sweep:
    """Return where a model crosses the pallet within P1's 30 s."""
    loaded, poses, factors = _prepare("pallet", model, values, frictions, starts, variation)
    end = _drive(loaded, poses, factors)
    x = np.asarray(end.x).reshape(len(frictions), starts)
    outcomes = np.where(np.isfinite(x), x > FAR_EDGE, np.nan)
    return Sweep(frictions=tuple(frictions), outcomes=outcomes)


def sweep_stairs(
    model: P1Model,
    values: Mapping[str, float],
    frictions: Sequence[float] = STAIR_FRICTIONS,
    starts: int = STARTS,
    variation: Variation = AS_STATED,
) -> Sweep:
    """Return where a model stands on the stairs for 10 s, from where it is put down.

    What counts is the distance to a robot that is put down alike and sticks to the ground: from
    some starts it tips over an edge before it rests, which is not sliding.
    """
    loaded, poses, factors = _prepare("stand", model, values, frictions, starts, variation)
    is_pushed = loaded.model.name == "frictionless"
    sticky = replace(loaded, model=make_model("csm") if is_pushed else loaded.model)
    rest = _drive(sticky, poses[:starts], np.full(starts, GLUE))
    end = _drive(loaded, poses, factors)
    shape = len(frictions), starts
    gaps = [np.asarray(getattr(end, k)).reshape(shape) - getattr(rest, k) for k in "xyz"]
    gap = np.linalg.norm(gaps, axis=0)
    outcomes = np.where(np.isfinite(gap), gap < STANDS, np.nan)
    return Sweep(frictions=tuple(frictions), outcomes=outcomes)


def _prepare(
    name: str,
    model: P1Model,
    values: Mapping[str, float],
    frictions: Sequence[float],
    starts: int,
    variation: Variation,
) -> tuple[Loaded, Pose, NDArray[np.float64]]:
    """Return the scenario with friction 1, the starts of all robots, and their frictions."""
    (scenario,) = (s for s in SCENARIOS if s.name == name)
    loaded = model.load(scenario.scenario, {**values, "mu_first": 1.0, "mu_second": ACROSS})
    loaded = variation.vary_loaded(loaded)
    random = np.random.default_rng(variation.seed)
    x, y, yaw = np.tile(random.normal(scale=SPREAD, size=(starts, 3)), (len(frictions), 1)).T
    at = loaded.start_pose
    poses = Pose(x=float(at.x) + x, y=float(at.y) + y, yaw=float(at.yaw) + yaw)
    return loaded, poses, np.repeat(np.asarray(frictions, np.float64), starts)


def _drive(loaded: Loaded, poses: Pose, factors: NDArray[np.float64]) -> Pose:
    """Return where robots end; NaN where a number is no longer finite."""
    assert loaded.plan is not None  # all drivers of P1 give commands by themselves
    driver: Any = loaded.plan.driver
    model = loaded.model
    if model.name != "frictionless":
        model = vary_model(model, friction=factors)
    with np.errstate(all="ignore"):
        run = run_batch(
            model, loaded.robot, loaded.course, poses, driver, duration=loaded.limit,
            dt=loaded.tick, every=10_000,
        )  # fmt: skip
    return run.motion.pose


def draw_sweeps(key: str, title: str, y_label: str, sweeps: Mapping[str, Sweep]) -> Panel:
    """Return the share of good outcomes over friction, a line for each model."""
    order = list(P1_MODELS)
    lines = tuple(
        Series(
            name=name, x=np.array(sweep.frictions), y=sweep.shares,
            colour=line_colour(order.index(name)),
            dash="solid" if order.index(name) < 4 else "dashdot",
        )
        for name, sweep in sweeps.items()
    )  # fmt: skip
    return Panel(
        key=key, title=title, x_label="friction along the belts [1]", y_label=y_label,
        series=lines, y_range=(-0.05, 1.05),
    )  # fmt: skip

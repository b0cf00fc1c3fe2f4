"""Draw model-agreement.png and write docs/model-agreement.md: where the models agree and differ.

python docs/pictures/make_agreement.py

Takes some minutes on one core; results are kept in out/agreement.json, which is read if it is
there.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from benchmarks.agreement import (
    BY_MUJOCO,
    MANOEUVRES,
    MODELS,
    REFERENCE,
    ROBOTS,
    AgreementRow,
    End,
    deviations,
    measure_agreement,
    median_spreads,
)
from benchmarks.gz_expectations import EXPECTATIONS, GzRow, measure_gz
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from grouser.description import load_robot
from grouser.laws.icr import equivalent_wheelbase

FOLDER = Path(__file__).parent
PAGE, KEPT = FOLDER.parent / "model-agreement.md", Path("out/agreement.json")
SHORT = {"plates:pitch=0.1": "plates", **{m: m.partition(":")[0] + ", MuJoCo" for m in BY_MUJOCO}}
"""Shorter names of models."""
COLUMNS = tuple(model for model in (*MODELS, *BY_MUJOCO) if model != REFERENCE)
GZ_STAIRS = "3.4 ± 0.15, > 0.55, -0.4"
"""What gz-sim's test expects on stairs."""
LEAST = 0.1
"""Deviation below which a cell is as good as equal [%]."""

HEAD = """# Agreement of the models

<!-- written by docs/pictures/make_agreement.py -->

How much a result depends on the choice of a [model](models.md): six robots (`absolem`,
`packbot510`, `quince`, `tankbot`, `tp100`, `zhou-ugv`) drive {count} manoeuvres with the same
belt speeds in every model that describes them. Each model has its defaults and what the robot's
file states; nothing is fitted to another model. This is disagreement, not error: no model is the
truth, and `csm` is the reference because it drives everything.

![Median distance from csm by manoeuvre and model](pictures/model-agreement.png)

A number says how far the robot ends from where `csm` ends, in percent of the way that its belts
ran: the distance of the middles, together with how far half a gauge has turned. It is the median
over robots, in brackets the largest.

"""
AFTER = """
"Any two" is the largest distance between any two of the models, median over robots.

## What to expect

- **Straight, up a slope and across it** all models agree to a percent, but `slip`, which has the
  measured slip of TP100, `frictionless`, which creeps down slopes, and `tankbot`, whose belts
  slip before they pull.
- **Turns** are where the choice matters, and what matters is *where along a track the weight
  rests*. `ideal`, `frictionless` and `tankbot` (P3's has almost no yaw resistance) do not skid.
  `csm`, `segments` and `tracks-planar` spread the weight along the track and agree with each
  other. `icr`, `slip` and `turning` of a robot without a measurement take the width that statics
  computes for the same loads ([robots.md](robots.md#width-in-turns)); `absolem`, `tp100` and
  `zhou-ugv` state measured ones, which are wider. MuJoCo's boxes and `plates` turn as if the ends
  of the tracks carried the robot. One with road wheels lies between. Only identification decides:
  `grouser identify`.
- **The engine**: on four wheels, where the weight can rest in one way only, ours and MuJoCo agree
  to 3 % in all turns; on belts they differ as much as other models do.
- **Flippers** that lie on the ground carry and skid in 3D models, not in `tracks-planar`: Quince.
- **Friction** hardly changes where a slow robot with speed-held belts turns to: from 0.8 to 0.2 by
  5 % at most in `csm`; `zhou-ugv`, which drives at 1.2 m/s, turns by 22 % more.
- **A low step** is crossed by all of ours alike; by MuJoCo, `wheels` lose way at it or stop, and
  `frictionless` stands up against it.

## Turning on the spot, by robot

Turned in the pivot, over what `ideal` turns.

{pivot}

## gz-sim's tests

gz-sim tests its tracked vehicle on level ground by three commands of a second each
(gazebosim/gz-sim, `test/integration/tracked_vehicle_system.cc`): straight at 1 m/s, 0.25 rad/s in
place, and 0.5 m/s with 0.2 rad/s from a heading of 0.25 rad. Its vehicle
(`test/worlds/tracked_vehicle_simple.sdf`) is our `absolem`. It expects x, y and heading to within
0.1 m and 0.1 rad of the first line. Track speeds are those that gz-sim makes of the commands,
with tracks 0.4 m apart and a steering efficiency of 0.5. Ours are x [m], y [m], heading [rad]; ✗
where its test would fail. The last column is its drive up stairs of 75 by 175 mm, 3.5 s at 1 m/s.

{gz}

The test expects what was commanded, so a model passes that has a steering efficiency near 0.5:
`icr`, `slip` and `turning` of `absolem` have gz-sim's own. That `csm` turns by more is its evenly
spread weight, see above; it ends 0.01 m short on stairs, where less grip lets a robot lag behind.
Not comparable: gz-sim's friction, which is 150 in one direction and 0.7 in the other (ours is 0.8).
Its cylinder and box are left out.

## How it is driven

Each robot at 0.4 of its speed limit, at most with v²/(g B) = 0.1; belts run 10 gauges, in the
pivot π. Friction is 0.8 unless said; the step is a quarter of a track's or wheel's height; sand
is `dry-sand`. `plates` have a pitch of 0.1 m and drive two manoeuvres of two robots, for their
cost. {cost} `python -m benchmarks
agreement` prints every robot.
"""


def load_rows() -> list[AgreementRow]:
    """Return the rows that are kept, or drive them."""
    if KEPT.exists():
        kept = json.loads(KEPT.read_text())
        return [AgreementRow(**row | {"end": End(**row["end"])}) for row in kept["rows"]]
    rows = measure_agreement(print)
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(json.dumps({"rows": [asdict(row) for row in rows]}))
    return rows


def percent(value: float) -> str:
    """Return a share as percent."""
    shown = 100.0 * value
    return "0" if shown < 0.05 else (f"{shown:.1f}" if shown < 9.95 else f"{shown:.0f}")


def _table(rows: list[AgreementRow], models: Iterable[str], *, spread: bool) -> str:
    cells, spreads = deviations(rows), median_spreads(rows)
    models = tuple(models)
    heads = ["", *(SHORT.get(model, f"`{model}`") for model in models)]
    lines = [heads + (["any two"] if spread else []), ["---"] * (len(heads) + spread)]
    for manoeuvre in MANOEUVRES:
        line = [manoeuvre.name, *(_cell(cells.get((manoeuvre.name, m), {})) for m in models)]
        lines.append(line + ([percent(spreads[manoeuvre.name])] if spread else []))
    means = [
        _cell({str(k): median(v.values()) for k, v in cells.items() if k[1] == m}) for m in models
    ]
    lines.append(["median of all (largest)", *means] + ([""] if spread else []))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def _cell(values: Mapping[str, float]) -> str:
    if not values:
        return "–"
    return f"{percent(median(values.values()))} ({percent(max(values.values()))})"


def _pivot_table(rows: list[AgreementRow]) -> str:
    turned = {(r.robot, r.model): r.end.yaw for r in rows if r.manoeuvre == "pivot"}
    models = (REFERENCE, *(model for model in COLUMNS if model != "ideal"))
    lines = [["", *ROBOTS], ["---"] * (1 + len(ROBOTS))]
    for model in models:
        shares = [
            f"{turned[robot, model] / turned[robot, 'ideal']:.2f}"
            if (robot, model) in turned
            else "–"
            for robot in ROBOTS
        ]
        lines.append([SHORT.get(model, f"`{model}`"), *shares])
    widths = [f"{end_carried(robot):.2f}" for robot in ROBOTS]
    lines.append(["carried by the ends: B²/(B² + L²)", *widths])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def end_carried(name: str) -> float:
    """Return the steering efficiency of a robot that the ends of its tracks carry [1]."""
    robot = load_robot(name)
    width = equivalent_wheelbase(robot.contact_length, robot.gauge, 0.0, 0.0, 0.0)
    return robot.gauge / float(width)


def _gz_table(rows: list[GzRow]) -> str:
    heads = ["", *(asked.name for asked in EXPECTATIONS), "stairs: x, z, pitch"]
    wanted = [f"{a.expected.x:g}, {a.expected.y:g}, {a.expected.yaw:g}" for a in EXPECTATIONS]
    lines = [heads, ["---"] * len(heads), ["gz-sim expects", *wanted, GZ_STAIRS]]
    for row in rows:
        cells = [
            f"{_short(end.x)}, {_short(end.y)}, {_short(end.yaw)}"
            + ("" if row.meets(number) else " ✗")
            for number, end in enumerate(row.ends)
        ]
        climb = row.climb
        stairs = "–"
        if climb is not None:
            stairs = ", ".join(_short(value) for value in (climb.x, climb.z, climb.pitch))
            stairs += "" if climb.meets else " ✗"
        lines.append([f"`{row.model}`", *cells, stairs])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _short(value: float) -> str:
    return f"{round(value, 2) + 0.0:.2f}"


def write_page(rows: list[AgreementRow], cost: str) -> None:
    """Write the page."""
    mujoco = [m for m in COLUMNS if m in BY_MUJOCO]
    planar = [m for m in COLUMNS if m in MODELS[:6]]
    solid = [m for m in COLUMNS if m not in mujoco and m not in planar]
    body = _table(rows, planar, spread=True) + "\n" + _table(rows, [*solid, *mujoco], spread=False)
    after = AFTER.format(pivot=_pivot_table(rows), gz=_gz_table(measure_gz()), cost=cost)
    PAGE.write_text(HEAD.format(count=len(MANOEUVRES)) + body + after)


def draw(rows: list[AgreementRow]) -> None:
    """Draw the medians as a map."""
    cells = deviations(rows)
    names = [manoeuvre.name for manoeuvre in MANOEUVRES]
    values = np.full((len(names), len(COLUMNS)), np.nan)
    for (manoeuvre, model), found in cells.items():
        values[names.index(manoeuvre), COLUMNS.index(model)] = 100.0 * median(found.values())
    figure = Figure(figsize=(9.0, 5.4), layout="constrained")
    FigureCanvasAgg(figure)
    axes: Any = figure.subplots()
    shown = np.maximum(values, LEAST)
    image = axes.imshow(shown, cmap="YlOrRd", norm=LogNorm(LEAST, 100.0), aspect="auto")
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value):
            text = "0" if value < 0.05 else f"{value:.2g}"
            axes.text(column, row, text, ha="center", va="center", fontsize=8,
                      color="white" if value > 15.0 else "black")  # fmt: skip
    labels = [SHORT.get(model, model) for model in COLUMNS]
    axes.set_xticks(range(len(COLUMNS)), labels, rotation=40, ha="right")
    axes.set_yticks(range(len(names)), names)
    figure.colorbar(image, ax=axes, label="distance from csm [% of the way], median of robots")
    figure.savefig(FOLDER / "model-agreement.png", dpi=120)


def main() -> None:
    """Write the page and draw the picture."""
    rows = load_rows()
    write_page(rows, "All of it takes four and a half minutes of one core.")
    draw(rows)


if __name__ == "__main__":
    main()

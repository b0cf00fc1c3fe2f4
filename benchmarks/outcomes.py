"""Where robots end on the drives of P1 and P4 and on obstacles, by each engine of `csm`.

The old csm is MuJoCo's collision with our friction on top, three boxes along each straight run of a
belt; its ends are kept in `old_csm.json`, since it is no longer here.
"""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grouser.description import load_course, load_robot
from grouser.models import command_sides, make_model, start_model
from grouser.papers.p1.scenarios import ACROSS, ALONG, SCENARIOS
from grouser.papers.p4.step_climbing import STEP, attempt_step

HERE = Path(__file__).parent
TICK = 0.01
ENGINES = ("csm", "csm:engine=mujoco")
STEPS = ((0.0, 0.05), (0.0, 0.08), (0.0, 0.12), (45.0, 0.12), (45.0, 0.2), (45.0, 0.25))
"""Angle of Quince's front sub-tracks [deg] and height of the step [m]."""
DRIVES: dict[str, tuple[str, str, float, float, float]] = {
    "peer pivot": ("peer", "peer_flat.toml", -0.12, 0.12, 10.0),
    "peer pallet": ("peer", "peer_pallet.toml", 0.1, 0.1, 30.0),
    "peer stairs": ("peer", "peer_stairs.toml", 0.3, 0.3, 10.0),
    "Absolem rough": ("absolem", "rough", 0.2, 0.2, 10.0),
    "Quince rough": ("quince", "rough", 0.2, 0.2, 10.0),
    "PackBot pivot": ("packbot510", "flat", -0.1, 0.1, 10.0),
}
"""Robot, course, belt speeds left and right [m/s] and duration [s]."""
FAR, TURNED = 0.05, 0.1
"""Difference of two ends that the table explains [m], [rad]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How a drive ended."""

    x: float = math.nan
    """Where, forward; NaN of an attempt at a step [m]."""
    y: float = math.nan
    """Where, to the left [m]."""
    z: float = math.nan
    """Where, above [m]."""
    yaw: float = math.nan
    """Heading, never wrapped [rad]."""
    climbed: bool | None = None
    """Whether the robot stands on the step; None of other drives."""
    duration: float = math.nan
    """Time until then, or until it was given up; NaN of other drives [s]."""

    def differs(self, other: "End") -> bool:
        """Whether the other end is another outcome, or far away."""
        if self.climbed is not None:
            return self.climbed != other.climbed
        away = math.dist((self.x, self.y, self.z), (other.x, other.y, other.z))
        return away > FAR or abs(self.yaw - other.yaw) > TURNED

    def __str__(self) -> str:
        if self.climbed is not None:
            return f"{'climbs' if self.climbed else 'stuck'}, {self.duration:.1f} s"
        return f"{self.x:.3f}, {self.y:.3f}, {self.z:.3f}; {self.yaw:.3f}"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRow:
    """One line of the table."""

    drive: str
    """What was driven."""
    old: End | None
    """By the old csm; None if it was not recorded."""
    ends: tuple[End, ...]
    """By each of `ENGINES`."""
    reason: str
    """Why the new csm ends elsewhere than the old one; empty if it does not."""


EVENLY = "patches spread load more evenly: turns faster"
"""The old csm turns faster, too, the more boxes it has: on the peer's pivot 0.278, 0.427, 0.446 and
0.448 rad/s with 1, 3, 9 and 20, where the new one has 0.481, and 0.472 with 30 patches."""
UNSTABLE = (
    "both slide aside on the edge, to a side that the start decides; new 3 x as far, cause open"
)
"""With five starts 1 mm and 0.1 deg apart: 0.08 to 0.12 m aside, 0.02 to 0.03 m by the old csm. It
is neither the patches (2 or 12 do the same) nor friction that differs across belts."""
REASONS = {
    "P1 rotate": EVENLY,
    "P1 circular": EVENLY,
    "P1 pallet": UNSTABLE,
    "peer pivot": EVENLY,
    "PackBot pivot": EVENLY,
}
"""Why the new csm ends elsewhere than the old one, by drive."""


def measure_outcomes(tell: Callable[[str], None] = lambda text: None) -> list[OutcomeRow]:
    """Return all lines."""
    ends = {model: drive_all(model, tell) for model in ENGINES}
    kept = json.loads((HERE / "old_csm.json").read_text())["ends"]
    rows = []
    for drive, end in ends["csm"].items():
        old = End(**kept[drive]) if drive in kept else None
        differs = old is not None and end.differs(old)
        rows.append(
            OutcomeRow(
                drive=drive,
                old=old,
                ends=tuple(ends[model][drive] for model in ENGINES),
                reason=REASONS.get(drive, "not explained") if differs else "",
            )
        )
    return rows


def drive_all(model: str, tell: Callable[[str], None]) -> dict[str, End]:
    """Return how all drives end by a model, by their names."""
    found: dict[str, End] = {}
    for p1 in SCENARIOS:
        tell(f"{model}: {p1.name}")
        found[f"P1 {p1.name}"] = _run(p1.scenario.vary(model=model))
    for angle, height in STEPS:
        tell(f"{model}: step {height:g} m")
        scenario = STEP.vary(model=model, course=f"step:height_m={height:g}")
        attempt = attempt_step(scenario, math.radians(angle))
        name = f"P4 step {1e3 * height:g} mm, {angle:g} deg"
        found[name] = End(climbed=attempt.climbed, duration=attempt.duration)
    for name, drive in DRIVES.items():
        tell(f"{model}: {name}")
        found[name] = _drive(model, *drive)
    return found


def _run(scenario: Any) -> End:
    loaded = scenario.load()
    course = loaded.course.with_friction(ALONG.start, ACROSS.start)
    loaded = replace(loaded, course=course)
    simulation = loaded.start()
    simulation.run(loaded.plan.driver, loaded.limit)
    return _end(simulation.plant.motion.pose)


def _drive(model: str, robot: str, course: str, left: float, right: float, duration: float) -> End:
    vehicle = load_robot(HERE / "peer_vehicle.toml" if robot == "peer" else robot)
    if left < 0.0:
        vehicle = vehicle.model_copy(update={"flippers": ()})
    file = HERE / course
    plant = start_model(make_model(model), vehicle, load_course(file if file.exists() else course))
    command = command_sides(vehicle, left, right)
    for _ in range(round(duration / TICK)):
        plant.advance(command, TICK)
    return _end(plant.motion.pose)


def _end(pose: Any) -> End:
    return End(x=float(pose.x), y=float(pose.y), z=float(pose.z), yaw=float(pose.yaw))

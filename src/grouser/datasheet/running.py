"""Rows on level ground: turning on the spot against friction, top speed, energy."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from grouser.datasheet.attempt import TICK
from grouser.datasheet.climbing import rest_posture
from grouser.datasheet.limits import format_share
from grouser.datasheet.places import level, slope
from grouser.datasheet.row import Cell, Row, Settings
from grouser.description import Course, Robot, parse_course
from grouser.geometry import Pose
from grouser.models import Command, Model, Motion, start_model

FRICTIONS = (0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1.0, 1.2, 1.5)
"""Frictions of the curve of turning [1]."""
QUICK_FRICTIONS = (0.2, 0.6, 1.2)
"""The same if quick [1]."""
TURNS = 0.1
"""Least yaw rate over that of the belts at which a robot turns, assumed [1]."""
BRISK = 0.5
"""Speed of the belts over their largest, in turns and for energy [1]."""
MEASURED = 2.0
"""Last part of a drive that is measured [s]."""
ENERGY_SLOPE = math.radians(10.0)
"""Slope on which energy is measured [rad]."""
NOISE = 1e-5
"""Energy per metre below which there is none [J/m]."""
SOIL = "dry-sand"
"""Soil in which energy is measured."""
LEVEL_GROUND = "Level ground"
NO_FORCES = "does not describe forces"
NO_LOSSES = (
    "not modelled: losses of belts and gears, which are nearly all of it on firm level ground"
)
"""Why there is no energy per metre on firm level ground."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Steady:
    """The measured part of a drive."""

    first: Motion
    """Motion at its begin."""
    last: Motion
    """Motion at its end."""
    duration: float
    """How long it is [s]."""

    @property
    def way(self) -> float:
        """Way of the origin [m]."""
        a, b = self.first.pose, self.last.pose
        return math.dist((a.x, a.y, a.z), (b.x, b.y, b.z))

    @property
    def work(self) -> float:
        """Work of all belts on the ground; NaN without forces [J]."""
        if not self.last.works:
            return math.nan
        return float(sum(self.last.works)) - float(sum(self.first.works))

    @property
    def turn(self) -> float:
        """Angle turned [rad]."""
        return float(self.last.pose.yaw) - float(self.first.pose.yaw)


def drive_steadily(
    model: Model,
    robot: Robot,
    course: Course,
    left: float,
    right: float,
    duration: float = MEASURED,
) -> Steady:
    """Drive with belt speeds [m/s] until they are reached and 1 s on; return what comes then."""
    plant = start_model(model, robot, course, Pose())
    sides = {"left": left, "right": right}
    command = Command(
        belt_speeds=tuple(sides[drive.side] for drive in robot.drives),
        flipper_angles=rest_posture(robot)[1],
    )
    ramp = max(abs(left), abs(right)) / robot.drive.acceleration_limit + 1.0
    for _ in range(round(ramp / TICK)):
        plant.advance(command, TICK)
    first = plant.motion
    for _ in range(round(duration / TICK)):
        plant.advance(command, TICK)
    return Steady(first=first, last=plant.motion, duration=duration)


def _top_speed(robot: Robot, model: Model, settings: Settings) -> Cell:
    top = robot.drive.speed_limit
    found = drive_steadily(model, robot, level(settings.friction), top, top)
    speed = found.way / found.duration
    belts = max(abs(float(belt)) for belt in found.last.belt_speeds)
    if not math.isfinite(speed):
        return Cell(reason="diverged: its numbers are no longer finite")
    words = f"belts run at {belts:.3g} m/s of their limit of {top:g} m/s"
    return Cell(value=speed, limit="torque" if belts < 0.95 * top else "belt speed", evidence=words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A turn on the spot with one friction."""

    friction: float
    """Friction [1]."""
    share: float
    """Yaw rate over that of the belts on their gauge [1]."""
    power: float
    """Power of all belts on the ground [W]."""
    stalls: bool
    """Whether belts run at less than half of their command."""


def turn_on_spot(robot: Robot, model: Model, friction: float) -> Turn:
    """Turn a robot on the spot at half of its belts' largest speed."""
    speed = BRISK * robot.drive.speed_limit
    found = drive_steadily(model, robot, level(friction), -speed, speed)
    ideal = 2.0 * speed / robot.gauge
    slowest = min(abs(float(belt)) for belt in found.last.belt_speeds)
    return Turn(
        friction=friction, share=found.turn / found.duration / ideal,
        power=found.work / found.duration, stalls=slowest < 0.5 * speed,
    )  # fmt: skip


def _turning(robot: Robot, model: Model, settings: Settings) -> Cell:
    chosen = QUICK_FRICTIONS if settings.is_quick else FRICTIONS
    frictions = sorted({*chosen, settings.friction})
    turns = [turn_on_spot(robot, model, friction) for friction in frictions]
    (main,) = (turn for turn in turns if turn.friction == settings.friction)
    if not all(math.isfinite(turn.share) for turn in turns):
        return Cell(reason="diverged: its numbers are no longer finite")
    speed = BRISK * robot.drive.speed_limit
    radius = robot.sprocket_radius
    torques = [t.power / speed / len(robot.drives) * radius for t in turns]
    able = [turn.friction for turn in turns if turn.share >= TURNS]
    rate = main.share * 2.0 * speed / robot.gauge
    curves = {
        "yaw rate over ideal [1] over friction": [[t.friction, t.share] for t in turns],
        "torque of each drive [N m] over friction": [
            [turn.friction, torque] for turn, torque in zip(turns, torques, strict=True)
        ],
    }
    details = {
        "lowest friction that turns [1]": min(able, default=math.nan),
        "highest friction that turns [1]": max(able, default=math.nan),
        "share of the ideal yaw rate [1]": main.share,
        "power [W]": main.power,
        "torque of each drive [N m]": torques[turns.index(main)],
    }
    limit, evidence = _judge_turns(robot, turns, able, main)
    return Cell(
        value=rate, limit=limit, evidence=evidence, curves=curves,
        details={k: v for k, v in details.items() if math.isfinite(v)},
    )  # fmt: skip


def _judge_turns(
    robot: Robot, turns: Sequence[Turn], able: Sequence[float], main: Turn
) -> tuple[str, str]:
    """Return what limits the range of frictions, and the evidence."""
    tried = f"{turns[0].friction:g} to {turns[-1].friction:g}"
    stalled = [turn.friction for turn in turns if turn.stalls]
    if stalled:
        return (
            "torque",
            f"belts stall from friction {min(stalled):g} on, of {tried} that were tried",
        )
    if not able:
        share = format_share(main.share)
        return "friction", f"turns at {share} of its belts' rate, with no friction at a tenth of it"
    limit = robot.drive.torque_limit
    words = "no torque limit in its file" if limit is None else f"within its limit of {limit:g} N m"
    return "none found", f"turns with all of {tried} that were tried; {words}"


def _energy(robot: Robot, model: Model, settings: Settings, *, where: str) -> Cell:
    speed = BRISK * robot.drive.speed_limit
    if where == "level":
        course = level(settings.friction)
    elif where == "slope":
        course = slope(ENERGY_SLOPE, settings.friction)
    else:
        text = (
            f'name = "sand"\nspeed_m_s = 0.1\n[[terrain]]\nkind = "plane"\n'
            f'[surfaces.ground]\nsoil = "{SOIL}"\n'
        )
        course = parse_course(text, "sand")
    found = drive_steadily(model, robot, course, speed, speed)
    if math.isnan(found.work):
        return Cell(reason=f"not described: model {model.name} {NO_FORCES}")
    if not math.isfinite(found.way):
        return Cell(reason="diverged: its numbers are no longer finite")
    share = found.way / (speed * found.duration)
    if share < 0.05:
        words = f"it moves at {format_share(share)} of its belts' speed"
        return Cell(reason="not possible: it does not advance", limit="friction", evidence=words)
    energy = found.work / found.way
    if where == "level":
        energy = energy if abs(energy) > NOISE else 0.0
        return Cell(reason=NO_LOSSES, details={"work of the belts on the ground [J/m]": energy})
    slip = format_share(max(1.0 - share, 0.0))
    words = f"{found.work:.3g} J over {found.way:.3g} m, slip {slip}"
    if where == "slope":
        lift = robot.mass * 9.81 * math.sin(ENERGY_SLOPE)
        words += f"; lifting alone needs {lift:.3g} J/m"
    return Cell(value=energy, evidence=words)


_HALF = "half of its largest belt speed"
_WORK = "work of the belts on the ground; losses of belts and gears are not modelled"
ROWS = (
    Row(
        key="top_speed", group=LEVEL_GROUND, title="top speed", unit="m/s", measure=_top_speed,
        need="forces", digits=2, method="belts commanded to their limit, over 2 s once they run",
    ),
    Row(
        key="turning", group=LEVEL_GROUND, title="yaw rate, turning on the spot", unit="rad/s",
        digits=2, measure=_turning, need="forces",
        method=f"belts against each other at {_HALF}, over 2 s; it turns if it reaches a tenth of "
        "the rate of belts on their gauge",
    ),
    *(
        Row(
            key=f"energy_{where}", group=LEVEL_GROUND, unit="J/m",
            title=f"energy per metre, {title}", digits=1, need="forces",
            measure=partial(_energy, where=where),
            method=f"straight on at {_HALF}, over 2 s: {_WORK}",
        )
        for where, title in (
            ("level", "level firm ground"), ("slope", "up 10°"), ("soil", f"level {SOIL}"),
        )
    ),
)  # fmt: skip
"""Rows on level ground."""

"""Events of a scenario: those of a simulation, changes of the scenario itself, and their tables."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from pydantic import Field

from grouser import limits
from grouser.description import Robot
from grouser.description.schema import NotNegative, Number, Positive, Table
from grouser.errors import InvalidValue
from grouser.geometry import Pose
from grouser.models import Model
from grouser.scenario.parts import make_varied_model
from grouser.simulation import Simulation
from grouser.simulation.events import (
    Acting,
    Event,
    Kick,
    Place,
    Pull,
    Push,
    check_forces,
    check_pushes,
)
from grouser.units import check_range

if TYPE_CHECKING:
    from grouser.scenario.scenario import Scenario

CHANGED = ("robot", "model", "variation")
"""What may change while a run goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A key of the scenario has another value from a time on; the robot goes on as it is."""

    time: float
    """When [s]."""
    key: str
    """Key as of `Scenario.vary`, such as `variation.friction` or `robot.body.mass_kg`."""
    value: float | str | bool
    """The new value [unit of the key]."""
    scenario: "Scenario | None" = None
    """The scenario that is changed, as it was at the start; a loaded scenario sets it."""
    before: "tuple[Change, ...]" = ()
    """Earlier changes."""

    def __post_init__(self) -> None:
        if self.key.partition(".")[0] not in CHANGED:
            kinds = ", ".join(f"{kind}.…" for kind in CHANGED)
            raise InvalidValue("key of a change", self.key, f"be one of {kinds}")

    def check(self) -> tuple[Model, Robot]:
        """Return the model and the robot after the change.

        Raises:
            GrouserError: There is no such key, or the value is out of range.
        """
        scenario = self.scenario
        assert scenario is not None  # bound when it was added
        for change in (*self.before, self):
            scenario = scenario.vary(change.key, change.value)
        model = make_varied_model(scenario.model, scenario.variation, contacts=scenario.contacts)
        return model, scenario.robot.load_robot()

    def begin(self, simulation: Simulation, acting: Acting) -> None:
        """Go on with the changed model and robot."""
        simulation.exchange(*self.check())

    def content(self) -> dict[str, Any]:
        """Return the event as a table of a scenario file."""
        return {"at_s": self.time, "set": {self.key: self.value}}


ScenarioEvent: TypeAlias = Pull | Push | Kick | Place | Change
"""What can happen in a run."""


def bind(events: Sequence[Event], scenario: "Scenario") -> tuple[Event, ...]:
    """Return events whose changes know the scenario, and the changes before them."""
    bound: list[Event] = []
    changes: list[Change] = []
    for event in sorted(events, key=lambda event: event.time):
        if isinstance(event, Change):
            event = Change(
                time=event.time,
                key=event.key,
                value=event.value,
                scenario=scenario,
                before=tuple(changes),
            )
            changes.append(event)
        bound.append(event)
    return tuple(bound)


def happen(event: ScenarioEvent, simulation: Simulation, scenario: "Scenario") -> None:
    """Let something happen to a robot of a loaded scenario, now or later.

    Raises:
        GrouserError: A change has no such key or value, or the model has no forces; the run goes on
            as it was.
    """
    events, bound = simulation.events, event
    if isinstance(event, Change):
        order = sorted((*events.all, event), key=lambda one: one.time)
        known = dict(zip(map(id, order), bind(order, scenario), strict=True))
        bound = cast("Change", known[id(event)])
        bound.check()
        # Planned changes that come later know this one, as they do in a replay.
        planned = tuple(known[id(one)] for one in events.planned)
    else:
        check_forces(event, simulation)
        planned = events.planned
    simulation.happen(bound)
    events.planned = planned


def rebind(simulation: Simulation, scenario: "Scenario") -> None:
    """Let changes that are still to come forget those that going back in time took back."""
    events = simulation.events
    known = dict(zip(map(id, events.all), bind(events.all, scenario), strict=True))
    events.planned = tuple(known[id(one)] for one in events.planned)


def unbind(events: Sequence[Event]) -> tuple[ScenarioEvent, ...]:
    """Return events as a scenario holds them."""
    free = [
        replace(event, scenario=None, before=()) if isinstance(event, Change) else event
        for event in events
    ]
    return cast("tuple[ScenarioEvent, ...]", tuple(free))


_Triple = tuple[Number, Number, Number]


class PlaceTable(Table):
    """Pose of a robot that is placed."""

    x: Number = Field(alias="x_m", default=0.0)
    """Position along x of the world [m]."""
    y: Number = Field(alias="y_m", default=0.0)
    """Position along y [m]."""
    z: Number = Field(alias="z_m", default=0.0)
    """Height of the body frame [m]."""
    roll: Number = Field(alias="roll_rad", default=0.0)
    """Roll [rad]."""
    pitch: Number = Field(alias="pitch_rad", default=0.0)
    """Pitch [rad]."""
    yaw: Number = Field(alias="yaw_rad", default=0.0)
    """Heading [rad]."""


class EventTable(Table):
    """An event of a scenario file: a time, and what happens."""

    at: NotNegative = Field(alias="at_s")
    """When [s]."""
    push: _Triple | None = Field(alias="push_N", default=None)
    """Force that pushes [N]."""
    duration: Positive | None = Field(alias="for_s", default=None)
    """How long it pushes [s]."""
    kick: _Triple | None = Field(alias="kick_N_s", default=None)
    """Impulse of a kick [N s]."""
    pull: _Triple | None = Field(alias="pull_to_m", default=None)
    """Where a spring is held [m]."""
    let_go: bool = False
    """Whether the spring is let go."""
    point: _Triple = Field(alias="point_m", default=(0.0, 0.0, 0.0))
    """Where force, impulse or spring acts, in the body frame [m]."""
    stiffness: NotNegative = Field(alias="stiffness_N_m", default=0.0)
    """Stiffness of the spring [N/m]."""
    damping: NotNegative = Field(alias="damping_N_s_m", default=0.0)
    """Damping of the spring [N s/m]."""
    limit: Positive | None = Field(alias="limit_N", default=None)
    """Largest force of the spring [N]."""
    place: PlaceTable | None = None
    """Where the robot is placed."""
    changes: dict[str, Number | str | bool] = Field(alias="set", default_factory=dict)
    """Keys of the scenario and their new values [unit of the key]."""


def read_event(table: EventTable) -> tuple[ScenarioEvent, ...]:
    """Return the events of a table: one, or a change for each key of `set`.

    Raises:
        InvalidValue: The table has none or several things that happen.
    """
    check_range("at_s", table.at, "s")
    kinds = ("push", "kick", "pull", "let_go", "place", "changes")
    named = [kind for kind in kinds if getattr(table, kind)]
    if len(named) != 1:
        fields = EventTable.model_fields
        words = [fields[kind].alias or kind for kind in kinds]
        given = " and ".join(fields[kind].alias or kind for kind in named) or "none"
        raise InvalidValue(f"event at {table.at:g} s", given, f"have one of {', '.join(words)}")
    if table.changes:
        pairs = table.changes.items()
        return tuple(Change(time=table.at, key=key, value=value) for key, value in pairs)
    return (_read_one(table),)


def _read_one(table: EventTable) -> ScenarioEvent:
    if table.kick is not None:
        return Kick(time=table.at, impulse=table.kick, point=table.point)
    if table.place is not None:
        return Place(time=table.at, pose=Pose(**table.place.model_dump()))
    if table.push is not None:
        if table.duration is None:
            raise InvalidValue(f"for_s of the push at {table.at:g} s", "none", "be given")
        return Push(time=table.at, duration=table.duration, force=table.push, point=table.point)
    if table.pull is None:
        return Pull(time=table.at, target=None)
    limit = {} if table.limit is None else {"limit": table.limit}
    return Pull(
        time=table.at,
        target=table.pull,
        point=table.point,
        stiffness=table.stiffness,
        damping=table.damping,
        **limit,
    )


def check_count(events: Sequence[Event]) -> None:
    """Raise InvalidValue if there are more events, or pushes at a time, than there may be."""
    if len(events) > limits.EVENTS:
        raise InvalidValue("events", f"{len(events):,}", f"be at most {limits.EVENTS:,}")
    check_pushes(events)

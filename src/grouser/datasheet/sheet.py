"""Data sheets: which rows and models, run on all cores, stored as they come."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from grouser.datasheet import climbing, running, slopes
from grouser.datasheet.dimensions import describe_robot
from grouser.datasheet.lanes import lane_rows
from grouser.datasheet.row import Cell, Row, Settings
from grouser.description import Robot
from grouser.errors import GrouserError, InvalidValue, UnknownName, Unsupported
from grouser.models import Model, find_equal, find_repeated, make_model
from grouser.notices import listen
from grouser.sources import package_source
from grouser.tasks import OnProgress, Task, Workers, content_hash, run_tasks

USUAL = Settings()
"""Settings if none are given."""


@cache
def all_rows() -> dict[str, Row]:
    """Return all rows by key, in their order."""
    rows = (*climbing.ROWS, *slopes.ROWS, *running.ROWS, *lane_rows())
    return {row.key: row for row in rows}


def choose_rows(keys: Sequence[str]) -> tuple[Row, ...]:
    """Return rows by key or by the beginning of a key; all if there are none.

    Raises:
        UnknownName: There is no such row.
    """
    known = all_rows()
    for key in keys:
        if not any(name.startswith(key) for name in known):
            raise UnknownName("row of a data sheet", key, known)
    wanted = tuple(keys) or ("",)
    return tuple(row for name, row in known.items() if name.startswith(wanted))


def default_models(robot: Robot) -> tuple[str, ...]:
    """Return the models that describe a robot each in another way.

    The second is `segments` where it differs from `csm`, else `wheels`, P1's and P4's rival of it.
    """
    second = ("segments", "wheels")
    others = [name for name in second if find_equal(make_model(name), robot) is None]
    return ("csm", *others[:1], "tracks-planar")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """What was found for one robot."""

    robot: Robot
    """The robot."""
    models: tuple[str, ...]
    """References of the models, the first one first."""
    rows: tuple[Row, ...]
    """Its rows."""
    settings: Settings
    """What all rows share."""
    cells: Mapping[tuple[str, str], Cell]
    """What was found, by key of the row and model."""
    published: tuple[Mapping[str, Any], ...] = ()
    """Published numbers of this robot beside ours: claim, where, published, ours, unit, verdict."""
    repeated: tuple[str, ...] = ()
    """Models that were asked for and compute the same as another one, a sentence each."""

    def cell(self, row: Row, model: str) -> Cell:
        """Return what a model found for a row."""
        return self.cells[row.key, model]

    def main(self, row: Row) -> tuple[str, Cell]:
        """Return the first model that has something to say about a row, and what."""
        every = [(model, self.cell(row, model)) for model in self.models]
        with_value = [pair for pair in every if pair[1].value is not None]
        with_limit = [pair for pair in every if pair[1].limit]
        return (with_value or with_limit or every)[0]

    def spread(self, row: Row) -> tuple[float, float] | None:
        """Return the least and the largest value over models; None of fewer than two [SI]."""
        found = [self.cell(row, model).value for model in self.models]
        values = [value for value in found if value is not None]
        return (min(values), max(values)) if len(values) > 1 else None

    def content(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "robot": self.robot.name,
            "title": self.robot.title,
            "robot_hash": self.robot.content_hash,
            "models": {m: make_model(m).computed_by for m in self.models},
            "repeated": list(self.repeated),
            "settings": asdict(self.settings),
            "dimensions": describe_robot(self.robot),
            "rows": [self._row_content(row) for row in self.rows],
            "published": list(self.published),
        }

    def _row_content(self, row: Row) -> dict[str, Any]:
        return {
            "key": row.key, "group": row.group, "title": row.title, "method": row.method,
            "unit_printed": row.unit, "factor_from_si": row.factor,
            "models": {model: self.cell(row, model).content() for model in self.models},
            "spread": self.spread(row),
        }  # fmt: skip


def why_not(row: Row, model: Model) -> str:
    """Return why a model says nothing about a row, in a sentence; empty if it does."""
    if row.need == "3D" and not hasattr(model, "contacts"):
        return f"not described: model {model.name} has no contacts in three dimensions"
    if row.need == "forces" and not (
        hasattr(model, "contacts") or hasattr(model, "friction_factor")
    ):
        return f"not described: model {model.name} has no forces"
    return ""


def measure_row(robot: Robot, model: str, key: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a model finds for a row, as plain values; a problem is its reason."""
    row, made = all_rows()[key], make_model(model)
    reason = why_not(row, made)
    if reason:
        return Cell(reason=reason).content()
    heard: list[str] = []
    try:
        with listen(heard.append):
            found = row.measure(robot, made, Settings(**settings))
        # That code was compiled says nothing about the robot, and names a folder.
        notes = (sentence for sentence in heard if not sentence.startswith("compiling "))
        return replace(found, notes=tuple(dict.fromkeys(notes))).content()
    except Unsupported as error:
        return Cell(reason=f"not described: {error}").content()
    except GrouserError as error:
        return Cell(reason=f"not possible: {error}").content()


def _task(robot: Robot, model: str, row: Row, settings: Settings) -> Task:
    made = make_model(model)
    parts = (
        package_source(), made.computed_by, robot.content_hash, model, row.key, asdict(settings),
        *([row.depends_on] if row.depends_on else ()),
    )  # fmt: skip
    return Task(
        name=f"{robot.name}: {row.key} by {model} ({content_hash(*parts)})",
        function=measure_row,
        arguments={
            "robot": robot, "model": model, "key": row.key, "settings": asdict(settings),
        },
    )  # fmt: skip


def _find_repeated(robot: Robot, models: Sequence[str]) -> dict[str, str]:
    return find_repeated({name: make_model(name) for name in models}, robot)


def make_sheets(
    robots: Sequence[Robot],
    *,
    models: Sequence[str] = (),
    rows: Sequence[Row] | None = None,
    settings: Settings = USUAL,
    published: Mapping[str, Sequence[Task]] | None = None,
    workers: Workers | None = None,
    file: Path | None = None,
    on_progress: OnProgress = lambda *_: None,
) -> list[Sheet]:
    """Return the data sheets of robots; rows are run on all workers and stored as they come.

    Args:
        robots: The robots; their names differ.
        models: References of models; those that differ for each robot if empty.
        rows: Rows; all if None.
        settings: What all rows share.
        published: More tasks by name of a robot, each of which returns a list of published numbers.
        workers: What runs the rows; all cores if None.
        file: Where results are kept, and looked up; None for nowhere.
        on_progress: Called after each row.

    Raises:
        InvalidValue: Two robots have the same name, or a model is given twice.
        UnknownName: There is no such model.
        TaskFailed: A row raised something else than an error of grouser.
    """
    for what, names in (("robot", [robot.name for robot in robots]), ("model", list(models))):
        repeated = [name for name in names if names.count(name) > 1]
        if repeated:
            raise InvalidValue(what, repeated[0], "be given once")
    chosen = tuple(choose_rows(()) if rows is None else rows)
    repeated = {robot.name: _find_repeated(robot, models) for robot in robots}
    of_robot = {
        robot.name: tuple(name for name in models if name not in repeated[robot.name])
        or default_models(robot)[: 2 if settings.is_quick else None]
        for robot in robots
    }
    tasks = {
        (robot.name, row.key, model): _task(robot, model, row, settings)
        for row in chosen
        for robot in robots
        for model in of_robot[robot.name]
    }
    more = {robot.name: list((published or {}).get(robot.name, ())) for robot in robots}
    # Published numbers take longest: they begin first.
    every = [task for extra in more.values() for task in extra] + list(tasks.values())
    found = dict(
        run_tasks(
            every, workers, file=file, what="results of a data sheet", on_progress=on_progress,
            is_valid=lambda kept: isinstance(kept, dict | list),
        )
    )  # fmt: skip
    return [
        Sheet(
            robot=robot, models=of_robot[robot.name], rows=chosen, settings=settings,
            cells={
                (key, model): Cell(**found[task.name])
                for (name, key, model), task in tasks.items()
                if name == robot.name
            },
            published=tuple(row for task in more[robot.name] for row in found[task.name]),
            repeated=tuple(repeated[robot.name].values()),
        )
        for robot in robots
    ]  # fmt: skip

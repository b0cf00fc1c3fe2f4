"""From logs to the parameters of several families, and which of them to use."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from grouser.errors import GrouserError, InvalidValue
from grouser.identify.choice import Recommendation, recommend
from grouser.identify.drive_train import (
    DriveTrain,
    apply_drive_train,
    fit_drive_train,
    fit_lag,
)
from grouser.identify.families import FAMILIES
from grouser.identify.family import KnownRobot
from grouser.identify.fit import Fit
from grouser.identify.fit_family import fit_prepared
from grouser.identify.judge import choose_cases
from grouser.identify.pieces import Blocks, join_records
from grouser.identify.prepare import Prepared, prepare
from grouser.identify.record import Record
from grouser.tasks import SERIAL, Task, Workers, run_tasks


def kinematic_families() -> tuple[str, ...]:
    """Return the families that need no simulation: fitted in seconds."""
    return tuple(name for name, family in FAMILIES.items() if not family.is_simulated)


@dataclass(frozen=True, slots=True, kw_only=True)
class Identification:
    """Fits of several families to the same records."""

    record: Record
    """All pieces of all logs."""
    blocks: Blocks
    """What was held out together."""
    known_robot: KnownRobot
    fits: Mapping[str, Fit]
    failures: Mapping[str, str]
    """Families that could not be fitted, and why."""
    recommendation: Recommendation
    drive_train: DriveTrain | None = None
    """How belts follow commands, if motion was predicted from commands; else None."""

    @property
    def best_first(self) -> list[Fit]:
        """All fits, the recommended one first, if there is one."""
        chosen = self.recommendation.family
        return sorted(self.fits.values(), key=lambda fit: fit.family != chosen)


def identify_records(
    records: Sequence[Record],
    known_robot: KnownRobot,
    families: Sequence[str] = (),
    tell: Callable[[str], None] = lambda words: None,
    seed: int = 0,
    workers: Workers = SERIAL,
    *,
    from_commands: bool = False,
) -> Identification:
    """Return fits of several families (the kinematic ones if none is named), and the one to use.

    `from_commands` predicts belt speeds from commands, and the motion from those.
    """
    families = families or kinematic_families()
    for name in families:
        FAMILIES.find(name)
    names = list(dict.fromkeys(families))
    train = None
    if from_commands:
        tell("commands to belt speeds")
        record = join_records(records)
        train = find_drive_train(record, known_robot)
        records = [apply_drive_train(record, train)]
    tell("clock offset and start values")
    prepared = prepare(records, known_robot)
    if len(names) == 1 and workers.cluster is None:
        tell(names[0])
        fits = {names[0]: fit_prepared(FAMILIES[names[0]], prepared, tell, seed)}
        failures = {}
    else:
        fits, failures = _fit_all(names, prepared, tell, seed, workers)
    if not fits:
        raise InvalidValue("families", "; ".join(failures.values()), "fit the log")
    return Identification(
        record=prepared.record, blocks=prepared.blocks, known_robot=known_robot, fits=fits,
        failures=failures, recommendation=recommend(fits, why_not_judged(prepared)),
        drive_train=train,
    )  # fmt: skip


def find_drive_train(record: Record, known_robot: KnownRobot) -> DriveTrain:
    """Return the drive train by measured belts; by the poses if only commands were logged."""
    if record.commanded is None or record.has_measured_belts:
        return fit_drive_train(record)
    return fit_lag(record, lambda lagged: prepare([lagged], known_robot).loss)


def why_not_judged(prepared: Prepared) -> str:
    """Return why nothing can be held out and predicted, and what to record; empty if it can."""
    record = prepared.record
    if prepared.blocks.count < 2 or choose_cases(record, prepared.blocks) is None:
        return (
            f"{record.first.size} piece(s) of {float(np.median(record.durations)):.3g} s with "
            f"{record.observation.time.size} observations leave nothing to hold out; record at "
            "least a minute of straights, arcs to both sides and turns on the spot"
        )
    return ""


def fit_named(
    family: str,
    prepared: Prepared,
    seed: int,
    tell: Callable[[str], None] = lambda words: None,
) -> Fit | str:
    """Return the fit of a family by name, or why it failed, as a task of another process."""
    try:
        return fit_prepared(FAMILIES[family], prepared, tell, seed)
    except GrouserError as error:
        return str(error)


def _fit_all(
    names: list[str],
    prepared: Prepared,
    tell: Callable[[str], None],
    seed: int,
    workers: Workers,
) -> tuple[dict[str, Fit], dict[str, str]]:
    """Return fits, and reasons for failed ones, both in the order of the names."""
    given = {"prepared": prepared, "seed": seed}
    if workers is SERIAL:
        found = {}
        for name in names:
            tell(name)
            found[name] = fit_named(name, **given, tell=lambda w, n=name: tell(f"{n}: {w}"))
    else:
        tasks = [Task(name=n, function=fit_named, arguments={"family": n, **given}) for n in names]

        def count(name: str, done: int, total: int) -> None:
            tell(f"{done} of {total} families" + (f", {name} last" if name else ""))

        found = dict(run_tasks(tasks, workers, what="fits", on_progress=count))
    fits = {name: found[name] for name in names if isinstance(found[name], Fit)}
    return fits, {name: found[name] for name in names if name not in fits}

"""Where runs come from, as rows of a table."""

from collections.abc import Mapping

from grouser.log import Log

HASH_SHOWN = 8
"""How many characters of a hash are enough to tell two apart by eye."""


def provenance_table(runs: Mapping[str, Log]) -> list[tuple[str, tuple[str, ...]]]:
    """Return rows of a name and one text for each run, or a single one if all runs agree.

    Rows that say nothing are left out.
    """
    columns = [_entries(log) for log in runs.values()]
    rows = [(name, tuple(column[name] for column in columns)) for name in columns[0]]
    return [
        (name, texts if len(set(texts)) > 1 else texts[:1]) for name, texts in rows if any(texts)
    ]


def _entries(log: Log) -> dict[str, str]:
    origin = log.provenance
    return {
        "robot": _with_hash(origin.robot, origin.robot_hash),
        "course": _with_hash(origin.course, origin.course_hash),
        "course parameters": _pairs(origin.course_parameters),
        "model": origin.model,
        "model parameters": _pairs(origin.model_parameters),
        "driver": origin.driver,
        "status": origin.status,
        "tick": f"{origin.dt:g} s" if origin.dt is not None else "",
        "seed": str(origin.seed) if origin.seed is not None else "",
        "rows": str(len(log)),
        "started": origin.created.replace("T", " ").replace("+00:00", " UTC"),
        "engine": origin.engine,
        "grouser": origin.grouser_version,
        "notes": _pairs(origin.notes),
    }


def _with_hash(name: str, digest: str) -> str:
    return f"{name} ({digest[:HASH_SHOWN]})" if digest else name


def _pairs(values: Mapping[str, object]) -> str:
    return ", ".join(
        f"{key} = {value:g}" if isinstance(value, float) else f"{key} = {value}"
        for key, value in values.items()
        if value is not None
    )

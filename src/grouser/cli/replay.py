"""`grouser replay`."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from grouser.cli.options import Json, OtherModelName, Overwrite

LogFile = Annotated[
    Path, Parameter(name="LOG", help="Log file that a simulation wrote, .csv, .parquet or .mcap.")
]
NewLogFile = Annotated[
    Path | None,
    Parameter(metavar="FILE", help="Log of the new run to write; none if not given."),
]


def replay(
    log: LogFile,
    /,
    *,
    model: OtherModelName = None,
    out: NewLogFile = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> int:
    """Run a log again from its own robot, course and commands, and tell where the two part.

    The exit code is 0 if they are the same bit for bit (wall time aside), 1 if not.
    """
    from grouser.cli.exits import DIFFERENT, DONE
    from grouser.cli.output import LOGS, claim_optional
    from grouser.cli.terminal import Terminal
    from grouser.log import read_log, write_log
    from grouser.log.compare import find_bit_difference
    from grouser.models import make_model
    from grouser.report import measure_difference
    from grouser.scenario import replay as run_again

    output = claim_optional("--out", out, overwrite=overwrite, suffixes=LOGS)
    terminal, old = Terminal(), read_log(log, rows=1)
    if model is not None:
        make_model(model)  # its mistakes are not the log's
    with _naming(log):
        new = run_again(old, model)
        parting = find_bit_difference(old, new)
        metrics = measure_difference(new, old) if parting else ()
    if new.provenance.status == "interrupted":
        raise KeyboardInterrupt
    file = None if output is None else output.write(lambda path: write_log(new, path))
    if as_json:
        terminal.json(
            {
                "log": log,
                "model": new.provenance.model,
                "same": parting is None,
                "parting": None if parting is None else parting.to_dict(),
                "metrics": [{"name": m.name, "value": m.value, "unit": m.unit} for m in metrics],
                "replayed_log": file,
            }
        )
    elif parting is None:
        terminal.line(f"{log}: the same, bit for bit, over {len(old)} rows")
    else:
        terminal.line(f"{log}: {parting.sentence}")
        terminal.table(("measured", "value"), [(m.name, m.text) for m in metrics], numbers=(1,))
    return DONE if parting is None else DIFFERENT


@contextmanager
def _naming(log: Path) -> Iterator[None]:
    """Say of which log it is that its robot, course, model or commands have mistakes."""
    from grouser.errors import InvalidDescription, InvalidLog, InvalidValue, UnknownName

    try:
        yield
    except InvalidDescription as error:
        raise InvalidDescription(f"{log}, {error.origin}", error.mistakes) from error
    except (InvalidLog, InvalidValue, UnknownName) as error:
        problem = error.problem if isinstance(error, InvalidLog) else str(error)
        raise InvalidLog(log, f"cannot be replayed: {problem}") from error

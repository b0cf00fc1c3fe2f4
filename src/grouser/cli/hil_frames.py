"""`grouser hil frames`."""

from dataclasses import asdict
from typing import Annotated

from cyclopts import Parameter

from grouser.cli.options import Json, Seed

Count = Annotated[int, Parameter(metavar="NUMBER", help="How many frames to damage and decode.")]


def hil_frames(*, count: Count = 1_000_000, seed: Seed = 1, as_json: Json = False) -> int:
    """Damage frames in six ways, and tell how many the decoder takes for what they are not.

    Exit code 1 if there is one.
    """
    from rich.progress import Progress

    from grouser.cli.main import DIFFERENT, DONE, INTERRUPTED
    from grouser.cli.terminal import Terminal
    from grouser.hil.frame_damage import Tally, try_frames

    terminal = Terminal()
    tallies: dict[str, Tally] = {}
    interrupted = False
    console = terminal.err
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("frames", total=count)
        try:
            try_frames(
                count,
                seed=seed,
                tallies=tallies,
                progress=lambda done: progress.update(task, completed=done),
            )
        except KeyboardInterrupt:
            interrupted = True
    if as_json:
        terminal.json({name: asdict(tally) for name, tally in tallies.items()})
    else:
        rows = [(name, *map(str, asdict(tally).values())) for name, tally in tallies.items()]
        counts = (asdict(tally).values() for tally in tallies.values())
        total = [sum(column) for column in zip(*counts, strict=True)]
        rows.append(("all", *map(str, total)))
        headings = ("damage", "frames", "dropped", "intact", "accepted wrong", "next one lost")
        terminal.table(headings, rows, numbers=range(1, 6))
    if interrupted:
        terminal.remark("grouser: interrupted; the table is of the frames until then")
        return INTERRUPTED
    wrong = sum(tally.wrong + tally.not_recovered for tally in tallies.values())
    return DIFFERENT if wrong else DONE

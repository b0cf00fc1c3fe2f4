"""A search of parameters: watch it, tell what it found."""

from pathlib import Path
from typing import Any, cast, get_args

from rich.progress import Progress

from grouser.cli.main import DONE
from grouser.cli.report_contest import check_folder, find_entrant, find_scenarios
from grouser.cli.terminal import Terminal, format_number
from grouser.errors import InvalidValue, UnknownName
from grouser.papers.p1.search import Method, Search
from grouser.tasks import Workers


def report_search(
    entrant: str,
    method: str,
    counts: tuple[int, int, int],
    scenarios: tuple[str, ...],
    references: Path | None,
    *,
    seed: int,
    out: Path | None,
    workers: Workers,
    as_json: bool,
) -> int:
    """Search, print start and best values and their cost; return the exit code.

    Args:
        entrant: One of P1's models.
        method: How to search.
        counts: Iterations, samples in each, trials of each.
        scenarios: What counts; all if empty.
        references: Folder of recordings.
        seed: Where chance comes from.
        out: Where answers are kept.
        workers: Who looks for answers.
        as_json: Whether to write for machines.
    """
    chosen = find_entrant(entrant)
    if method not in get_args(Method):
        raise UnknownName("method of search", method, get_args(Method))
    for option, count in zip(("--iterations", "--samples", "--trials"), counts, strict=True):
        least = 3 if option == "--samples" else 1
        if count < least:
            raise InvalidValue(option, count, f"be at least {least}")
    check_folder("--references", references)
    file = Path("out/p1") / f"tune-{entrant}.json" if out is None else out
    iterations, samples, trials = counts
    search = Search(
        entrant=chosen,
        method=cast(Method, method),
        iterations=iterations,
        samples=samples,
        trials=trials,
        scenarios=find_scenarios(scenarios),
        references=references,
        seed=seed,
        file=file,
    )
    found = _watch(search, workers)
    terminal = Terminal()
    if as_json:
        terminal.json({**found, "file": file})
        return DONE
    first, best = found["answers"][0], found["best"]
    terminal.heading(f"{entrant}, search {method}: cost {first['cost']:.2f} to {best['cost']:.2f}")
    rows = [
        (knob.name, format_number(first["values"][knob.name]),
         format_number(best["values"][knob.name]), f"{knob.low:g} to {knob.high:g}")
        for knob in chosen.knobs
    ]  # fmt: skip
    terminal.table(("parameter", "start", "best", "range"), rows, numbers=(1, 2))
    terminal.line(f"answers: {file}")
    return DONE


def _watch(search: Search, workers: Workers) -> dict[str, Any]:
    console = Terminal().err
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=1.0)

        def tell(done: int, total: int, best: float) -> None:
            progress.update(task, description=f"best cost {best:.2f}", completed=done / total)

        return search.run(tell, workers)

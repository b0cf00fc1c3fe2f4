"""`python -m tests.hil.hostile` runs the whole table against the host and prints it."""

import tempfile
from collections import defaultdict
from pathlib import Path

from tests.hil.hostile.lies import all_rows
from tests.hil.hostile.trial import Outcome, attempt


def main() -> None:
    """Print what was tried, and what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        outcomes = [attempt(row, Path(folder)) for row in all_rows()]
    for outcome in outcomes:
        late = outcome.record.zero_after
        shown = "-" if late is None else f"{1e3 * late:.0f} ms"
        early = outcome.record.moving_early
        print(f"{outcome.row.name:55} {outcome.verdict:9} early {early:3} zero after {shown:>7}")
    print()
    heads = ("message", "tried", "rejected", "stopped", "drove on", "early", "longest to zero")
    print(("{:10}" + "{:>10}" * 5 + "{:>17}").format(*heads))
    by_message: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        by_message[outcome.row.message].append(outcome)
    for message, group in (*by_message.items(), ("all", outcomes)):
        verdicts = [outcome.verdict for outcome in group]
        late = [o.record.zero_after or 0.0 for o in group if not o.row.harmless]
        early = sum(outcome.record.moving_early for outcome in group)
        counts = (verdicts.count(word) for word in ("rejected", "stopped", "drove on"))
        longest = f"{1e3 * max(late, default=0.0):.0f} ms"
        print(f"{message:10}{len(group):10}" + "".join(f"{n:10}" for n in counts), end="")
        print(f"{early:10}{longest:>17}")


if __name__ == "__main__":
    main()

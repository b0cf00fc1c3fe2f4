"""The board in Python behind a pseudo-terminal, in real time: `python -m tests.soak.board`.

It prints the name of its terminal, and serves whoever opens it, one after the other, for ever.
"""

import contextlib
import os
import select
import sys
import time
import tty

from grouser.hil.links import make_board

PERIOD = 0.002
"""How long it waits for bytes before time passes on the board [s]."""


def serve() -> None:
    """Pass bytes between the terminal and the board."""
    ours, theirs = os.openpty()  # theirs stays open here, so that it survives whoever leaves
    tty.setraw(theirs)
    os.set_blocking(ours, False)
    sys.stdout.write(os.ttyname(theirs) + "\n")
    sys.stdout.flush()
    board, then = make_board("python", 0), time.monotonic()
    while True:
        ready, _, _ = select.select([ours], [], [], PERIOD)
        received = os.read(ours, 4096) if ready else b""
        now = time.monotonic()
        sent = board.step(round(1e6 * (now - then)), received).sent
        then = now
        with contextlib.suppress(BlockingIOError):  # nobody reads: a real line loses bytes too
            os.write(ours, sent)


if __name__ == "__main__":
    serve()

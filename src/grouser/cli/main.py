"""From a command line to an exit code, with one sentence for each mistake."""

import contextlib
import os
import sys
from collections.abc import Mapping, Sequence

from grouser import interrupts
from grouser.cli.exits import (
    BROKEN_PIPE,
    DONE,
    ELSEWHERE,
    FAILED,
    INTERRUPTED,
    NOT_FINITE,
    REFUSED,
    end_without_traceback,
    ending_in_order,
    forget_misplaced,
)
from grouser.errors import GrouserError, NotFinite, TickFailed

CODES: Mapping[type[GrouserError], int] = {NotFinite: NOT_FINITE, TickFailed: FAILED}
"""Exit codes of errors that are no mistake in what was given."""


def main(tokens: Sequence[str] | None = None) -> int:
    """Run a command line and return the exit code.

    Args:
        tokens: The words after `grouser`; those of this process if not given.
    """
    signals = None
    try:
        with ending_in_order() as signals:
            code = _run(tokens)
    except KeyboardInterrupt:  # outside of the command, or pressed once more while it was told
        code = INTERRUPTED
    if signals is not None and code == INTERRUPTED:
        code = signals.exit_code(code)
    if tokens is None:
        end_without_traceback()
    return code


def _run(tokens: Sequence[str] | None) -> int:
    try:
        return _dispatch(list(sys.argv[1:] if tokens is None else tokens))
    except GrouserError as error:
        # It may be an interrupt that code of others made another error of, as pydantic does.
        is_interrupted = interrupts.was_raised()
        return _fail(error, INTERRUPTED if is_interrupted else CODES.get(type(error), REFUSED))
    except KeyboardInterrupt:
        return _fail("interrupted", INTERRUPTED)
    except BrokenPipeError:
        # Python flushes once more at exit, which must not fail again.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except Exception:
        if not interrupts.was_raised():
            raise
        return _fail("interrupted", INTERRUPTED)


def _dispatch(tokens: list[str]) -> int:
    # Imported late, so that an interrupt while importing ends as quietly as any other.
    from cyclopts import CycloptsError

    from grouser.cli.app import explain_usage, make_app, use_new_words
    from grouser.cli.terminal import Terminal, show_notices

    forget_misplaced()
    try:
        with show_notices():
            words, remark = use_new_words(tokens)
            if remark is not None:
                Terminal().remark(f"grouser: {remark}")
            code = make_app(words)(words)
    except CycloptsError as error:
        return _fail(explain_usage(error), REFUSED)
    sys.stdout.flush()
    is_elsewhere = forget_misplaced()
    return ELSEWHERE if is_elsewhere and not code else code if isinstance(code, int) else DONE


def _fail(problem: object, code: int) -> int:
    with contextlib.suppress(BrokenPipeError):
        sys.stderr.write(f"grouser: {problem}\n")
    return code

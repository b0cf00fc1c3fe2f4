"""One case: an input goes into a target; what came of it."""

import os
import resource
import signal
import tempfile
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.fuzz.target import Nonsense, Target

Verdict = Literal["rejected", "accepted", "exception", "hang", "growth", "nonsense", "sentence"]
FAULTS: tuple[Verdict, ...] = ("exception", "hang", "growth", "nonsense", "sentence")
"""Verdicts that are findings; `sentence` is an error message that does not say enough."""
CASES = Path(__file__).parent / "cases"
"""Inputs that were findings once, in a folder for each target."""
GROWTH = 1 << 30
"""Memory that one case may take beyond what the worker has before it [B]."""
SECONDS = 10
"""Time that one case may take [s]."""
LONGEST_SENTENCE = 20_000
"""Characters of an error message; several mistakes of one file are a sentence each."""


@dataclass(frozen=True)
class Finding:
    """What came of a case."""

    verdict: Verdict
    detail: str = ""


def folder_of(name: str) -> Path:
    """Return where former findings of a target are kept."""
    return CASES / name.replace(" ", "-").replace("/", "-")


def limit_memory(growth: int = GROWTH) -> None:
    """Let this process have so much more memory than it has now [B]."""
    size = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (size + growth, resource.RLIM_INFINITY))


class _TookTooLong(BaseException):
    """Not an Exception, so that no reader catches it."""


def _stop(signum: int, frame: object) -> None:
    raise _TookTooLong


def try_case(target: Target, content: bytes) -> Finding:
    """Feed an input to a target, within the time limit, and judge what it does."""
    previous = signal.signal(signal.SIGALRM, _stop)
    signal.alarm(SECONDS)
    try:
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("error")
            return _judge(target, content, Path(folder))
    except _TookTooLong:
        return Finding("hang", f"longer than {SECONDS} s\n{traceback.format_exc()}")
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


def _judge(target: Target, content: bytes, folder: Path) -> Finding:
    try:
        value = target.attempt(content, folder)
    except target.allowed as error:
        return _judge_sentence(target, str(error))
    except MemoryError:
        return Finding("growth", traceback.format_exc())
    except Exception:
        return Finding("exception", traceback.format_exc())
    try:
        target.check(value)
    except Nonsense as complaint:
        return Finding("nonsense", str(complaint))
    except Exception:
        return Finding("exception", f"in the check\n{traceback.format_exc()}")
    return Finding("accepted")


def _judge_sentence(target: Target, sentence: str) -> Finding:
    if target.names_file and "input" not in sentence:
        return Finding("sentence", f"does not name the file: {sentence[:500]}")
    if not sentence.strip() or len(sentence) > LONGEST_SENTENCE:
        return Finding("sentence", f"has {len(sentence)} characters: {sentence[:500]}")
    if any(ord(character) < 32 and character != "\n" for character in sentence):
        return Finding("sentence", f"has control characters: {sentence[:500]!r}")
    return Finding("rejected", sentence[:500])

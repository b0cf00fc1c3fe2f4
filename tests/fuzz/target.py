"""What is fuzzed: a reader or a grammar, valid inputs to mutate, and what counts as nonsense."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from grouser.errors import GrouserError


class Nonsense(AssertionError):
    """An input was accepted that no user can have meant."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """One reader or grammar."""

    name: str
    """Short and unique, as in "robot TOML"."""
    samples: Callable[[], list[bytes]]
    """Makes valid inputs; called once. At least one, better several that differ in kind."""
    attempt: Callable[[bytes, Path], Any]
    """Reads an input; the folder is empty and may be written to. Returns what was read, raises
    GrouserError for what is rejected; anything else that is raised is a finding."""
    check: Callable[[Any], None] = lambda value: None
    """Raises Nonsense for a value that should not have been accepted."""
    names_file: bool = True
    """Whether a sentence must contain the name of the file that `attempt` wrote, `input.*`."""
    is_text: bool = True
    """Whether samples are UTF-8 text, whose numbers, words and lines are mutated as such."""
    words: tuple[str, ...] = ()
    """Words that a mutation may insert: keys, units, separators of the grammar."""
    allowed: tuple[type[BaseException], ...] = (GrouserError,)
    """What `attempt` may raise."""

    @cached_property
    def valid(self) -> list[bytes]:
        """The samples, made once."""
        return self.samples()


def write_input(folder: Path, suffix: str, content: bytes) -> Path:
    """Write what a reader is to read; return its path, `input` with the suffix."""
    path = folder / f"input{suffix}"
    path.write_bytes(content)
    return path


def require(condition: bool, complaint: str) -> None:
    """Raise Nonsense with the complaint unless the condition holds."""
    if not condition:
        raise Nonsense(complaint)

"""Exceptions, each with one sentence: what was wrong, what was given, what would work.

GrouserError
├── UnknownName        a robot, course, model, column … that does not exist
├── InvalidValue       a number or word outside what is allowed
│   └── Unwritable     a file that cannot be written where it was to be
├── InvalidDescription a robot or course file with one or more mistakes
├── Unreadable         a file that is missing, too large or not a regular file
├── InvalidLog         a log file that is damaged, foreign or lacks something
├── Unsupported        a course or robot that a model cannot drive
├── MissingExtra       an optional package is not installed
├── BrokenPlugin       an installed package declares something that cannot be loaded
├── RunStopped         a simulation cannot go on
│   ├── NotFinite      it produced a number that is not finite
│   ├── OffGround      the robot left the ground, which ends somewhere
│   └── TickFailed     a model, driver, sensor or observer raised something in a tick
├── LinkBroken         the line to a board cannot be opened, or is gone
├── TaskFailed         one of many tasks raised something, or its process died
└── ClusterLost        a Dask cluster is not there, or no longer
"""

import sys
import traceback
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

_LONGEST_VALUE = 120
_LONGEST_MISTAKE = 300
_LONGEST_PATH = 1_000
_MOST_MISTAKES = 50


def one_line(text: str, longest: int) -> str:
    """Return a text of one line without control characters, its middle left out if too long."""
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]} … {text[-half:]} ({len(text):,} characters)"


def show_value(value: object) -> str:
    """Return a value as it was given, shortened if it is long."""
    try:
        return one_line(repr(value), _LONGEST_VALUE)
    except ValueError:  # Python does not print integers of more than 4,300 digits
        return f"a number of more than {sys.get_int_max_str_digits():,} digits"


def describe_bug(error: BaseException) -> str:
    """Return type, place and message of an exception, enough to report it; an error's sentence.

    The place is the innermost line, and the innermost one of this package if that is another.
    """
    if isinstance(error, GrouserError):
        return str(error)
    frames = [(frame.f_globals.get("__name__", "?"), line) for frame, line in
              traceback.walk_tb(error.__traceback__)]  # fmt: skip
    own = [place for place in frames if place[0].partition(".")[0] == __name__.partition(".")[0]]
    places = [f"{name}:{line}" for name, line in dict.fromkeys((*frames[-1:], *own[-1:]))]
    where = f" at {', called by '.join(places)}" if places else ""
    return one_line(f"{type(error).__name__}{where}: {error}", 2 * _LONGEST_MISTAKE)


class GrouserError(Exception):
    """Base of all errors of grouser; the message is for the user."""


class UnknownName(GrouserError):
    """A name does not exist."""

    def __init__(self, kind: str, name: str, available: Iterable[str]) -> None:
        self.kind, self.name, self.available = kind, name, tuple(sorted(available))
        close = get_close_matches(name[:_LONGEST_VALUE], self.available, n=1)
        hint = f" (did you mean {close[0]!r}?)" if close else ""
        known = ", ".join(self.available) or "none"
        kind = one_line(kind, _LONGEST_PATH)
        super().__init__(f"no {kind} named {show_value(name)}{hint}; available: {known}")


class InvalidValue(GrouserError):
    """A value lies outside what is allowed."""

    def __init__(self, name: str, given: object, required: str) -> None:
        self.name, self.given, self.required = name, given, required
        name, required = one_line(name, _LONGEST_PATH), one_line(required, _LONGEST_PATH)
        super().__init__(f"{name} must {required}, not {show_value(given)}")


class Unwritable(InvalidValue):
    """A file cannot be written: no space, no permission, no such folder."""

    def __init__(self, path: str | Path, required: str, name: str = "output") -> None:
        super().__init__(name, str(path), required)


class InvalidDescription(GrouserError):
    """A robot or course file has mistakes; those that were found are listed together."""

    def __init__(
        self, origin: str | Path, mistakes: Iterable[str], *, may_be_more: bool = False
    ) -> None:
        """List mistakes.

        Args:
            origin: The file.
            mistakes: A sentence for each.
            may_be_more: Whether something could not be checked because of them.
        """
        self.origin, self.mistakes = str(origin), tuple(mistakes)
        self.may_be_more = may_be_more
        place = one_line(self.origin, _LONGEST_PATH)
        shown = [one_line(mistake, _LONGEST_MISTAKE) for mistake in self.mistakes[:_MOST_MISTAKES]]
        if len(self.mistakes) == 1:
            more = "; more may show once this is mended" if may_be_more else ""
            super().__init__(f"{place}: {shown[0]}{more}")
        else:
            if more := len(self.mistakes) - len(shown):
                shown.append(f"and {more} more")
            shown += ["more may show once these are mended"] if may_be_more else []
            lines = "".join(f"\n  {mistake}" for mistake in shown)
            super().__init__(f"{place}: {len(self.mistakes)} mistakes:{lines}")


class Unreadable(GrouserError):
    """A file is missing, too large, or not a regular file."""

    def __init__(self, origin: str | Path, problem: str) -> None:
        self.origin, self.problem = str(origin), problem
        place = one_line(self.origin, _LONGEST_PATH)
        super().__init__(f"{place}: {one_line(problem, 2 * _LONGEST_MISTAKE)}")


class InvalidLog(Unreadable):
    """A log file is damaged or lacks columns or metadata."""


class Unsupported(GrouserError):
    """A model does not support a feature."""

    def __init__(self, what: str, model: str, missing: str, able: Iterable[str]) -> None:
        self.what, self.model, self.missing, self.able = what, model, missing, tuple(sorted(able))
        would_work = (
            f"models that can: {', '.join(self.able)}" if self.able else "no model here can"
        )
        super().__init__(f"{what} needs {missing}, which model {model!r} lacks; {would_work}")


class MissingExtra(GrouserError):
    """An optional package is needed and not installed."""

    def __init__(self, purpose: str, package: str, extra: str) -> None:
        self.purpose, self.package, self.extra = purpose, package, extra
        super().__init__(
            f"{purpose} needs the package {package!r}, which is not installed; "
            f"install it with: pip install 'grouser[{extra}]'"
        )


class BrokenPlugin(GrouserError):
    """An installed package declares something that cannot be loaded."""

    def __init__(self, plugin: str, problem: str) -> None:
        self.plugin, self.problem = plugin, problem
        shown = one_line(problem, _LONGEST_MISTAKE)
        super().__init__(f"plug-in {one_line(plugin, _LONGEST_PATH)} cannot be used: {shown}")


class LinkBroken(GrouserError):
    """The connection to a board cannot be opened, or is lost."""

    def __init__(self, link: str, problem: str) -> None:
        self.link, self.problem = link, problem
        super().__init__(f"{link}: {problem}")


class RunStopped(GrouserError):
    """A simulation cannot go on; the rows so far are kept, and a reset starts it anew."""


class NotFinite(RunStopped):
    """A simulation produced a number that is not finite and was stopped."""

    def __init__(self, quantity: str, time: float, dump: str | Path | None) -> None:
        self.quantity, self.time, self.dump = quantity, time, dump
        kept = f"; everything up to there is in {dump}" if dump is not None else ""
        super().__init__(
            f"{quantity} is no longer finite at {time:.6g} s, so the run was stopped{kept}"
        )


class OffGround(RunStopped):
    """A robot left the ground: it is beyond the border of a height field, or above a hole of it."""

    def __init__(self, x: float, y: float, time: float) -> None:
        self.x, self.y, self.time = x, y, time
        super().__init__(
            f"the robot left the ground at x {x:.3f} m, y {y:.3f} m after {time:.6g} s, so the run "
            "was stopped: the height field ends or has a hole there"
        )


class TickFailed(RunStopped):
    """Something in a tick raised an exception that is no error of the user: a mistake in a program.

    The exception itself is its `__cause__`.
    """

    def __init__(self, time: float, error: BaseException, what: str = "the tick") -> None:
        self.time = time
        super().__init__(
            f"{what} at {time:.6g} s failed, so the run was stopped: {describe_bug(error)}"
        )


def is_bug(error: BaseException) -> bool:
    """Return whether an exception is a mistake in a program, not in what was given."""
    return isinstance(error, TickFailed) or not isinstance(error, GrouserError)


class TaskFailed(GrouserError):
    """One of many tasks failed."""

    def __init__(self, name: str, problem: str) -> None:
        self.name, self.problem = name, problem
        super().__init__(f"task {name!r} failed: {problem}")


class ClusterLost(GrouserError):
    """A Dask cluster does not respond, or fails."""

    def __init__(self, address: str, problem: str) -> None:
        self.address, self.problem = address, problem
        super().__init__(f"the Dask cluster at {address} {problem}")

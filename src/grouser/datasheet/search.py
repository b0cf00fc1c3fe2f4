"""The search for the largest number with which a robot still succeeds, by halving."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Between which two numbers a limit lies."""

    passed: float | None
    """Largest number that was tried and passed; None if not even the least did [unit of the
    search]."""
    failed: float | None
    """Least number that was tried and failed; None if none did [unit of the search]."""
    within: float
    """How exactly it was sought [unit of the search]."""

    @property
    def sign(self) -> str:
        """`≥` if nothing that was tried failed, else nothing."""
        return "≥ " if self.failed is None else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Between which numbers a robot succeeds."""

    passed: float
    """Least number that was tried and passed [unit of the search]."""
    failed_below: float | None
    """Largest number below it that failed; None if none did [unit of the search]."""
    highest: float
    """Largest number that was tried and passed [unit of the search]."""
    failed_above: float | None
    """Least number above it that failed; None if none did [unit of the search]."""


def find_span(
    passes: Callable[[float], bool], least: float, most: float, within: float, steps: int
) -> Span | None:
    """Return between which numbers all pass, from the largest that does downwards; None if nowhere.

    Numbers are tried in even steps from the most down to the first that passes; then both ends of
    the span around it are found by halving. It takes no failure at one end for one everywhere.

    Args:
        passes: Returns whether a number passes.
        least: Least number that is tried [unit of the search].
        most: Largest number [unit of the search].
        within: Difference at which halving ends [unit of the search].
        steps: How many steps there are from the most to the least [1].
    """
    failed: float | None = None
    for step in range(steps + 1):
        number = most - (most - least) * step / steps
        if passes(number):
            break
        failed = number
    else:
        return None
    low, below = number, None
    if number > least and passes(least):
        low = least
    elif number > least:
        low, below = _halve(passes, number, least, within)
    high, above = (number, None) if failed is None else _halve(passes, number, failed, within)
    return Span(passed=low, failed_below=below, highest=high, failed_above=above)


def _halve(
    passes: Callable[[float], bool], passed: float, failed: float, within: float
) -> tuple[float, float]:
    """Return a success and a failure that are as near as `within`, from ones farther apart."""
    while abs(failed - passed) > within:
        middle = 0.5 * (passed + failed)
        passed, failed = (middle, failed) if passes(middle) else (passed, middle)
    return passed, failed


def find_largest(
    passes: Callable[[float], bool], least: float, most: float, within: float, top: bool = True
) -> Found:
    """Return the largest number that passes; what is below it is assumed to pass, too.

    Args:
        passes: Returns whether a number passes.
        least: Least number that is tried [unit of the search].
        most: Largest number [unit of the search].
        within: Difference at which the search ends [unit of the search].
        top: Whether the largest number itself is tried first; otherwise it is taken to fail.
    """
    if top and passes(most):
        return Found(passed=most, failed=None, within=within)
    low, high = 0.0, most
    while high - low > within:
        middle = max(0.5 * (low + high), least)
        if passes(middle):
            low = middle
        elif middle > least:
            high = middle
        else:
            return Found(passed=None, failed=least, within=within)
    return Found(passed=low, failed=high, within=within)


def climb_up(
    passes: Callable[[float], bool], least: float, most: float, within: float, steps: int
) -> Found:
    """Return the largest number before the first that fails, from the least upwards.

    Unlike `find_largest`, it does not go past a failure: numbers are tried in even steps, and
    the gap between the last that passed and the first that failed is halved.

    Args:
        passes: Returns whether a number passes.
        least: Where it begins [unit of the search].
        most: Where it ends [unit of the search].
        within: Difference at which halving ends [unit of the search].
        steps: How many steps there are from the least to the most [1].
    """
    tried = [least + (most - least) * step / steps for step in range(steps + 1)]
    low: float | None = None
    for number in tried:
        if not passes(number):
            break
        low = number
    else:
        return Found(passed=most, failed=None, within=within)
    if low is None:
        return Found(passed=None, failed=least, within=within)
    low, high = _halve(passes, low, number, within)
    return Found(passed=low, failed=high, within=within)

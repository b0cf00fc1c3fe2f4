"""A mistake on the command line, in one sentence."""

from difflib import get_close_matches
from itertools import chain

from cyclopts import CycloptsError
from cyclopts.exceptions import (
    CoercionError,
    MissingArgumentError,
    RepeatArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
)

from grouser.errors import UnknownName, one_line

_LONGEST = 1_000
"""Characters of a sentence."""
_KINDS: dict[object, str] = {float: "a number", bool: "true or false"}


def explain_usage(error: CycloptsError) -> str:
    """Return what was wrong, what was given, and what would work."""
    words = error.command_chain or ()
    command = " ".join(words) or "grouser"
    see = " ".join(("grouser", *words, "--help"))
    match error:
        case UnknownCommandError():
            problem = str(_unknown_command(error))
        case UnknownOptionError():
            problem = _unknown_option(error, command)
        case RepeatArgumentError():
            problem = f"{error.token.keyword} is given more than once"
        case CoercionError() if error.token is not None and error.msg is None:
            problem = f"{_name(error, error.token.keyword)} {_not_that_kind(error)}"
        case MissingArgumentError():
            problem = _missing(error)
        case UnusedCliTokensError():
            unused = " ".join(error.unused_tokens or ())
            problem = f"{command} does not know what to do with {unused!r}"
        case _:
            error.verbose = False
            problem = " ".join(str(error).split()).rstrip(".")
    return one_line(f"{problem}; see {see}", _LONGEST)


def _unknown_command(error: UnknownCommandError) -> UnknownName:
    known = error.app if error.app is not None else ()
    given = (error.unused_tokens or ["?"])[0]
    return UnknownName("command", given, (name for name in known if not name.startswith("-")))


def _unknown_option(error: UnknownOptionError, command: str) -> str:
    given = (error.token.keyword or error.token.value).partition("=")[0]
    known = list(chain.from_iterable(option.names for option in error.argument_collection))
    close = get_close_matches(given, known, n=1)
    hint = f" (did you mean {close[0]}?)" if close else ""
    return f"{command} has no option {given}{hint}"


def _not_that_kind(error: CoercionError) -> str:
    given = error.token.value if error.token else ""
    wanted = _KINDS.get(error.target_type)
    if wanted is None:
        choices = error.argument.get_choices(force=True) if error.argument else None
        wanted = f"one of {', '.join(choices)}" if choices else "something else"
    return f"must be {wanted}, not {given!r}"


def _missing(error: MissingArgumentError) -> str:
    name = _name(error, error.keyword)
    return f"{name} needs a value" if name.startswith("-") else f"{name} is missing"


def _name(error: CycloptsError, keyword: str | None) -> str:
    if keyword is not None:
        return keyword
    return error.argument.name if error.argument else "a value"

"""The line to a board, by its port or kind."""

import secrets
from typing import get_args

from grouser.errors import InvalidValue, UnknownName
from grouser.hil.board import BoardKind, make_board
from grouser.hil.connection import Link


def check_board(name: str) -> BoardKind:
    """Return the kind of a simulated board.

    Raises:
        UnknownName: There is no such kind.
    """
    if name not in get_args(BoardKind):
        raise UnknownName("board", name, get_args(BoardKind))
    return name  # pyright: ignore[reportReturnType]


def new_link_id() -> int:
    """Return a number for a connection to a board that may remember the last one."""
    return 1 + secrets.randbelow(0xFFFF)


def open_link(port: str | None, board: str, *, lockstep: bool, seed: int) -> Link:
    """Return an open line.

    Args:
        port: A serial port; None for a board that is simulated.
        board: Which simulated board.
        lockstep: Whether time passes only while the host waits, instead of in real time.
        seed: Seed of the board's noise.

    Raises:
        GrouserError: The options contradict each other, or the line cannot be opened.
    """
    if port is not None:
        if lockstep:
            required = "be for a simulated board: a real one keeps time"
            raise InvalidValue("--lockstep", port, required)
        from grouser.hil.serial_port import SerialPort

        return SerialPort(port)
    kind = check_board(board)
    if lockstep:
        from grouser.hil.links import LockstepLink

        return LockstepLink(make_board(kind, seed))
    if kind == "python":
        from grouser.hil.links import PacedLink

        return PacedLink(make_board("python", seed))
    from grouser.hil.links import PtyLink

    return PtyLink(seed=seed)

"""The line to a board, by the options of `grouser hil`."""

from typing import TYPE_CHECKING

from grouser.errors import InvalidValue, UnknownName

if TYPE_CHECKING:
    from grouser.hil.connection import Link

BOARDS = ("sim", "python")
"""Boards that need no hardware."""


def open_link(port: str | None, board: str, *, lockstep: bool, seed: int) -> "Link":
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
            raise InvalidValue(
                "--lockstep", port, "be for a simulated board: a real one keeps time"
            )
        from grouser.hil.serial_port import SerialPort

        return SerialPort(port)
    if board not in BOARDS:
        raise UnknownName("board", board, BOARDS)
    from grouser.hil.board import make_board

    if lockstep:
        from grouser.hil.links import LockstepLink

        return LockstepLink(make_board(board, seed))  # type: ignore[arg-type]
    if board == "python":
        from grouser.hil.links import PacedLink

        return PacedLink(make_board("python", seed))
    from grouser.hil.links import PtyLink

    return PtyLink(seed=seed)

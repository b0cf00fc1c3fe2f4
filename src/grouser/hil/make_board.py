"""A board in lockstep, by its kind."""

from typing import Literal

from grouser.hil.board import Board

BoardKind = Literal["sim", "python"]
"""The real firmware on a simulated chip, or the board in Python."""


def make_board(kind: BoardKind, seed: int) -> Board:
    """Return a new board in lockstep."""
    if kind == "python":
        from grouser.hil.python_board import PythonBoard

        return PythonBoard(seed=seed)
    from grouser.hil.simulated_board import SimulatedBoard

    return SimulatedBoard(seed=seed)

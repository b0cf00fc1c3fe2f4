"""What a log does not tell, in sentences, and what to drive so that the next one does."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from grouser.identify.family import Parameter

TIGHT = 0.95
"""Correlation from which on two parameters are known only together [1]."""


def advise(
    parameters: Mapping[str, Parameter],
    kept: Mapping[str, tuple[str, ...]],
    names: Sequence[str],
    correlation: NDArray[np.float64],
    windows: int,
    *,
    gyro_alone: bool = False,
) -> tuple[str, ...]:
    """Return the sentences.

    Args:
        parameters: All parameters, by name.
        kept: Those that the log does not tell, each with the others it cannot be told from.
        names: Those that were found, in the order of `correlation`.
        correlation: Between those [1].
        windows: How many independent pieces of data there were.
        gyro_alone: Whether a gyroscope is all that observed.
    """
    found = [
        _unknown(parameters[name], others, gyro_alone=gyro_alone) for name, others in kept.items()
    ]
    if gyro_alone and kept:
        found.append(
            "A gyroscope alone does not see how fast the robot drives: add poses or velocities."
        )
    for row in range(len(names)):
        for column in range(row):
            if abs(correlation[row, column]) > TIGHT:
                one, other = parameters[names[column]], parameters[names[row]]
                found.append(
                    f"The log tells {one.name} and {other.name} only together (correlation "
                    f"{correlation[row, column]:+.2f}); next, {other.manoeuvre or one.manoeuvre}."
                )
    if windows < 10:
        found.append(
            f"Only {windows} independent pieces of data: intervals are rough; drive for longer."
        )
    return tuple(found)


def _unknown(parameter: Parameter, others: tuple[str, ...], *, gyro_alone: bool) -> str:
    unit = "" if parameter.unit == "1" else f" {parameter.unit}"
    kept = f"it was kept at {parameter.start:.4g}{unit}"
    drive = f"; next, {parameter.manoeuvre}" if parameter.manoeuvre and not gyro_alone else ""
    if not others:
        return f"This log cannot tell {parameter.name}: {kept}{drive}."
    names = " and ".join(others)
    return (
        f"This log cannot tell {parameter.name} apart from {names}: {kept}, and intervals of "
        f"{names} hold what that may be{drive}."
    )

"""How many steps of the engine a tick takes."""

from grouser.errors import InvalidValue


def count_steps(duration: float, timestep: float) -> int:
    """Return how many steps of the engine a tick takes.

    Raises:
        InvalidValue: The tick is not a multiple of the step.
    """
    steps = round(duration / timestep)
    if steps < 1 or abs(steps * timestep - duration) > 1e-9:
        raise InvalidValue("dt", duration, f"be a multiple of the engine's step, {timestep:g} s")
    return steps

"""Back in time: states and commands of the last seconds of simulations that advance together."""

from collections import deque
from collections.abc import Sequence

from grouser.errors import InvalidValue
from grouser.models import Command
from grouser.simulation import Simulation
from grouser.simulation.simulation import Kept

SPAN = 30.0
"""How far back one can go [s]."""
PERIOD = 1.0
"""Simulated time between two states that are kept; commands lead from one to the next [s]."""


class Rewinder:
    """Keeps states of simulations, the first of which counts the ticks, and their commands.

    A simulation goes back to the last state that was kept before a time, and advances from there
    with the same commands, so that it has the same bits as before.
    """

    def __init__(self, simulations: Sequence[Simulation]) -> None:
        """Keep the current states; a new set of simulations needs a new `Rewinder`."""
        self._simulations = tuple(simulations)
        tick = self._simulations[0].dt
        self._every = max(1, round(PERIOD / tick))
        self._states: deque[tuple[Kept, ...]] = deque(maxlen=round(SPAN / PERIOD) + 1)
        self._commands: deque[Command] = deque(maxlen=(round(SPAN / PERIOD) + 1) * self._every)
        self._keep()

    @property
    def earliest(self) -> float:
        """The earliest time to which one can go back [s]."""
        return self._states[0][0].ticks * self._simulations[0].dt

    def advance(self, command: Command) -> None:
        """Advance all simulations by one tick, and keep what is needed to go back."""
        for simulation in self._simulations:
            simulation.advance(command)
        self.add(command)

    def add(self, command: Command) -> None:
        """Keep the command of a tick by which all simulations have just advanced."""
        self._commands.append(command)
        if (self._simulations[0].ticks - self._states[-1][0].ticks) >= self._every:
            self._keep()

    def rewind(self, time: float) -> Command | None:
        """Go back to a time [s]; return the command that led there, None at the first state.

        Raises:
            InvalidValue: It is in the future, or too long ago.
        """
        first = self._simulations[0]
        tick = round(time / first.dt)
        oldest = self._states[0][0].ticks
        if not oldest <= tick <= first.ticks:
            required = f"be from {self.earliest:g} to {first.time:g} s"
            raise InvalidValue("time to go back to", f"{time:g} s", required)
        begin = first.ticks - len(self._commands)
        while self._states[-1][0].ticks > tick:
            self._states.pop()
        kept = self._states[-1]
        commands = list(self._commands)[: tick - begin]
        again = commands[kept[0].ticks - begin :]
        for simulation, state in zip(self._simulations, kept, strict=True):
            until = (state.ticks + len(again)) * simulation.dt
            simulation.rewind(state, until)
            for command in again:
                simulation.advance(command)
        self._commands = deque(commands, self._commands.maxlen)
        return commands[-1] if commands else None

    def _keep(self) -> None:
        self._states.append(tuple(simulation.keep() for simulation in self._simulations))

"""A tape measure for simulated boards: how far their belts really ran."""

from grouser.hil.board import BoardStep


class Tape:
    """Adds up the true belt speeds of a board's steps."""

    def __init__(self) -> None:
        self._time_us, self._speeds = 0, (0.0, 0.0)
        self.travels = (0.0, 0.0)
        """How far the left and the right belt ran since the start [m]."""

    def observe(self, step: BoardStep) -> None:
        """Take a step into account."""
        half = 0.5e-6 * (step.time_us - self._time_us)
        self.travels = (
            self.travels[0] + half * (self._speeds[0] + step.belt_speeds[0]),
            self.travels[1] + half * (self._speeds[1] + step.belt_speeds[1]),
        )
        self._time_us, self._speeds = step.time_us, step.belt_speeds

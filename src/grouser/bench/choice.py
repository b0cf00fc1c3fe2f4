"""What is measured, and how long."""

from dataclasses import dataclass

from grouser.description import Robot, load_robot


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What whoever asks may choose."""

    robot: str = "quince"
    """Name or file of the robot that drives."""
    models: tuple[str, ...] = ()
    """References of the models of section `models`; all of the catalogue if empty."""
    repeats: int = 10
    """How often everything is measured; the best counts."""
    share: float = 1.0
    """Length of each measurement, of the usual one [1]."""

    def load(self) -> Robot:
        """Return the robot."""
        return load_robot(self.robot)


QUICK = {"repeats": 2, "share": 0.5}
"""Under a minute on two cores."""

"""What a calibration found, and what it changes in the robot's file."""

from dataclasses import dataclass

from grouser.description.edit_robot import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One key of the robot's file."""

    key: str
    """Where it is, such as `sensors.encoder.scale_left`."""
    before: Entry | None
    """What it was, as in the file; None if the file did not say [unit as the key spells]."""
    after: Entry
    """What was measured [unit as the key spells]."""
    deviation: Entry
    """Standard deviation of each number of that [unit as the key spells]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What was measured, how well, and what it improves."""

    method: str
    """How it was measured, for the file's `[sources]`."""
    items: tuple[Item, ...]
    """What changes in the file."""
    error: str
    """What the error below is of."""
    unit: str
    """Unit of the errors."""
    error_before: float
    """Error with the old numbers [unit as `unit` says]."""
    error_after: float
    """Error with the new numbers [unit as `unit` says]."""

    @property
    def changes(self) -> dict[str, Entry]:
        """The new numbers by their keys."""
        return {item.key: item.after for item in self.items}

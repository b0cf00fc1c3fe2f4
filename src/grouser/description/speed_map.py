"""How fast belts run at which duty of their motors."""

from typing import Annotated, Self

from annotated_types import Interval, Len
from pydantic import Field, model_validator

from grouser import limits
from grouser.description.schema import NotNegative, Number, Side, Table

Duty = Annotated[Number, Interval(gt=0.0, le=1.0)]


class SpeedMap(Table):
    """Speeds of free belts at some duties, for each side and direction."""

    duty: Annotated[tuple[Duty, ...], Len(2, limits.PIECES)]
    """Duties at which speeds were measured, rising [1]."""
    left: tuple[NotNegative, ...] = Field(alias="left_m_s")
    """Speed of the left belt forward, at each duty [m/s]."""
    right: tuple[NotNegative, ...] = Field(alias="right_m_s")
    """Speed of the right belt forward, at each duty [m/s]."""
    left_backward: tuple[NotNegative, ...] = Field(alias="left_backward_m_s")
    """Speed of the left belt backward, at each duty [m/s]."""
    right_backward: tuple[NotNegative, ...] = Field(alias="right_backward_m_s")
    """Speed of the right belt backward, at each duty [m/s]."""

    def speeds(self, side: Side, *, forward: bool) -> tuple[float, ...]:
        """Return the speeds of a belt at each duty [m/s]."""
        if side == "left":
            return self.left if forward else self.left_backward
        return self.right if forward else self.right_backward

    def top_speed(self, side: Side, *, forward: bool) -> float:
        """Return the fastest that a belt was measured to run [m/s]."""
        return max(self.speeds(side, forward=forward))

    def mirrored(self) -> "SpeedMap":
        """Return the map with left and right exchanged."""
        return self.model_copy(
            update={
                "left": self.right,
                "right": self.left,
                "left_backward": self.right_backward,
                "right_backward": self.left_backward,
            }
        )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if any(later <= earlier for earlier, later in zip(self.duty, self.duty[1:], strict=False)):
            raise ValueError(f"duty must rise, not be {list(self.duty)}")
        for key in ("left", "right", "left_backward", "right_backward"):
            if len(getattr(self, key)) != len(self.duty):
                raise ValueError(
                    f"{key}_m_s must have one speed for each of {len(self.duty)} duties"
                )
        return self

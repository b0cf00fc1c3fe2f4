"""A wooden pallet, board by board."""

from typing import Literal

from pydantic import Field

from grouser.description.piece import PlacedPiece
from grouser.description.schema import Positive
from grouser.description.solid import Slab

# Shares of the width, from right to left, that are board, gap, board …: five deck boards and
# three bottom boards of a EUR pallet, 800 mm wide, after EN 13698-1.
_DECK = (145.0, 41.25, 100.0, 41.25, 145.0, 41.25, 100.0, 41.25, 145.0)
_BOTTOM = (100.0, 227.5, 145.0, 227.5, 100.0)
# Shares of the length, 1200 mm: three stringer boards across, and the blocks below them.
_STRINGERS = (145.0, 382.5, 145.0, 382.5, 145.0)
# Shares of the height, 144 mm, from the ground: bottom board, block, stringer, deck board.
_LAYERS = (22.0, 78.0, 22.0, 22.0)


class PalletPiece(PlacedPiece):
    """Boards on blocks on boards; the deck boards run along its length. Placed by its middle.

    Other sizes stretch all boards and gaps in proportion.
    """

    kind: Literal["pallet"] = "pallet"
    """Which piece it is."""
    length: Positive = Field(alias="length_m", default=1.2)
    """Size along its deck boards [m]."""
    width: Positive = Field(alias="width_m", default=0.8)
    """Size across its deck boards [m]."""
    height: Positive = Field(alias="height_m", default=0.144)
    """Height of its top [m]."""

    @property
    def features(self) -> frozenset[str]:
        """A step to climb, and gaps in what was climbed."""
        return frozenset({"steps", "gaps"})

    def solids(self) -> tuple[Slab, ...]:
        """Return its twenty boards and blocks."""
        whole = ((0.0, self.length),)
        across = ((0.0, self.width),)
        deck, bottom = _boards(_DECK, self.width), _boards(_BOTTOM, self.width)
        stringers = _boards(_STRINGERS, self.length)
        layers = ((whole, bottom), (stringers, bottom), (stringers, across), (whole, deck))
        slabs: list[Slab] = []
        low = 0.0
        for thickness, (lengths, widths) in zip(_LAYERS, layers, strict=True):
            high = low + thickness / sum(_LAYERS) * self.height
            for u, length in lengths:
                for v, width in widths:
                    middle_u = u + 0.5 * (length - self.length)
                    middle_v = v + 0.5 * (width - self.width)
                    footprint = self.rectangle(middle_u, middle_v, length, width)
                    slabs.append(self.slab(footprint, high, high, low))
            low = high
        return tuple(slabs)


def _boards(shares: tuple[float, ...], size: float) -> tuple[tuple[float, float], ...]:
    """Return where each board begins and how wide it is; every second share is a gap [m]."""
    scale = size / sum(shares)
    return tuple(
        (sum(shares[:number]) * scale, shares[number] * scale)
        for number in range(0, len(shares), 2)
    )

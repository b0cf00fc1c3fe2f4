"""Colours of materials."""

from typing import TypeAlias

Colour: TypeAlias = tuple[float, float, float]
"""Red, green, blue as on screens, from 0 to 1."""

HULL: Colour = (0.93, 0.62, 0.13)
TRIM: Colour = (0.20, 0.22, 0.25)
"""Deck and bumper of a hull."""
LAMP: Colour = (0.97, 0.97, 0.93)
"""Mark at the front of a hull."""
METAL: Colour = (0.47, 0.50, 0.54)
"""Pulleys, rims and axles."""
BELT: Colour = (0.17, 0.17, 0.19)
RIB: Colour = (0.10, 0.10, 0.11)
RIB_MARK: Colour = (0.62, 0.64, 0.67)
"""Ribs that make the motion of a belt visible."""
FLIPPER: Colour = (0.24, 0.27, 0.33)
FLIPPER_ARM: Colour = (0.33, 0.37, 0.44)
"""Arm of a flipper, inside its belt."""
WOOD: Colour = (0.78, 0.62, 0.42)
CONCRETE: Colour = (0.66, 0.66, 0.64)
EARTH: Colour = (0.57, 0.49, 0.39)
PATCH: Colour = (0.35, 0.65, 0.85)
"""Patch of the ground with another friction."""
PATCH_OPACITY = 0.45
"""Opacity of a patch [1]."""

"""Model families whose parameters can be identified from logs; its modules register them."""

from grouser.identify.families import kinematic, skid, simulated  # noqa: F401, I001 in the order of lists
from grouser.identify.family import FAMILIES

__all__ = ["FAMILIES"]

"""How slippery the ground is under each robot."""

from grouser.description.terrain import Terrain
from grouser.geometry import Pose, Scalar


class Slipperiness:
    """The surface's slip factor under the body origin; one number where all surfaces agree."""

    def __init__(self, terrain: Terrain) -> None:
        factors = {surface.slip_factor for surface in terrain.surfaces.values()}
        self._terrain = terrain
        self._everywhere = factors.pop() if len(factors) == 1 else None

    def at(self, pose: Pose) -> Scalar:
        """Return by how much the surface multiplies the robot's slip [1]."""
        if self._everywhere is not None:
            return self._everywhere
        return self._terrain.slip_factor(pose.x, pose.y)

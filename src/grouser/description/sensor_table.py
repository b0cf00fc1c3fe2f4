"""What the tables of all sensors have: a name, a latency, and where a sensor is mounted.

Frame: the body frame of the robot. A sensor that is mounted somewhere has a frame of its own, named
`<name>_link`: its origin is `position`; roll, pitch and yaw turn the body frame to it, about fixed
axes in this order. Files spell units in their keys.
"""

from typing import TYPE_CHECKING, ClassVar, Self

from pydantic import Field

from grouser.description.schema import Degrees, NotNegative, PartName, Table, Vector

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation


class SensorTable(Table):
    """Table of a sensor below `[sensors]`."""

    simulated_by: ClassVar[str | type]
    """The simulated sensor: a class, or `module:class`, imported when a robot has the sensor."""
    name: PartName
    """Name of the sensor, unique on its robot; its columns, topics and frame are named by it."""
    latency: NotNegative = Field(default=0.0, alias="latency_s")
    """Time from a measurement to when it is known [s]."""

    def topic(self, word: str) -> str:
        """Return the topic of its messages: a word, behind its name if that is not the usual."""
        is_usual = self.name == type(self).model_fields["name"].default
        return word if is_usual else f"{self.name}/{word}"


class MountedSensor(SensorTable):
    """A sensor that measures in a frame of its own."""

    position: Vector = Field(default=(0.0, 0.0, 0.0), alias="position_m")
    """Origin of its frame in the body frame [m]."""
    roll: Degrees = Field(default=0.0, alias="roll_deg")
    """Turn of its frame about body x, first [rad]."""
    pitch: Degrees = Field(default=0.0, alias="pitch_deg")
    """Turn of its frame about body y, second; positive looks down [rad]."""
    yaw: Degrees = Field(default=0.0, alias="yaw_deg")
    """Turn of its frame about body z, third; positive looks to the left [rad]."""

    @property
    def frame(self) -> str:
        """Name of its frame."""
        return f"{self.name}_link"

    @property
    def rotation(self) -> "Rotation":
        """The rotation that takes coordinates of its frame to coordinates of the body."""
        from scipy.spatial.transform import Rotation

        return Rotation.from_euler("xyz", [self.roll, self.pitch, self.yaw])

    def mirrored(self) -> Self:
        """Return the sensor with left and right exchanged."""
        x, y, z = self.position
        turned = {"position": (x, -y, z), "roll": -self.roll, "yaw": -self.yaw}
        return super().mirrored().model_copy(update=turned)

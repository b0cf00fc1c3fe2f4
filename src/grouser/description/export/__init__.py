"""A robot as URDF and SDF, for other programs; nothing but the description is needed."""

from grouser.description.export.links import (
    BASE,
    Frame,
    Joint,
    Link,
    Shape,
    robot_links,
    sensor_frames,
)
from grouser.description.export.sdf import robot_sdf
from grouser.description.export.urdf import robot_urdf

__all__ = [
    "BASE",
    "Frame",
    "Joint",
    "Link",
    "Shape",
    "robot_links",
    "robot_sdf",
    "robot_urdf",
    "sensor_frames",
]

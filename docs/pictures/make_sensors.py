"""Draw sensors-scan.png and sensors-camera.png: what the sensors of a robot see.

python docs/pictures/make_sensors.py
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grouser.description import load_course, load_robot
from grouser.drawing.markers import encode_picture
from grouser.drivers import Constant, Sides
from grouser.geometry import Pose
from grouser.models import make_model
from grouser.report import Panel, Series, write_picture
from grouser.report.panel import Mark
from grouser.report.plan_view import course_labels, course_shapes
from grouser.simulation import Simulation
from grouser.storage import write_atomically

FOLDER = Path(__file__).parent
ROBOT = load_robot(FOLDER.parents[1] / "examples/absolem-sensors.toml")
COURSE = load_course("playground")
BETWEEN, BEFORE = Pose(x=3.4, y=-0.6, yaw=0.6), Pose(x=-0.8, y=-0.6, yaw=0.05)
"""Where the robot starts: among the obstacles, and before them."""
FAR = 8.0
"""Depth at the dark end of the colours [m]."""
STOPS = ((255, 240, 200), (245, 150, 70), (170, 60, 110), (30, 20, 80))
"""Colours of depths from near to far."""


def drive(start: Pose, left: float, right: float) -> Simulation:
    """Return a simulation of a robot that drives for a second at speeds of its sides [m/s]."""
    simulation = Simulation(make_model("csm"), ROBOT, COURSE, pose=start, seed=1)
    simulation.run(Constant(ROBOT, Sides(left=left, right=right)), duration=1.0)
    return simulation


def in_world(simulation: Simulation, name: str, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points of a sensor's frame in the world [m]."""
    table = next(table for table in ROBOT.sensors.lidar if table.name == name)
    pose = simulation.motion.pose
    body = table.rotation.apply(points) + np.array(table.position)
    return body @ pose.matrix.T + np.array((pose.x, pose.y, pose.z), dtype=np.float64)


def draw_scan(simulation: Simulation) -> None:
    """Draw a flat scan and a cloud of points over the course."""
    flat, cloud = simulation.reading.latest("lidar"), simulation.reading.latest("lidar3d")
    assert flat is not None
    assert flat.array is not None
    assert cloud is not None
    assert cloud.array is not None
    angles = np.radians(np.linspace(-135.0, 135.0, len(flat.array)))
    level = np.stack((np.cos(angles), np.sin(angles), np.zeros_like(angles)), axis=1)
    ranges = np.where(np.isfinite(flat.array), flat.array, np.nan)
    scan = in_world(simulation, "lidar", ranges[:, None] * level)
    points = in_world(simulation, "lidar3d", cloud.array.reshape(-1, 3).astype(np.float64))
    x, y = points[:, 0], points[:, 1]
    shown = (x > -2.5) & (x < 8.5) & (y > -3.5) & (y < 4.5)
    pose = simulation.motion.pose
    panel = Panel(
        key="scan",
        title="16 rings of a 3D lidar, and a 2D lidar 0.35 m above the ground",
        x_label="x [m]",
        y_label="y [m]",
        series=(
            Series(name="lidar3d", x=x[shown], y=y[shown], colour="#4477aa", dots=True),
            Series(name="lidar", x=scan[:, 0], y=scan[:, 1], colour="#cc3311", dots=True),
        ),
        shapes=course_shapes(COURSE),
        marks=(Mark(symbol="start", x=pose.x, y=pose.y, colour="#000000", name="robot"),),
        labels=course_labels(COURSE),
        equal_axes=True,
    )
    write_picture({"absolem": simulation.log()}, FOLDER / "sensors-scan.png", panels=[panel])


def draw_cameras(simulation: Simulation) -> None:
    """Draw the picture in colour and the depths beside each other."""
    colour, depth = simulation.reading.latest("camera"), simulation.reading.latest("depth")
    assert colour is not None
    assert colour.array is not None
    assert depth is not None
    assert depth.array is not None
    known = np.isfinite(depth.array)
    share = np.clip(np.where(known, depth.array, FAR) / FAR, 0.0, 1.0)
    places = np.linspace(0.0, 1.0, len(STOPS))
    parts = [np.interp(share, places, stops) for stops in zip(*STOPS, strict=True)]
    shades = np.where(known[..., None], np.stack(parts, axis=-1), 255.0).astype(np.uint8)
    both = np.concatenate((colour.array, shades), axis=1)
    write_atomically(FOLDER / "sensors-camera.png", encode_picture(both))


if __name__ == "__main__":
    draw_scan(drive(BETWEEN, 0.1, 0.35))
    draw_cameras(drive(BEFORE, 0.0, 0.0))

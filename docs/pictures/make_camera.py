"""Draw camera-film.png and fusion-slip.png: a picture of a film, and slip found while driving.

python docs/pictures/make_camera.py
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grouser.description import Rig, load_course, load_rig, load_robot
from grouser.drawing.markers import encode_picture, import_cv2, marker_patterns
from grouser.drawing.overhead import OverheadCanvas
from grouser.geometry import Pose
from grouser.identify.camera.calibrate import calibrate_camera
from grouser.identify.camera.track import MarkerFinder, Tracker
from grouser.laws.camera import PinholeCamera
from grouser.log import Log
from grouser.models import make_model
from grouser.report import Panel, Series, Shape, write_picture
from grouser.scenario.observers import SlipObserver
from grouser.simulation import Legs, Sides, Simulation
from grouser.storage import write_atomically

FOLDER = Path(__file__).parent
ROBOT, COURSE, RIG = load_robot("tp100"), load_course("flat"), load_rig("tp100-overhead")
TRUTH = {"slip_left": ROBOT.slip.left, "slip_right": ROBOT.slip.right}
COLOURS = {"slip_left": ("#0072b2", "#cfe3f0"), "slip_right": ("#d55e00", "#f6dccb")}


GREEN, RED, BLUE = (40, 170, 30), (40, 40, 220), (220, 110, 20)
AXIS = 0.15
"""Length of the drawn axes of the body [m]."""


def draw_sighting(
    picture: NDArray[np.uint8],
    rig: Rig,
    camera: PinholeCamera,
    corners: dict[int, NDArray[np.float64]],
    pose: Pose | None,
) -> NDArray[np.uint8]:
    """Return the picture with the crossings of the grid, the markers and the body's axes.

    Args:
        picture: Pixels (height, width, 3) in blue, green, red.
        rig: Floor and markers.
        camera: The camera, calibrated.
        corners: Corners (4, 2) of each marker by its number [pixels].
        pose: Where the robot was found; None if it was not.
    """
    cv2 = import_cv2()
    drawn = picture.copy()

    def place(pixel: NDArray[np.float64]) -> tuple[int, int]:
        return int(round(16.0 * pixel[0])), int(round(16.0 * pixel[1]))  # sixteenths of pixels

    for crossing in camera.project(rig.floor.crossings().reshape(-1, 3)):
        cv2.circle(drawn, place(crossing), 16 * 4, BLUE, 1, cv2.LINE_AA, 4)
    for number, four in corners.items():
        outline = np.array([place(corner) for corner in four], dtype=np.int32)
        cv2.polylines(drawn, [outline], True, GREEN, 2, cv2.LINE_AA, 4)
        cv2.circle(drawn, place(four[0]), 16 * 4, RED, -1, cv2.LINE_AA, 4)
        beside = int(four[:, 0].max()) + 6, int(four[:, 1].mean())
        cv2.putText(drawn, str(number), beside, cv2.FONT_HERSHEY_SIMPLEX, 0.7, GREEN, 2)
    if pose is not None:
        ends = np.array([(0.0, 0.0, 0.0), (AXIS, 0.0, 0.0), (0.0, AXIS, 0.0)])
        origin = np.array((pose.x, pose.y, pose.z), dtype=np.float64)
        start, ahead, left = camera.project(pose.rotation.apply(ends) + origin)
        for end, colour in ((ahead, RED), (left, GREEN)):
            cv2.line(drawn, place(start), place(end), colour, 2, cv2.LINE_AA, 4)
    return drawn


def draw_film() -> None:
    """Draw a picture of the camera with what was found in it."""
    with OverheadCanvas(ROBOT, COURSE, RIG, marker_patterns(RIG)) as canvas:
        pixels = canvas.draw(Pose(x=-0.35, y=0.15, yaw=0.5), (0.0, 0.0), ())
    picture = np.ascontiguousarray(pixels[:, :, ::-1])
    camera = calibrate_camera(RIG, [picture]).camera
    corners = MarkerFinder(RIG).find(picture)
    sighting = Tracker(RIG, camera).locate(corners)
    drawn = draw_sighting(picture, RIG, camera, corners, sighting and sighting.pose)
    part = np.ascontiguousarray(drawn[180:720, 300:1260, ::-1])
    write_atomically(FOLDER / "camera-film.png", encode_picture(part))


def drive() -> Log:
    """Drive with an observer."""
    observer = SlipObserver(ROBOT, RIG)
    simulation = Simulation(make_model("slip"), ROBOT, COURSE, observers=[observer])
    legs = [
        (2.0, Sides()),
        (5.0, Sides(left=0.10, right=0.10)),
        (4.0, Sides(left=0.06, right=0.12)),
        (4.0, Sides(left=0.12, right=0.06)),
    ]
    simulation.run(Legs(ROBOT, legs), 15.0)
    return simulation.log()


def draw_fusion(log: Log) -> None:
    """Draw the slip that the observer believes in, with its band, and the truth."""
    time = log.time
    shapes, series = [], []
    for name, (line, band) in COLOURS.items():
        value, deviation = log[f"fused.{name}"], log[f"fused.{name}_deviation"]
        upper, lower = value + 2.0 * deviation, value - 2.0 * deviation
        corners = np.stack(
            (np.concatenate((time, time[::-1])), np.concatenate((upper, lower[::-1]))), axis=1
        )
        title = name.replace("_", " ")
        shapes.append(Shape(name=f"{title}, 2 sigma", corners=corners, fill=band, edge=band))
        series.append(Series(name=title, x=time, y=value, colour=line))
        truth = np.full(len(time), TRUTH[name])
        series.append(
            Series(name=f"{title}, simulated", x=time, y=truth, colour=line, dash="dashed")
        )
    panel = Panel(
        key="slip",
        title="Slip found while driving: stands for 2 s, straight, left, right",
        x_label="time [s]",
        y_label="slip ratio [1]",
        series=tuple(series),
        shapes=tuple(shapes),
        y_range=(0.0, 0.25),
    )
    write_picture({"tp100": log}, FOLDER / "fusion-slip.png", panels=[panel])


if __name__ == "__main__":
    draw_film()
    draw_fusion(drive())

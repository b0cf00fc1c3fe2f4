"""A scene that is painted once and drawn again and again."""

import numpy as np
import pytest

from grouser.description import load_course, load_robot
from grouser.drawing.belt_sites import Ribs
from grouser.drawing.camera import CameraPose
from grouser.drawing.canvas import Canvas
from grouser.errors import InvalidValue
from grouser.geometry import Pose
from tests.needs_opengl import needs_opengl

SIZE = (160, 120)
ROBOT, COURSE = load_robot("absolem"), load_course("flat")
REST = tuple(flipper.rest_angle for flipper in ROBOT.flippers)
BESIDE = CameraPose(middle=(0.0, 0.0, 0.1), azimuth=np.pi / 2, elevation=-0.1, distance=1.2)


@pytest.fixture(scope="module")
def canvas():
    with Canvas.of(ROBOT, COURSE, SIZE) as canvas:
        yield canvas


def draw(canvas: Canvas, pose=None, travels=(0.0, 0.0), angles=REST, **options) -> np.ndarray:
    canvas.place(pose or Pose(), travels, angles)
    return canvas.draw(BESIDE, **options).astype(np.int16)


def differ(one: np.ndarray, other: np.ndarray) -> int:
    return int((np.abs(one - other).max(axis=2) > 25).sum())


@needs_opengl
def test_the_same_place_is_the_same_picture(canvas):
    first = draw(canvas)
    draw(canvas, Pose(x=0.3, yaw=1.0), (0.1, 0.2), tuple(a + 1.0 for a in REST))
    assert np.array_equal(draw(canvas), first)


@needs_opengl
def test_ribs_run_with_the_belts(canvas):
    rest = draw(canvas)
    pitch = ROBOT.tracks[0].pitch or 0.035
    assert differ(draw(canvas, travels=(0.5 * pitch, 0.5 * pitch)), rest) > 50
    # A whole turn of the belt, and all ribs are where they were.
    turn = ROBOT.tracks[0].loop.length
    assert differ(draw(canvas, travels=(turn, turn)), rest) < differ(
        draw(canvas, travels=(0.5 * pitch, 0.5 * pitch)), rest
    )


@needs_opengl
def test_flippers_turn_and_the_body_moves(canvas):
    rest = draw(canvas)
    assert differ(draw(canvas, angles=tuple(a + 0.7 for a in REST)), rest) > 100
    assert differ(draw(canvas, Pose(x=0.2)), rest) > 300


@needs_opengl
def test_a_trail_is_drawn(canvas):
    trail = np.array([[-0.8, -0.3, 0.02], [0.0, -0.3, 0.02], [0.8, -0.3, 0.02]])
    assert differ(draw(canvas, trail=trail), draw(canvas)) > 20


def test_a_size_out_of_range_is_refused():
    with pytest.raises(InvalidValue, match="size must be from 1 to 8192"):
        Canvas.of(ROBOT, COURSE, (0, 10))


def test_a_rib_on_top_of_a_belt_runs_forward_and_one_below_backward():
    import mujoco

    spec = mujoco.MjSpec()
    hull = spec.worldbody.add_body(name="hull")
    for flipper in ROBOT.flippers:
        hull.add_body(name=flipper.name)
    ribs = Ribs(spec, ROBOT, hull="hull")
    model = spec.compile()
    sites = [n for n in range(model.nsite) if model.site(n).name.startswith(ROBOT.tracks[0].name)]
    before = model.site_pos[sites].copy()
    ribs.move(model, (0.004, 0.0))
    moved = model.site_pos[sites] - before
    middle = np.abs(before[:, 0]) < 0.5 * ROBOT.tracks[0].loop.bounds[1]
    top = middle & (before[:, 2] > before[:, 2].max() - 0.01)
    bottom = middle & (before[:, 2] < before[:, 2].min() + 0.01)
    assert top.any()
    assert bottom.any()
    assert moved[top, 0] == pytest.approx(0.004, abs=1e-6)
    assert moved[bottom, 0] == pytest.approx(-0.004, abs=1e-6)
    other = [n for n in range(model.nsite) if model.site(n).name.startswith(ROBOT.tracks[1].name)]
    assert len(other) == len(sites)


@needs_opengl
@pytest.mark.parametrize("azimuth", [0.9, 1.6, 2.3])
def test_the_floor_far_from_the_robot_has_no_grains(azimuth):
    with Canvas.of(ROBOT, COURSE, (480, 270), smooth=False) as canvas:
        across = canvas.extent
        camera_pose = CameraPose(
            middle=(0.0, 0.0, 0.1), azimuth=azimuth, elevation=-0.35, distance=1.7 * across
        )
        pixels = canvas.draw(camera_pose)
    beyond = pixels[30:90].min(axis=2)  # below the horizon, above the robot
    assert beyond.min() > 150

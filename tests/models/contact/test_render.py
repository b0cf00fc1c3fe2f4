"""Pictures without a screen."""

import numpy as np
import pytest
from PIL import Image

from grouser.description import Course, Robot, load_course, load_robot
from grouser.drawing import canvas
from grouser.drawing.at_rest import PlacedRobot, start_in_3d
from grouser.drawing.canvas import COLOURS
from grouser.drawing.picture import View, draw_scene, render_picture
from grouser.errors import GrouserError, InvalidValue
from grouser.geometry import Pose
from grouser.models import make_model
from grouser.models.contact.scene import make_scene
from grouser.models.contact.tracks import grousered_belts
from tests.needs_opengl import needs_opengl

SIZE = (320, 180)
ROBOT, COURSE = load_robot("absolem"), load_course("pallet")


@pytest.fixture(scope="module")
def placed() -> PlacedRobot:
    return rest(ROBOT, COURSE)


def rest(robot: Robot, course: Course, pose: Pose | None = None) -> PlacedRobot:
    return PlacedRobot.of(start_in_3d(make_model("csm:engine=mujoco"), robot, course, pose))


def draw(placed: PlacedRobot, **view: float) -> np.ndarray:
    """Return a picture of the shapes of the physics, without textures, sun and turning wheels."""
    return draw_scene(placed, view=View(**view), size=SIZE, dressed=False)


def hue_is(pixels: np.ndarray, colour: str) -> np.ndarray:
    """Return which pixels have the hue of a material, in whatever light."""
    wanted = np.array(COLOURS[colour])
    shown = pixels.astype(float)
    shown /= shown.max(axis=2, keepdims=True).clip(1.0)
    return np.abs(shown - wanted / wanted.max()).max(axis=2) < 0.06


@needs_opengl
def test_hull_and_pallet_are_seen_in_their_colours(placed):
    pixels = draw(placed)
    assert pixels.shape == (180, 320, 3)
    rows, columns = np.nonzero(hue_is(pixels, "hull"))
    assert len(rows) > 300
    assert 0.3 < columns.mean() / 320 < 0.7, "the robot is in the middle"
    assert 0.2 < rows.mean() / 180 < 0.8
    assert hue_is(pixels, "wood").sum() > 300


@needs_opengl
def test_a_camera_behind_or_beside_the_robot_sees_the_pallet_beyond_or_beside_it(placed):
    # From behind, the pallet ahead of the robot is beyond it: above it in the picture.
    pixels = draw(placed, azimuth=0.0)
    assert (
        np.nonzero(hue_is(pixels, "wood"))[0].mean() < np.nonzero(hue_is(pixels, "hull"))[0].mean()
    )
    # A camera that looks from the left to the right has what is ahead on its left.
    pixels = draw(placed, azimuth=-1.57)
    assert (
        np.nonzero(hue_is(pixels, "wood"))[1].mean() < np.nonzero(hue_is(pixels, "hull"))[1].mean()
    )


@needs_opengl
def test_a_dressed_robot_and_its_pallet_are_seen_in_their_colours(placed):
    pixels = draw_scene(placed, view=View(), size=SIZE)
    rows, columns = np.nonzero(hue_is(pixels, "hull"))
    assert len(rows) > 100
    assert 0.3 < columns.mean() / 320 < 0.7, "the robot is in the middle"
    assert not np.array_equal(pixels, draw(placed))


@needs_opengl
def test_the_camera_turns_with_the_robot():
    flat = load_course("flat")
    shapes = []
    for yaw in (0.0, 2.0):
        shapes.append(hue_is(draw(rest(ROBOT, flat, Pose(yaw=yaw))), "hull"))
    assert (shapes[0] & shapes[1]).sum() > 0.9 * shapes[0].sum()


@needs_opengl
def test_the_same_robot_is_the_same_picture(placed):
    assert np.array_equal(draw(placed), draw(placed))


@needs_opengl
def test_a_picture_is_written(placed, tmp_path):
    path = tmp_path / "new" / "scene.png"
    render_picture(placed, path, size=SIZE)
    with Image.open(path) as image:
        assert image.size == SIZE


def test_what_cannot_be_drawn_is_refused_in_a_sentence(placed, tmp_path):
    with pytest.raises(InvalidValue, match=r"name of a picture must end in \.png"):
        render_picture(placed, tmp_path / "scene.jpg")
    with pytest.raises(InvalidValue, match="size must be from 1 to 8192 pixels each way"):
        render_picture(placed, tmp_path / "scene.png", size=(0, 100))


@pytest.mark.parametrize(
    ("asked", "reason"), [("", "neither EGL nor OSMesa"), ("osmesa", "osmesa")]
)
def test_without_opengl_the_packages_to_install_are_named(
    placed, tmp_path, monkeypatch, asked, reason
):
    monkeypatch.setenv("MUJOCO_GL", asked)
    monkeypatch.setattr(canvas, "find_library", lambda name: None)
    with pytest.raises(GrouserError, match=rf"{reason} was.* libegl1 libgl1-mesa-dri \(or libosm"):
        render_picture(placed, tmp_path / "scene.png")
    assert list(tmp_path.iterdir()) == []


@needs_opengl
def test_grousers_are_drawn_where_the_belts_have_taken_them():
    robot, flat = load_robot("packbot510"), load_course("flat")
    scene = make_scene(robot, flat, grousered_belts(patches=2, follows_loop=True))
    pitch = robot.tracks[0].pitch
    assert pitch is not None
    pictures = [
        draw(
            PlacedRobot(
                scene=scene,
                pose=Pose(),
                belt_travels=(share * pitch, share * pitch),
                flipper_angles=tuple(flipper.rest_angle for flipper in robot.flippers),
            )
        )
        for share in (0.0, 0.5, 1.0)
    ]
    still, moved, rolled = pictures
    assert (still != moved).any(axis=2).sum() > 100
    # One pitch on, each grouser is where the next one was.
    assert (still != rolled).any(axis=2).mean() < 1e-3

"""Pictures without a screen."""

import numpy as np
import pytest
from PIL import Image

from grouser.description import load_course, load_robot
from grouser.drawing import canvas
from grouser.drawing.canvas import COLOURS
from grouser.drawing.picture import View, draw_scene, render_picture
from grouser.errors import GrouserError, InvalidValue
from grouser.geometry import Pose
from grouser.models import make_model
from grouser.models.contact.carry_riders import carry_riders
from grouser.models.contact.layout import engine_layout
from grouser.models.contact.plant import ContactPlant
from grouser.models.contact.start_contacts import start_contacts
from tests.needs_opengl import needs_opengl

SIZE = (320, 180)
ROBOT, COURSE = load_robot("absolem"), load_course("pallet")


@pytest.fixture(scope="module")
def plant() -> ContactPlant:
    return start_contacts(make_model("csm"), ROBOT, COURSE)


def draw(plant: ContactPlant, **view: float) -> np.ndarray:
    return draw_scene(plant.scene, plant.data, ROBOT, COURSE, view=View(**view), size=SIZE)


def hue_is(pixels: np.ndarray, colour: str) -> np.ndarray:
    """Return which pixels have the hue of a material, in whatever light."""
    wanted = np.array(COLOURS[colour])
    shown = pixels.astype(float)
    shown /= shown.max(axis=2, keepdims=True).clip(1.0)
    return np.abs(shown - wanted / wanted.max()).max(axis=2) < 0.06


@needs_opengl
def test_hull_and_pallet_are_seen_in_their_colours(plant):
    pixels = draw(plant)
    assert pixels.shape == (180, 320, 3)
    rows, columns = np.nonzero(hue_is(pixels, "hull"))
    assert len(rows) > 300
    assert 0.3 < columns.mean() / 320 < 0.7, "the robot is in the middle"
    assert 0.2 < rows.mean() / 180 < 0.8
    assert hue_is(pixels, "wood").sum() > 300


@needs_opengl
def test_a_camera_behind_or_beside_the_robot_sees_the_pallet_beyond_or_beside_it(plant):
    # From behind, the pallet ahead of the robot is beyond it: above it in the picture.
    pixels = draw(plant, azimuth=0.0)
    assert (
        np.nonzero(hue_is(pixels, "wood"))[0].mean() < np.nonzero(hue_is(pixels, "hull"))[0].mean()
    )
    # A camera that looks from the left to the right has what is ahead on its left.
    pixels = draw(plant, azimuth=-1.57)
    assert (
        np.nonzero(hue_is(pixels, "wood"))[1].mean() < np.nonzero(hue_is(pixels, "hull"))[1].mean()
    )


@needs_opengl
def test_the_camera_turns_with_the_robot():
    flat = load_course("flat")
    shapes = []
    for yaw in (0.0, 2.0):
        plant = start_contacts(make_model("csm"), ROBOT, flat, Pose(yaw=yaw))
        pixels = draw_scene(plant.scene, plant.data, ROBOT, flat, view=View(), size=SIZE)
        shapes.append(hue_is(pixels, "hull"))
    assert (shapes[0] & shapes[1]).sum() > 0.9 * shapes[0].sum()


@needs_opengl
def test_drawing_changes_neither_motion_nor_model(plant):
    colours, state = plant.scene.model.geom_rgba.copy(), plant.state.engine
    first = draw(plant)
    assert np.array_equal(plant.state.engine, state)
    assert np.array_equal(plant.scene.model.geom_rgba, colours)
    assert plant.scene.model.nsite == len(plant.scene.spec.sites)
    assert np.array_equal(draw(plant), first)


@needs_opengl
def test_a_picture_is_written(plant, tmp_path):
    path = tmp_path / "new" / "scene.png"
    render_picture(plant.scene, plant.data, ROBOT, COURSE, path, size=SIZE)
    with Image.open(path) as image:
        assert image.size == SIZE


def test_what_cannot_be_drawn_is_refused_in_a_sentence(plant, tmp_path):
    given = plant.scene, plant.data, ROBOT, COURSE
    with pytest.raises(InvalidValue, match=r"name of a picture must end in \.png"):
        render_picture(*given, tmp_path / "scene.jpg")
    with pytest.raises(InvalidValue, match="size must be from 1 to 8192 pixels each way"):
        render_picture(*given, tmp_path / "scene.png", size=(0, 100))


@pytest.mark.parametrize(
    ("asked", "reason"), [("", "neither EGL nor OSMesa"), ("osmesa", "osmesa")]
)
def test_without_opengl_the_packages_to_install_are_named(
    plant, tmp_path, monkeypatch, asked, reason
):
    monkeypatch.setenv("MUJOCO_GL", asked)
    monkeypatch.setattr(canvas, "find_library", lambda name: None)
    with pytest.raises(GrouserError, match=rf"{reason} was.* libegl1 libgl1-mesa-dri \(or libosm"):
        render_picture(plant.scene, plant.data, ROBOT, COURSE, tmp_path / "scene.png")
    assert list(tmp_path.iterdir()) == []


@needs_opengl
def test_grousers_are_drawn_where_the_belts_have_taken_them():
    robot, flat = load_robot("packbot510"), load_course("flat")
    plant = start_contacts(make_model("segments"), robot, flat)
    still = draw_scene(plant.scene, plant.data, robot, flat, view=View(), size=SIZE)
    riders = plant.scene.tables.riders
    plant.memory.travel[:] = 0.5 * riders.pitch
    carry_riders(plant.data._address, engine_layout(), riders, plant.memory)
    moved = draw_scene(plant.scene, plant.data, robot, flat, view=View(), size=SIZE)
    assert (still != moved).any(axis=2).sum() > 100
    plant.memory.travel[:] = riders.pitch
    carry_riders(plant.data._address, engine_layout(), riders, plant.memory)
    rolled = draw_scene(plant.scene, plant.data, robot, flat, view=View(), size=SIZE)
    assert (still != rolled).any(axis=2).mean() < 1e-3

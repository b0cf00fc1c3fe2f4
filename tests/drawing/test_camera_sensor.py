"""Cameras of robots: depth against rays, pictures in colour, noise, threads, no OpenGL."""

import math
import threading

import numpy as np
import pytest

from grouser.description import load_course, parse_course
from grouser.drawing import canvas
from grouser.errors import GrouserError, InvalidDescription
from grouser.geometry import Pose
from grouser.models.rays import ray_scene
from tests.needs_opengl import needs_opengl
from tests.simulation.sensors.moments import make_sensor, moment, motion, room, with_sensors

DEPTH = (
    '[[sensors.camera]]\nkind = "depth"\nsize_px = [64, 48]\nfield_of_view_deg = 80.0\n'
    "range_m = [0.3, 12.0]\nposition_m = [0.1, 0.05, 0.4]\npitch_deg = 15.0\n"
)
COLOUR = DEPTH.replace('"depth"', '"colour"')
MILLIMETRE = 0.001


def camera(text=DEPTH, course=None, seed=0):
    return make_sensor(text, course or room(), seed)


def look(sensor, pose=None):
    values = sensor.sample(moment(motion(pose or Pose())))
    return np.asarray(sensor.array), values


def depth_by_rays(sensor, course, pose):
    """Return the depth of each pixel, by a ray through its middle [m]."""
    table = sensor._table
    (width, height), focal = table.size, table.focal_length
    right = (np.arange(width) - 0.5 * (width - 1)) / focal
    down = (np.arange(height) - 0.5 * (height - 1)) / focal
    x, y = np.meshgrid(right, down)
    ahead = np.stack((np.ones_like(x), -x, -y), axis=-1).reshape(-1, 3)
    place, turn = sensor._mounting.in_world(motion(pose))
    ranges = ray_scene(course).cast(place, ahead @ turn.T, 1000.0)
    return (ranges / np.linalg.norm(ahead, axis=1)).reshape(height, width)


SCENES = {
    "room": (room(), Pose(x=0.4, y=0.3, yaw=0.4)),
    "tilted": (room(), Pose(x=0.4, y=0.3, yaw=0.8, roll=0.2, pitch=-0.2)),
    "playground": (load_course("playground"), Pose(x=-0.6, y=-0.4, yaw=-0.3)),
    "ramp from the side": (load_course("ramp"), Pose(x=1.5, y=-2.0, yaw=1.3)),
}


@needs_opengl
@pytest.mark.parametrize("scene", SCENES)
def test_depth_is_that_of_rays_through_the_pixels(scene):
    course, pose = SCENES[scene]
    sensor = camera(course=course)
    found, (nearest, share) = look(sensor, pose)
    expected = depth_by_rays(sensor, course, pose)
    expected[expected > 12.0] = np.inf
    both = np.isfinite(found) & np.isfinite(expected)
    # At an edge the middle of a pixel may belong to either side.
    steps = np.abs(np.diff(np.where(both, expected, 99.0), axis=1, append=99.0)) > 0.3
    steps |= np.abs(np.diff(np.where(both, expected, 99.0), axis=0, append=99.0)) > 0.3
    steps = steps | np.roll(steps, 1, axis=0) | np.roll(steps, 1, axis=1)
    inner = both & ~steps
    assert inner.mean() > 0.4
    assert np.abs(found[inner] - expected[inner]).max() < MILLIMETRE
    assert (np.isfinite(found) != np.isfinite(expected))[~steps].mean() < 0.01
    assert nearest == pytest.approx(expected.min(), abs=MILLIMETRE)
    assert share == pytest.approx(np.isfinite(expected).mean(), abs=0.02)


@needs_opengl
def test_depth_out_of_range_is_infinite_either_way():
    text = DEPTH.replace("[0.3, 12.0]", "[1.0, 4.0]").replace("15.0", "0.0")
    ahead, _ = look(camera(text), Pose(x=4.4))
    assert ahead[24, 32] == -np.inf
    back, (_, share) = look(camera(text), Pose(x=4.0, yaw=math.pi))
    assert back[24, 32] == np.inf
    assert 0.0 < share < 1.0


@needs_opengl
def test_a_box_is_where_it_should_be_in_colour():
    wall = """
name = "wall"
[[terrain]]
kind = "plane"
[[terrain]]
kind = "box"
x_m = 3.0
y_m = 1.0
length_m = 0.2
width_m = 1.0
height_m = 3.0
"""
    sensor = camera(COLOUR.replace("0.1, 0.05, 0.4", "0, 0, 0.4").replace("15.0", "0.0"),
                    parse_course(wall, "wall.toml"))  # fmt: skip
    picture, (brightness,) = look(sensor)
    assert (picture.shape, picture.dtype) == ((48, 64, 3), np.uint8)
    assert 0.1 < brightness < 0.95
    row = picture[20].astype(int)  # above the horizon: the box before the sky
    is_sky = row[:, 2] - row[:, 0] > 10
    focal = sensor._table.focal_length
    left, right = (31.5 - focal * y / 2.9 for y in (1.5, 0.5))
    assert np.flatnonzero(~is_sky)[[0, -1]] == pytest.approx([left, right], abs=1.0)


@needs_opengl
def test_noise_of_pictures_has_its_deviation_and_is_replayed():
    pose = Pose(x=0.4, y=0.3)
    clean, _ = look(camera(), pose)
    noisy = [look(camera(DEPTH + "noise_m = 0.02\n", seed=seed), pose)[0] for seed in (1, 1, 2)]
    assert np.std((noisy[0] - clean)[np.isfinite(clean)]) == pytest.approx(0.02, rel=0.1)
    assert noisy[0].tobytes() == noisy[1].tobytes() != noisy[2].tobytes()
    clean, _ = look(camera(COLOUR), pose)
    noisy, _ = look(camera(COLOUR + "level_noise = 3.0\n"), pose)
    assert np.std(noisy.astype(float) - clean) == pytest.approx(3.0, rel=0.15)


@needs_opengl
def test_one_thread_after_another_can_take_pictures():
    sensor, pictures = camera(), []
    here, _ = look(sensor)
    thread = threading.Thread(target=lambda: pictures.append(look(sensor)[0]))
    thread.start()
    thread.join()
    assert pictures[0].tobytes() == here.tobytes() == look(sensor)[0].tobytes()


@needs_opengl
def test_a_robot_that_is_nowhere_takes_no_picture():
    sensor = camera()
    _, values = look(sensor, Pose(x=math.nan))
    assert np.isnan(values).all()
    assert sensor.array is None


@needs_opengl
def test_messages_have_the_lens_and_the_optical_frame():
    image, info = camera(DEPTH + 'name = "front"\n').declarations
    assert (image.topic, info.topic) == ("front/image_raw", "front/camera_info")
    assert image.frame == info.frame == "front_optical_frame"
    assert (image.constants["encoding"], image.constants["step"]) == ("32FC1", 4 * 64)
    focal = 32.0 / math.tan(math.radians(40.0))
    assert info.constants["k"] == pytest.approx([focal, 0, 31.5, 0, focal, 23.5, 0, 0, 1])


def test_without_opengl_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setattr(canvas, "find_library", lambda name: None)
    with pytest.raises(GrouserError, match="rendering needs OpenGL without a screen, but neither"):
        camera()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("size_px = [0, 10]", r"size_px\[0\]: .* given 0"),
        ("field_of_view_deg = 180.0", "field_of_view_deg: .* 170, given 180"),
        ('kind = "thermal"', "kind: .*'colour' or 'depth', given 'thermal'"),
        ("range_m = [3.0, 1.0]", "range_m must go from the smaller"),
    ],
)
def test_a_bad_table_is_rejected_with_one_sentence(text, message):
    with pytest.raises(InvalidDescription, match=message) as caught:
        with_sensors(f"[[sensors.camera]]\n{text}\n")
    assert len(caught.value.mistakes) == 1


@needs_opengl
def test_a_camera_with_a_latency_draws_the_same_pictures_in_a_thread():
    moments = [moment(motion(Pose(x=0.1 * k))) for k in range(4)]
    noisy = DEPTH + "noise_m = 0.01\n"
    at_once = [camera(noisy).take(m)().array for m in moments[:1]]
    late = camera(noisy + "latency_s = 0.1\n")
    coming = [late.take(m) for m in moments]
    found = [known() for known in coming]
    again = camera(noisy)
    assert np.array_equal(found[0].array, at_once[0])
    for sample, expected in zip(found, [again.take(m)() for m in moments], strict=True):
        assert np.array_equal(sample.array, expected.array)
        assert sample.values == expected.values

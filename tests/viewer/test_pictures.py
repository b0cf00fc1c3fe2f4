"""Pictures of cameras: only those that are wanted, newest only, depth as colours."""

import base64
from io import BytesIO
from types import SimpleNamespace

import numpy as np
from PIL import Image

from grouser.description import load_robot
from grouser.simulation.sensors import Reading, Sample
from grouser.viewer.pictures import LARGEST, Pictures, camera_names, depth_colours, encode
from grouser.viewer.signals import Recorder
from grouser.viewer.subscriptions import Subscriptions

ROBOT = load_robot("examples/absolem-sensors.toml")


def reading(time: float, level: int) -> Reading:
    picture = np.full((24, 32, 3), level, np.uint8)
    return Reading(columns=(), values=(), known=(Sample("camera", time, (), picture),))


def pixels(message: dict) -> np.ndarray:
    head, _, text = message["data"].partition(",")
    assert head == "data:image/jpeg;base64"
    return np.asarray(Image.open(BytesIO(base64.b64decode(text))))


def test_cameras_are_found_by_name():
    assert camera_names(ROBOT) == ("camera", "depth")
    assert camera_names(load_robot("tp100")) == ()


def test_a_picture_is_encoded_only_when_a_page_shows_it():
    pictures = Pictures()
    pages = Subscriptions(Recorder(), pictures)
    pictures.add(reading(0.0, 90), ROBOT)
    assert pictures.newest(("camera",)) == {}
    pages.choose_cameras(1, ("camera", "no such camera"))
    assert pages.pictures(1) is None
    pictures.add(reading(0.2, 90), ROBOT)
    message = pages.pictures(1)
    assert message is not None
    (picture,) = message["pictures"]
    assert (picture["name"], picture["time"]) == ("camera", 0.2)
    assert np.abs(pixels(picture).astype(int) - 90).max() <= 2
    assert pages.pictures(1) is None  # it has that one
    pictures.add(reading(0.4, 10), ROBOT)  # too soon after the last one
    assert pages.pictures(1) is None
    pages.choose_cameras(1, ())
    assert not pictures.wanted


def test_near_is_bright_far_is_dark_and_unknown_is_grey():
    colours = depth_colours(np.array([[0.3, 4.0, 8.0, np.inf, np.nan]]), 0.3, 8.0)[0].astype(int)
    brightness = colours.sum(axis=1)
    assert brightness[0] > brightness[1] > brightness[2]
    assert colours[3].tolist() == colours[4].tolist() == [30, 30, 30]


def test_large_pictures_are_made_smaller():
    table = SimpleNamespace(kind="colour")
    sample = Sample("camera", 0.0, (), np.zeros((1200, 1600, 3), np.uint8))
    assert max(pixels(encode(sample, table).message).shape) <= LARGEST

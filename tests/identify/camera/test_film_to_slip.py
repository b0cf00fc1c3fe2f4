"""Simulated slip is identified from a film of the simulation."""

import cv2
import numpy as np
import pytest

from grouser.drawing.markers import read_times
from grouser.identify.camera.frames import Frames
from grouser.identify.camera.track import Track, track_film
from grouser.identify.fusion import fit_slip
from grouser.log import Log, resample
from tests.identify.camera.films import ROBOT, SLOW, drive, film
from tests.needs_opengl import needs_opengl


@pytest.fixture(scope="module")
def log() -> Log:
    return drive()


@pytest.fixture(scope="module")
def film_file(log, tmp_path_factory):
    return film(log, tmp_path_factory.mktemp("film") / "drive.mp4", smooth=False)


@pytest.fixture(scope="module")
def track(film_file) -> Track:
    times, rig = read_times(film_file)
    assert times is not None
    assert rig == SLOW
    with Frames(film_file) as frames:
        assert frames.count == 13
        return track_film(frames, rig)


@needs_opengl
def test_positions_come_back_within_a_centimetre_and_yaw_within_half_a_degree(log, track):
    found, truth = track.log, resample(log, track.log.time)
    assert found.time == pytest.approx(np.arange(13) / 2.0, abs=1e-12)
    gaps = np.hypot(found["x"] - truth["x"], found["y"] - truth["y"])
    assert gaps.max() < 0.01
    # What was asked for is a centimetre; 0.3 mm was measured.
    assert gaps.max() < 0.001
    assert np.abs(found["yaw"] - truth["yaw"]).max() < np.deg2rad(0.5)


@needs_opengl
def test_all_markers_are_seen_and_explain_their_pixels(track):
    assert track.log["markers_seen"] == pytest.approx(np.full(13, 4.0))
    assert track.log["reprojection_error_px"].max() < 1.0
    assert track.calibration is not None
    assert track.calibration.camera.position == pytest.approx((0.0, 0.0, 2.5), abs=5e-3)


@needs_opengl
def test_the_slip_that_was_simulated_comes_back_within_a_hundredth(log, track):
    fit = fit_slip(log, track.log, ROBOT)
    true = {"slip_left": ROBOT.slip.left, "slip_right": ROBOT.slip.right,
            "slip_angle": ROBOT.slip.slip_angle}  # fmt: skip
    for name, value in true.items():
        assert fit.parameters[name].value == pytest.approx(value, abs=0.01), name
    assert fit.residuals[0].scale < 1e-3
    assert any("intervals are rough" in sentence for sentence in fit.advice)  # 13 pictures


@needs_opengl
def test_a_folder_of_pictures_gives_the_same_as_a_film_without_compression(log, tmp_path):
    folder = film(drive(1.0), tmp_path / "pictures", smooth=False)
    assert len(list(folder.glob("*.png"))) == 3
    with Frames(folder) as frames:
        found = track_film(frames, SLOW).log
    truth = resample(drive(1.0), found.time)
    assert np.hypot(found["x"] - truth["x"], found["y"] - truth["y"]).max() < 0.001


@needs_opengl
def test_a_robot_half_covered_is_found_by_the_markers_that_are_left(film_file):
    with Frames(film_file) as frames:
        first = next(iter(frames))
    plain = track_film([first], SLOW).log
    pixels = first.pixels.copy()
    # The front of the robot, which stands in the middle of the picture and looks to the right.
    cv2.rectangle(pixels, (970, 440), (1060, 640), (60, 60, 60), -1)
    covered = track_film([type(first)(time=0.0, pixels=pixels)], SLOW).log
    assert covered["markers_seen"][0] == 2.0
    for name in ("x", "y"):
        assert covered[name] == pytest.approx(plain[name], abs=1e-3)
    assert covered["yaw_deviation"][0] > 1.2 * plain["yaw_deviation"][0]

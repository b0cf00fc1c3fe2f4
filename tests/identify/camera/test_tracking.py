"""Sources of pictures, tracking errors and interrupts."""

import cv2
import numpy as np
import pytest

from grouser.description import load_rig, parse_rig
from grouser.drawing import markers
from grouser.drawing.markers import marker_patterns, read_times, write_times
from grouser.errors import GrouserError, InvalidValue, MissingExtra, Unreadable
from grouser.geometry import Pose
from grouser.identify.camera import frames as frames_module
from grouser.identify.camera.frames import Frame, Frames
from grouser.identify.camera.track import MarkerFinder, Tracker, track_film
from grouser.laws.camera import overhead_view

TEXT = load_rig("tp100-overhead").text
RIG = parse_rig(TEXT.replace("[1920, 1080]", "[960, 540]"), "small")
CAMERA = overhead_view(RIG)
GREY = np.full((540, 960, 3), 180, dtype=np.uint8)


def paint(pose: Pose) -> np.ndarray:
    """Return a picture with the markers of a robot at a pose, and nothing else."""
    picture = GREY[..., 0].copy()
    for marker in RIG.markers:
        pattern = np.pad(np.kron(marker_patterns(RIG)[marker.id], np.ones((30, 30))), 30)
        pattern[:30], pattern[-30:], pattern[:, :30], pattern[:, -30:] = (255,) * 4
        edge = len(pattern) - 30.5
        inside = np.float32([(29.5, 29.5), (edge, 29.5), (edge, edge), (29.5, edge)])
        place = np.array((pose.x, pose.y, 0.0))
        pixels = CAMERA.project(pose.rotation.apply(marker.corners()) + place)
        matrix = cv2.getPerspectiveTransform(inside, pixels.astype(np.float32))
        size, smooth = (960, 540), cv2.INTER_AREA
        shown = cv2.warpPerspective(pattern.astype(np.uint8), matrix, size, flags=smooth)
        mask = cv2.warpPerspective(np.full(pattern.shape, 255, np.uint8), matrix, size)
        picture = np.where(mask > 127, shown, picture)
    return cv2.cvtColor(picture.astype(np.uint8), cv2.COLOR_GRAY2BGR)


POSES = [Pose(x=0.05 * k, y=-0.02 * k, yaw=3.0 + 0.1 * k) for k in range(4)]
FRAMES = [Frame(time=0.1 * k, pixels=paint(pose)) for k, pose in enumerate(POSES)]


def test_yaw_goes_on_past_a_half_turn():
    log = track_film(FRAMES, RIG, uses_grid=False).log
    assert log["yaw"] == pytest.approx([pose.yaw for pose in POSES], abs=0.01)
    assert log["x"] == pytest.approx([pose.x for pose in POSES], abs=2e-3)
    assert log["y"] == pytest.approx([pose.y for pose in POSES], abs=2e-3)


def test_a_picture_without_the_robot_is_a_gap():
    empty = Frame(time=0.05, pixels=GREY)
    log = track_film([FRAMES[0], empty, FRAMES[1]], RIG, uses_grid=False).log
    assert log["markers_seen"].tolist() == [4.0, 0.0, 4.0]
    assert np.isnan(log["x"]).tolist() == [False, True, False]


def test_a_film_without_any_marker_raises_an_error_with_the_names_of_its_markers():
    with pytest.raises(GrouserError, match=r"no marker was found in 1 pictures; .*72 \(left w"):
        track_film([Frame(time=0.0, pixels=GREY)], RIG, uses_grid=False)


def test_pictures_of_another_size_raise_an_error():
    with pytest.raises(InvalidValue, match=r"be 960 x 540 as camera.size_px .*\(320, 240\)"):
        track_film([Frame(time=0.0, pixels=np.zeros((240, 320, 3), np.uint8))], RIG)


def test_no_pictures_raise_an_error():
    with pytest.raises(InvalidValue, match="have at least one picture"):
        track_film([], RIG)


def test_an_interrupt_keeps_what_was_tracked():
    def interrupt(count: int) -> None:
        if count == 2:
            raise KeyboardInterrupt

    log = track_film(FRAMES, RIG, uses_grid=False, show=interrupt).log
    assert log.provenance.status == "interrupted"
    assert len(log) == 2


def test_an_interrupt_before_the_first_picture_goes_on():
    def interrupted():
        yield FRAMES[0]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        track_film(interrupted(), RIG, uses_grid=False)


def test_a_marker_with_wrong_corners_is_left_out():
    tracker, corners = Tracker(RIG, CAMERA), MarkerFinder(RIG).find(FRAMES[0].pixels)
    plain = tracker.locate(corners)
    spoilt = tracker.locate({**corners, 11: corners[11] + 12.0})
    assert plain is not None
    assert spoilt is not None
    assert spoilt.markers == (10, 72, 73)
    assert spoilt.pose.x == pytest.approx(plain.pose.x, abs=1e-3)


def test_noise_of_the_corners_is_repeatable_and_of_the_given_size():
    quiet, loud, again = (
        track_film(FRAMES[:2], RIG, uses_grid=False, noise=noise, seed=1).log
        for noise in (0.0, 0.5, 0.5)
    )
    assert loud == again
    assert loud["reprojection_error_px"].mean() > quiet["reprojection_error_px"].mean() + 0.2


def test_in_space_a_robot_has_a_height():
    log = track_film(FRAMES[:1], RIG, uses_grid=False, in_space=True).log
    assert abs(log["z"][0]) < 3.0 * log["z_deviation"][0] < 0.3


def test_a_folder_without_times_has_those_of_its_rate(tmp_path):
    for number, frame in enumerate(FRAMES[:2]):
        cv2.imwrite(str(tmp_path / f"{number}.png"), frame.pixels)
    (tmp_path / "notes.txt").write_text("not a picture")
    with Frames(tmp_path, rate=25.0) as frames:
        assert [frame.time for frame in frames] == pytest.approx([0.0, 0.04])
        assert frames.count == 2


def test_times_beside_a_folder_count(tmp_path):
    cv2.imwrite(str(tmp_path / "a.png"), FRAMES[0].pixels)
    write_times(tmp_path, np.array([7.25]), RIG)
    with Frames(tmp_path) as frames:
        assert [frame.time for frame in frames] == [7.25]
    assert read_times(tmp_path)[1] == RIG


def test_times_that_do_not_fit_raise_an_error(tmp_path):
    cv2.imwrite(str(tmp_path / "a.png"), FRAMES[0].pixels)
    write_times(tmp_path, np.array([0.0, 1.0]), RIG)
    with pytest.raises(InvalidValue, match="be one for each picture, not '2 times for 1 pictures'"):
        Frames(tmp_path)


def test_a_file_that_is_not_a_film_raises_an_error(tmp_path):
    text = tmp_path / "film.mp4"
    text.write_text("not a film")
    with pytest.raises(GrouserError, match="cannot be read as a video; MP4 with H.264"):
        Frames(text)
    with pytest.raises(
        Unreadable, match="no such file; give a video file, a folder of pictures, or"
    ):
        Frames(tmp_path / "nothing.mp4")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidValue, match="hold pictures"):
        Frames(tmp_path / "empty")
    with pytest.raises(InvalidValue, match="be a whole number, as in camera:0"):
        Frames("camera:front")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "a.png").write_text("not a picture")
    with Frames(tmp_path / "bad") as frames, pytest.raises(GrouserError, match="as a picture"):
        next(iter(frames))


class FakeDevice:
    """A camera with three pictures."""

    def __init__(self, number: int) -> None:
        self.left = 3 if number == 0 else 0
        self.is_released = False

    def isOpened(self) -> bool:  # noqa: N802
        return self.left > 0

    def grab(self) -> bool:
        self.left -= 1
        return self.left >= 0

    def get(self, what: int) -> float:
        return 0.0

    def retrieve(self) -> tuple[bool, np.ndarray]:
        return True, GREY

    def release(self) -> None:
        self.is_released = True


def test_a_camera_has_the_times_at_which_its_pictures_arrive(monkeypatch):
    monkeypatch.setattr(cv2, "VideoCapture", FakeDevice)
    clock = iter((100.0, 100.04, 100.07))
    with Frames("camera:0", clock=lambda: next(clock)) as frames:
        assert [frame.time for frame in frames] == pytest.approx([0.0, 0.04, 0.07])
        assert frames.count is None
    with pytest.raises(GrouserError, match="there is no camera 5"):
        Frames("camera:5")


def test_the_error_without_opencv_names_the_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "cv2", None)
    with pytest.raises(MissingExtra, match=r"pip install 'grouser\[camera\]'"):
        markers.import_cv2()
    with pytest.raises(MissingExtra):
        frames_module.Frames("camera:0")

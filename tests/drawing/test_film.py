"""Films and pictures of logs, without a screen."""

import sys
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from grouser.description import load_course, load_robot
from grouser.drawing import film
from grouser.drawing.camera import FilmCamera, check_camera
from grouser.drawing.canvas import Canvas
from grouser.drawing.film import FilmFile, Shot, write_film, write_still
from grouser.drawing.playback import Playback
from grouser.drivers import Constant, Sides
from grouser.errors import InvalidValue, MissingExtra, UnknownName
from grouser.geometry import Pose
from grouser.log import Log
from grouser.models import make_model
from grouser.models.ground.ruts import RutGrid
from grouser.scenario import Scenario, run
from grouser.simulation import Simulation
from tests.needs_opengl import needs_opengl

SIZE = (160, 120)
ROBOT = load_robot("tp100")


@pytest.fixture(scope="module")
def playback() -> Playback:
    simulation = Simulation(make_model("ideal"), ROBOT, load_course("flat"))
    simulation.run(Constant(ROBOT, Sides(left=0.1, right=0.2)), duration=2.0)
    return Playback(simulation.log())


def decode(path: Path) -> tuple[np.ndarray, float]:
    with av.open(str(path)) as film:
        stream = film.streams.video[0]
        frames = [frame.to_ndarray(format="rgb24") for frame in film.decode(stream)]
        return np.array(frames, dtype=np.int16), float(stream.average_rate)


@needs_opengl
def test_a_film_has_its_pictures_its_rate_and_a_robot_that_moves(playback, tmp_path):
    path, shares = tmp_path / "new" / "run.mp4", []
    shot = Shot(size=SIZE, frames_per_second=5.0, camera=FilmCamera(kind="fixed"))
    assert write_film(playback, path, shot, shares.append) == 11
    frames, rate = decode(path)
    assert frames.shape == (11, 120, 160, 3)
    assert rate == 5.0
    assert shares[-1] == 1.0
    assert np.all(np.diff(shares) > 0.0)
    # A camera that stands sees a robot that drives, and nothing else that changes.
    changed = np.abs(frames[-1] - frames[0]).max(axis=2) > 40
    assert 0.01 < changed.mean() < 0.5
    assert list(path.parent.iterdir()) == [path]


@needs_opengl
def test_a_stretch_of_the_log_is_filmed_faster_than_it_was(playback, tmp_path):
    shot = Shot(start=0.5, end=1.5, speed=2.0, frames_per_second=10.0, size=SIZE)
    assert write_film(playback, tmp_path / "run.mp4", shot) == 6
    assert shot.times(playback).tolist() == pytest.approx([0.5, 0.7, 0.9, 1.1, 1.3, 1.5])


@needs_opengl
def test_an_interrupt_leaves_a_film_of_what_was_drawn(playback, tmp_path):
    def interrupt(share: float) -> None:
        if share > 0.25:
            raise KeyboardInterrupt

    path, shot = tmp_path / "run.mp4", Shot(size=SIZE, frames_per_second=5.0)
    assert write_film(playback, path, shot, interrupt) == 3
    frames, _ = decode(path)
    assert len(frames) == 3


def test_an_interrupt_before_the_first_picture_leaves_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt), FilmFile(tmp_path / "run.mp4", SIZE):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_an_error_leaves_the_old_film_alone(tmp_path):
    path = tmp_path / "run.mp4"
    path.write_bytes(b"old")
    film = FilmFile(path, SIZE)
    film.add(np.zeros((120, 160, 3), dtype=np.uint8))
    with pytest.raises(RuntimeError), film:
        raise RuntimeError
    assert path.read_bytes() == b"old"


def test_without_h264_a_film_is_mpeg4(tmp_path, monkeypatch):
    monkeypatch.setattr(film, "_can_encode", lambda av, name: name != "libx264")
    with FilmFile(tmp_path / "run.mp4", SIZE) as file:
        file.add(np.full((120, 160, 3), 200, dtype=np.uint8))
    with av.open(str(tmp_path / "run.mp4")) as read:
        assert read.streams.video[0].codec_context.name == "mpeg4"


@needs_opengl
def test_a_picture_shows_the_robot_at_its_time_with_its_trail(playback, tmp_path):
    def draw(**options) -> np.ndarray:
        camera = FilmCamera(kind="top")
        write_still(playback, tmp_path / "a.png", Shot(size=SIZE, camera=camera, **options))
        with Image.open(tmp_path / "a.png") as image:
            return np.asarray(image, dtype=np.int16)

    end, bare = draw(), draw(with_trail=False)
    assert end.shape == (120, 160, 3)
    trail = np.abs(end - bare).max(axis=2) > 30
    assert 5 < trail.sum() < 2000
    middle = draw(end=1.0)
    assert np.abs(end - middle).max() > 100


def test_a_camera_that_follows_is_calm_and_turns_with_the_robot():
    angles = np.linspace(0.0, 2.0, 200)
    shaken = 0.01 * (-1.0) ** np.arange(200)
    poses = Pose(x=angles, y=0.0 * angles, z=shaken, yaw=angles)
    camera = FilmCamera(azimuth=-0.5, distance=2.0)
    camera_poses = list(camera.camera_poses(poses, extent=0.5, aspect=1.5, frames_per_second=30.0))
    assert len(camera_poses) == 200
    heights = [camera_pose.middle[2] for camera_pose in camera_poses[20:-20]]
    assert np.ptp(heights) < 0.002
    assert camera_poses[100].azimuth == pytest.approx(angles[100] - 0.5, abs=1e-9)
    assert camera_poses[100].distance == 1.0


@pytest.mark.parametrize("kind", ["top", "fixed"])
def test_a_camera_that_stands_sees_the_whole_way(kind):
    poses = Pose(x=np.array([0.0, 4.0]), y=np.zeros(2), z=np.zeros(2), yaw=np.zeros(2))
    first, last = FilmCamera(kind=kind).camera_poses(
        poses, extent=0.5, aspect=1.5, frames_per_second=1.0
    )
    assert first == last
    assert first.middle[:2] == (2.0, 0.0)
    width = 2.0 * first.distance * np.tan(np.radians(22.5)) * 1.5
    assert width > 4.5


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"size": (161, 120)}, "size must be two even numbers"),
        ({"size": (20000, 120)}, "size must be from 1 to 8192"),
        ({"frames_per_second": 0.0}, "fps must be from 1 to 240"),
        ({"speed": 0.0}, "speed must be from 0.001 to 1000"),
        ({"start": 9.0}, "from must lie within the log, 0 to 2 s, not 9.0"),
        ({"end": -1.0}, "to must lie within the log"),
        ({"start": 1.5, "end": 1.0}, "to must not be before 1.5 s"),
    ],
)
def test_a_film_that_cannot_be_is_refused_in_a_sentence(playback, tmp_path, options, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        write_film(playback, tmp_path / "run.mp4", Shot(**{"size": SIZE, **options}))
    assert list(tmp_path.iterdir()) == []


def test_wrong_names_are_refused(playback, tmp_path):
    with pytest.raises(InvalidValue, match=r"name of a film must end in \.mp4"):
        write_film(playback, tmp_path / "run.avi")
    with pytest.raises(InvalidValue, match=r"name of a picture must end in \.png"):
        write_still(playback, tmp_path / "run.jpg")
    with pytest.raises(InvalidValue, match="at must lie within the log"):
        write_still(playback, tmp_path / "run.png", Shot(end=3.0))
    with pytest.raises(UnknownName, match="no camera named 'tops'.*'top'"):
        check_camera("tops")


def test_without_pyav_the_extra_is_named(playback, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(MissingExtra, match=r"a film needs the package 'av'.*grouser\[viewer\]"):
        write_film(playback, tmp_path / "run.mp4")


@needs_opengl
@pytest.mark.parametrize("name", ["zhou-ugv", "absolem"])
def test_robots_on_wheels_and_with_flippers_can_be_filmed_on_a_course_that_no_model_drives(
    name, tmp_path
):
    robot = load_robot(name)
    simulation = Simulation(make_model("ideal"), robot, load_course("flat"))
    simulation.run(Constant(robot, Sides(left=0.2, right=0.2)), duration=0.2)
    whole = simulation.log()
    log = Log({column: whole.columns[column] for column in ("time", "x", "y", "yaw")})
    seen = Playback(log, robot, load_course("staircase"))
    shot = Shot(size=SIZE, frames_per_second=10.0)
    assert write_film(seen, tmp_path / "run.mp4", shot) == 3


@needs_opengl
def test_ruts_lie_behind_the_robot_and_are_as_deep_as_at_that_time(tmp_path):
    scenario = Scenario(
        robot="absolem", course="soil-bin", model="csm", driver="constant:speed=0.3", stop=2.0,
        start_pose="0,-0.75,0",
    )  # fmt: skip
    playback, shares = Playback(run(scenario).log), []
    top = FilmCamera(kind="follow", elevation=-1.4, azimuth=0.0, distance=2.5)
    for end in (0.1, 2.0):
        path = tmp_path / f"{end}.png"
        write_still(playback, path, Shot(size=SIZE, end=end, camera=top, with_trail=False))
        red, green, blue = np.moveaxis(np.asarray(Image.open(path), dtype=np.int16), 2, 0)
        # Only deep ruts are purple.
        shares.append(((red > green + 20) & (blue > green + 10)).mean())
    assert shares[1] > 0.004
    assert shares[1] > 1.5 * shares[0]


@needs_opengl
def test_a_canvas_shows_only_ruts_of_its_own_grid():
    grid = RutGrid(x=-2.0, y=-4.0, cell=0.02, depth=np.zeros((400, 550)))
    other = RutGrid(x=0.0, y=0.0, cell=0.02, depth=np.zeros((40, 50)))
    with Canvas.of(ROBOT, load_course("soil-bin"), SIZE, ruts=grid) as canvas:
        canvas.show_ruts(grid)
        with pytest.raises(InvalidValue, match="be those of the canvas' own grid"):
            canvas.show_ruts(other)
    firm = Canvas.of(ROBOT, load_course("flat"), SIZE)
    with firm, pytest.raises(InvalidValue, match="ruts"):
        firm.show_ruts(grid)

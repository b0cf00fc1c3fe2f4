"""`grouser render` and `grouser export`."""

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import av
import mujoco
import numpy as np
import pytest
from PIL import Image

from tests.needs_opengl import needs_opengl

RUN = "run --robot tp100 --course flat --drive constant:speed=0.1 --duration 1 --out run.csv"


@needs_opengl
def test_a_log_becomes_a_film(grouser):
    grouser(RUN)
    answer = grouser("render run.csv --size 160 120 --fps 4 --speed 2 --camera top")
    assert answer.code == 0
    assert answer.out == "film: out/run.mp4\n"
    with av.open("out/run.mp4") as film:
        assert sum(1 for _ in film.decode(video=0)) == 3


@needs_opengl
def test_a_log_becomes_a_picture_at_a_time(grouser):
    grouser(RUN)
    assert grouser("render run.csv --size 64 48 --at 0.5").out == "picture: out/run.png\n"
    assert grouser("render run.csv --size 64 48 --no-trail --out end.png").code == 0
    with Image.open("out/run.png") as half, Image.open("end.png") as end:
        assert half.size == end.size == (64, 48)
        assert not np.array_equal(np.asarray(half), np.asarray(end))


@needs_opengl
def test_a_log_of_a_real_robot_is_shown_with_the_robot_and_course_that_are_named(grouser):
    Path("camera.csv").write_text("t;X;Y;h\n0;0;0;0\n1000;5;0;0\n2000;10;1;5\n")
    Path("camera.toml").write_text(
        "[columns]\n"
        'time = {column = "t", unit = "ms"}\nx = {column = "X", unit = "cm"}\n'
        'y = {column = "Y", unit = "cm"}\nyaw = {column = "h", unit = "deg"}\n'
    )
    line = "render camera.csv --map camera.toml --size 64 48 --out real.png"
    refused = grouser(line)
    assert refused.code == 2
    assert "camera.csv: the log does not contain its robot; name one (--robot NAME)" in refused.err
    assert grouser(f"{line} --robot tp100 --course ramp").code == 0
    assert Path("real.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("run.csv --out run.gif", "--out must end in .mp4, .png or .html, not 'run.gif'"),
        ("run.csv --at 0.5 --out run.mp4", "end in .png for a picture at one time (--at)"),
        ("run.csv run.csv --out run.mp4", "end in .html to show several logs"),
        ("run.csv --from 5", "from must lie within the log, 0 to 1 s, not 5.0"),
        ("run.csv --camera tops", "no camera named 'tops' (did you mean 'top'?)"),
        ("run.csv --size 63 48", "size must be two even numbers of pixels"),
        ("nothing.csv", "nothing.csv: there is no such file"),
        ("run.csv --start 1,0,0", "--start must come without a log: that has its own, not '1,0,0'"),
        ("--at 3", "--at must come with a log to show, not 3.0"),
        ("--fps 10 --course flat", "--fps must come with a log to show, not 10.0"),
        ("--no-trail", "--no-trail must come with a log to show"),
        ("run.csv --robot tp10", "no robot named 'tp10' (did you mean 'tp100'?)"),
    ],
)
def test_a_mistake_is_one_sentence(grouser, line, sentence):
    grouser(RUN)
    answer = grouser(f"render {line}")
    assert answer.code == 2
    assert sentence in answer.err
    assert answer.err.count("\n") == 1
    assert [path.name for path in Path().iterdir()] == ["run.csv"]


@needs_opengl
def test_an_interrupted_film_keeps_what_was_drawn(grouser, tmp_path):
    grouser(RUN.replace("--duration 1", "--duration 20"))
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED_BY_ITSELF, "run.csv"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert out == "film: film.mp4\n"
    assert "interrupted after" in err
    assert "of the film are in film.mp4" in err
    assert "Traceback" not in err
    with av.open(str(tmp_path / "film.mp4")) as film:
        assert 3 <= sum(1 for _ in film.decode(video=0)) < 601


INTERRUPTED_BY_ITSELF = """
import os, signal, sys
from grouser.cli import main
from grouser.drawing.film import FilmFile

add = FilmFile.add
def add_and_interrupt(film, pixels):
    add(film, pixels)
    if film.count == 3:
        os.kill(os.getpid(), signal.SIGINT)
FilmFile.add = add_and_interrupt
sys.exit(main(["render", sys.argv[1], "--size", "64", "48", "--out", "film.mp4"]))
"""


def test_a_scene_is_written_with_its_belts_running(grouser):
    answer = grouser("export --robot absolem --course pallet --speed 0.3 --out new/scene.xml")
    assert answer.code == 0
    assert answer.out.startswith("scene: new/scene.xml\n")
    model = mujoco.MjModel.from_xml_path("new/scene.xml")
    assert model.geom_surfacevel.max(initial=0.0, axis=0)[0] == pytest.approx(0.3)


def test_a_scene_without_a_speed_has_a_control_for_each_side(grouser):
    assert grouser("export --robot tp100 --course flat --out scene.xml").code == 0
    model = mujoco.MjModel.from_xml_path("scene.xml")
    assert [model.actuator(n).name for n in range(model.nu)] == ["left_belt", "right_belt"]


@pytest.mark.parametrize(("suffix", "root"), [("urdf", "robot"), ("SDF", "sdf")])
def test_a_robot_is_written_as_the_suffix_says(grouser, suffix, root):
    answer = grouser(f"export --robot quince --out new/quince.{suffix}")
    assert (answer.code, answer.out) == (0, f"robot: new/quince.{suffix}\n")
    assert ElementTree.parse(f"new/quince.{suffix}").getroot().tag == root
    assert grouser(f"export --robot quince --out new/quince.{suffix}").code == 2
    assert grouser(f"export --robot quince --overwrite --out new/quince.{suffix}").code == 0


def test_a_scene_has_a_name_of_its_own_and_starts_where_told(grouser):
    assert grouser("export --robot tp100 --course flat --start 1,-2,90").code == 0
    model = mujoco.MjModel.from_xml_path("out/tp100-flat-csm.xml")
    assert model.qpos0[:2] == pytest.approx((1.0, -2.0), abs=1e-3)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("export --model slip --course flat", "model must be one in three dimensions"),
        (
            "export --course flat --out scene.txt",
            "must end in .xml, .urdf or .sdf, not",
        ),
        ("export --out robot.urdf --course flat", "--course must be left out for a .urdf file"),
        ("export --out robot.sdf --speed 0.1", "--speed must be left out for a .sdf file"),
        ("export --course flat --speed 99", "speed must be from "),
        ("render --model slip --course flat", "model must be one in three dimensions"),
        ("render --course flat --out scene.txt", "must end in .png, not 'scene.txt'"),
    ],
)
def test_a_mistake_of_a_scene_is_one_sentence(grouser, line, sentence):
    answer = grouser(line)
    assert answer.code == 2
    assert answer.err.startswith("grouser: ")
    assert sentence in answer.err
    assert answer.err.count("\n") == 1
    assert list(Path().iterdir()) == []


@needs_opengl
def test_a_picture_is_written(grouser):
    answer = grouser("render --robot tp100 --course flat --size 64 48 --azimuth -90")
    assert answer.code == 0
    assert answer.out == "picture: out/tp100-flat-csm.png\n"
    assert Path("out/tp100-flat-csm.png").read_bytes().startswith(b"\x89PNG")


def test_the_help_has_no_option_that_empties_a_size(grouser):
    answer = grouser("render --help")
    assert "--size WIDTH HEIGHT" in answer.out
    assert "--empty" not in answer.out

"""`grouser export` and `grouser render`."""

from pathlib import Path

import mujoco
import pytest

from tests.needs_opengl import needs_opengl


def test_a_scene_is_written_with_its_belts_running(grouser):
    answer = grouser("export --robot absolem --course pallet --speed 0.3 --out new/scene.xml")
    assert answer.code == 0
    assert answer.out.startswith("scene: new/scene.xml\n")
    model = mujoco.MjModel.from_xml_path("new/scene.xml")
    assert model.geom_surfacevel.max(initial=0.0, axis=0)[0] == pytest.approx(0.3)


def test_a_scene_has_a_name_of_its_own_and_starts_where_told(grouser):
    assert grouser("export --robot tp100 --course flat --start 1,-2,90").code == 0
    model = mujoco.MjModel.from_xml_path("out/tp100-flat-csm.xml")
    assert model.qpos0[:2] == pytest.approx((1.0, -2.0), abs=1e-3)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("export --model slip --course flat", "model must be one in three dimensions"),
        ("export --course flat --out scene.txt", "must end in .xml, not 'scene.txt'"),
        ("export --course flat --speed 99", "speed must be from "),
        ("render --model slip --course flat", "model must be one in three dimensions"),
        ("render --course flat --out scene.txt", "must end in .png, not 'scene.txt'"),
    ],
)
def test_a_mistake_is_one_sentence(grouser, line, sentence):
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

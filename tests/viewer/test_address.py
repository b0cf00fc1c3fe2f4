"""The scene in an address: what it says, and that nothing else than a catalogue is reached."""

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grouser.errors import GrouserError
from grouser.scenario import Scenario
from grouser.viewer.address import SceneWish, check_scene, describe_scene
from grouser.viewer.input import read_message
from grouser.viewer.session import Session


def test_a_scene_is_described_so_that_it_can_be_opened_again():
    scenario = Scenario(robot="tp100", course="step:height_m=0.02", model="slip")
    told = describe_scene(Session(scenario), ("icr",))
    assert told == {
        "robot": "tp100", "course": "step:height_m=0.02", "model": "slip", "soil": "as described",
        "ghosts": [], "show": ["icr"],
    }  # fmt: skip
    wish = msgspec.convert(told, SceneWish)
    check_scene(wish)
    assert wish.choices == {k: told[k] for k in ("robot", "course", "soil", "model")}


def test_a_robot_of_a_file_is_not_in_the_address(tmp_path):
    from grouser.description import load_robot

    file = tmp_path / "own.toml"
    file.write_text(load_robot("tp100").text, "utf-8")
    told = describe_scene(Session(Scenario(robot=str(file), course="flat", model="ideal")))
    assert "robot" not in told
    assert told["course"] == "flat"


@pytest.mark.parametrize(
    "wish",
    [
        {"robot": "../../etc/passwd"}, {"robot": "/etc/passwd"}, {"robot": "own.toml"},
        {"course": "own.toml"}, {"course": "/tmp/x.toml:height_m=1"}, {"course": "step:"},
        {"course": "step:file=/etc/passwd"}, {"course": "step:height_m=../x"},
        {"course": "soil-bin:sand=http://host/x"}, {"model": "os.system"}, {"model": "csm:a b=1"},
        {"model": "csm:file=a/b"}, {"soil": "file.toml"}, {"ghosts": ["nope"]},
        {"ghosts": ["/etc/passwd"]},
    ],
)  # fmt: skip
def test_what_is_no_name_of_a_catalogue_is_an_error(wish):
    with pytest.raises(GrouserError):
        check_scene(msgspec.convert(wish, SceneWish))


@pytest.mark.parametrize(
    "message",
    [
        {"scene": {"robot": 3}}, {"scene": {"robot": ""}}, {"scene": {"robot": "x" * 101}},
        {"scene": {"course": "x" * 201}}, {"scene": {"ghosts": ["ideal"] * 5}},
        {"scene": {"ghosts": "ideal"}}, {"scene": {"seed": 3}}, {"scene": []},
        {"scene": {"show": ["x"] * 21}},
        {"reads": {"signals": ["x"] * 33}}, {"reads": {"signals": ["x" * 101]}},
        {"reads": {"signals": [""]}}, {"reads": {"signals": "vx"}}, {"reads": {"signals": [3]}},
        {"reads": {"cameras": ["a"] * 9}}, {"reads": {"camera": "through the wall"}},
        {"reads": {"eye": [0, 0, 0]}}, {"reads": {"eye": [1e9, 0, 0, 0, 0, 0]}},
        {"reads": {"closed": 1}}, {"reads": {"file": "x"}},
    ],
)  # fmt: skip
def test_what_is_no_choice_of_a_page_is_no_message(message):
    assert read_message(json.dumps(message)) is None


def test_what_a_page_chooses_is_read():
    text = '{"reads": {"signals": ["vx", "vx@slip"], "eye": [1, 0, 1, 0, 0, 0], "camera": "top"}}'
    message = read_message(text)
    assert message is not None
    assert message.is_seldom
    assert message.reads is not None
    assert message.reads.signals == ["vx", "vx@slip"]
    assert not read_message('{"axes": {}}').is_seldom  # pyright: ignore[reportOptionalMemberAccess]


@settings(max_examples=30)
@given(st.text(max_size=60))
def test_any_text_in_place_of_a_course_is_an_error_or_a_course(text):
    try:
        wish = msgspec.convert({"course": text}, SceneWish)
        check_scene(wish)
    except (msgspec.ValidationError, GrouserError):
        return
    assert "/" not in text
    assert "." not in text.partition(":")[0]

"""Numbers of a description, changed by their dotted key."""

import pytest

from grouser.description import load_course, load_robot
from grouser.errors import InvalidDescription


def test_a_number_is_changed_by_its_key():
    robot = load_robot("quince", {"body.mass_kg": 30.0, "tracks.left.width_m": 0.1})
    assert robot.body.mass == 30.0
    assert [track.width for track in robot.tracks] == [0.1, 0.17]
    assert robot.content_hash != load_robot("quince").content_hash


def test_without_a_name_all_tables_of_a_list_change():
    robot = load_robot("quince", {"flippers.mass_kg": 2.0})
    assert {flipper.mass for flipper in robot.flippers} == {2.0}


@pytest.mark.parametrize("word", ["stairs", "1"])
def test_a_piece_of_terrain_is_found_by_its_kind_or_its_number(word):
    course = load_course("staircase", {f"terrain.{word}.rise_m": 0.1})
    assert max(slab.top_end for slab in course.terrain.slabs) == pytest.approx(0.6)


def test_parameters_and_changes_go_together():
    course = load_course("step:height_m=0.2", {"surfaces.ground.friction": 0.3})
    assert course.terrain.surfaces["ground"].friction == 0.3
    assert course.parameters["height_m"] == 0.2


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ("body.mass", "body.mass is not a known key; did you mean mass_kg?"),
        ("boddy.mass_kg", "boddy.mass_kg is not a key of this file: 'boddy' is none of body,"),
        ("name.first", "name.first is not a key of this file"),
    ],
)
def test_a_key_that_leads_nowhere_is_told(key, sentence):
    with pytest.raises(InvalidDescription) as caught:
        load_robot("quince", {key: 1.0})
    assert sentence in str(caught.value)

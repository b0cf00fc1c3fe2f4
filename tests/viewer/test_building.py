"""Drafts of courses: edits, undo, snapping, sizes."""

import math
import tracemalloc

import pytest

from grouser.errors import UnknownName
from grouser.viewer.building import DEPTH, Draft, History, Placing, place_entry, pull
from grouser.viewer.palette import PALETTE, find_entry
from grouser.viewer.panels.build import read_fields

EMPTY = Draft.of({"terrain": [{"kind": "plane"}]}, "empty")
BOX = {"kind": "box", "x_m": 1.0, "y_m": 0.0, "length_m": 0.4, "width_m": 0.8, "height_m": 0.1}


@pytest.mark.parametrize("entry", PALETTE, ids=lambda entry: entry.label)
def test_every_entry_of_the_palette_is_a_piece_of_a_course(entry):
    draft = EMPTY.add(place_entry(entry, Placing(1.0, 0.5, math.radians(30.0))))
    course = draft.parse("test.toml")
    assert len(course.pieces) == 2
    turned = 30.0 + entry.table.get("yaw_deg", 0.0)
    assert f"x_m = 1.0\ny_m = 0.5\nyaw_deg = {turned}\n" in draft.text
    for key in (key for keys in entry.sizes.values() for key in keys):
        assert key in entry.table


@pytest.mark.parametrize("entry", PALETTE, ids=lambda entry: entry.label)
def test_every_entry_can_be_pulled_along_its_axes(entry):
    for axis in entry.sizes:
        table = {**entry.table, **pull(entry.table, axis, 1.5)}
        assert table != entry.table
        EMPTY.add(table).parse("test.toml")


def test_edits_are_undone_and_repeated_in_order():
    history = History(EMPTY)
    one = EMPTY.add(BOX)
    two = one.change(1, height_m=0.2)
    for draft in (one, two):
        history.put(draft)
    assert (history.undoable, history.redoable) == (2, 0)
    assert history.undo()
    assert history.draft == one
    assert history.undo()
    assert not history.undo()
    assert history.draft == EMPTY
    assert history.redo()
    history.put(one.remove(1))
    assert not history.redo()
    assert history.draft.pieces == EMPTY.pieces


def test_an_edit_without_effect_is_none():
    history = History(EMPTY.add(BOX))
    history.put(history.draft.change(1, height_m=0.1))
    assert history.undoable == 0


def test_a_thousand_edits_need_little_memory():
    history = History(EMPTY.add(BOX))
    tracemalloc.start()
    for number in range(1000):
        history.put(history.draft.change(1, x_m=float(number)))
    first = tracemalloc.get_traced_memory()[0]
    for number in range(1000):
        history.put(history.draft.change(1, x_m=-float(number)))
    second = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert history.undoable == DEPTH
    assert second < first + 50_000


def test_a_piece_brings_the_surface_that_it_needs():
    ice, sand = (entry for entry in PALETTE if entry.kind == "patch")
    draft = EMPTY.add(ice.table).add(sand.table)
    assert draft.content["surfaces"]["ice"] == {"friction": 0.15}
    assert draft.content["surfaces"]["dry-sand"] == {"soil": "dry-sand"}
    assert draft.set_friction("ice", 0.05).friction("ice") == 0.05
    with pytest.raises(UnknownName, match="no surface named 'lava'"):
        EMPTY.add({**BOX, "surface": "lava"})


def test_pieces_snap_to_a_grid_and_to_angles():
    placing = Placing(1.234, -0.56, math.radians(37.0), 0.12)
    snapped = placing.snap(0.25).values()
    assert snapped == {"x_m": 1.25, "y_m": -0.5, "yaw_deg": 30.0, "base_m": 0.12}
    assert placing.snap(0.0) == placing


def test_a_ramp_that_is_pulled_up_is_steeper_and_not_longer():
    ramp = next(entry for entry in PALETTE if entry.label == "Ramp").table
    changed = pull(ramp, "z", 2.0)
    assert changed == {"angle_deg": pytest.approx(28.2, abs=0.05)}


def test_pieces_that_are_not_in_the_palette_are_left_alone():
    assert find_entry({"kind": "plane"}) is None
    assert pull({"kind": "plane"}, "x", 2.0) == {}


def test_the_panel_has_a_field_for_each_number_of_a_piece():
    draft = EMPTY.add(BOX).add({"kind": "patch", "surface": "ice", "length_m": 1.0, "width_m": 2.0})
    assert list(read_fields(draft, 1)) == [
        "x_m", "y_m", "yaw_deg", "base_m", "length_m", "width_m", "height_m",
    ]  # fmt: skip
    assert read_fields(draft, 2)["friction"] == 0.15
    assert read_fields(draft, 0) == {}

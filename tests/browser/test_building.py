"""Building a course by mouse, and dropping files, in a real browser."""

import io

import numpy as np
import pytest
import trimesh
from PIL import Image

from grouser.cli import main
from grouser.log import read_log
from grouser.viewer.builder import BuildState
from tests.browser.pointing import CONTROL, SHIFT, click_at, drag, drop, find_pixel, press, settle
from tests.viewer.browser import wait_until

pytestmark = pytest.mark.shares_processes  # the page of all tests reads what is dropped


def state(page) -> BuildState:
    page.builder.wait()
    return page.builder.state


def last_piece(page) -> dict:
    draft = state(page).draft
    return {} if draft is None else dict(draft.pieces[-1])


def show_piece(page, tab, number: int) -> None:
    """Wait until a piece is drawn with its gizmo."""
    wait_until(lambda: len(page.loop.session.course.pieces) > number, "its course is loaded")
    scene = page.server.get_clients()[page.lock.driver].scene
    wait_until(lambda: scene._handle_from_transform_controls_name, "it has a gizmo")
    settle(tab)


def move_piece(page, tab) -> None:
    """Pull the piece along x by its gizmo, whose arrows are half a metre long."""
    for _ in range(4):
        x, y, z = last_piece(page)["x_m"], last_piece(page)["y_m"], 0.1
        start, end = ((x + way, y, z) for way in (0.3, 0.7))
        drag(tab, find_pixel(page, tab, start), find_pixel(page, tab, end))
        settle(tab)
        if last_piece(page)["x_m"] > x:
            return
    raise AssertionError("the gizmo does not move the piece")


def test_a_course_is_built_by_mouse_driven_saved_and_repeated_bit_for_bit(driven, tmp_path):
    page, tab = driven
    tab.wait_for("grouser.build.isOpen")
    tab.click_text("Build", "[role=tab]")
    tab.click_text("Box", "button, label")
    wait_until(lambda: page.builder.state.tool, "the box is chosen")
    click_at(page, tab, (0.9, 0.2, 0.0))
    wait_until(lambda: last_piece(page).get("kind") == "box", "it is placed")
    assert (last_piece(page)["x_m"], last_piece(page)["y_m"]) == (0.9, 0.2)
    press(tab, "Escape", "Escape")
    wait_until(lambda: page.builder.state.tool is None, "no more are placed")
    click_at(page, tab, (0.8, 0.4, 0.1))
    wait_until(lambda: page.builder.state.selected == 1, "a click selects the piece")
    show_piece(page, tab, 1)

    move_piece(page, tab)
    assert last_piece(page)["y_m"] == 0.2
    press(tab, "KeyZ", "z", CONTROL)
    wait_until(lambda: last_piece(page)["x_m"] == 0.9, "the move is undone")
    press(tab, "KeyZ", "Z", CONTROL | SHIFT)
    wait_until(lambda: last_piece(page)["x_m"] > 0.95, "and repeated")
    press(tab, "KeyZ", "z", CONTROL)
    wait_until(lambda: last_piece(page)["x_m"] == 0.9, "and undone again")

    tab.press("w")
    wait_until(lambda: page.loop.latest.motion.pose.x > 0.3, "the robot drives")
    tab.release("w")
    wait_until(lambda: abs(page.loop.latest.motion.twist.vx) < 0.01, "it stops")
    tab.click_text("Save course", "button")
    folder = page.builder.files.folder
    scenario = wait_until(lambda: next(folder.glob("2*.toml"), None), "it is saved")
    tab.wait_for("document.body.textContent.includes('saved; run it with: grouser run')")
    assert main(["run", str(scenario), "--out", str(tmp_path / "again.csv")]) == 0
    recorded = read_log(scenario.with_suffix(".parquet"))
    again = read_log(tmp_path / "again.csv")
    for name in ("x", "y", "z", "roll", "pitch", "yaw"):
        assert (recorded[name] == again[name][: len(recorded)]).all()


def test_the_mistakes_of_a_dropped_file_are_listed_on_the_page(driven):
    page, tab = driven
    before = page.loop.session.scenario
    content = b'name = "x"\n[[terrain]]\nkind = "boxx"\n[[terrain]]\nkind = "ramp"\n'
    outcome = drop(tab, "../bad.toml", content)
    assert len(outcome["mistakes"]) == 4
    shown = tab.evaluate("document.getElementById('grouser-dropped').innerText")
    assert "../bad.toml: 4 mistakes" in shown
    for mistake in outcome["mistakes"]:
        assert mistake in shown
    assert page.loop.session.scenario is before
    tab.evaluate("document.querySelector('#grouser-dropped button').click()")
    assert tab.evaluate("document.getElementById('grouser-dropped').hidden")


def test_a_height_map_and_a_mesh_lie_where_they_were_dropped(driven):
    page, tab = driven
    stream = io.BytesIO()
    Image.fromarray(np.tile(np.arange(0, 250, 10, dtype=np.uint8), (20, 1))).save(stream, "png")
    assert drop(tab, "slope.png", stream.getvalue())["mistakes"] == []
    place = (2.0, -0.5, 0.0)
    crate = trimesh.creation.box((0.3, 0.3, 0.2)).export(file_type="glb")
    assert drop(tab, "crate.glb", crate, find_pixel(page, tab, place))["mistakes"] == []
    piece = last_piece(page)
    ground = page.loop.session.course.terrain.height(piece["x_m"], piece["y_m"])
    assert piece["file"] == "crate.stl"
    assert np.hypot(piece["x_m"] - place[0], piece["y_m"] - place[1]) < 1.0
    assert np.isfinite(ground)
    tab.wait_for("document.body.textContent.includes('see Build for its scale')")
    tab.wait_for("document.getElementById('grouser-dropped').hidden")  # after a while, by itself
    assert tab.complaints() == []

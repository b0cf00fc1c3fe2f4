"""The editor of a page's course, without a browser."""

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from grouser.cli import main
from grouser.control import Sticks
from grouser.description import load_course
from grouser.log import read_log
from grouser.scenario import Scenario
from grouser.viewer.app import DriveApp
from grouser.viewer.building import Placing
from grouser.viewer.palette import PALETTE
from tests.viewer.browser import wait_until
from tests.viewer.visitor import Visitor, drain

BOX = next(entry for entry in PALETTE if entry.label == "Box")


@pytest.fixture(scope="module")
def opened(tmp_path_factory) -> Iterator[tuple[DriveApp, Visitor]]:
    scenario = Scenario(robot="absolem", course="flat", model="csm", driver="person")
    folder = tmp_path_factory.mktemp("builder")
    with DriveApp(scenario, port=0, folder=folder) as page, Visitor(page) as visitor:
        wait_until(lambda: page.loop.session.note is None, "it is compiled", 90.0)
        wait_until(lambda: page.lock.driver == visitor.number, "it drives")
        drain(visitor)
        yield page, visitor


@pytest.fixture
def page(opened) -> DriveApp:
    """The page, on the course that it began with."""
    app = opened[0]
    app.builder.wait()
    before = app.loop.session
    app.commands.choose(course="flat")
    wait_until(lambda: app.loop.session is not before, "it is chosen")
    app.builder.show(is_on=True, grid=0.1)
    return app


def place(page: DriveApp, x: float, y: float) -> None:
    page.builder.show(tool=BOX)
    page.builder.click((x, y, 0.0), None)
    page.builder.show(tool=None)
    page.builder.wait()


def pieces(page: DriveApp) -> list[str]:
    return [piece.label for piece in page.loop.session.course.pieces]


def test_a_piece_is_placed_moved_turned_sized_copied_and_deleted(page):
    builder = page.builder
    place(page, 2.04, 0.51)
    builder.move(Placing(2.48, 1.0, np.radians(50.0)))
    builder.stretch("z", 2.0)
    builder.set_values(width_m=1.1)
    builder.duplicate()
    builder.wait()
    first, second = page.loop.session.course.pieces[1:]
    assert (first.x, first.y, np.degrees(first.yaw)) == pytest.approx((2.5, 1.0, 45.0))  # pyright: ignore
    assert second.model_dump()["height"] == pytest.approx(0.2)
    assert second.model_dump()["width"] == pytest.approx(1.1)
    assert builder.state.selected == 2
    builder.delete()
    builder.wait()
    assert pieces(page) == ["plane", "box"]
    assert builder.state.selected is None


def test_edits_are_undone_and_repeated_below_the_robot(page):
    place(page, 2.0, 0.0)
    place(page, 3.0, 0.0)
    for _ in range(2):
        page.builder.undo()
    page.builder.wait()
    assert pieces(page) == ["plane"]
    page.builder.undo()
    page.builder.redo()
    page.builder.wait()
    assert pieces(page) == ["plane", "box"]


def test_the_robot_stays_where_it_is_and_time_goes_on(page):
    page.loop.request(lambda loop: [loop.session.advance(Sticks(forward=1.0)) for _ in range(100)])
    wait_until(lambda: page.loop.latest.motion.pose.x > 0.1, "it drives")
    time.sleep(0.3)
    before = page.loop.latest.motion.pose
    place(page, 3.0, 1.0)
    after = page.loop.latest.motion.pose
    assert (after.x, after.y, after.z) == pytest.approx((before.x, before.y, before.z), abs=0.005)
    wait_until(lambda: page.loop.session.simulation.ticks > 10, "time goes on")


def test_a_robot_that_a_block_is_put_below_stands_on_it(page):
    wait_until(lambda: page.loop.session.simulation.ticks > 5, "time goes on")
    table = {**BOX.table, "x_m": 0.0, "y_m": 0.0, "length_m": 2.0, "width_m": 2.0}
    page.builder.add(table)
    page.builder.wait()
    wait_until(lambda: page.loop.latest.motion.pose.z > 0.08, "it stands on the block")


def test_an_edit_that_cannot_be_loaded_is_undone_and_nothing_is_lost(page):
    place(page, 2.0, 0.0)
    page.builder.set_values(height_m=-1.0)
    page.builder.wait()
    assert "height_m" in page.builder.problem
    assert page.builder.state.draft.pieces[1]["height_m"] == 0.1
    assert page.builder.state.redoable == 0
    place(page, 4.0, 0.0)
    assert pieces(page) == ["plane", "box", "box"]


def test_a_course_that_comes_with_the_package_is_copied_before_it_is_edited(page):
    text = load_course("flat").text
    place(page, 2.0, 0.0)
    assert Path(page.loop.session.scenario.course.name).stem.startswith("my-flat")
    assert load_course("flat").text == text


def test_a_course_is_left_in_its_folder_when_another_one_is_chosen(page):
    place(page, 2.0, 0.0)
    page.builder.rename("left behind")
    page.builder.wait()
    page.commands.choose(course="ramp")
    kept = page.builder.files.courses / "left-behind.toml"
    wait_until(kept.exists, "it is saved")
    assert len(load_course(kept).pieces) == 2


def test_a_saved_course_is_driven_on_and_repeated_bit_for_bit(page, tmp_path):
    place(page, 0.9, 0.0)
    page.builder.rename("../a course!")
    page.builder.wait()
    page.loop.request(lambda loop: [loop.session.advance(Sticks(forward=1.0)) for _ in range(200)])
    wait_until(lambda: page.loop.latest.motion.pose.x > 0.2, "it drives")
    page.builder.save()
    folder = page.builder.files.folder
    course = folder / "courses" / "a-course.toml"
    wait_until(course.exists, "the course is saved")
    scenario = wait_until(lambda: next(folder.glob("2*.toml"), None), "the scenario is saved")
    assert 'course = "courses/a-course.toml"' in scenario.read_text()
    assert 'kind = "box"\nx_m = 0.9\ny_m = 0.0\nlength_m = 0.4\n' in course.read_text()
    assert main(["run", str(scenario), "--out", str(tmp_path / "again.csv")]) == 0
    recorded, again = read_log(next(folder.glob("2*.parquet"))), read_log(tmp_path / "again.csv")
    count = len(recorded)
    for name in ("x", "y", "z", "yaw", "pitch"):
        assert (recorded[name] == again[name][:count]).all()
    assert page.builder.state.is_saved
    assert "a-course (own)" in page.panel._scene._lists["course"].options


def test_watchers_see_the_mark_and_only_the_driver_has_a_gizmo(page, opened):
    place(page, 2.0, 0.0)
    with Visitor(page) as watcher:
        clients = page.server.get_clients()
        wait_until(lambda: watcher.number in clients or page.server.get_clients(), "it is there")
        assert "/world/edit/shape" in page.server.scene._handle_from_node_name
        driver = clients[opened[1].number].scene._handle_from_transform_controls_name
        watching = page.server.get_clients()[watcher.number].scene
        assert list(driver) == ["/world/edit-own/gizmo"]
        assert not watching._handle_from_transform_controls_name
        page.builder.show(grip="Size")
        assert len(driver) == 3
        page.builder.show(grip="Move and turn", selected=None)
        assert not driver
        assert "/world/edit/shape" not in page.server.scene._handle_from_node_name


def test_many_edits_leave_no_nodes_and_no_messages_behind(page, opened):
    place(page, 2.0, 0.0)

    def count() -> tuple[int, int, int]:
        server = page.server
        own = server.get_clients()[opened[1].number].scene
        buffer = server._websock_server._broadcast_buffer
        nodes = len(server.scene._handle_from_node_name), len(own._handle_from_node_name)
        return *nodes, len(buffer.message_from_id)

    def edit(times: int) -> None:
        for number in range(times):
            page.builder.show(selected=None)
            page.builder.show(selected=1, grip=("Size", "Move and turn")[number % 2])
        for number in range(3):
            page.builder.set_values(x_m=2.1 + 0.1 * number)
            page.builder.wait()
        for _ in range(3):
            page.builder.undo()
        page.builder.wait()

    edit(6)
    drawn(page)
    before = count()
    edit(20)
    drawn(page)
    after = count()
    assert after[:2] == before[:2]
    assert after[2] <= before[2] + 10


def drawn(page: DriveApp) -> None:
    """Wait until the stream has drawn the newest scene."""
    wait_until(lambda: page.stream._shown is not None, "there is a scene")
    wait_until(lambda: page.stream._shown.scene == page.loop.latest.scene, "it is drawn")
    time.sleep(0.3)

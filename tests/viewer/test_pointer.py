"""Clicks and drags in the frame of the course."""

import asyncio
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from grouser.description import load_course
from grouser.geometry import Pose
from grouser.viewer.input import DriverLock
from grouser.viewer.pointer import Click, Drag, Pointer, Ray, meet_ground

DRIVER, WATCHER = 3, 4
FRAME = Pose(x=1.0, y=-2.0, z=0.5, yaw=math.radians(90.0))


class FakeScene:
    """Keeps the functions that a scene would call."""

    def __init__(self) -> None:
        self.callbacks: list[Any] = []

    def on_click(self):
        return self.callbacks.append

    def remove_click_callback(self, _: str) -> None:
        self.callbacks.clear()

    def click(self, client: int, origin, direction) -> None:
        event = SimpleNamespace(
            client_id=client, ray_origin=origin, ray_direction=direction, modifier=None
        )
        for callback in self.callbacks:
            asyncio.run(callback(event))


@pytest.fixture
def scene() -> FakeScene:
    return FakeScene()


@pytest.fixture
def pointer(scene) -> Pointer:
    lock = DriverLock()
    lock.give_to(DRIVER)
    cameras: Any = SimpleNamespace(frame=lambda client: FRAME)
    terrain = load_course("step:height_m=0.2").terrain
    return Pointer(scene, cameras, lock, lambda: terrain)


def test_points_of_a_page_lie_where_the_course_has_them(pointer):
    # The course is turned by 90 degrees on the page and shifted by (1, -2, 0.5).
    np.testing.assert_allclose(
        pointer.to_course(DRIVER, [(1.0, -2.0, 0.5), (1.0, -1.0, 0.5), (0.0, -2.0, 1.5)]),
        [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 1.0)],
        atol=1e-12,
    )


def test_a_click_is_offered_to_the_last_tool_first_until_one_uses_it(pointer, scene):
    offered: list[tuple[str, Click]] = []

    def tool(name: str, uses: bool):
        return lambda click: offered.append((name, click)) or uses

    first, second, third = tool("first", True), tool("second", True), tool("third", False)
    for one in (first, second, third):
        pointer.add_tool(one)
    scene.click(DRIVER, (1.0, -1.5, 2.5), (0.0, 0.0, -3.0))
    assert [name for name, _ in offered] == ["third", "second"]
    click = offered[0][1]
    assert click.ray.direction == pytest.approx((0.0, 0.0, -1.0))
    assert click.place == pytest.approx((0.5, 0.0, 0.0), abs=1e-6)


def test_clicks_of_a_watcher_are_ignored(pointer, scene):
    offered: list[Click] = []
    pointer.add_tool(lambda click: offered.append(click) or True)
    scene.click(WATCHER, (0.0, 0.0, 2.0), (0.0, 0.0, -1.0))
    assert offered == []


def test_pages_report_clicks_only_as_long_as_there_is_a_tool(pointer, scene):
    def tool(_: Click) -> bool:
        return True

    assert not scene.callbacks
    pointer.add_tool(tool)
    assert scene.callbacks
    pointer.remove_tool(tool)
    pointer.remove_tool(tool)
    assert not scene.callbacks


def test_a_drag_is_reported_in_the_frame_of_the_course_and_only_from_the_driver(pointer):
    registered: list[Any] = []
    drags: list[Drag] = []
    node = SimpleNamespace(on_drag=lambda button, modifier: registered.append)
    pointer.on_drag(node, drags.append)
    for client in (WATCHER, DRIVER):
        event = SimpleNamespace(
            client_id=client,
            phase="update",
            start_position=(1.0, -1.0, 0.5),
            end_position=(1.0, 0.0, 0.5),
            modifier=None,
        )
        asyncio.run(registered[0](event))
    (drag,) = drags
    assert drag.start == pytest.approx((1.0, 0.0, 0.0))
    assert drag.end == pytest.approx((2.0, 0.0, 0.0))


def test_a_ray_meets_the_side_and_the_top_of_a_step_and_not_the_sky():
    course = load_course("step:height_m=0.2")
    slab = course.terrain.slabs[0]
    front = slab.footprint.x - 0.5 * slab.footprint.length
    side = meet_ground(course.terrain, Ray((front - 1.0, slab.footprint.y, 0.1), (1.0, 0.0, 0.0)))
    assert side is not None
    assert side == pytest.approx((front, slab.footprint.y, 0.1), abs=1e-5)
    top = meet_ground(
        course.terrain, Ray((slab.footprint.x, slab.footprint.y, 1.0), (0.0, 0.0, -1.0))
    )
    assert top is not None
    assert top[2] == pytest.approx(0.2, abs=1e-6)
    assert meet_ground(course.terrain, Ray((0.0, 0.0, 1.0), (0.0, 0.6, 0.8))) is None

"""What a person does to the robot on the page, as requests to the loop."""

import math
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from grouser.control import Sticks
from grouser.scenario import Scenario, replay
from grouser.simulation.events import Pull
from grouser.viewer.commands import PageCommands
from grouser.viewer.dials import find_dials
from grouser.viewer.input import DriverLock
from grouser.viewer.loop import Loop
from grouser.viewer.pointer import Click, Drag, Ray
from grouser.viewer.recordings import Recordings
from grouser.viewer.session import Session
from grouser.viewer.stand_in import Workshop
from grouser.viewer.touch import Touch, find_obstacle

DRIVER = 3


class Page:
    """A page without a browser: the test is its thread of physics."""

    def __init__(self, folder, ghosts: tuple[str, ...] = (), **wishes: Any) -> None:
        scenario = Scenario(**({"robot": "absolem", "course": "flat", "model": "csm"} | wishes))
        self.said: list[str] = []
        self.lock = DriverLock()
        self.lock.give_to(DRIVER)
        session = Session(scenario, ghosts)
        self.loop = Loop(session, self.lock, self.said.append)
        self.loop.set_watched(True)
        workshop = Workshop(self.said.append)
        self.recordings = Recordings(folder)
        self.commands = PageCommands(self.loop, self.recordings, self.said.append, workshop)
        self.tools: list[Any] = []
        self.held: list[bool] = []
        pointer: Any = SimpleNamespace(
            add_tool=self.tools.append,
            remove_tool=lambda tool: tool in self.tools and self.tools.remove(tool),
            hold_camera=lambda client, is_held: self.held.append(is_held),
        )
        self.touch = Touch(self.commands, pointer, self.said.append)

    @property
    def session(self) -> Session:
        return self.loop.session

    def go(self, ticks: int = 1, sticks: Sticks | None = None) -> None:
        """Handle requests, and advance."""
        self.loop._handle_requests()
        for _ in range(ticks):
            if sticks is not None:
                self.lock.set_sticks(DRIVER, sticks)
            self.loop._tick()

    def drag(self, phase: Any, *end: float) -> None:
        self.touch.drag(Drag(DRIVER, phase, (0.0, 0.0, 0.1), (end[0], end[1], end[2]), None))

    def save(self) -> None:
        """Wait until the run so far is written."""
        self.commands.keep()


@pytest.fixture
def open_page(tmp_path) -> Iterator[Callable[..., Page]]:
    """Opens pages whose runs are saved at the end."""
    pages: list[Page] = []

    def make(**wishes: Any) -> Page:
        pages.append(Page(tmp_path, **wishes))
        return pages[-1]

    yield make
    for page in pages:
        page.save()


@pytest.fixture
def page(open_page) -> Page:
    made = open_page()
    made.go(5)
    return made


def pulls(page: Page) -> list[Pull]:
    return [event for event in page.session.simulation.events.all if isinstance(event, Pull)]


def test_a_robot_follows_the_pointer_with_one_event_in_a_tick_and_replays(page):
    page.drag("start", 0.1, 0.0, 0.1)
    for step in range(12):
        for part in range(5):  # more often than ticks
            page.drag("update", 0.1, 0.05 * step + 0.005 * part, 0.3)
        page.go(1)
    page.go(60)
    assert len(pulls(page)) == 12
    assert page.loop.latest.pull is not None
    page.drag("end", 0.1, 0.6, 0.3)
    page.go(2)
    assert page.loop.latest.pull is None
    assert page.held[0] is True
    assert page.held[-1] is False
    assert float(page.session.motion.pose.y) > 0.1
    log = page.session.simulation.log()
    again = replay(log)
    for name in log.columns:
        if name != "wall_time":
            np.testing.assert_array_equal(again[name], log[name], err_msg=name)


def test_a_pull_ends_when_its_page_is_gone(page):
    page.drag("start", 0.0, 0.5, 0.3)
    page.go(3)
    assert page.loop.latest.pull is not None
    page.lock.release(DRIVER)
    page.go(2)
    assert page.loop.latest.pull is None


def test_a_pull_ends_with_its_run(page):
    page.drag("start", 0.0, 0.5, 0.3)
    page.go(3)
    page.commands.reset()
    page.go(3)
    assert page.loop.latest.pull is None
    assert pulls(page) == []


@pytest.mark.parametrize(("way", "sign"), [("to the left", 1.0), ("to the right", -1.0)])
def test_a_kick_moves_a_robot_sideways_wherever_it_looks(page, way, sign):
    page.session.put(page.session.motion.pose.__class__(yaw=math.pi / 2.0))
    page.go(5)
    page.touch.kick(way, 1.5)
    page.go(80)
    assert -sign * float(page.session.motion.pose.x) > 0.05
    assert abs(float(page.session.motion.pose.y)) < 0.02


def test_a_click_on_the_robot_pushes_it_away_and_one_beside_it_does_not(page):
    page.touch.choose("Push")
    (click,) = page.tools
    beside = Ray((-2.0, 1.0, 0.15), (1.0, 0.0, 0.0))
    assert not click(Click(DRIVER, beside, None, None))
    assert click(Click(DRIVER, Ray((-2.0, 0.0, 0.15), (1.0, 0.0, 0.0)), None, None))
    page.go(60)
    assert float(page.session.motion.pose.x) > 0.03
    page.touch.choose("Drag")
    assert page.tools == []


def test_a_click_on_the_ground_puts_the_robot_there_with_its_heading(page):
    page.touch.choose("Put")
    (click,) = page.tools
    assert not click(Click(DRIVER, Ray((0.0, 0.0, 1.0), (0.0, 0.0, 1.0)), None, None))
    place = (1.5, -0.5, 0.0)
    assert click(Click(DRIVER, Ray((1.5, -0.5, 1.0), (0.0, 0.0, -1.0)), place, None))
    page.go(30)
    pose = page.session.motion.pose
    assert (float(pose.x), float(pose.y)) == pytest.approx(place[:2], abs=0.01)
    assert abs(float(pose.z)) < 0.01


def test_a_robot_is_turned_over_and_set_upright_also_while_time_stands(page):
    page.loop.is_paused = True
    page.touch.turn_over()
    page.loop._handle_requests()
    assert abs(float(page.session.motion.pose.roll)) == pytest.approx(math.pi, abs=0.05)
    page.go(100)
    assert abs(float(page.session.motion.pose.roll)) == pytest.approx(math.pi, abs=0.1)
    page.touch.set_upright()
    page.go(100)
    assert abs(float(page.session.motion.pose.roll)) < 0.05


def test_a_model_without_forces_says_so_and_can_be_put_somewhere(open_page):
    page = open_page(model="slip")
    assert "needs forces" in str(find_obstacle(page.session))
    assert not page.touch.can_drag
    page.touch.kick("up", 1.0)
    page.touch.turn_over()
    page.touch.put(0.4, 0.3)
    page.go(2)
    assert len(page.said) == 2
    assert "needs forces, which model 'slip' lacks" in page.said[0]
    assert "needs three dimensions" in page.said[1]
    pose = page.session.motion.pose
    assert (float(pose.x), float(pose.y), float(pose.z)) == pytest.approx((0.4, 0.3, 0.0))


def test_numbers_change_stay_after_a_reset_and_go_back_to_the_file(page):
    page.touch.change({"variation.friction": 0.4, "robot.drive.speed_limit_m_s": 0.9})
    page.go(2)
    assert page.session.simulation.model.friction_factor == 0.4
    assert page.session.speed_limit == 0.9
    page.commands.reset()
    page.go(2)
    assert page.session.changes["variation.friction"] == 0.4
    page.touch.reset_numbers(find_dials(page.session.scenario))
    page.go(2)
    assert page.session.simulation.model.friction_factor == 1.0
    assert page.session.speed_limit == page.session.robot.drive.speed_limit
    page.commands.reset()
    page.go(2)
    assert page.session.changes == {}


def test_changes_of_a_run_that_nobody_drove_are_plain_numbers_of_its_scenario(page):
    page.touch.change({"variation.mass": 1.5, "robot.drive.speed_limit_m_s": 0.3})
    page.go(20)
    saved = Scenario.parse(page.session.resolved_scenario().to_toml())
    assert saved.events == ()
    assert saved.variation.mass == 1.5
    assert saved.robot.load_robot().drive.speed_limit == 0.3
    page.touch.kick("up", 0.5)
    page.go(2)
    assert len(page.session.resolved_scenario().events) == 3


def test_the_past_is_shown_while_time_stands_and_a_branch_begins_there(open_page):
    page = open_page(ghosts=("slip",))
    page.go(150, Sticks(forward=1.0))
    before, run = page.session.simulation.log(), page.session.run
    page.touch.look_back(1.0)
    page.loop._handle_requests()
    page.loop._publish()
    assert page.loop._stands()
    shown = page.loop.latest
    assert shown.is_past
    assert shown.time == pytest.approx(0.5)
    assert float(shown.frames[0].pose.x) == before["x"][50]
    page.touch.kick("up", 1.0)
    page.go(0)
    assert "the past is shown" in page.said[-1]
    page.touch.go_on()
    page.go(0)
    assert page.session.run != run
    assert not page.loop._stands()
    back = page.session.simulation.log()
    np.testing.assert_array_equal(back["x"], before["x"][: len(back)])
    assert len(back) == 51
    page.go(30, Sticks(turn=1.0))
    page.save()
    new, old = sorted(map(page.recordings.load, page.recordings.names()), key=len)
    np.testing.assert_array_equal(old["x"], before["x"])
    assert len(new) == 81
    replayed = replay(new)
    np.testing.assert_array_equal(replayed["x"], new["x"])


def test_nobody_goes_farther_back_than_the_run_and_now_is_one_step_away(page):
    page.touch.look_back(20.0)
    page.go(0)
    assert page.loop.past.shown is not None
    assert page.loop.past.shown.time == 0.0
    page.touch.look_back(0.0)
    page.go(0)
    assert page.loop.past.shown is None
    page.touch.look_back(20.0)
    page.commands.pause()
    page.go(0)
    assert page.loop.past.shown is None
    assert not page.loop.is_paused


def test_ghosts_are_brought_to_the_robot(open_page):
    page = open_page(ghosts=("slip",))
    page.touch.kick("to the left", 3.0)
    page.go(60)
    assert page.loop.latest.gaps[0].distance > 0.1
    page.commands.act("ghosts")
    page.go(1)
    assert page.loop.latest.gaps[0].distance < 0.01

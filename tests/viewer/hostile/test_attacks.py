"""Hostile clients: the first driver keeps driving, STOP stops, nothing fills up."""

import ctypes
import gc
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from grouser.control import Sticks
from grouser.scenario import Scenario
from grouser.viewer.app import DriveApp
from tests.viewer.browser import wait_until
from tests.viewer.elsewhere import Elsewhere
from tests.viewer.hostile.attacks import ATTACKS, Attack, request, status_of, upgrade
from tests.viewer.visitor import PROTOCOL, Visitor, find_control

SCENARIO = Scenario(robot="tp100", course="flat", model="ideal")
GROWTH = 50e6
"""How much memory an attack may cost the server, with the attacker in the same process [B]."""


class Driver(Visitor):
    """A person who drives forward all the time, as the page's script says it."""

    def __init__(self, page: DriveApp) -> None:
        super().__init__(page)
        self._done = threading.Event()
        self._threads = [
            threading.Thread(target=work, daemon=True) for work in (self._hold, self._read)
        ]
        for thread in self._threads:
            thread.start()

    def _hold(self) -> None:
        while not self._done.wait(0.1):
            self.say(axes={"forward": 1.0})

    def _read(self) -> None:
        """Read what the page is sent, as a browser does."""
        while not self._done.is_set():
            for connection in (self.scene, self.keys):
                try:
                    connection.recv(timeout=0.01)
                except TimeoutError:
                    continue

    def __exit__(self, *_: object) -> None:
        self._done.set()
        for thread in self._threads:
            thread.join()
        super().__exit__()


@pytest.fixture(scope="module")
def driven(tmp_path_factory) -> Iterator[Driver]:
    """A simulated robot that a person drives; without a token, so that all attacks get in."""
    folder = tmp_path_factory.mktemp("driven")
    with DriveApp(SCENARIO, port=0, folder=folder, token="") as page, Driver(page) as driver:
        wait_until(lambda: page.lock.sticks == Sticks(forward=1.0), "somebody drives")
        yield driver


@pytest.fixture(scope="module")
def board() -> Elsewhere:
    elsewhere = Elsewhere()
    elsewhere.put(1.0, 0.3)
    return elsewhere


@pytest.fixture(scope="module")
def watched(board, tmp_path_factory) -> Iterator[Driver]:
    """The page of a robot that a board drives."""
    folder = tmp_path_factory.mktemp("watched")
    with (
        DriveApp(SCENARIO, port=0, folder=folder, token="", external=board) as page,
        Driver(page) as driver,
    ):
        yield driver


def resident() -> int:
    """Return the memory that this process holds: without what the allocator only caches [B]."""
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def check_growth(before: int) -> None:
    """Raise unless memory returns to near what it was; connections close in the background."""
    wait_until(lambda: resident() - before < GROWTH, "the memory is given back")


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_the_first_driver_keeps_driving(driven: Driver, attack: Attack):
    page, before = driven.page, resident()
    session = page.loop.session
    run, speed, scenario = session.run, session.speed, session.scenario
    attack(page)
    assert page.lock.driver == driven.number
    wait_until(lambda: page.lock.sticks == Sticks(forward=1.0), "it still drives")
    assert (page.loop.session.run, page.loop.session.speed) == (run, speed)
    assert page.loop.session.scenario == scenario
    assert not page.loop.is_paused
    check_growth(before)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_stop_stops_the_motors_of_a_board(watched: Driver, board: Elsewhere, attack: Attack):
    before = resident()
    during = threading.Thread(target=attack, args=(watched.page,))
    for press in (lambda: watched.use("STOP THE MOTORS", True), lambda: watched.say(act="pause")):
        board.is_stopped = False
        if not during.is_alive() and during.ident is None:
            during.start()
        press()
        wait_until(lambda: board.is_stopped, "the motors are stopped")
    during.join()
    board.is_stopped = False
    watched.use("STOP THE MOTORS", True)
    wait_until(lambda: board.is_stopped, "the motors are stopped afterwards")
    check_growth(before)


def test_whoever_has_the_wheel_others_stop_the_motors_too(watched: Driver, board: Elsewhere):
    with Visitor(watched.page) as other:
        watched.page.lock.give_to(other.number)
        for press in (
            lambda: watched.say(act="pause"),
            lambda: watched.use("STOP THE MOTORS", True),
        ):
            board.is_stopped = False
            press()
            wait_until(lambda: board.is_stopped, "the motors are stopped")
        watched.page.lock.give_to(watched.number)


def test_a_secret_is_good_for_one_page_and_only_while_it_is_open(driven: Driver):
    with Visitor(driven.page) as other:
        assert other.secret != driven.secret
        other.scene.close()
        wait_until(lambda: other.secret not in driven.page.input._secrets, "it is forgotten")
        other.say(secret=other.secret)
        other.say(axes={"forward": -1.0})
        wait_until(lambda: other.status()["id"] is None, "it is nobody any more")


def test_values_of_our_own_controls_still_pass(driven: Driver):
    slider = find_control(driven.page, "Speed [m/s]")
    driven.use("Speed [m/s]", 0.12)
    wait_until(lambda: driven.page.loop.session.speed == 0.12, "the speed is set")
    driven.use("Time", "2 ×")
    wait_until(lambda: driven.page.loop.clock.factor == 2.0, "time runs faster")
    driven.use("Time", "1 ×")
    driven.use("Trails", False)
    wait_until(lambda: driven.page.panel.view.shown == (), "trails are hidden", 5.0)
    assert slider.value == 0.12


def test_only_a_press_of_the_driver_saves_a_scenario(driven: Driver):
    folder = driven.page.commands.recordings.folder
    with Visitor(driven.page) as other:
        dropped = driven.page.dropped
        for value in (False, 1.5, "out/x.toml", 0):
            other.use("Save as scenario", value)
        wait_until(lambda: driven.page.dropped == dropped + 4, "other values are dropped")
        other.use("Save as scenario", True)
        other.status()
        assert not list(folder.glob("[!.]*.toml"))
    driven.use("Save as scenario", True)
    wait_until(lambda: list(folder.glob("[!.]*.toml")), "the driver's press saves it")


@pytest.mark.parametrize("path", ["/", "/keys", "/build", "/index.html", "/favicon.ico"])
def test_with_a_token_nothing_answers_without_it(tmp_path, path):
    with DriveApp(SCENARIO, port=0, folder=tmp_path, token="right") as page:
        protocol = {"Sec-WebSocket-Protocol": PROTOCOL} if path == "/" else {}
        for query in ("", "?token=", "?token=wrong", "?token=right%00", "?Token=right"):
            assert status_of(page, request(page, path + query)) == 403
            if path in ("/", "/keys", "/build"):
                assert status_of(page, upgrade(page, path + query, **protocol)) == 403
        assert status_of(page, request(page, path, Cookie="token=right")) == 403
        if path in ("/", "/keys", "/build"):
            assert status_of(page, upgrade(page, path + "?token=right", **protocol)) == 101

"""The page's server, without a browser."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from grouser.cli import main
from grouser.control import Sticks
from grouser.errors import GrouserError, InvalidValue
from grouser.geometry import Pose
from grouser.log import read_log
from grouser.scenario import Scenario
from grouser.viewer.app import DriveApp, check_address
from grouser.viewer.cameras import _world
from grouser.viewer.look import is_software_renderer
from grouser.viewer.messages import WakingEvent
from tests.surroundings import LONGEST_WAIT
from tests.viewer.browser import wait_until
from tests.viewer.visitor import CAMERA, Visitor, encode, open_socket, visiting


@pytest.fixture
def page(tmp_path) -> Iterator[DriveApp]:
    scenario = Scenario(robot="tp100", course="flat", model="ideal")
    with DriveApp(scenario, ghosts=("icr",), port=0, folder=tmp_path) as opened:
        yield opened


def test_keys_arrive_and_instruments_go_out(page):
    with Visitor(page) as visitor:
        wait_until(lambda: page.lock.driver == visitor.number, "it sits down")
        visitor.say(axes={"forward": 1.0})
        wait_until(lambda: page.lock.sticks == Sticks(forward=1.0), "it drives")
        status = visitor.status()
    assert (status["you"], status["id"]) == ("drive", visitor.number)
    assert [gap["model"] for gap in status["gaps"]] == ["icr"]
    wait_until(lambda: page.lock.driver is None, "it gets up")


def test_pages_that_leave_while_they_come_leave_nothing_behind(page, monkeypatch, capfd):
    add = page.cameras.add

    def add_slowly(client: Any) -> None:
        add(client)
        wait_until(lambda: client.client_id not in page.server.get_clients(), "it has left")
        with suppress(AssertionError):  # it may be forgotten at once, or when it has come
            wait_until(lambda: client.client_id not in page.cameras._views, "it is gone", 0.2)

    monkeypatch.setattr(page.cameras, "add", add_slowly)
    sockets = [open_socket(page) for _ in range(5)]
    for socket in sockets:
        socket.send(encode(CAMERA))
    wait_until(lambda: len(page.server.get_clients()) == 5, "all have come")
    for socket in sockets:
        socket.close()
    kept = (page._own, page.cameras._views, page.input._secrets)
    wait_until(lambda: not page.server.get_clients() and not any(kept), "all are forgotten")
    wait_until(lambda: page.server._thread_executor._work_queue.empty(), "nothing is left to do")
    assert "Traceback" not in "".join(capfd.readouterr())


def test_nonsense_on_the_keys_socket_does_no_harm(page):
    with Visitor(page) as visitor:
        for nonsense in ("", "{", b"\x00\xff", '{"client": 7}', '{"axes": 3}', "[" * 1500):
            visitor.keys.send(nonsense)
        visitor.say(axes={"forward": 1.0})
        wait_until(lambda: page.lock.sticks == Sticks(forward=1.0), "it is still heard")
        assert page.dropped == 6


def role(visitor: Visitor, wanted: str) -> dict[str, Any]:
    """Return the first state that says that a page has this role."""
    return wait_until(
        lambda: (status := visitor.status())["you"] == wanted and status, f"it is to {wanted}"
    )


def test_a_page_knows_whether_it_drives_watches_or_may_take_control(page):
    with visiting(page, 3) as (first, second, third):
        assert "locked" not in role(first, "drive")
        assert len(role(second, "watch")["locked"]) > 10
        second.say(act="take")
        role(second, "drive")
        role(first, "watch")
        page.lock.release(second.number)
        assert "locked" not in role(third, "free")
        third.say(axes={"forward": 1.0})
        role(third, "drive")


def test_a_stick_ends_a_replay(page):
    with Visitor(page) as visitor:
        wait_until(lambda: page.lock.driver == visitor.number, "it drives")
        visitor.say(axes={"forward": 1.0})
        wait_until(lambda: page.loop.session.was_driven, "it moves")
        visitor.say(axes={})
        page.commands.save()
        (name,) = wait_until(page.commands.recordings.names, "it is saved")
        assert page.commands.last_saved in ("", name)
        page.commands.open_recording(name)
        wait_until(lambda: visitor.status()["title"] == name, "it is replayed")
        page.commands.pause(True)
        visitor.say(axes={"turn": 0.5})
        wait_until(lambda: page.loop.player is None, "it drives again")
        wait_until(lambda: not page.loop.is_paused, "time goes on")


def test_visitors_leave_nothing_behind(page):
    for _ in range(20):
        with open_socket(page) as scene, open_socket(page, "keys") as keys:
            keys.send('{"axes": {"forward": 1.0}}')
            scene.recv(timeout=LONGEST_WAIT)
    with Visitor(page):
        pass
    wait_until(lambda: not page.input._clients, "all sockets are closed")
    wait_until(lambda: not page.server._websock_server._client_state_from_id, "all are forgotten")
    wait_until(lambda: not page.server.get_clients(), "viser has no client")
    wait_until(lambda: page.lock.driver is None, "nobody drives")
    wait_until(lambda: not page.input._secrets, "no number is taken")


@pytest.mark.parametrize(
    ("renderer", "is_software"),
    [
        ("ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero)), SwiftShader driver)", True),
        ("llvmpipe (LLVM 15.0.6, 256 bits)", True),
        ("none", True),
        ("ANGLE (NVIDIA, NVIDIA GeForce RTX 3060, OpenGL 4.5)", False),
        ("Apple M2", False),
    ],
)
def test_lean_graphics_are_chosen_by_the_renderer(renderer, is_software):
    assert is_software_renderer(renderer) == is_software


def test_the_world_is_moved_so_that_the_robot_stays_before_the_camera():
    pose = Pose(x=2.0, y=-1.0, z=0.5, yaw=1.2)
    for mode in ("follow", "orbit", "top"):
        world = _world(mode, pose, pose.yaw)
        place = world.rotation.apply([2.0, -1.0, 0.5]) + [world.x, world.y, world.z]
        assert place == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
    assert _world("follow", pose, pose.yaw).yaw == pytest.approx(-1.2)
    assert _world("fixed", pose, pose.yaw) == Pose()


def test_an_address_of_another_machine_is_refused():
    with pytest.raises(GrouserError, match="cannot listen"):
        check_address("192.0.2.1", 0)


def test_a_page_has_a_token_of_its_own_unless_it_is_on_loopback_and_is_to_have_none(tmp_path):
    scenario = Scenario(robot="tp100", course="flat", model="ideal")
    tokens = set()
    for host in ("0.0.0.0", "127.0.0.1", "127.0.0.1"):
        with DriveApp(scenario, host=host, port=0, folder=tmp_path) as page:
            tokens.add(page.address.partition("?token=")[2])
    assert len(tokens) == 3
    assert all(len(token) >= 22 for token in tokens)
    with DriveApp(scenario, port=0, folder=tmp_path, token="") as page:
        assert "token" not in page.address
    with pytest.raises(InvalidValue, match=r"page without a token must be a loopback one"):
        DriveApp(scenario, host="0.0.0.0", port=0, folder=tmp_path, token="")


def test_a_scenario_saved_on_the_page_runs_by_itself_bit_for_bit(page, tmp_path):
    with Visitor(page) as visitor:
        visitor.say(axes={"forward": 1.0, "turn": 0.2})
        wait_until(lambda: page.loop.latest.motion.pose.x > 0.01, "it drives")
        visitor.say(axes={})
        wait_until(lambda: page.loop.latest.motion.twist.vx == 0.0, "it stands")
        visitor.use("Save as scenario", True)
        (file,) = wait_until(lambda: list(tmp_path.glob("[!.]*.toml")), "the scenario is written")
    recorded = read_log(file.with_suffix(".parquet"))
    assert main(["run", str(file), "--out", str(tmp_path / "again.csv")]) == 0
    again = read_log(tmp_path / "again.csv")
    assert again["x"][-1] > 0.01
    assert set(again) == set(recorded)
    for name in set(again) - {"wall_time"}:
        np.testing.assert_array_equal(again[name], recorded[name], err_msg=name)


def test_a_scenario_saved_before_driving_opens_the_same_page(page, tmp_path):
    with Visitor(page) as visitor:
        wait_until(lambda: page.lock.driver == visitor.number, "it drives")
        visitor.use("Speed [m/s]", 0.12)
        visitor.use("Save as scenario", True)
        (file,) = wait_until(lambda: list(tmp_path.glob("[!.]*.toml")), "the scenario is written")
    saved = Scenario.read(file)
    assert (saved.robot.name, saved.course.name, saved.speed) == ("tp100", "flat", 0.12)
    assert saved.driver == page.loop.session.scenario.driver


def test_a_program_shows_lines_of_its_own_on_the_page(page):
    page.show_lines("plan", [[(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0)]])
    page.show_lines("plan", [[(0.0, 0.0, 0.0), (2.0, 0.0, 0.0)]], colours=(1, 2, 3))
    with pytest.raises(InvalidValue, match="name must be a word of letters and digits"):
        page.show_lines("../robot", [])


def test_an_event_that_another_thread_sets_is_seen_at_once_and_wakes_only_in_its_own_thread():
    async def wait() -> list[bool]:
        event = WakingEvent(threading.get_ident())
        waiting = asyncio.ensure_future(event.wait())
        await asyncio.sleep(0)
        other = threading.Thread(target=event.set)
        other.start()
        other.join()
        seen = [event.is_set(), waiting.done()]
        await asyncio.sleep(0)
        seen.append(waiting.done())
        event.set()
        await asyncio.wait_for(waiting, 1.0)
        return seen

    assert asyncio.run(wait()) == [True, False, False]

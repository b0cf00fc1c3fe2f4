"""The web socket of the editor: files that arrive in parts, and keys."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.sync.client import ClientConnection

from grouser import limits
from grouser.description.find import find_description, read_text
from grouser.scenario import Scenario
from grouser.viewer.app import DriveApp
from grouser.viewer.build_socket import WATCHER
from grouser.viewer.page import make_page
from tests.surroundings import LONGEST_WAIT
from tests.viewer.browser import wait_until
from tests.viewer.visitor import Visitor, open_socket, visiting

COURSE = read_text(find_description("course", "slippery")).encode()


@pytest.fixture
def page(tmp_path) -> Iterator[DriveApp]:
    scenario = Scenario(robot="tp100", course="flat", model="ideal")
    with DriveApp(scenario, port=0, folder=tmp_path / "drives") as opened:
        yield opened


def enter(page: DriveApp, visitor: Visitor) -> ClientConnection:
    build = open_socket(page, "build")
    build.send(json.dumps({"secret": visitor.secret}))
    return build


def announce(build: ClientConnection, name: str, size: int) -> None:
    build.send(json.dumps({"file": {"name": name, "size": size, "at": [0.5, 0.5]}}))


def answer(build: ClientConnection) -> dict:
    return json.loads(build.recv(timeout=LONGEST_WAIT))


def outcome(build: ClientConnection) -> dict:
    while "outcome" not in (message := answer(build)):
        pass
    return message["outcome"]


def files(page: DriveApp) -> list[Path]:
    return [path for path in page.builder.files.folder.rglob("*") if path.is_file()]


def test_a_file_arrives_in_parts_and_is_shown(page):
    with Visitor(page) as visitor, enter(page, visitor) as build:
        wait_until(lambda: page.lock.driver == visitor.number, "it drives")
        announce(build, "../ice.toml", len(COURSE))
        for first in range(0, len(COURSE), 300):
            assert answer(build) == {"got": first}
            build.send(COURSE[first : first + 300])
        assert outcome(build)["sentence"].endswith("the page shows it now")
    assert files(page) == [page.builder.files.courses / "ice.toml"]
    assert page.loop.session.course.name == "slippery"


def test_mistakes_come_back_and_nothing_stays(page):
    with Visitor(page) as visitor, enter(page, visitor) as build:
        wait_until(lambda: page.lock.driver == visitor.number, "it drives")
        announce(build, "bad.toml", 4)
        assert answer(build) == {"got": 0}
        build.send(b"a = ")
        assert outcome(build)["mistakes"][0].startswith("this is not TOML")
        announce(build, "none.toml", 0)
        assert outcome(build)["mistakes"] == ["the file is empty"]
        announce(build, "large.stl", limits.UPLOAD_BYTES + 1)
        assert "268 MB are read at most" in outcome(build)["mistakes"][0]
    assert files(page) == []


def test_a_watcher_and_a_stranger_send_nothing(page):
    with visiting(page, 2) as (driver, watcher):
        wait_until(lambda: page.lock.driver == driver.number, "the first drives")
        with enter(page, watcher) as build, open_socket(page, "build") as stranger:
            for socket in (build, stranger):
                announce(socket, "x.toml", len(COURSE))
                assert outcome(socket)["mistakes"] == [WATCHER]
            stranger.send(COURSE[:100])
            wait_until(lambda: page.dropped == 1, "it is counted")
    assert files(page) == []


def test_more_than_announced_or_a_lost_connection_leaves_nothing(page):
    with Visitor(page) as visitor:
        wait_until(lambda: page.lock.driver == visitor.number, "it drives")
        with enter(page, visitor) as build:
            announce(build, "x.toml", 10)
            answer(build)
            build.send(b"x" * 11)
            wait_until(lambda: page.dropped == 1, "it is counted")
            announce(build, "x.toml", 10)
            answer(build)
            build.send(b"x" * 5)
            answer(build)
            assert len(files(page)) == 1
        wait_until(lambda: not files(page), "the rest is removed")


def test_nonsense_is_counted_and_does_no_harm(page):
    with Visitor(page) as visitor, enter(page, visitor) as build:
        for nonsense in ("", "{", "[" * 1500, '{"act": "rm"}', '{"file": {"name": 3}}', b"\0" * 9):
            build.send(nonsense)
        wait_until(lambda: page.dropped == 6, "all are counted")
        build.send(json.dumps({"act": "undo"}))
        announce(build, "none.toml", 0)
        assert outcome(build)["mistakes"] == ["the file is empty"]


def test_the_script_of_the_page_knows_the_limits():
    script = make_page().document.decode()
    assert f"LARGEST = {limits.UPLOAD_BYTES // 1024 // 1024} * 1024 * 1024" in script
    assert f"PART = {limits.UPLOAD_PART_BYTES // 1024} * 1024" in script

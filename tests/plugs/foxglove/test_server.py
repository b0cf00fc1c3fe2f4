"""The server, by a client that speaks the protocol without the SDK."""

import json
import threading

import numpy as np
import pytest

from grouser import Scenario
from grouser.errors import GrouserError
from grouser.live import Options
from grouser.plugs.foxglove.publisher import OWN
from grouser.plugs.foxglove.server import FoxgloveServer, check_address
from tests.breaking import MESSAGE, PLACE, install
from tests.plugs.foxglove.protocol import Client, transforms

SCENARIO = Scenario(robot="tp100", course="flat", model="icr", driver="foxglove")
FORWARD = {"linear": {"x": 0.1}, "angular": {"z": 0.0}}


@pytest.fixture(scope="module")
def server():
    """A server, served by a thread."""
    with (
        pytest.MonkeyPatch.context() as patch,
        FoxgloveServer(SCENARIO, Options(timeout=0.3), port=0, backlog=100) as server,
    ):
        # The time is not to be lost: a client that sleeps for as many of it is disconnected.
        patch.setattr("grouser.plugs.foxglove.server.CLOCK", 0.5)
        ends = threading.Event()

        def serve():
            while not ends.is_set():
                server.serve_once()

        thread = threading.Thread(target=serve)
        thread.start()
        yield server
        ends.set()
        thread.join()


@pytest.fixture
def client(server):
    """A client of a simulation that was just reset and runs."""
    server.call("resume")
    server.call("set_factor", 1.0)
    server.call("reset")
    with Client(server.port) as client:
        yield client


def wait_for_state(client, check, what):
    client.wait(lambda: client.messages["/state"] and check(client.json("/state")), what)
    return client.json("/state")


def test_it_introduces_itself_with_topics_schemas_services_and_parameters(client, server):
    assert client.info["name"] == "grouser"
    assert {"clientPublish", "parameters", "services", "time"} <= set(client.info["capabilities"])
    assert client.info["supportedEncodings"] == ["json"]
    assert set(client.channels) == set(server.publisher.topics)
    assert {*OWN, "/imu", "/encoder"} == set(client.channels)
    assert client.channels["/tf"]["schemaName"] == "foxglove.FrameTransforms"
    assert json.loads(client.channels["/state"]["schema"])["properties"]["pose"]
    assert set(client.services) == {
        "/reset", "/pause", "/resume", "/step", "/set_friction", "/set_factor",
    }  # fmt: skip
    assert client.get() == {
        "friction": 1.0, "factor": 1.0, "paused": False, "robot": "tp100", "course": "flat",
        "model": "icr", "driver": "foxglove", "command_timeout_s": 0.3,
    }  # fmt: skip


def test_whoever_comes_late_still_gets_course_robot_and_fixed_frames(client, server):
    client.subscribe()
    once = ("/course", "/robot", "/tf_static")
    client.wait(lambda: all(client.messages[name] for name in once), "what is sent once")
    client.wait(lambda: len(client.messages["/tf"]) > 20, "frames")
    assert len(client.messages["/course"]) == 1
    assert transforms(client.messages["/tf_static"][0][1])["odom"][0] == "map"
    with Client(server.port) as other:
        other.subscribe("/robot")
        other.wait(lambda: other.messages["/robot"], "the robot")
    times = [when for when, _ in client.messages["/tf"]]
    assert times == sorted(times)
    client.wait(lambda: len(client.times) > 1, "the time")
    assert client.times == sorted(client.times)


def test_cmd_vel_drives_and_silence_stops(client):
    client.subscribe("/state", "/diagnostics")
    channel = client.advertise("/cmd_vel")
    client.publish(channel, FORWARD)
    state = wait_for_state(client, lambda s: s["belts"]["left"]["commanded"] > 0.0, "a command")
    began = state["time"]
    state = wait_for_state(client, lambda s: s["belts"]["left"]["commanded"] == 0.0, "a stop")
    assert 0.25 < state["time"] - began < 0.4
    assert state["pose"]["x"] > 0.005
    client.wait(lambda: client.messages["/diagnostics"], "diagnostics")
    client.wait(lambda: client.json("/diagnostics")["command_timeouts"] >= 1, "a count")


@pytest.mark.parametrize(
    ("topic", "message", "words"),
    [
        ("/cmd_vel", b'{"linear": {"x": NaN}}', "linear.x must be finite"),
        ("/cmd_vel", b'{"linear": ', "message on cmd_vel must be JSON"),
        ("/cmd_belts", {"left": 1e6, "right": 0.0}, "belt speed left must be from"),
        ("/cmd_flippers", {"tail": 0.5}, "no flipper named 'tail'"),
    ],
)
def test_an_invalid_command_is_answered_by_a_sentence(client, topic, message, words):
    client.subscribe("/state", "/log")
    channel = client.advertise(topic)
    client.publish(channel, message)
    client.wait(lambda: any(words in status for status in client.statuses), "a sentence")
    client.wait(lambda: client.messages["/log"], "a warning")
    state = wait_for_state(client, lambda s: s["time"] > 0.0, "the state")
    assert state["belts"]["left"]["commanded"] == 0.0


def test_a_topic_that_does_not_exist_is_answered_by_a_sentence(client):
    client.advertise("/cmd_fly")
    client.wait(lambda: client.statuses, "a sentence")
    assert "no topic of commands named '/cmd_fly'" in client.statuses[-1]


def test_text_that_is_no_protocol_leaves_the_server_running(client, server):
    client.send_text("garbage")
    client.send_text(b"\x07\x00")
    client.send(op="subscribe", subscriptions=[{"id": 1, "channelId": 99_999}])
    with Client(server.port) as other:
        other.subscribe("/state")
        wait_for_state(other, lambda s: s["tick"] > 0, "the state")


def test_a_flood_of_commands_is_thinned(client, server):
    client.subscribe("/state")
    channel = client.advertise("/cmd_vel")
    before = server.inbox.replaced
    for number in range(3000):
        client.publish(channel, {"linear": {"x": 0.1 if number % 2 else 0.05}})
    state = wait_for_state(client, lambda s: s["belts"]["left"]["speed"] > 0.0, "motion")
    assert state["belts"]["left"]["commanded"] in (0.05, 0.1)
    # Messages are still on their way; most of them are replaced by a newer one.
    client.wait(lambda: server.inbox.replaced > before + 1000, "replaced commands")


def test_services_pause_step_and_resume(client):
    client.subscribe("/state")
    fine = {"success": True, "message": ""}
    assert "needs a simulation that is paused" in client.call("/step", ticks=5)["message"]
    assert client.call("/pause") == fine
    state = wait_for_state(client, lambda s: s["is_paused"], "a pause")
    assert client.call("/step", ticks=5) == fine
    tick = state["tick"]
    stepped = wait_for_state(client, lambda s: s["tick"] >= tick + 5, "five ticks")
    assert stepped["tick"] == tick + 5
    assert client.call("/resume") == fine
    wait_for_state(client, lambda s: s["tick"] > tick + 20, "time to pass")


def test_a_reset_begins_a_new_run_at_time_zero(client):
    client.subscribe("/state")
    run = wait_for_state(client, lambda s: s["tick"] > 5, "time to pass")["run"]
    assert client.call("/reset")["success"]
    state = wait_for_state(client, lambda s: s["run"] == run + 1, "a new run")
    assert state["time"] < 1.0
    times = [when for when, _ in client.messages["/state"]]
    assert times == sorted(times)


@pytest.mark.parametrize(
    ("service", "request_", "words"),
    [
        ("/step", {"ticks": 0}, "ticks must be a whole number from 1 to 1000, not 0"),
        ("/step", {"ticks": 2.5}, "ticks must be a whole number from 1 to 1000, not 2.5"),
        ("/set_friction", {"factor": -1.0}, "friction must be from"),
        ("/set_friction", {}, "friction must be a number, not None"),
        ("/set_factor", {"factor": 0}, "factor must be above 0"),
        ("/set_factor", {"factor": "fast"}, "factor must be a number, not 'fast'"),
    ],
)
def test_invalid_requests_are_answered_by_a_sentence(client, service, request_, words):
    client.call("/pause")
    answer = client.call(service, **request_)
    assert not answer["success"]
    assert words in answer["message"]


def test_parameters_can_be_set_within_their_range(client):
    assert client.set("factor", 2) == 2.0
    assert client.set("factor", "inf") == "inf"
    assert client.set("factor", 2) == 2.0
    assert client.set("paused", True) is True
    assert client.get()["paused"] is True
    assert client.set("paused", False) is False
    assert client.set("factor", -1) == 2.0
    assert client.set("paused", 1) is False
    assert client.set("robot", "absolem") == "tp100"
    client.set("colour", "red")
    words = ("factor must be", "paused must be true or false", "fixed for this run", "no parameter")
    client.wait(lambda: client.statuses, "a sentence")
    assert any(word in status for word in words for status in client.statuses)


def test_a_client_that_sleeps_loses_messages_and_slows_nobody(client, server):
    client.subscribe("/state", "/robot")
    with Client(server.port, room=16_384) as sleeper:
        sleeper.subscribe("/state", "/robot")
        # The whole robot again and again, until no buffer on the way has room for more.
        robots = client.messages["/robot"]
        for _ in range(100):
            before = len(robots)
            server.publisher.want("/robot")
            client.wait(lambda n=before: len(robots) > n, "the robot")
        tick = client.json("/state")["tick"]
        wait_for_state(client, lambda s: s["tick"] > tick + 20, "ticks")
        sleeper.wait(lambda: ticks_of(sleeper)[-1:] > [tick], "news")
        assert np.diff(ticks_of(sleeper)).max() > 1
        assert len(ticks_of(sleeper)) < len(ticks_of(client))


def ticks_of(client):
    return [json.loads(data)["tick"] for _, data in client.messages["/state"]]


def test_a_taken_port_is_one_sentence(server):
    with pytest.raises(GrouserError, match=r"server must be an address .*in use.*--port"):
        FoxgloveServer(SCENARIO, port=server.port)


@pytest.mark.parametrize(("host", "port"), [("nowhere.invalid", 0), ("127.0.0.1", 70_000)])
def test_an_address_that_is_none_is_one_sentence(host, port):
    with pytest.raises(GrouserError, match="must be"):
        check_address(host, port)


def test_physics_whose_tick_raises_is_shown_as_standing_with_a_sentence_and_resets(
    tmp_path, monkeypatch, caplog
):
    monkeypatch.syspath_prepend(install(tmp_path / "plugin"))
    scenario = SCENARIO.vary(model="breaking")
    with FoxgloveServer(scenario, Options(timeout=60.0), port=0) as server:
        ends = threading.Event()
        thread = threading.Thread(
            target=lambda: [server.serve_once() for _ in iter(ends.is_set, True)]
        )
        thread.start()
        try:
            with Client(server.port) as client:
                client.subscribe("/state")
                channel = client.advertise("/cmd_belts")
                client.publish(channel, {"left": 0.2, "right": 0.2})
                client.wait(lambda: client.statuses, "a sentence")
                assert PLACE in client.statuses[-1]
                assert client.statuses[-1].endswith(f"{MESSAGE}; call /reset to continue")
                state = wait_for_state(
                    client, lambda s: s["belts"]["left"]["speed"] == 0.0, "a stop"
                )
                assert state["belts"]["left"]["commanded"] == 0.0
                assert [r.getMessage() for r in caplog.records] == [client.statuses[-1]]
                assert not client.call("/resume")["success"]
                assert client.call("/reset")["success"]
                client.publish(channel, {"left": 0.1, "right": 0.1})
                wait_for_state(client, lambda s: s["pose"]["x"] > 0.005, "it drives again")
        finally:
            ends.set()
            thread.join()

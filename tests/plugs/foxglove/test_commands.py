"""Commands that clients publish."""

import json
import time

import pytest

from grouser.errors import GrouserError
from grouser.plugs.foxglove.commands import TOPICS, Inbox, check_topic


class Driven:
    """Keeps what it is offered."""

    def __init__(self):
        self.offers = []

    def offer_twist(self, forward, yaw_rate):
        self.offers.append((forward, yaw_rate))

    def offer_belts(self, left, right):
        self.offers.append((left, right))

    def offer_flippers(self, angles):
        self.offers.append(dict(angles))


def put(topic, content):
    """Give one message to a new inbox; return what was offered and the warnings."""
    driven, warnings = Driven(), []
    inbox = Inbox(driven, 0.01, warnings.append)
    inbox.put(topic, content if isinstance(content, bytes) else json.dumps(content).encode())
    assert inbox.rejected == len(warnings)
    return driven.offers, warnings


TWIST = {"linear": {"x": 0.5, "y": 9.0}, "angular": {"z": -0.25}}


@pytest.mark.parametrize(
    ("topic", "content", "offer"),
    [
        ("cmd_vel", TWIST, (0.5, -0.25)),
        ("cmd_vel", {"header": {"frame_id": "base_link"}, "twist": TWIST}, (0.5, -0.25)),
        ("cmd_vel", {"linear": {}}, (0.0, 0.0)),
        ("cmd_belts", {"left": 0.1, "right": 1}, (0.1, 1.0)),
        ("cmd_flippers", {"front": 0.5}, {"front": 0.5}),
        ("cmd_flippers", {"name": ["a", "b"], "position": [1, -1]}, {"a": 1.0, "b": -1.0}),
    ],
)
def test_valid_messages_are_commands(topic, content, offer):
    assert put(topic, content) == ([offer], [])


@pytest.mark.parametrize(
    ("topic", "content", "words"),
    [
        ("cmd_vel", b'{"linear": {"x": NaN}}', "linear.x must be finite, not nan"),
        ("cmd_vel", b'{"linear": {"x": 1e999}}', "linear.x must be finite, not inf"),
        ("cmd_vel", b'{"linear": {"x": 1%s}}' % (b"0" * 400), "linear.x must be finite, not inf"),
        ("cmd_vel", {"linear": {"x": None}}, "linear.x must be a number, not None"),
        ("cmd_vel", {"linear": {"x": True}}, "linear.x must be a number, not True"),
        ("cmd_vel", {"linear": {"x": "fast"}}, "linear.x must be a number, not 'fast'"),
        ("cmd_vel", {"linear": 0.5}, "linear must be an object of JSON, not 0.5"),
        ("cmd_vel", {"twist": 1}, "twist must be an object of JSON, not 1"),
        ("cmd_vel", {"speed": 1}, "cmd_vel must have linear and angular"),
        ("cmd_vel", b'{"linear": {', "message on cmd_vel must be JSON"),
        ("cmd_vel", b"\xff\xfe\x00", "message on cmd_vel must be JSON"),
        ("cmd_vel", b"", "message on cmd_vel must be JSON"),
        ("cmd_vel", b"[" * 5000, "message on cmd_vel must be JSON"),
        ("cmd_vel", [1, 2], "message on cmd_vel must be an object of JSON"),
        ("cmd_vel", b" " * 70_000, "message on cmd_vel must have at most 65536"),
        ("cmd_belts", {"left": 0.1}, "cmd_belts must have left and right"),
        ("cmd_flippers", {"name": ["a"], "position": []}, "cmd_flippers must have as many names"),
        ("cmd_flippers", {"front": "up"}, "front must be a number"),
    ],
)
def test_invalid_messages_have_no_effect_but_a_sentence(topic, content, words):
    offers, (warning,) = put(topic, content)
    assert offers == []
    assert words in warning
    assert "\n" not in warning


def test_of_a_flood_only_the_newest_messages_are_read():
    driven = Driven()
    inbox = Inbox(driven, 10.0, pytest.fail)
    for speed in range(1000):
        inbox.put("cmd_vel", json.dumps({"linear": {"x": speed}}).encode())
    assert driven.offers == [(0.0, 0.0)]
    inbox.flush()
    assert driven.offers == [(0.0, 0.0), (999.0, 0.0)]
    assert inbox.replaced == 998
    inbox.flush()
    assert len(driven.offers) == 2


def test_messages_that_come_slowly_are_all_read_at_once():
    driven = Driven()
    inbox = Inbox(driven, 0.0, pytest.fail)
    for speed in range(5):
        inbox.put("cmd_vel", json.dumps({"linear": {"x": speed}}).encode())
        time.sleep(0.0)
    assert [forward for forward, _ in driven.offers] == [0, 1, 2, 3, 4]
    assert inbox.replaced == 0


@pytest.mark.parametrize("name", TOPICS)
def test_topics_may_have_a_slash(name):
    assert check_topic(f"/{name}", "json") == check_topic(name, "json") == name


@pytest.mark.parametrize(
    ("topic", "encoding", "words"),
    [
        ("/cmd_veel", "json", "did you mean '/cmd_vel'"),
        ("/cmd_vel", "cdr", "encoding of /cmd_vel must be json, not 'cdr'"),
    ],
)
def test_other_topics_and_encodings_are_errors(topic, encoding, words):
    with pytest.raises(GrouserError, match=words):
        check_topic(topic, encoding)

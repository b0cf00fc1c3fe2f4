"""Which look is shown."""

import pytest

from grouser.errors import UnknownName
from grouser.viewer.look import PATIENCE, SLOWEST, WITHOUT_CARD, LookChoice, check_wish

CARD, SOFTWARE = "ANGLE (NVIDIA GeForce RTX 3060)", "SwiftShader"


def test_a_graphics_card_has_the_full_look_and_software_the_lean_one():
    choice = LookChoice()
    assert choice.look == "lean"
    choice.meet(1, CARD)
    assert (choice.look, choice.sentence) == ("full", None)
    choice.meet(2, SOFTWARE)
    assert (choice.look, choice.sentence) == ("lean", WITHOUT_CARD)


def test_slow_frames_step_down_one_look_at_a_time_and_say_so():
    choice = LookChoice()
    choice.meet(1, CARD)
    for wanted in ("painted", "lean"):
        shown = choice.look
        for _ in range(PATIENCE - 1):
            choice.measure(0.5 * SLOWEST, shown)
            assert choice.look == shown
        choice.measure(0.5 * SLOWEST, shown)
        assert choice.look == wanted
        assert wanted in (choice.sentence or "")
        assert "9 pictures per second" in (choice.sentence or "")
    for _ in range(3 * PATIENCE):
        choice.measure(1.0, "lean")
    assert choice.look == "lean"


def test_one_slow_report_a_late_one_and_fast_frames_change_nothing():
    choice = LookChoice()
    choice.meet(1, CARD)
    for _ in range(5):
        choice.measure(0.5 * SLOWEST, "full")
        choice.measure(2.0 * SLOWEST, "full")
        choice.measure(0.5 * SLOWEST, "lean")
    assert choice.look == "full"


def test_the_same_page_is_judged_once():
    choice = LookChoice()
    choice.meet(1, CARD)
    for _ in range(PATIENCE):
        choice.measure(1.0, "full")
    choice.meet(1, CARD)
    assert choice.look == "painted"


def test_a_choice_stays_whatever_is_measured_and_automatic_comes_back():
    told = []
    choice = LookChoice("automatic", lambda: told.append(choice.wish))
    choice.meet(1, SOFTWARE)
    choice.choose("full")
    assert (choice.look, choice.sentence) == ("full", None)
    for _ in range(3 * PATIENCE):
        choice.measure(1.0, "full")
    choice.meet(2, SOFTWARE)
    assert choice.look == "full"
    choice.choose("automatic")
    assert choice.look == "lean"
    assert told == ["full", "automatic"]
    assert choice.status == {"shown": "lean", "wish": "automatic", "sentence": WITHOUT_CARD}


def test_an_unknown_look_is_named_with_those_that_exist():
    assert check_wish("painted") == "painted"
    with pytest.raises(UnknownName, match="look"):
        check_wish("rich")

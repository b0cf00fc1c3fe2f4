"""What was driven, by the belts, and what is missing."""

import numpy as np
import pytest

from grouser.identify.driven import describe_driven, is_driven, useful_advice
from grouser.identify.families.skid import driven_range
from grouser.identify.record import Observation, Record
from tests.identify.short_pieces import ROBOT, record_of_pieces


def driven_by(*speeds: tuple[float, float], pieces: int = 24):
    record = record_of_pieces(speeds=speeds, pieces=pieces)
    return describe_driven(record, ROBOT.gauge)


def test_a_drive_with_all_manoeuvres_misses_none():
    driven = describe_driven(record_of_pieces(), ROBOT.gauge)
    assert driven.missing() == ()
    assert sum(driven.shares.values()) == pytest.approx(1.0)
    assert driven.speed[0] < -0.2 < 0.3 < driven.speed[1]
    assert driven.turn_rate[0] < -1.0 < 1.0 < driven.turn_rate[1]


@pytest.mark.parametrize(
    ("speeds", "words"),
    [
        (((0.4, 0.4), (0.2, 0.2)), ("reverse", "no arcs:", "no turns on the spot:")),
        (
            ((0.4, 0.4), (-0.2, -0.2), (0.1, 0.4), (0.3, -0.3), (-0.3, 0.3)),
            ("arcs to the right", "arcs in reverse"),
        ),
        (
            ((0.4, 0.4), (-0.2, -0.2), (0.1, 0.4), (0.4, 0.1), (-0.1, 0.1)),
            ("spot to the right", "arcs in reverse"),
        ),
        (((0.1, 0.4), (-0.1, -0.4), (0.3, -0.3), (-0.1, 0.1)), ("no straights",)),
        (((-0.4, -0.4), (-0.1, -0.3), (-0.3, -0.1), (0.2, -0.2), (-0.2, 0.2)), ("ahead too",)),
    ],
)
def test_each_missing_manoeuvre_is_named_and_no_other(speeds, words):
    missing = driven_by(*speeds, pieces=6 * len(speeds)).missing()
    assert len(missing) == len(words)
    for part, sentence in zip(words, missing, strict=True):
        assert part in sentence


def test_one_narrow_band_of_speeds_is_named():
    record = record_of_pieces()
    faster = np.maximum(np.abs(record.left), np.abs(record.right))
    record.left[:], record.right[:] = 0.4 * record.left / faster, 0.4 * record.right / faster
    missing = describe_driven(record, ROBOT.gauge).missing()
    assert len(missing) == 1
    assert "one narrow band, 0.4 to 0.4 m/s" in missing[0]


def test_belts_that_stand_still_need_a_drive():
    driven = driven_by((0.0, 0.0))
    assert driven.missing() == (
        "The belts stand still: drive straights, arcs and turns on the spot.",
    )
    assert set(driven.shares.values()) == {0.0}


ADVICE = "left_y is unidentifiable in this log: it was fixed at 0.3 m"


def test_advice_does_not_name_manoeuvres_that_were_driven():
    turns = f"{ADVICE}; next, turn on the spot and in arcs, to both sides."
    every = describe_driven(record_of_pieces(), ROBOT.gauge)
    straight = driven_by((0.4, 0.4), (0.2, 0.2))
    (said,) = useful_advice([turns], every)
    assert said.startswith(ADVICE)
    assert "on the spot" not in said
    assert useful_advice([turns], straight) == (turns,)
    assert useful_advice([f"{ADVICE}."], every) == (f"{ADVICE}.",)


def test_advice_on_what_belts_do_not_show_stays():
    every = describe_driven(record_of_pieces(), ROBOT.gauge)
    assert not is_driven("turn on a slope, or accelerate until the tracks slip", every)
    assert not is_driven("start, stop and change speed often", every)
    assert is_driven("drive straights, arcs of several radii and turns on the spot", every)
    one_radius = driven_by((0.4, 0.4), (0.2, 0.4), (0.4, 0.2), (0.2, -0.2), (-0.2, 0.2), pieces=30)
    assert not is_driven("drive arcs of several radii, to both sides", one_radius)
    assert is_driven("drive wide arcs to both sides", one_radius)


def test_arcs_that_were_driven_ahead_only_are_said():
    ahead = driven_by((0.3, 0.3), (0.2, 0.4), (0.4, 0.2), (-0.3, -0.3), (-0.2, 0.2), (0.2, -0.2))
    assert "All arcs were driven ahead: drive arcs in reverse too." in ahead.missing()
    both = driven_by((0.3, 0.3), (0.2, 0.4), (-0.4, -0.2), (-0.3, -0.3), (-0.2, 0.2), (0.2, -0.2))
    assert not any("ahead" in sentence for sentence in both.missing())


def test_the_range_of_smooth_terms_tells_ahead_from_back_and_sides_of_the_spot():
    steps = [(0.3, 0.3), (0.2, 0.4), (0.4, 0.2), (-0.3, -0.3), (-0.2, 0.2)]
    left, right = np.repeat(np.array(steps).T, 100, axis=1)
    time = 0.05 * np.arange(left.size)
    seen = Observation(kind="pose", time=time, values=np.zeros((3, time.size)))
    driven = driven_range(Record(name="a", time=time, left=left, right=right, observation=seen))
    for belts in ((0.2, 0.4), (-0.3, -0.3), (-0.2, 0.2)):
        assert driven.weight(*belts) == pytest.approx(1.0)
    assert driven.weight(-0.2, -0.4) < 0.2  # an arc in reverse
    assert driven.weight(0.2, -0.2) == 0.0  # on the spot to the right

"""Unidentifiable parameters and wrong data: no estimator returns a wrong value as trusted.

Either the truth lies within three standard deviations, or the parameter is named as one that the
log does not identify it, or the fit is not trusted, or an error is raised.
"""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from grouser.description import load_robot
from grouser.errors import GrouserError
from grouser.identify import FAMILIES, Fit, KnownRobot, Status, fit_family, identify_records
from grouser.identify.choice import recommend
from grouser.identify.fusion import find_clock_offset, fuse_logs
from grouser.identify.judge import NO_HOLD_OUT
from grouser.log import Column, Log
from tests.identify.uninformative_drives import (
    DATA,
    MIXED,
    SETTING,
    STRAIGHT,
    TRUE,
    TURN,
    belts,
    record,
)

TWO_SIDED = 1.96
"""Half a 95 % interval over a standard deviation [1]."""
CASES = [
    *((data, family, "pose") for data in DATA for family in ("slip", "icr", "turning")),
    *((data, "slip", "twist") for data in DATA),
    *((data, "icr", "gyro") for data in DATA),
    *((data, "ideal", "pose") for data in ("straight", "turn", "straight, counts", "standstill")),
    *((data, "slip", "position") for data in ("straight", "turn", "no x", "encoder dead")),
    *((data, "icr-varying", "pose") for data in ("straight", "turn", "turn, counts", "gaps")),
]


def check(fit: Fit, truth: dict[str, float]) -> None:
    """Assert that no trusted estimate is wrong."""
    for found in fit.parameters.values():
        deviation = 0.5 * (found.high - found.low) / TWO_SIDED
        assert np.isfinite([found.value, found.low, found.high]).all(), found
        assert deviation > 0.0, found
        if fit.status.is_trusted:
            assert abs(found.value - truth[found.name]) <= 3.0 * deviation, found
    assert fit.status.is_trusted or fit.status == Status.NOT_CONVERGED or fit.doubts
    for name in fit.fixed:
        assert any(
            sentence.startswith((f"{name} is unidentifiable", f"{name} cannot be separated"))
            for sentence in fit.advice
        ), name
    plain = fit.to_dict()
    assert plain["trusted"] == fit.status.is_trusted
    assert set(plain["cannot_tell"]) == set(fit.fixed)


@pytest.mark.parametrize(("data", "family", "kind"), CASES)
def test_intervals_hold_the_truth_or_the_parameter_is_unidentifiable(data, family, kind):
    seen = DATA[data](family, kind)
    names = [p.name for p in FAMILIES[family].parameters(SETTING, (seen,))]
    truth = {**dict(zip(names, TRUE[family], strict=True)), "time_offset": 0.0, "gyro_bias": 0.0}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            fit = fit_family(FAMILIES[family], (seen,), SETTING)
        except GrouserError as error:
            assert len(str(error).splitlines()) == 1  # noqa: PT017 one sentence
            return
    check(fit, truth)


@pytest.mark.parametrize(
    ("driven", "counts"),
    [(STRAIGHT, False), (STRAIGHT, True), (TURN, True), (belts([(0.0, 0.0)] * 10), True)],
)
def test_constant_speed_does_not_identify_the_clock_offset(driven, counts):
    seen = record("slip", "pose", driven, noise=0.1, counts=counts, late=0.1)
    fit = fit_family(FAMILIES["slip"], (seen,), SETTING)
    assert fit.fixed["time_offset"] == 0.0
    assert "time_offset" in fit.to_dict()["cannot_tell"]


@pytest.mark.parametrize("counts", [False, True])
def test_one_turn_identifies_the_clock_offset(counts):
    driven = belts([(0.2, 0.2)] * 4 + [(0.1, 0.3)] * 2 + [(0.2, 0.2)] * 4)
    seen = record("slip", "pose", driven, noise=0.1, counts=counts, late=0.1)
    found = fit_family(FAMILIES["slip"], (seen,), SETTING, holds_out=False)
    assert found.parameters["time_offset"].holds(0.1)
    assert found.parameters["time_offset"].value == pytest.approx(0.1, abs=0.01)


def test_a_log_too_short_to_judge_predictions_recommends_nothing():
    short = record("icr", "pose", MIXED[:, :160])
    found = identify_records([short], SETTING, ("ideal", "icr"))
    cut = {name: replace(fit, hold_out=NO_HOLD_OUT) for name, fit in found.fits.items()}
    chosen = recommend(cut)
    assert chosen.family == ""
    assert chosen.sentence.startswith("none: nothing could be judged")
    assert "nan" not in chosen.sentence


def test_a_score_that_is_no_number_is_neither_sorted_nor_recommended():
    found = identify_records([record("icr", "pose", MIXED)], SETTING, ("ideal", "icr"))
    for lost in found.fits:
        fits = dict(found.fits)
        fits[lost] = replace(fits[lost], hold_out=NO_HOLD_OUT)
        assert recommend(fits).family == ({"ideal", "icr"} - {lost}).pop()


def test_families_that_do_not_describe_a_log_are_not_recommended():
    found = identify_records([DATA["encoder mirrored"]("slip", "pose")], SETTING, ("slip", "icr"))
    assert found.recommendation.family == ""
    assert "no family describes the log" in found.recommendation.sentence


def test_friction_is_unidentifiable_on_a_straight():
    robot = load_robot("tankbot")
    known_robot = KnownRobot(gauge=robot.gauge, robot=robot)
    seen = record("ideal", "pose", belts([(0.2, 0.2)] * 3))
    moved = FAMILIES["tankbot"].predict(np.ones((1, 3)), seen, known_robot)
    rows = np.stack([moved.x[0], moved.y[0], moved.yaw[0]])
    rows += np.random.default_rng(1).normal(0.0, 0.002, rows.shape)
    seen = replace(seen, observation=replace(seen.observation, values=rows))
    fit = fit_family(FAMILIES["tankbot"], (seen,), known_robot)
    assert {"friction_factor", "angular_gain", "time_offset"} <= set(fit.fixed)
    assert fit.parameters["linear_gain"].holds(1.0)


def fused(driven, *, measured=None, late=0.0, counts=True):
    """Return the log of a drive of tp100, the track of a camera, and the robot."""
    known = load_robot("tp100")
    seen = record("slip", "pose", driven, measured=measured, noise=0.2, counts=counts, late=late)
    columns = {"time": Column(seen.time, "s")}
    columns |= {
        f"belt_speed.{drive.name}": Column(getattr(seen, drive.side), "m/s")
        for drive in known.drives
    }
    rows = zip(("x", "y", "yaw"), seen.observation.values, ("m", "m", "rad"), strict=True)
    track = Log({"time": Column(seen.time, "s"), **{n: Column(v, u) for n, v, u in rows}})
    return Log(columns), track, known


def test_an_unidentifiable_clock_offset_is_zero_with_a_note():
    found, note = find_clock_offset(*fused(STRAIGHT, counts=False))
    assert found is None
    assert note.startswith("the offset of the clocks was taken as 0: it is unidentifiable")
    for counts in (False, True):
        fusion = fuse_logs(*fused(STRAIGHT, counts=counts), offset=None)
        assert fusion.offset == 0.0
        assert fusion.note == note or fusion.found.holds(0.0)
        assert fusion.rejected < 0.2 * fusion.sightings


@pytest.mark.parametrize(
    "case",
    [
        {"driven": MIXED, "measured": MIXED * np.array([[0.0], [1.0]])},
        {"driven": MIXED, "measured": MIXED * np.array([[-1.0], [1.0]])},
        {"driven": MIXED, "measured": MIXED[:, ::-1]},
        {"driven": MIXED, "late": 3.0},
    ],
)
def test_a_track_of_another_drive_raises_an_error_with_the_number_of_outliers(case):
    with pytest.raises(GrouserError, match=r"track: (\d+ of \d+ poses were rejected|slip_)") as e:
        fuse_logs(*fused(**case), offset=0.0)
    assert "it may be another drive" in str(e.value)


def test_fusion_does_not_identify_slip_at_standstill():
    from grouser.report.measure import fused_states

    fusion = fuse_logs(*fused(belts([(0.0, 0.0)] * 5)), offset=0.0)
    states = fused_states(fusion.log)
    for name in ("slip_left", "slip_right", "slip_angle"):
        assert not states[name]["known"]
        assert abs(states[name]["value"]) <= 3.0 * states[name]["deviation"]

"""What a log tells, what it does not, and what is said about that."""

from dataclasses import replace

import numpy as np
import pytest

from grouser.errors import ClusterLost, InvalidValue
from grouser.identify import (
    FAMILIES,
    Observation,
    Record,
    Setting,
    Status,
    fit_family,
    identify_records,
)
from grouser.laws.slip_odometry import slip_twist
from grouser.laws.slope import slope_slip
from grouser.tasks import Workers

SETTING = Setting(gauge=0.4)
SLIP = np.array([0.1, 0.12, 0.01, 0.0, 0.62])  # left, right, angle, angle in turns, width


def drive(left, right, period=0.05, kind="pose", noise=0.002, pitch=None, values=SLIP, offset=0.0):
    """Return a record of belts that ask for these speeds, each for two seconds."""
    hold = round(2.0 / period)
    belts = np.repeat(np.array([left, right], dtype=float), hold, axis=1)
    time = period * np.arange(belts.shape[1])
    angle = None if pitch is None else np.repeat(np.array(pitch, dtype=float), hold)
    empty = Observation(kind="pose", time=time[:1], values=np.zeros((3, 1)))
    record = Record(name="test", time=time, left=belts[0], right=belts[1], observation=empty,
                    pitch=angle)  # fmt: skip
    seen = FAMILIES["slip"].predict(values[None], record, SETTING)
    names = {"pose": ("x", "y", "yaw"), "position": ("x", "y"), "gyro": ("yaw_rate",)}[kind]
    rows = np.stack([np.interp(time - offset, time, getattr(seen, name)[0]) for name in names])
    rows += np.random.default_rng(3).normal(0.0, noise, rows.shape)
    return replace(record, observation=Observation(kind=kind, time=time, values=rows))


STRAIGHT = ([0.4, 0.2, 0.3, -0.2] * 6,) * 2
MIXED = ([0.3, 0.4, -0.3, 0.2, 0.3, 0.1] * 5, [0.3, 0.2, 0.3, 0.4, 0.1, 0.4] * 5)


def test_a_log_of_straight_drives_cannot_tell_the_width_and_says_what_to_drive():
    # Without slip that differs between the sides, nothing depends on the width.
    even = np.array([0.1, 0.1, 0.01, 0.0, 0.62])
    fit = fit_family(FAMILIES["slip"], (drive(*STRAIGHT, values=even),), SETTING)
    assert fit.status == Status.PARTIAL
    assert fit.kept["width"] == pytest.approx(1.5 * SETTING.gauge)
    (sentence,) = [s for s in fit.advice if "width" in s.split(":")[0]]
    assert "cannot tell width" in sentence
    assert "turn on the spot" in sentence
    assert fit.parameters["slip_left"].value == pytest.approx(0.1, abs=0.02)


def test_a_drive_with_turns_tells_all():
    fit = fit_family(FAMILIES["slip"], (drive(*MIXED),), SETTING)
    assert fit.status == Status.COMPLETE
    for name, true in zip(("slip_left", "slip_right", "slip_angle"), SLIP, strict=False):
        assert fit.parameters[name].value == pytest.approx(true, abs=0.01)
    assert fit.parameters["width"].holds(0.62)
    assert fit.correlation == pytest.approx(fit.correlation.T)
    assert np.diag(fit.correlation) == pytest.approx(np.ones(len(fit.parameters)))


def test_constant_speed_cannot_tell_the_offset_of_clocks():
    fit = fit_family(FAMILIES["icr"], (drive([0.2] * 30, [0.4] * 30),), SETTING)
    assert "time_offset" in fit.kept
    assert any("start, stop" in sentence for sentence in fit.advice)


def test_a_gyroscope_alone_tells_the_width_between_the_centres():
    still = ([0.0, 0.3, 0.4, -0.3, 0.2] * 5, [0.0, 0.3, 0.2, 0.3, 0.4] * 5)
    values = np.array([0.0, 0.0, 0.0, 0.0, 0.7])
    fit = fit_family(FAMILIES["icr"], (drive(*still, kind="gyro", values=values),), SETTING)
    width = fit.values["left_y"] - fit.values["right_y"]
    assert width == pytest.approx(0.7, abs=0.01)
    assert fit.status == Status.PARTIAL
    assert any("A gyroscope alone" in sentence for sentence in fit.advice)


def test_places_without_headings_are_enough():
    fit = fit_family(FAMILIES["slip"], (drive(*MIXED, kind="position", offset=0.1),), SETTING)
    assert fit.parameters["width"].value == pytest.approx(0.62, abs=0.01)
    assert fit.parameters["time_offset"].value == pytest.approx(0.1, abs=0.005)
    assert fit.hold_out.position[5.0] < 0.05


def test_slopes_tell_how_slip_grows_with_them():
    angles = np.deg2rad([0.0, -8.0, -16.0, 0.0, -8.0, 12.0] * 5)  # nose up is negative
    values = np.array([*SLIP, 0.3])
    record = drive(*MIXED, pitch=angles, values=values)
    names = [p.name for p in FAMILIES["slip"].parameters(SETTING, (record,))]
    assert names[-1] == "slope_coefficient"
    fit = fit_family(FAMILIES["slip"], (record,), SETTING)
    assert fit.parameters["slope_coefficient"].value == pytest.approx(0.3, abs=0.03)
    # The family's law is that of P0, as the model has it.
    climbing = slip_twist(0.1, 0.1, slope_slip(0.1, 0.3, 0.2), slope_slip(0.12, 0.3, 0.2), 0, 0.62)
    up = replace(record, left=np.full(2, 0.1), right=np.full(2, 0.1), pitch=np.full(2, -0.2),
                 time=np.array([0.0, 1.0]))  # fmt: skip
    seen = FAMILIES["slip"].predict(np.array([[*SLIP[:2], 0.0, 0.0, 0.62, 0.3]]), up, SETTING)
    assert seen.vx[0, 0] == pytest.approx(climbing[0])


def test_data_that_was_held_out_does_not_change_the_fit():
    record = drive(*MIXED)
    from grouser.identify.windows import choose_training

    values = record.observation.values.copy()
    values[:2, ~choose_training(record)] += 5.0
    spoiled = replace(record, observation=replace(record.observation, values=values))
    one, other = (fit_family(FAMILIES["icr"], (r,), SETTING) for r in (record, spoiled))
    assert one.values == other.values


def test_a_log_that_is_too_short_is_refused():
    with pytest.raises(InvalidValue, match="drive for longer"):
        fit_family(FAMILIES["icr"], (drive([0.2], [0.3]),), SETTING)


def test_simulated_families_need_a_robot():
    with pytest.raises(InvalidValue, match="--robot"):
        fit_family(FAMILIES["csm"], (drive(*MIXED),), SETTING)


def test_other_processes_find_the_same_as_this_one():
    records, names = (drive(*MIXED),), ("ideal", "icr", "csm")
    here = identify_records(records, SETTING, names)
    there = identify_records(records, SETTING, names, workers=Workers(count=2))
    assert list(here.fits) == list(there.fits) == ["ideal", "icr"]
    assert here.fits["icr"].parameters == there.fits["icr"].parameters
    assert here.refused == there.refused
    assert "--robot" in there.refused["csm"]


def test_one_family_goes_to_the_cluster_that_was_named(monkeypatch):
    monkeypatch.setattr("grouser.tasks.dask.CONNECT_TIMEOUT", 0.5)
    with pytest.raises(ClusterLost):
        identify_records(
            (drive(*MIXED),), SETTING, ("icr",), workers=Workers(cluster="tcp://127.0.0.1:1")
        )

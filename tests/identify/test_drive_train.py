"""Gains, limits, delay and lag between commands and belts."""

from dataclasses import replace

import numpy as np
import pytest

from grouser.errors import InvalidLog
from grouser.identify import FAMILIES, KnownRobot, Observation, Record, identify_records
from grouser.identify.drive_train import DriveTrain, apply_drive_train, fit_drive_train

TRUE = DriveTrain(
    gain_mean=1.3, gain_difference=0.7, limit_difference=0.4, limit=0.9, delay=0.15, lag=0.25
)
KNOWN = KnownRobot(gauge=0.5)


def commanded(duration=120.0, seed=0, train=TRUE) -> Record:
    """Return a drive whose commands change every two seconds, some of them beyond the limits."""
    generator, time = np.random.default_rng(seed), 0.05 * np.arange(round(duration / 0.05))
    steps = generator.uniform(-0.9, 0.9, (2, round(duration / 2.0)))
    commands = np.repeat(steps, 40, axis=1)
    nothing = Observation(kind="pose", time=time, values=np.zeros((3, time.size)))
    record = Record(
        name="test", time=time, left=np.zeros(time.size), right=np.zeros(time.size),
        observation=nothing, commanded=commands,
    )  # fmt: skip
    moved = apply_drive_train(record, train)
    path = FAMILIES["icr"].predict(np.array([[0.4, -0.35, 0.05]]), moved, KNOWN)
    seen = np.stack([path.x[0], path.y[0], path.yaw[0]])
    seen += generator.normal(0.0, 0.003, seen.shape)
    noise = generator.normal(0.0, 0.01, (2, time.size))
    return replace(
        moved, left=moved.left + noise[0], right=moved.right + noise[1],
        observation=replace(nothing, values=seen),
    )  # fmt: skip


def test_known_gains_limits_delay_and_lag_come_back():
    found = fit_drive_train(commanded())
    for name in ("gain_mean", "gain_difference", "limit", "limit_difference", "delay", "lag"):
        assert getattr(found, name) == pytest.approx(getattr(TRUE, name), abs=0.02), name
    assert found.error == pytest.approx(0.01, abs=0.002)
    assert len(found.intervals) == 6


def test_motion_is_predicted_from_commands():
    found = identify_records([commanded()], KNOWN, ("ideal", "icr"), from_commands=True)
    assert found.drive_train is not None
    assert found.recommendation.family == "icr"
    assert found.fits["icr"].parameters["left_y"].value == pytest.approx(0.4, abs=0.02)
    assert found.fits["icr"].hold_out.position[1.0] < 0.02


def test_where_only_commands_were_logged_the_lag_is_found_by_the_poses():
    train = DriveTrain(lag=0.4)
    record = commanded(train=train)
    assert record.commanded is not None
    alone = replace(record, left=record.commanded[0], right=record.commanded[1])
    found = identify_records([alone], KNOWN, ("icr",), from_commands=True)
    assert found.drive_train == train
    width = found.fits["icr"].values["left_y"] - found.fits["icr"].values["right_y"]
    assert width == pytest.approx(0.75, abs=0.03)


def test_a_log_without_commands_is_an_error_that_names_the_columns():
    record = replace(commanded(duration=20.0), commanded=None)
    with pytest.raises(InvalidLog, match=r"belt_speed_commanded\.left"):
        identify_records([record], KNOWN, ("icr",), from_commands=True)

"""Drives in pieces: several files, gaps, restarting times, blocks and folds."""

from dataclasses import replace

import numpy as np
import pytest

from grouser.errors import InvalidLog, InvalidValue
from grouser.identify import FAMILIES, KnownRobot, fit_family, identify_records, read_record
from grouser.identify.pieces import cut_blocks, extend_record, join_records
from grouser.identify.recovery import SensorFaults, cut_drive, random_drive
from grouser.log import Column, Log

KNOWN = KnownRobot(gauge=0.5)
TRUE = np.array([0.1, 0.05, 0.4, -0.35, 0.03, 0.05])


def pieces(duration=60.0, length=2.0, seed=2):
    """Return records of a robot of family icr-drift."""
    drive, _ = random_drive(
        FAMILIES["icr-drift"], TRUE, KNOWN, np.random.default_rng(seed), duration=duration,
        faults=SensorFaults(largest_offset=0.05),
    )  # fmt: skip
    return cut_drive(drive, length)


def to_log(records, *, times="restart", **more) -> Log:
    """Return records as one log: with times that restart, or with gaps."""
    shift = {"restart": 0.0, "gaps": 7.0}[times]
    rows = []
    for number, record in enumerate(records):
        seen = record.observation
        at = np.union1d(record.time, seen.time)
        table = np.full((6, at.size), np.nan)
        table[0] = at + number * shift
        table[1, np.searchsorted(at, record.time)] = record.left
        table[2, np.searchsorted(at, record.time)] = record.right
        table[3:, np.searchsorted(at, seen.time)] = seen.values
        rows.append(np.vstack([table, np.full(at.size, number)]))
    table = np.concatenate(rows, axis=1)
    names = ("time", "belt_speed.left", "belt_speed.right", "x", "y", "yaw")
    units = ("s", "m/s", "m/s", "m", "m", "rad")
    columns = {n: Column(v, u) for n, v, u in zip(names, table, units, strict=False)}
    if times == "restart":
        columns["piece"] = Column(table[6], "1")
    return Log(columns | {n: Column(of(table[6]), "1") for n, of in more.items()})


@pytest.fixture(scope="module")
def one_by_one():
    return fit_family(FAMILIES["icr-drift"], pieces(), KNOWN)


def test_short_pieces_identify_a_robot_as_one_drive_does(one_by_one):
    for name, true in zip(("slip_left", "slip_right", "left_y", "right_y"), TRUE, strict=False):
        assert one_by_one.parameters[name].value == pytest.approx(true, abs=0.05)
    inside = [e.holds(t) for e, t in zip(one_by_one.parameters.values(), TRUE, strict=False)]
    assert np.mean(inside) >= 0.8


@pytest.mark.parametrize("times", ["restart", "gaps"])
def test_files_and_one_file_with_gaps_or_a_column_of_pieces_give_the_same(times, one_by_one):
    record = read_record(to_log(pieces(), times=times), "log", gauge=0.5)
    assert record.first.size == 30
    assert record.durations == pytest.approx(np.full(30, 1.98))
    fit = fit_family(FAMILIES["icr-drift"], [record], KNOWN)
    for name, estimate in one_by_one.parameters.items():
        assert fit.parameters[name].value == pytest.approx(estimate.value, abs=1e-5)


def test_every_step_between_pieces_is_no_motion():
    record = join_records(pieces(duration=10.0))
    assert record.time.size == sum(piece.time.size for piece in pieces(duration=10.0))
    assert np.all(record.steps[record.first] == 0.0)
    assert record.steps.sum() == pytest.approx(record.duration)
    assert np.all(np.diff(record.time) > 0.0)
    assert np.all(np.diff(record.observation.time) > 0.0)


def test_held_belts_extend_each_piece_and_keep_its_samples():
    record = join_records(pieces(duration=10.0))
    held = extend_record(record, 0.65)
    assert np.all(np.diff(held.time) > 0.0)
    assert held.durations == pytest.approx(record.durations + 1.3)
    inside = np.isin(held.time, record.time)
    assert held.left[inside] == pytest.approx(record.left)
    assert held.left[held.first] == pytest.approx(record.left[record.first])


def test_groups_are_held_out_together_and_widen_intervals():
    group = lambda piece: piece // 3  # noqa: E731
    named = read_record(to_log(pieces(), group=group), "log", gauge=0.5)
    blocks = cut_blocks(named)
    assert blocks.is_named
    assert blocks.count == 10
    assert blocks.folds == 5
    for fold in range(5):
        held = blocks.held_out(fold)
        assert np.unique(blocks.number[held]).size == 2
    fit = fit_family(FAMILIES["icr-drift"], [named], KNOWN)
    assert fit.clusters == 10


def test_an_error_of_each_group_is_in_the_intervals():
    """Slip that differs from group to group: windows of one group are no independent evidence."""
    generator, records = np.random.default_rng(0), []
    family, groups = FAMILIES["icr-slip"], []
    for number in range(12):
        values = np.array([*(0.1 + 0.05 * generator.normal(size=2)), 0.4, -0.4, 0.0])
        drive, _ = random_drive(family, values, KNOWN, generator, duration=12.0)
        records += cut_drive(drive, 2.0)
        groups += [number] * (len(records) - len(groups))
    together = replace(join_records(records), group=np.array(groups))
    alone = fit_family(family, [replace(together, group=None)], KNOWN)
    grouped = fit_family(family, [together], KNOWN)
    width = [
        f.parameters["slip_left"].high - f.parameters["slip_left"].low for f in (alone, grouped)
    ]
    assert width[1] > 1.3 * width[0]


def test_pieces_that_come_twice_or_have_no_number_are_named():
    log = to_log(pieces(duration=8.0))
    again = np.where(log["piece"] == 2, 0, log["piece"])
    with pytest.raises(InvalidLog, match="column piece has 0 in rows apart"):
        read_record(log.with_columns({"piece": Column(again, "1")}), "log", gauge=0.5)
    unknown = np.where(log["piece"] == 2, np.nan, log["piece"])
    with pytest.raises(InvalidLog, match="rows without a number"):
        read_record(log.with_columns({"piece": Column(unknown, "1")}), "log", gauge=0.5)


def test_records_of_different_kinds_are_not_joined():
    first, second = pieces(duration=8.0)[:2]
    gyro = replace(second.observation, kind="gyro", values=second.observation.values[2:])
    with pytest.raises(InvalidValue, match="gyro, pose"):
        join_records([first, replace(second, observation=gyro)])


def test_a_log_of_short_pieces_is_judged_and_never_by_nan():
    found = identify_records(pieces(), KNOWN)
    hold = found.fits["icr-drift"].hold_out
    assert hold.horizon == pytest.approx(1.9, abs=0.1)
    assert 28 <= hold.starts <= 30  # one piece lost half of its poses
    assert found.recommendation.family != "ideal"
    assert "nan" not in found.recommendation.sentence
    scores = [fit.hold_out.score for fit in found.fits.values()]
    assert np.isfinite(scores).all()
    assert found.recommendation.errors["ideal"].excess_low > 0.0


def test_belts_in_a_wrong_unit_come_back_as_slip_of_both_sides():
    records = [replace(r, left=6.0 * r.left, right=6.0 * r.right) for r in pieces()]
    found = identify_records(records, KNOWN, ("ideal", "icr-drift"))
    assert found.recommendation.family == "icr-drift"
    for side, slip in (("left", 0.1), ("right", 0.05)):
        wrong = 1.0 - (1.0 - slip) / 6.0
        value = found.fits["icr-drift"].parameters[f"slip_{side}"].value
        assert value == pytest.approx(wrong, abs=0.02)

"""Laws of the filter: its calculus, its honesty, and what may not matter to it."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2

from grouser.control import Belief, FusionSettings, SlipFilter
from grouser.control.slip_filter_model import (
    ANGLE,
    BIAS,
    EXCESS_L,
    EXCESS_R,
    RATE,
    SIZE,
    SLIP_L,
    SLIP_R,
    YAW,
    V,
    X,
    Y,
    carry_pose,
    predict_belief,
)  # fmt: skip
from grouser.description import load_robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose, arc_displacement

SETTINGS = FusionSettings.of(load_robot("tp100"), belt_noise=0.002)
DT = 0.05
STATE = np.array((0.3, -0.2, 0.8, 0.1, 0.2, 0.005, 0.1, 0.12, 0.01, 1e-4, -5e-5))
POSE_NOISE = np.array((0.0005, 0.0005, 0.003))


def start(mean: np.ndarray = STATE) -> Belief:
    return replace(SETTINGS.start(Pose()), mean=mean)


def test_slopes_of_the_pose_are_finite_differences():
    step = 1e-6
    for duration in (DT, -0.03):
        _, slopes = carry_pose(STATE, duration)
        for k, axis in enumerate(np.eye(SIZE)):
            ahead, behind = (carry_pose(STATE + s * axis, duration)[0] for s in (step, -step))
            assert slopes[:, k] == pytest.approx((ahead - behind) / (2 * step), abs=1e-5)


def test_a_small_doubt_spreads_as_finite_differences_do():
    certain = replace(SETTINGS, **{n: 0.0 for n in SETTINGS.__dataclass_fields__ if "_" in n})
    step = 1e-5

    def after(mean: np.ndarray, covariance: np.ndarray) -> Belief:
        belief = Belief(mean=mean, covariance=covariance)
        return predict_belief(belief, 0.12, 0.08, DT, certain)

    for axis in np.eye(SIZE):
        covariance = after(STATE, np.outer(axis, axis)).covariance
        still = np.zeros((SIZE, SIZE))
        ahead, behind = (after(STATE + s * axis, still).mean for s in (step, -step))
        slope = (ahead - behind) / (2 * step)
        # Slopes leave out the bend within a step, (yaw_rate dt)^2 / 24 of them.
        assert covariance == pytest.approx(np.outer(slope, slope), rel=1e-4, abs=1e-5)


def test_a_step_moves_the_mean_by_the_slip_odometry_of_p0():
    # P0 eqs 1 and 5 with Table 3: kinematics_checks.json.
    mean = np.zeros(SIZE)
    mean[[SLIP_L, SLIP_R]] = 0.1, 0.1188
    settings = replace(SETTINGS, width=0.2742)
    found = predict_belief(start(mean), 0.06, 0.12, 1.0, settings).mean
    assert found[V] == pytest.approx(0.079872, abs=1e-6)
    assert found[RATE] == pytest.approx(0.188708972, abs=1e-6)


def world(count: int, steps: int, seed: int):
    """Yield what many robots are and what their sensors say, drawn from the filter's own model."""
    generator, s = np.random.default_rng(seed), SETTINGS
    first = SETTINGS.start(Pose())
    truth = generator.multivariate_normal(first.mean, first.covariance, count)
    for step in range(steps):
        time = (step + 1) * DT
        noise = generator.normal(size=(count, 11))
        belts = np.stack(
            np.broadcast_arrays(0.1 + 0.05 * np.sin(time), 0.1 - 0.06 * np.cos(0.7 * time))
        )
        counts = s.travel_noise * noise[:, :2]
        excess = counts - truth[:, [EXCESS_L, EXCESS_R]]
        measured = belts + excess / DT + s.belt_noise * noise[:, 2:4]
        grip = 1.0 - truth[:, [SLIP_L, SLIP_R]]
        left, right = (belts * grip).T
        truth[:, V] = 0.5 * (left + right) + s.speed_wander / np.sqrt(DT) * noise[:, 4]
        truth[:, RATE] = (right - left) / s.width + s.turn_wander / np.sqrt(DT) * noise[:, 5]
        yaw, v, rate = (truth[:, k].copy() for k in (YAW, V, RATE))
        dx, dy = arc_displacement(v, v * np.tan(truth[:, ANGLE]), rate, yaw, DT)
        aside = s.side_wander * np.sqrt(DT) * noise[:, 6]
        truth[:, X] += dx - aside * np.sin(yaw)
        truth[:, Y] += dy + aside * np.cos(yaw)
        truth[:, YAW] += rate * DT
        truth[:, [EXCESS_L, EXCESS_R]] = counts
        wander = (s.bias_wander, s.slip_wander, s.slip_wander, s.angle_wander)
        truth[:, [BIAS, SLIP_L, SLIP_R, ANGLE]] += np.sqrt(DT) * noise[:, 7:] * wander
        gyro = truth[:, RATE] + truth[:, BIAS] + s.gyro_noise * generator.normal(size=count)
        seen = truth[:, :3] + POSE_NOISE * generator.normal(size=(count, 3))
        yield time, truth.copy(), measured.T, gyro, seen


def nees(belief: Belief, truth: np.ndarray, states: list[int]) -> np.ndarray:
    """Return the squared distance of the truth in standard deviations, for each robot."""
    missing = (truth - belief.mean)[:, states]
    covariance = belief.covariance[:, states][:, :, states]
    return np.sum(missing * np.linalg.solve(covariance, missing[..., None])[..., 0], axis=1)


def test_the_filter_is_as_sure_as_it_may_be():
    """Normalised errors of many robots follow a chi-square: neither too sure nor too timid."""
    count = 100
    one = SETTINGS.start(Pose())
    many = Belief(
        mean=np.tile(one.mean, (count, 1)), covariance=np.tile(one.covariance, (count, 1, 1))
    )
    found = SlipFilter(replace(SETTINGS, gate=np.inf), many)
    shown = list(range(9))
    means = []
    for step, (time, truth, (left, right), gyro, seen) in enumerate(world(count, 160, seed=5)):
        found.advance(time, left, right, gyro)
        if step % 2:
            found.see(time, seen, POSE_NOISE)
        if step in (39, 79, 119, 159):
            means.append(nees(found.belief, truth, shown).mean())
    low, high = chi2.ppf((0.001, 0.999), 9 * count) / count
    assert all(low < mean < high for mean in means), (low, means, high)


def drive(found: SlipFilter, *, mirrored: bool = False, late: float = 0.0, shift: float = 0.0):
    """Drive one robot through the filter; poses come `late`, and all times are shifted."""
    coming = []
    for step, (time, _, measured, gyro, seen) in enumerate(world(1, 80, seed=2)):
        left, right = measured[:, 0][::-1] if mirrored else measured[:, 0]
        pose = seen[0] * ((1.0, -1.0, -1.0) if mirrored else (1.0, 1.0, 1.0))
        found.advance(shift + time, left, right, -gyro[0] if mirrored else gyro[0])
        if step % 3 == 0:
            coming.append((shift + time - 0.4 * DT, pose))
        while coming and coming[0][0] + late <= shift + time + 1e-9:
            found.see(*coming.pop(0), POSE_NOISE)
    for moment, pose in coming:
        found.see(moment, pose, POSE_NOISE)
    return found.belief


def test_a_mirrored_drive_is_believed_mirrored():
    plain, mirrored = drive(SlipFilter(SETTINGS, SETTINGS.start(Pose()))), drive(
        SlipFilter(SETTINGS, SETTINGS.start(Pose())), mirrored=True
    )  # fmt: skip
    swap = [X, Y, YAW, V, RATE, BIAS, SLIP_R, SLIP_L, ANGLE, EXCESS_R, EXCESS_L]
    sign = np.array((1, -1, -1, 1, -1, -1, 1, 1, -1, 1, 1))
    assert mirrored.mean == pytest.approx(sign * plain.mean[swap], abs=1e-12)
    expected = np.outer(sign, sign) * plain.covariance[np.ix_(swap, swap)]
    assert mirrored.covariance == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("late", [0.05, 0.23, 0.6])
def test_poses_that_come_late_lead_to_the_same_belief(late):
    at_once = drive(SlipFilter(SETTINGS, SETTINGS.start(Pose())))
    belief = drive(SlipFilter(SETTINGS, SETTINGS.start(Pose())), late=late)
    assert belief.mean == pytest.approx(at_once.mean, abs=1e-12)
    assert belief.covariance == pytest.approx(at_once.covariance, abs=1e-15)


def test_when_the_clock_was_started_does_not_matter():
    plain = drive(SlipFilter(SETTINGS, SETTINGS.start(Pose())))
    later = drive(SlipFilter(SETTINGS, SETTINGS.start(Pose()), 64.0), shift=64.0)
    assert later.mean == pytest.approx(plain.mean, abs=1e-9)


def test_poses_in_the_wrong_order_lead_to_the_same_belief():
    poses = [(0.1, (0.01, 0.0, 0.0)), (0.2, (0.02, 0.0, 0.0)), (0.3, (0.03, 0.0, 0.0))]
    beliefs = []
    for order in (poses, poses[::-1]):
        found = SlipFilter(SETTINGS, SETTINGS.start(Pose()))
        for step in range(1, 11):
            found.advance(step * DT, 0.1, 0.1, 0.0)
        for time, pose in order:
            found.see(time, pose, POSE_NOISE)
        beliefs.append(found.belief)
    assert beliefs[0].mean == pytest.approx(beliefs[1].mean, abs=1e-12)


def test_a_pose_of_the_future_waits_for_its_step():
    found = SlipFilter(SETTINGS, SETTINGS.start(Pose()))
    found.see(0.12, (0.02, 0.0, 0.0), POSE_NOISE)
    first = found.advance(0.1, 0.0, 0.0)
    assert first.deviation("x") > 0.009
    assert found.advance(0.2, 0.0, 0.0).deviation("x") < 0.001


def test_a_robot_that_stands_learns_its_bias_and_nothing_about_slip():
    found = SlipFilter(SETTINGS, SETTINGS.start(Pose()))
    for step in range(1, 201):
        found.advance(step * DT, 0.0, 0.0, 0.004)
        found.see(step * DT, (0.0, 0.0, 0.0), POSE_NOISE)
    first, last = SETTINGS.start(Pose()), found.belief
    for name in ("slip_left", "slip_right"):
        # What an unknown count of less than a step could tell about slip is next to nothing.
        assert last.deviation(name) > 0.99 * first.deviation(name)
        assert abs(last.value(name)) < 0.02
    assert last.deviation("slip_angle") >= first.deviation("slip_angle")
    assert last.value("gyro_bias") == pytest.approx(0.004, abs=3 * last.deviation("gyro_bias"))
    assert last.deviation("gyro_bias") < 0.1 * first.deviation("gyro_bias")


def test_without_a_camera_slip_stays_unknown_and_the_pose_gets_lost():
    found = SlipFilter(SETTINGS, SETTINGS.start(Pose()))
    for step in range(1, 201):
        found.advance(step * DT, 0.1, 0.1, 0.0)
    assert found.belief.deviation("x") > 0.1
    assert found.belief.deviation("slip_left") > 0.1


def test_outliers_are_left_out():
    clean, spoilt = (SlipFilter(SETTINGS, SETTINGS.start(Pose())) for _ in range(2))
    for step in range(1, 101):
        for found in (clean, spoilt):
            found.advance(step * DT, 0.1, 0.1, 0.0)
            pose = np.array((0.1 * step * DT, 0.0, 0.0))
            if step % 20 == 10:
                if found is clean:
                    continue
                pose += (0.3, -0.2, 1.0)
            found.see(step * DT, pose, POSE_NOISE)
    assert spoilt.rejected == 5
    assert spoilt.belief.mean == pytest.approx(clean.belief.mean, abs=1e-12)


def test_a_robot_that_was_carried_away_is_found_again():
    found = SlipFilter(SETTINGS, SETTINGS.start(Pose()))
    for step in range(1, 121):
        found.advance(step * DT, 0.0, 0.0, 0.0)
        found.see(step * DT, (0.0 if step < 40 else 0.7, 0.0, 0.0), POSE_NOISE)
    assert found.belief.value("x") == pytest.approx(0.7, abs=0.005)


def test_what_comes_later_than_the_memory_is_counted_and_not_used():
    found = SlipFilter(SETTINGS, SETTINGS.start(Pose()), memory=0.5)
    for step in range(1, 41):
        found.advance(step * DT, 0.1, 0.1, 0.0)
    before = found.belief
    found.see(0.2, (0.0, 0.0, 0.0), POSE_NOISE)
    assert found.too_late == 1
    assert found.belief is before


def test_time_must_go_on_and_settings_must_make_sense():
    found = SlipFilter(SETTINGS, SETTINGS.start(Pose()))
    with pytest.raises(InvalidValue, match="be after 0 s, the last one"):
        found.advance(0.0, 0.1, 0.1)
    with pytest.raises(InvalidValue, match=r"fusion.gyro_noise must be zero or more, not -1"):
        FusionSettings(width=0.2, gyro_noise=-1.0)
    with pytest.raises(InvalidValue, match=r"fusion.width must be positive"):
        FusionSettings(width=0.0)

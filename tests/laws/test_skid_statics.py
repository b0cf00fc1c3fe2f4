from dataclasses import replace

import pytest

from grouser.errors import InvalidValue
from grouser.laws.skid_statics import (
    EVEN,
    Arm,
    Conditions,
    Foot,
    Standing,
    centres_spread,
    turn_centres,
)
from grouser.laws.skid_steering import SkidVehicle, steady_turn
from tests.models.contact.turning_theory import strips, turn_rate


def belts(
    length: float, gauge: float, width: float = 0.0, com: tuple[float, float, float] = (0, 0, 0.1)
) -> Standing:
    """Return a robot on two belts."""
    feet = tuple(
        Foot(x=0.0, y=y * gauge, length=length, width=width, is_left=y > 0.0) for y in (0.5, -0.5)
    )
    return Standing(feet=feet, centre_of_mass=com)


def middle(standing: Standing, conditions: Conditions = EVEN) -> float:
    """Return where the middle between the centres lies along y [m]."""
    centres = turn_centres(standing, conditions)
    return float(0.5 * (centres.left_y + centres.right_y))


@pytest.mark.parametrize("across", [0.3, 1.0, 1.6])
@pytest.mark.parametrize("com", [0.0, 0.1])
@pytest.mark.parametrize(("length", "width"), [(0.3, 0.05), (0.5, 0.2), (1.2, 0.1)])
def test_width_is_that_of_forces_that_a_root_finder_balances(length, width, com, across):
    standing = belts(length, 0.4, width, (com * length, 0.0, 0.1))
    found = turn_centres(standing, Conditions(across=across)).width
    rate = turn_rate(strips(length, width, 0.4, com * length), -1.0, 1.0, (1.0, across))
    assert found == pytest.approx(2.0 / rate, rel=0.01)


@pytest.mark.parametrize("radius", [0.05, 1.0, 30.0])
def test_width_is_that_of_steady_turns_tight_and_wide_whose_shear_builds_up_at_once(radius):
    vehicle = SkidVehicle(length=0.9, gauge=0.6, friction=0.8, shear_modulus=1e-6)
    turn = steady_turn(vehicle, radius, 0.01)
    width = turn_centres(belts(0.9, 0.6)).width
    assert float(turn.steering_ratio(0.6)[0]) * 0.6 == pytest.approx(width, rel=0.01)


def test_four_wheels_turn_as_the_closed_form_of_load_at_the_ends():
    length, gauge = 0.7, 0.5
    feet = tuple(
        Foot(x=x * length, y=y * gauge, length=1e-6, width=0.0, is_left=y > 0.0)
        for x in (-0.5, 0.5)
        for y in (0.5, -0.5)
    )
    centres = turn_centres(Standing(feet=feet, centre_of_mass=(0.0, 0.0, 0.2)))
    assert centres.width == pytest.approx((length**2 + gauge**2) / gauge, rel=1e-4)
    ends = turn_centres(belts(length, gauge), Conditions(ends=1.0))
    assert ends.width == pytest.approx(centres.width, rel=1e-4)


def test_turn_is_about_the_load_and_mirrored_load_mirrors_it():
    standing = belts(0.8, 0.5, 0.1, (0.06, 0.02, 0.2))
    mirrored = replace(standing, centre_of_mass=(0.06, -0.02, 0.2))
    one, other = turn_centres(standing), turn_centres(mirrored)
    assert one.x > 0.03
    assert (other.x, other.left_y, other.right_y) == pytest.approx(
        (one.x, -one.right_y, -one.left_y)
    )


def test_width_scales_with_the_robot():
    small, large = belts(0.1, 0.07, 0.02, (0.01, 0.0, 0.0)), belts(10.0, 7.0, 2.0, (1.0, 0.0, 0.0))
    assert turn_centres(large).width == pytest.approx(100.0 * turn_centres(small).width)


def test_width_grows_with_friction_across_and_load_at_the_ends():
    standing = belts(0.8, 0.5, 0.1)
    widths = [turn_centres(standing, Conditions(across=r)).width for r in (0.3, 0.7, 1.0, 1.5)]
    widths.append(turn_centres(standing, Conditions(across=1.5, ends=0.5)).width)
    assert all(after > 1.03 * before for before, after in zip(widths, widths[1:], strict=False))


def test_friction_along_counts_only_where_the_turn_is_fast():
    standing = belts(0.8, 0.5, 0.1)
    slow = turn_centres(standing)
    assert turn_centres(standing, Conditions(friction=0.3)) == slow
    fast = turn_centres(standing, Conditions(friction=0.3, acceleration=0.1))
    assert fast.x > slow.x + 0.02  # tail out: the body turns about a place ahead


def test_flippers_on_the_ground_widen_the_turn_and_carry_more_where_friction_presses_them():
    standing = belts(0.5, 0.4, 0.1)
    long = [
        Foot(x=x, y=y, length=0.2, width=0.05, is_left=y > 0.0, arm=number)
        for number, (x, y) in enumerate(((0.35, 0.2), (0.35, -0.2)))
    ]
    arms = tuple(Arm(hinge_x=0.25, hinge_z=0.08, weight=0.05, x=0.35) for _ in long)
    with_flippers = replace(standing, feet=(*standing.feet, *long), arms=arms)
    assert turn_centres(with_flippers).width > 1.1 * turn_centres(standing).width
    heavy = replace(with_flippers, arms=tuple(replace(arm, weight=0.15) for arm in arms))
    assert turn_centres(heavy).width > 1.05 * turn_centres(with_flippers).width


def test_spread_is_wider_for_longer_robots_and_has_no_sign():
    short, long = centres_spread(belts(0.4, 0.5, 0.1)), centres_spread(belts(1.2, 0.5, 0.1))
    assert 0.05 < short[0] < long[0] < 1.0
    assert min(*short, *long) >= 0.0
    faster = centres_spread(belts(0.4, 0.5, 0.1), acceleration=0.2)
    assert faster[1] > short[1]


def test_a_robot_that_tips_over_is_refused():
    with pytest.raises(InvalidValue, match="centre of mass must lie over what touches the ground"):
        turn_centres(belts(0.5, 0.4, 0.1, (0.3, 0.0, 0.1)))


def test_a_turn_that_friction_cannot_hold_is_refused():
    with pytest.raises(InvalidValue, match="acceleration must be less than friction across"):
        turn_centres(belts(0.5, 0.4), Conditions(acceleration=0.3, friction=0.5, across=0.5))


def test_a_robot_whose_heavier_side_holds_the_ground_does_not_turn():
    with pytest.raises(InvalidValue, match="let the robot turn: one side holds the ground"):
        turn_centres(belts(0.8, 0.4, 0.1, (0.0, 0.15, 0.1)))

"""Manoeuvres lead out and back, within the limits of the robot."""

import numpy as np
import pytest

from grouser.description import load_robot
from grouser.errors import InvalidValue
from grouser.identify import FAMILIES, KnownRobot
from grouser.identify.manoeuvres import (
    ARC,
    BELT_PERIOD,
    Area,
    balance,
    list_manoeuvres,
    make_record,
    radius_of,
)

TP100 = load_robot("tp100")


def test_every_manoeuvre_returns_to_its_start_pose_whatever_the_slip():
    family, known_robot = FAMILIES["icr-slip"], KnownRobot(gauge=TP100.gauge, robot=TP100)
    generator = np.random.default_rng(2)
    values = np.array([family.draw(known_robot, generator) for _ in range(5)])
    kinds = set()
    for one in list_manoeuvres(TP100, 0.24, 1.5):
        path = family.predict(values, make_record([one]), known_robot)
        for column in (path.x, path.y, path.yaw):
            assert column[:, -1] == pytest.approx(np.zeros(5), abs=1e-9)
        sides = np.pad([one.left, one.right], ((0, 0), (1, 1)))
        assert np.abs(np.diff(sides)).max() <= BELT_PERIOD * TP100.drive.acceleration_limit
        assert np.abs(sides).max() == pytest.approx(one.speed)
        kinds.add(one.kind)
    assert kinds == {"straight", "speed change", "arc", "turn on the spot"}


def test_an_arc_and_its_opposite_cancel_the_displacement_by_drift():
    family, known_robot = FAMILIES["icr-drift"], KnownRobot(gauge=TP100.gauge, robot=TP100)
    arc = next(m for m in list_manoeuvres(TP100, 0.24, 3.0) if m.kind == ARC)
    values = np.array([[0.0, 0.0, 0.12, -0.12, 0.0, 0.1]])
    alone, opposite = (
        family.predict(values, make_record([one]), known_robot) for one in (arc, arc.opposite())
    )
    moved = np.array([alone.x[0, -1], alone.y[0, -1]])
    assert np.hypot(*moved) > 1e-3
    assert [opposite.x[0, -1], opposite.y[0, -1]] == pytest.approx(-moved, abs=1e-9)
    sides = [one.sideways for one in balance([arc, arc, arc, arc])]
    assert sum(sides) == pytest.approx(0.0, abs=1e-12)
    assert len(set(sides)) == 2


def test_the_radius_holds_the_corners_and_the_flippers():
    assert radius_of(TP100) == pytest.approx(np.hypot(0.0925, 0.08 + 0.0225))
    absolem = load_robot("absolem")
    assert radius_of(absolem) > np.hypot(absolem.rear, 0.5 * absolem.gauge) + 0.1


@pytest.mark.parametrize("text", ["5", "5x", "5x5x5", "axb", "5x0", "1e9x5", ""])
def test_an_area_is_two_lengths(text):
    with pytest.raises(InvalidValue, match="area must be"):
        Area.parse(text)
    assert Area.parse("5X4.5") == Area(length=5.0, width=4.5)

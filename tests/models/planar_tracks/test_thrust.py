"""Thrust of belts: Janosi's law along the belt, in time, both ways, with grousers."""

import math

import numpy as np
import pytest

from grouser.description.soil import load_soil
from grouser.errors import InvalidValue, UnknownName
from grouser.laws.terramechanics import (
    block_shear_strength,
    compaction_resistance,
    grouser_strength,
    janosi_thrust,
    mobilised_share,
    static_sinkage,
)
from grouser.models.planar_tracks.shear import HELD, gather, slide
from tests.models.planar_tracks.robots import firm, ground, make_robot, run, started, weight

ROBOT = make_robot()
SAND = load_soil("dry-sand")
PRESSURE = 5886.0


class Towed:
    """The left belt of a robot that is towed at a twist, its pressure uniform."""

    def __init__(self, surface: str, words: str = "") -> None:
        plant = started(f"strips=1,{words}" if words else "strips=1", ROBOT, ground(surface))
        self._machine, self.shear = plant._machine, plant.state.shear[0, 0]
        self._held = np.zeros((len(self.shear), HELD))
        self._pressures = np.full(len(self.shear) - 1, PRESSURE)

    def pull(self, speed: float, belt: float, steps: int, h: float = 1e-3) -> float:
        """Return the force on both belts after some steps straight ahead [N]."""
        machine, row, force = self._machine, self._machine.grounds[0, 0], 0.0
        for _ in range(steps):
            twist = (speed, 0.0, 0.0)
            gather(0, row, 1.0, machine.lines, np.zeros(3), twist, belt, h, machine.wong,
                   self._pressures, self.shear, self._held)  # fmt: skip
            force, *_ = slide(0, machine.lines, twist, belt, machine.wong, self.shear, self._held)
        return 2.0 * force


@pytest.mark.parametrize(("words", "within"), [("", 0.003), ("patches=48", 0.003)])
def test_the_thrust_of_60_kg_on_dry_sand_is_that_of_the_closed_form(words, within):
    for slip, exact in ((0.05, 153.4), (0.1, 236.7), (0.2, 314.6), (0.4, 364.9)):
        belt = Towed('soil = "dry-sand"', words)
        assert belt.pull(0.4 * (1.0 - slip), 0.4, 2000) == pytest.approx(exact, rel=within)


@pytest.mark.parametrize("form", ["mobilised", "wong"])
def test_a_belt_that_runs_backwards_enters_at_the_rear(form):
    forward, backward = (Towed('soil = "dry-sand"', f"form={form}") for _ in range(2))
    ahead, back = forward.pull(0.36, 0.4, 2000), backward.pull(-0.36, -0.4, 2000)
    assert back == pytest.approx(-ahead, rel=1e-12)
    assert backward.shear[-2::-1, 0] == pytest.approx(-forward.shear[:-1, 0], rel=1e-12)
    assert ahead == pytest.approx(236.7, rel=0.015)


@pytest.mark.parametrize("h", [0.001, 0.005])
def test_a_start_from_rest_shears_as_long_as_it_lasts(h):
    slip, belt, time = 0.2, 0.4, 0.1
    x = (np.arange(5000) + 0.5) / 5000 * 0.5
    share = np.mean(-np.expm1(-slip * belt * np.minimum(time, x / belt) / 0.025))
    strength = 0.1 * (1040.0 + PRESSURE * math.tan(math.radians(28.0)))
    found = Towed('soil = "dry-sand"').pull(belt * (1.0 - slip), belt, round(time / h), h)
    assert found == pytest.approx(strength * share, rel=0.025)


def test_a_reversal_by_k_after_saturation():
    belt = Towed(firm(0.7, 0.01))
    belt.pull(0.1, 0.0, 1000)
    assert belt.shear[:-1, 0] == pytest.approx(1.0, abs=1e-4)
    belt.pull(-0.1, 0.0, 100)
    assert belt.shear[:-1, 0] == pytest.approx(2.0 / math.e - 1.0, abs=0.005)


@pytest.mark.parametrize("soil", ["dry-sand", "lete-sand", "clayey-soil"])
def test_on_a_slope_a_robot_slips_until_its_thrust_carries_it(soil):
    numbers = load_soil(soil)
    for angle in (9.0, 18.0, 30.0):
        course = ground(f'soil = "{soil}"', angle)
        along, normal = weight(ROBOT, angle)
        plant = started("strips=1,bulldozing=0,longest_step=0.005", ROBOT, course)
        slip = run(plant, ROBOT, 0.4, 0.4, 8.0, 0.1).slips[0]
        z = static_sinkage(numbers, normal / 0.1, 0.1)
        needed = along + 2.0 * compaction_resistance(numbers, 0.1, z)
        assert plant.thrusts[0, :, 0].sum() == pytest.approx(needed, rel=1e-3)
        assert janosi_thrust(numbers, normal, 0.1, slip, 0.5) == pytest.approx(needed, rel=0.015)


def test_damping_never_adds_more_than_a_hundredth_of_the_strength():
    for K in (1e-6, 1e-4, 0.01, 0.1):
        belt = Towed(firm(0.7, K))
        for slip in (1e-5, 1e-3, 0.1):
            force = belt.pull(0.4 * (1.0 - slip), 0.4, 2000)
            share = force / (0.7 * 588.6)
            assert share <= mobilised_share(K, slip, 0.5) + 0.0105


def grousers(height: float, count: int) -> dict[str, object]:
    return {"count": count, "shape": "cuboid", "length_m": 0.002, "height_m": height}


@pytest.mark.parametrize(("count", "rule"), [(70, "block"), (12, "single")])
def test_grousers_shear_a_block_or_cut_through_whichever_is_less(count, rule):
    robot = make_robot(grousers=grousers(0.01, count))
    pitch = robot.tracks[0].pitch
    strength, found = grouser_strength(SAND, 588.6, 0.5, 0.1, 0.01, pitch)
    assert found == rule
    plant = started("bulldozing=0", robot, ground('soil = "dry-sand"', 45.0))
    slip = run(plant, robot, 3.0, 3.0, 2.0).slips[0]
    expected, _ = grouser_strength(SAND, weight(robot, 45.0)[1], 0.5, 0.1, 0.01, pitch)
    expected *= mobilised_share(SAND.shear_modulus, slip, 0.5)
    assert plant.thrusts[0, :, 0].sum() == pytest.approx(expected, rel=0.015)


def test_a_smooth_belt_grips_soil_with_its_own_adhesion():
    own = {"adhesion_Pa": 200.0, "friction_angle_deg": 15.0}
    smooth, ribbed = (
        make_robot(soil_contact=own, grousers=ribs) for ribs in (None, grousers(0.01, 70))
    )
    sand, normal = ground('soil = "dry-sand"', 40.0), weight(ROBOT, 40.0)[1]
    for robot, strength in (
        (smooth, 0.1 * 200.0 + normal * math.tan(math.radians(15.0))),
        (ribbed, float(block_shear_strength(SAND, normal, 0.1, 0.1, 0.01))),
    ):
        plant = started("bulldozing=0", robot, sand)
        slip = run(plant, robot, 3.0, 3.0, 2.0).slips[0]
        share = mobilised_share(SAND.shear_modulus, slip, 0.5)
        assert plant.thrusts[0, :, 0].sum() == pytest.approx(strength * share, rel=0.015)


def test_work_uphill_lifts_the_robot_and_slips():
    robot, angle = make_robot(), 15.0
    plant = started("", robot, ground(firm(0.7, 0.002), angle))
    before = run(plant, robot, 0.2, 0.2, 5.0, 0.1)
    after = run(plant, robot, 0.2, 0.2, 5.0, 0.1)
    work = sum(after.works) - sum(before.works)
    lifted = 588.6 * (after.pose.z - before.pose.z)
    assert work * (1.0 - after.slips[0]) == pytest.approx(lifted, rel=0.002)
    assert after.slips[0] > 0.003


def test_numbers_of_surfaces_are_checked():
    with pytest.raises(UnknownName, match="no number of friction law 'shear' named 'shear_moduls'"):
        started("", ROBOT, ground("[surfaces.ground.law]\nshear_moduls = 0.01"))
    with pytest.raises(InvalidValue, match=r"law.shear_modulus must be from 0 to 1 m, not -0.1"):
        started("", ROBOT, ground("[surfaces.ground.law]\nshear_modulus = -0.1"))

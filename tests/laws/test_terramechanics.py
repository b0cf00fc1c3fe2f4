"""Closed forms of soft ground, against the numbers that robots of four sizes have on five soils."""

import numpy as np
import pytest
from scipy.optimize import brentq

from grouser.description.soil import load_soil
from grouser.laws.terramechanics import (
    RELOAD_OVER_TANGENT,
    block_shear_factors,
    block_shear_strength,
    bulldozing_resistance,
    compaction_resistance,
    flow_value,
    ground_pressure,
    grouser_strength,
    janosi_thrust,
    mobilised_share,
    nikitin_coefficient,
    plate_stiffness,
    shear_strength,
    single_grouser_strength,
    slip_sinkage,
    static_sinkage,
    unloading_stiffness,
    virgin_pressure,
)

SAND, LETE, CLAY, SNOW, MOON = (
    load_soil(name) for name in ("dry-sand", "lete-sand", "clayey-soil", "snow", "lunar")
)
SIZES = [(20.0, 0.45, 0.08), (60.0, 0.5, 0.1), (200.0, 0.9, 0.2), (2000.0, 2.0, 0.4)]
WEIGHT, LENGTH, WIDTH = 60.0 * 9.81, 0.5, 0.1
AREA = 2.0 * LENGTH * WIDTH

# Sinkage [mm], compaction resistance over weight [%], slip for a pull of a fifth of the weight [%].
BY_SIZE = {
    "dry sand": (SAND, (3.1, 6.3, 5.9, 12.4), (0.3, 0.6, 0.3, 0.3), (2.9, 3.7, 2.0, 1.1)),
    "LETE sand": (LETE, (0.05, 0.15, 0.15, 0.45), (0.0, 0.0, 0.0, 0.0), (1.1, 1.4, 0.8, 0.4)),
    "clayey soil": (CLAY, (0.0, 0.1, 0.1, 0.3), (0.0, 0.0, 0.0, 0.0), (0.6, 1.0, 0.5, 0.5)),
    "snow": (SNOW, (59.0, 98.0, 100.0, 171.0), (5.1, 7.6, 4.3, 3.3), (8.0, 13.5, 5.8, 3.5)),
    "moon": (MOON, (3.3, 7.1, 6.6, 14.9), (0.4, 0.7, 0.4, 0.4), (2.6, 2.5, 1.4, 0.6)),
}


@pytest.mark.parametrize("name", BY_SIZE)
def test_robots_of_four_sizes_sink_resist_and_slip_as_computed_elsewhere(name):
    soil, sinkages, resistances, slips = BY_SIZE[name]
    for size, mm, percent, slip in zip(SIZES, sinkages, resistances, slips, strict=True):
        mass, length, width = size
        weight, area = 9.81 * mass, 2.0 * length * width
        z = static_sinkage(soil, weight / area, width)
        assert 1e3 * z == pytest.approx(mm, abs=0.055 if mm < 20.0 else 0.51)
        drag = 2.0 * compaction_resistance(soil, width, z)
        assert 100.0 * drag / weight == pytest.approx(percent, abs=0.051)

        def lack(i, soil=soil, weight=weight, area=area, length=length, drag=drag):
            return janosi_thrust(soil, weight, area, i, length) - drag - 0.2 * weight

        assert 100.0 * brentq(lack, 1e-6, 0.999) == pytest.approx(slip, abs=0.055)


def test_bulldozing_takes_a_seventh_of_a_small_robots_weight_on_snow():
    for (mass, length, width), percent in zip(SIZES, (15.0, 11.0, 7.0, 2.0), strict=True):
        weight = 9.81 * mass
        z = static_sinkage(SNOW, weight / (2.0 * length * width), width)
        drag = 2.0 * bulldozing_resistance(SNOW, width, z)
        assert 100.0 * drag / weight == pytest.approx(percent, abs=0.51)


def test_the_thrust_of_60_kg_on_dry_sand():
    slips = np.array([0.05, 0.1, 0.2, 0.4])
    thrust = janosi_thrust(SAND, WEIGHT, AREA, slips, LENGTH)
    assert thrust == pytest.approx([153.4, 236.7, 314.6, 364.9], abs=0.05)
    assert janosi_thrust(SAND, WEIGHT, AREA, -slips, LENGTH) == pytest.approx(-thrust)


@pytest.mark.parametrize("slip", [1e-7, 1e-3, 0.03, 0.5])
def test_the_mobilised_share_is_the_mean_of_janosis_law_along_the_belt(slip):
    x = (np.arange(20_000) + 0.5) / 20_000 * LENGTH
    mean = np.mean(-np.expm1(-slip * x / SAND.shear_modulus))
    assert mobilised_share(SAND.shear_modulus, slip, LENGTH) == pytest.approx(mean, rel=1e-6)


def test_pressure_and_sinkage_are_inverse():
    pressures = np.array([10.0, 3e3, 2e4])
    for soil in (SAND, LETE, CLAY, SNOW, MOON):
        z = static_sinkage(soil, pressures, WIDTH)
        assert virgin_pressure(soil, z, WIDTH) == pytest.approx(pressures)
    assert virgin_pressure(SAND, -0.01, WIDTH) == 0.0
    assert plate_stiffness(LETE, WIDTH) == pytest.approx(6.321e6)


def test_reloading_follows_the_line_of_unloading_then_the_virgin_curve():
    deepest = 0.01
    top = virgin_pressure(LETE, deepest, WIDTH)
    slope = unloading_stiffness(LETE, deepest, WIDTH)
    assert slope == pytest.approx(5.03e8 * deepest)  # k_0 = 0
    z = np.array([-0.04, 0.0097, 0.01, 0.012])
    pressure = ground_pressure(LETE, z, deepest, WIDTH)
    expected = [0.0, top - slope * 0.0003, top, virgin_pressure(LETE, 0.012, WIDTH)]
    assert pressure == pytest.approx(expected)
    assert pressure[1] > 0.0


def test_without_data_reloading_is_twenty_times_as_stiff_as_the_virgin_curve():
    z, step = 0.006, 1e-8
    tangent = (virgin_pressure(SAND, z + step, WIDTH) - virgin_pressure(SAND, z - step, WIDTH)) / (
        2.0 * step
    )
    assert unloading_stiffness(SAND, z, WIDTH) == pytest.approx(RELOAD_OVER_TANGENT * tangent)
    assert np.isfinite(unloading_stiffness(CLAY, 0.0, WIDTH))


def test_compaction_is_the_work_of_pressing_the_rut():
    z = np.linspace(0.0, 0.05, 50_001)
    work = WIDTH * np.trapezoid(virgin_pressure(SNOW, z, WIDTH), z)
    assert compaction_resistance(SNOW, WIDTH, 0.05) == pytest.approx(work, rel=1e-6)


def test_strength_and_flow_value():
    assert shear_strength(SAND, 5886.0) == pytest.approx(1040.0 + 5886.0 * np.tan(np.radians(28.0)))
    assert flow_value(np.radians(30.0)) == pytest.approx(3.0)


def test_grousers_of_60_kg_on_dry_sand():
    # 10 mm high: 20 N each, so that 20 of them give 400 N, and more of them shear a block.
    alone = single_grouser_strength(SAND, WEIGHT / AREA, WIDTH, 0.01)
    assert alone == pytest.approx(20.0, abs=0.05)
    strength, rule = grouser_strength(SAND, WEIGHT, LENGTH, WIDTH, 0.01, 0.05)
    assert (strength, rule) == (pytest.approx(20.0 * alone), "single")
    strength, rule = grouser_strength(SAND, WEIGHT, LENGTH, WIDTH, 0.01, 0.04)
    block = block_shear_strength(SAND, WEIGHT, AREA, WIDTH, 0.01)
    assert (strength, rule) == (pytest.approx(block), "block")
    plain = block_shear_strength(SAND, WEIGHT, AREA, WIDTH, 0.0)
    assert plain == pytest.approx(417.0, abs=0.5)
    assert block / plain == pytest.approx(1.13, abs=0.01)


def test_grousers_of_no_height_change_nothing_and_tall_ones_add_their_side_walls():
    assert block_shear_factors(0.0, 0.1) == (1.0, 1.0)
    of_cohesion, of_weight = block_shear_factors(0.1, 0.1)
    assert (of_cohesion, of_weight) == pytest.approx((3.0, 1.0 + 0.16 * np.pi))


def test_slip_deepens_sinkage_and_radius_eases_turning():
    assert slip_sinkage(0.01, 0.0) == 0.01
    assert slip_sinkage(0.01, 0.5) == pytest.approx(0.02)
    assert nikitin_coefficient(0.9, 0.5, 1.0) == pytest.approx(0.9)
    radii = np.array([2.0, 8.0, 63.0])
    assert nikitin_coefficient(0.9, radii, 1.0) == pytest.approx(
        [0.734694, 0.423529, 0.086747], abs=1e-6
    )

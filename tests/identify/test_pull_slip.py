"""K, c and phi from pulls: found again, with honest intervals, or a sentence why not."""

import math
from pathlib import Path

import numpy as np
import pytest

from grouser.description import load_soil
from grouser.errors import InvalidLog
from grouser.identify.pull_slip import PullCurve, fit_pull_curve, read_pull_curve
from grouser.laws.slope import GRAVITY
from grouser.laws.soil_drive import Belts, SoilDrive

BELTS = Belts(weight=60.0 * GRAVITY, count=2, length=0.5, width=0.1, gauge=0.6)
TRUE = SoilDrive(belts=BELTS, soil=load_soil("dry-sand"))
START = SoilDrive(
    belts=BELTS,
    soil=load_soil("dry-sand").model_copy(
        update={"shear_modulus": 0.01, "cohesion": 3000.0, "friction_angle": 0.3}
    ),
)
SLIPS = np.linspace(0.02, 0.6, 15)


def measured(weights: tuple[float, ...] = (), noise: float = 0.0, seed: int = 0) -> PullCurve:
    loads = np.repeat(weights or (BELTS.weight,), SLIPS.size)
    slips = np.tile(SLIPS, len(loads) // SLIPS.size)
    pulls = np.array([float(TRUE.pull(i, w)) for i, w in zip(slips, loads, strict=True)])
    pulls += noise * np.random.default_rng(seed).normal(size=pulls.size)
    return PullCurve(slips=slips, pulls=pulls, weights=loads if weights else None)


def at(slips: tuple[float, ...], noise: float = 5.0) -> PullCurve:
    scatter = noise * np.random.default_rng(1).normal(size=len(slips))
    return PullCurve(slips=np.array(slips), pulls=np.asarray(TRUE.pull(np.array(slips))) + scatter)


def test_three_weights_give_k_c_and_phi_back():
    fit = fit_pull_curve(measured((300.0, 600.0, 900.0)), START)
    soil = TRUE.soil
    assert fit.drive.soil.shear_modulus == pytest.approx(soil.shear_modulus, rel=1e-5)
    assert fit.drive.soil.cohesion == pytest.approx(soil.cohesion, rel=1e-5)
    assert fit.drive.soil.friction_angle == pytest.approx(soil.friction_angle, rel=1e-5)
    assert fit.sentences == ()
    assert fit.rmse < 1e-4


def test_intervals_hold_the_truth_about_as_often_as_they_promise():
    truth = {"shear_modulus_m": 0.025, "cohesion_Pa": 1040.0, "friction_angle_deg": 28.0}
    fits = [
        fit_pull_curve(measured((300.0, 600.0, 900.0), 5.0, seed), TRUE).estimates
        for seed in range(20)
    ]
    for key, value in truth.items():
        assert sum(found[key].holds(value) for found in fits) >= 16
        assert all(found[key].high - found[key].low < 0.5 * value for found in fits)


def test_one_weight_fixes_strength_and_k_and_says_so():
    fits = [fit_pull_curve(measured(noise=3.0, seed=seed), TRUE) for seed in range(20)]
    assert {key for fit in fits for key in fit.estimates} == {"shear_modulus_m", "cohesion_Pa"}
    assert sum(fit.strength.holds(TRUE.strength()[0]) for fit in fits) >= 16
    assert sum(fit.estimates["shear_modulus_m"].holds(0.025) for fit in fits) >= 16
    (sentence,) = fits[0].sentences
    assert sentence.startswith("phi cannot be determined from one weight")
    assert "phi = 28 deg" in sentence


def test_a_soil_that_is_too_strong_gives_way_to_phi_without_cohesion():
    steep = TRUE.with_grip(1000.0, 1.0, 0.02)
    fit = fit_pull_curve(measured(), steep)
    assert set(fit.estimates) == {"shear_modulus_m", "friction_angle_deg"}
    assert fit.sentences[0].startswith("c cannot be determined from one weight")
    assert fit.strength.value == pytest.approx(TRUE.strength()[0], rel=0.02)


@pytest.mark.parametrize(
    ("slips", "sentence"),
    [
        ((0.001, 0.003, 0.005, 0.01, 0.015, 0.02), "measure at larger slips"),
        ((0.6, 0.7, 0.75, 0.8, 0.9, 1.0), "measure at smaller slips"),
        ((0.3,) * 6, "all slips are the same; measure at several"),
    ],
)
def test_what_pulls_do_not_show_is_a_sentence(slips: tuple[float, ...], sentence: str):
    fit = fit_pull_curve(at(slips, noise=20.0), TRUE)
    assert "shear_modulus_m" in fit.undetermined
    assert any("K cannot be determined" in text and sentence in text for text in fit.sentences)
    assert all(math.isfinite(e.value) for e in fit.estimates.values())


def test_small_slips_alone_fix_strength_over_k():
    fit = fit_pull_curve(at((0.001, 0.003, 0.005, 0.01, 0.015, 0.02), noise=0.5), START)
    assert {"strength", *fit.estimates} == fit.undetermined
    assert any("only strength over K" in text for text in fit.sentences)


def test_tables_are_read_with_and_without_weights(tmp_path: Path):
    file = tmp_path / "pulls.csv"
    rows = "\n".join(f"{i / 10}, {50 + i}, 300" for i in range(1, 7))
    file.write_text(f"# winch, 3 May\nslip, pull_N, weight_N\n{rows}\n\n")
    curve = read_pull_curve(file)
    assert curve.slips == pytest.approx(np.arange(1, 7) / 10)
    assert curve.weights is not None
    assert curve.weights == pytest.approx(np.full(6, 300.0))
    file.write_text("Pull,Slip\n" + "\n".join(f"{i},0.{i}" for i in range(1, 7)))
    assert read_pull_curve(file).weights is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "column 'slip' is missing; it needs slip and pull, and has nothing"),
        (
            "slip,force\n0.1,2",
            "column 'pull' is missing; it needs slip and pull, and has slip, force",
        ),
        ("slip,pull\n0.1,2", "a fit needs 5 rows at least, not 1"),
        ("slip,pull\n" + "0.1,2\n" * 4 + "0.1,x", "row 5 must have a number for pull"),
        ("slip,pull\n" + "0.1,2\n" * 4 + "0.1", "row 5 must have a number for slip"),
        ("slip,pull\n" + "12,2\n" * 6, "row 1: slip must be from -1 to 1, not 12; divide per cent"),
        ("slip,pull,weight\n" + "0.1,2,0\n" * 6, "row 1: weight must be positive, not 0"),
    ],
)
def test_mistakes_of_a_table_are_sentences(tmp_path: Path, text: str, sentence: str):
    (tmp_path / "pulls.csv").write_text(text)
    with pytest.raises(InvalidLog) as caught:
        read_pull_curve(tmp_path / "pulls.csv")
    assert sentence in str(caught.value)

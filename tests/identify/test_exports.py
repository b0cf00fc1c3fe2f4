"""Exports of fits: what is written, loaded and driven again."""

import re
import tomllib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from grouser.description import load_course, load_robot
from grouser.errors import InvalidValue
from grouser.identify.equivalent_drive import equivalent_drive
from grouser.identify.exports import export_fit, format_diff_drive, format_gz_sim
from grouser.identify.family import KnownRobot
from grouser.identify.fit import Estimate, Fit, Status
from grouser.identify.judge import NO_HOLD_OUT
from grouser.laws.smooth_slip import DrivenRange, SkidConstants, smooth_twist
from grouser.models import make_model
from tests.models.drives import drive

KNOWN = KnownRobot(gauge=0.16, robot=load_robot("tp100"))
CONSTANTS = {"slip_left": 0.08, "slip_right": -0.03, "left_y": 0.14, "right_y": -0.12, "x": 0.01}
DRIFT = 0.06
FORWARD = (0.93, -0.04, -0.06, 0.03, 0.02, 0.015)
YAW = (0.62, -0.05, 0.11, -0.04, 0.03, -0.01)
LEFTWARD = (-0.06, 0.02, -0.03, -0.05, 0.01)
DRIVEN = {"speed_m_s": 0.2, "contrast_low": 0.0, "contrast_high": 0.8}
BELTS = [(0.06, 0.12), (0.15, 0.15), (-0.1, -0.18), (-0.05, 0.1), (0.2, 0.3)]


def fit_of(family: str, values: dict[str, float], details: dict[str, Any] | None = None) -> Fit:
    """Return a fit with these values, half of them kept from the start."""
    names = list(values)
    fitted = {n: Estimate(name=n, value=values[n], low=values[n], high=values[n], unit="1")
              for n in names[::2]}  # fmt: skip
    return Fit(
        family=family,
        model=family,
        status=Status.PARTIAL,
        parameters=fitted,
        fixed={n: values[n] for n in names[1::2]},
        correlation=np.eye(len(fitted)),
        residuals=(),
        hold_out=NO_HOLD_OUT,
        samples=1234,
        details=details or {},
    )


def smooth_fit(forward=FORWARD, yaw=YAW, driven=DRIVEN) -> Fit:
    parts = {"forward": forward, "yaw": yaw, "leftward": LEFTWARD}
    terms = {f"{name}_{i}": v for name, part in parts.items() for i, v in enumerate(part)}
    constants = CONSTANTS | {"drift": DRIFT}
    return fit_of("smooth", terms, {"driven": driven, "constants": constants})


FITS = {
    "icr-slip": fit_of("icr-slip", CONSTANTS),
    "icr-drift": fit_of("icr-drift", CONSTANTS | {"drift": DRIFT}),
    "smooth": smooth_fit(),
}


def law(family: str, left: float, right: float):
    """Return forward and leftward speed, and yaw rate, of the values above."""
    constants = SkidConstants(**CONSTANTS, drift=0.0 if family == "icr-slip" else DRIFT)
    if family != "smooth":
        return constants.twist(left, right)
    driven = DrivenRange(speed=0.2, contrast_high=0.8)
    return smooth_twist(left, right, (FORWARD, YAW, LEFTWARD), constants, driven, 0.16)


@pytest.mark.parametrize("family", FITS)
def test_the_exported_robot_moves_by_the_law(family, tmp_path):
    path = tmp_path / "mine.toml"
    export_fit(FITS[family], path, KNOWN)
    robot, flat = load_robot(path), load_course("flat")
    for belts in BELTS:
        twist = drive(make_model(family), robot, flat, *belts, duration=1.0).twist
        expected = law(family, *belts)
        assert (twist.vx, twist.vy, twist.yaw_rate) == pytest.approx(expected, rel=1e-9)


def exported(fit: Fit, path, robot=KNOWN.robot) -> tuple[str, dict[str, str]]:
    """Return the text of the exported robot file, and its sources by key."""
    export_fit(fit, path, KnownRobot(gauge=0.16, robot=robot))
    text = path.read_text()
    return text, tomllib.loads(text)["sources"]


@pytest.mark.parametrize("family", FITS)
def test_the_robot_file_keeps_its_comments_and_has_a_source_for_each_number(family, tmp_path):
    text, sources = exported(FITS[family], tmp_path / "mine.toml")
    assert text.startswith("# Lengths, masses and slip of the TP100")
    found = f"identified from a log, family {family}, 1234 samples [M]"
    if family == "smooth":
        keys = ["slip.left", "slip.right", "slip.icr.drift_s", "slip.smooth.fastest_m_s"]
        assert sources["slip.smooth.yaw"].startswith(f"{found}; not identified, start values: ")
    else:
        keys = ["slip.left", "slip.icr.left_y_m", "slip.icr.x_m"]
        start = f"start value of family {family}, which the log does not identify [A]"
        assert sources["slip.right"] == sources["slip.icr.right_y_m"] == start
    assert [sources[key] for key in keys] == [found] * len(keys)
    assert ("slip.smooth" in text) == (family == "smooth")


def test_the_ways_that_were_driven_are_exported_with_the_smooth_terms(tmp_path):
    ways = {"ahead": {"speed_m_s": 0.2, "right": -0.6, "left": 0.8},
            "back": {"speed_m_s": 0.1, "right": -0.05, "left": 0.05},
            "spot": {"speed_m_s": 0.0, "right": 0.0, "left": 0.0}}  # fmt: skip
    fit = smooth_fit()
    fit.details["driven_ways"] = ways
    exported(fit, tmp_path / "mine.toml")
    smooth = load_robot(tmp_path / "mine.toml").slip.smooth
    assert smooth.fastest == 0.2
    assert {
        name: {"speed_m_s": way.fastest, "right": way.right, "left": way.left}
        for name, way in (("ahead", smooth.ahead), ("back", smooth.back), ("spot", smooth.spot))
    } == ways


def fitted(family: str, values: dict[str, float]) -> Fit:
    """Return a fit in which all of these values were identified."""
    found = {n: Estimate(name=n, value=v, low=v, high=v, unit="1") for n, v in values.items()}
    return replace(
        fit_of(family, values), parameters=found, fixed={}, correlation=np.eye(len(found))
    )


@pytest.mark.parametrize(
    ("family", "values"),
    [
        ("icr", {"left_y": 0.14, "right_y": -0.12, "x": 0.01}),
        ("icr-slip", CONSTANTS),
        ("slip", {"slip_left": 0.1, "slip_right": 0.12, "slip_angle": 0.01,
                  "turning_slip_angle": 0.02, "width": 0.24}),
        ("turning", {"speed_difference_slope": 0.6, "speed_difference_intercept": 0.01,
                     "offset_ahead": 0.02}),
    ],
)  # fmt: skip
def test_nothing_that_was_not_fitted_is_called_measured(family, values, tmp_path):
    before = tomllib.loads(KNOWN.robot.text)["sources"]
    text, sources = exported(fitted(family, values), tmp_path / "mine.toml")
    marked = {key for key, source in sources.items() if "identified from a log" in source}
    numbers = [_number_at(tomllib.loads(text), key) for key in marked]
    assert numbers
    assert all(number != 0.0 for number in numbers)
    new = {key for key in set(sources) - set(before) if key not in marked}
    assert new == ({"turning.smallest_speed_difference_m_s"} if family == "turning" else set())


def _number_at(content: Any, key: str) -> float:
    for name in key.split("."):
        content = content[name]
    return content


def test_three_centres_of_rotation_are_three_new_keys(tmp_path):
    values = {"left_y": 0.14, "right_y": -0.12, "x": 0.01}
    text, sources = exported(fitted("icr", values), tmp_path / "mine.toml")
    assert tomllib.loads(text)["slip"]["icr"] == {f"{n}_m": v for n, v in values.items()}
    marked = [key for key, source in sources.items() if source.endswith("samples [M]")]
    assert marked == ["slip.icr.left_y_m", "slip.icr.right_y_m", "slip.icr.x_m"]


def test_a_start_value_that_the_file_has_keeps_its_source(tmp_path):
    slip = {"slip_left": KNOWN.robot.slip.left, "slip_right": 0.2, "slip_angle": 0.0,
            "turning_slip_angle": 0.03, "width": 0.24}  # fmt: skip
    fit = fitted("slip", slip)
    left = fit.parameters.pop("slip_left")
    _, sources = exported(replace(fit, fixed={"slip_left": left.value}), tmp_path / "mine.toml")
    before = tomllib.loads(KNOWN.robot.text)["sources"]
    assert sources.get("slip.left") == before.get("slip.left")
    assert "identified from a log" in sources["slip.right"]


def test_an_earlier_drift_and_motion_of_the_centres_do_not_stay(tmp_path):
    first, second = tmp_path / "first.toml", tmp_path / "second.toml"
    moving = CONSTANTS | {"drift": DRIFT}
    export_fit(fitted("icr-drift", moving), first, KNOWN)
    text = first.read_text()
    first.write_text(text.replace("drift_s = 0.06", "drift_s = 0.06\nx_per_speed_s = 0.5"))
    robot = load_robot(first)
    assert (robot.slip.icr.drift, robot.slip.icr.x_per_speed) == (DRIFT, 0.5)
    text, sources = exported(fitted("icr-slip", CONSTANTS), second, robot)
    icr = load_robot(second).slip.icr
    assert icr.drift == 0.0
    assert icr.stays
    assert "drift_s" not in text
    assert "slip.icr.drift_s" not in sources


def parameters_of(text: str) -> dict[str, float]:
    return {name: float(value) for name, value in re.findall(r"(\w+): ([-\d.e]+)$", text, re.M)}


@pytest.mark.parametrize("family", ["icr-slip", "icr-drift"])
def test_ros2_control_gets_slip_as_radii_and_centres_as_separation(family):
    text = format_diff_drive(FITS[family], KNOWN)
    assert parameters_of(text) == {
        "wheel_separation": 0.16,
        "wheel_separation_multiplier": pytest.approx(0.26 / 0.16),
        "left_wheel_radius_multiplier": 0.92,
        "right_wheel_radius_multiplier": 1.03,
    }


def test_gazebo_gets_the_efficiency_of_the_same_drive():
    text = format_gz_sim(FITS["icr-slip"], KNOWN)
    efficiency = float(re.search(r"<steering_efficiency>(\S+)<", text)[1])
    assert efficiency == pytest.approx(0.975 * 0.16 / 0.26, rel=1e-5)


@pytest.mark.parametrize("form", [format_diff_drive, format_gz_sim])
def test_a_comment_names_what_a_format_leaves_out(form):
    lines = {
        family: [line.strip(" #") for line in form(fit, KNOWN).splitlines() if "eft out" in line]
        for family, fit in FITS.items()
    }
    assert [len(found) for found in lines.values()] == [1, 1, 1]
    assert "drift" not in lines["icr-slip"][0]
    assert "drift" in lines["icr-drift"][0]
    assert "speed and curvature" in lines["smooth"][0]
    assert "eft out" not in form(fit_of("icr", CONSTANTS), KNOWN)


def test_smooth_terms_of_a_differential_drive_give_that_drive():
    # With V_r = v + d and V_l = v - d: a0, b0 are the mean radius, a5, b5 half the difference.
    radii, share = (0.9, 1.02), 0.55
    mean, half = 0.5 * sum(radii), 0.5 * (radii[1] - radii[0])
    forward = (mean, 0.0, 0.0, 0.0, 0.0, half)
    yaw = tuple(share * v for v in forward)
    found = equivalent_drive(smooth_fit(forward, yaw), KNOWN)
    assert (found.left_radius, found.right_radius) == pytest.approx(radii)
    assert found.separation == pytest.approx(1.0 / share)


def test_no_other_drive_is_nearer_to_the_smooth_terms():
    found = equivalent_drive(FITS["smooth"], KNOWN)
    driven, generator = DrivenRange(speed=0.2, contrast_high=0.8), np.random.default_rng(0)
    belts = generator.uniform(-0.2, 0.2, (2, 4000))
    belts = belts[:, driven.weight(*belts) == 1.0]
    wanted = law("smooth", *belts)

    def error(left: float, right: float, separation: float) -> float:
        rims = left * belts[0], right * belts[1]
        speed = 0.5 * (rims[0] + rims[1]) - wanted[0]
        turn = 0.5 * (rims[1] - rims[0]) / separation - 0.08 * wanted[2]
        return float(np.mean(speed**2 + turn**2))

    best = found.left_radius, found.right_radius, found.separation
    least = error(*best)
    assert least < 1e-5  # 3 mm/s at up to 0.2 m/s
    for place in range(3):
        for factor in (0.93, 1.07):
            other = [v * (factor if i == place else 1.0) for i, v in enumerate(best)]
            assert error(*other) > least


def test_terms_that_turn_the_wrong_way_have_no_drive():
    with pytest.raises(InvalidValue, match="must turn to the side of the slower belt"):
        equivalent_drive(smooth_fit(yaw=(-0.5, 0.0, 0.0, 0.0, 0.0, 0.0)), KNOWN)

"""The same belt speeds by different models: where they must agree, and where they must not."""

import math
from functools import cache

import pytest
from benchmarks.agreement import (
    MANOEUVRES,
    AgreementRow,
    End,
    deviations,
    measure_agreement,
    median_spreads,
    try_drive,
    way_of,
)
from benchmarks.gz_expectations import (
    EXPECTATIONS,
    STAIRS_PITCH,
    STAIRS_PITCH_NEAR,
    STAIRS_Z,
    Climb,
    GzRow,
    climb_stairs,
    drive_expectation,
)

from grouser.description import load_robot

BY_NAME = {manoeuvre.name: manoeuvre for manoeuvre in MANOEUVRES}
MODELS = ("ideal", "slip", "icr", "turning", "tracks-planar", "csm", "wheels", "frictionless",
          "segments")  # fmt: skip
ROBOT = "packbot510"


@cache
def driven(manoeuvre: str) -> dict[str, AgreementRow]:
    rows = measure_agreement(models=MODELS, robots=[ROBOT], manoeuvres=[BY_NAME[manoeuvre]])
    return {row.model: row for row in rows}


@pytest.mark.parametrize("manoeuvre", ["straight", "braking"])
def test_all_models_agree_on_driving_straight(manoeuvre):
    rows = driven(manoeuvre)
    assert set(rows) == set(MODELS)
    assert next(iter(rows.values())).spread < 0.01
    assert rows["csm"].end.x == pytest.approx(
        way_of(load_robot(ROBOT), BY_NAME[manoeuvre]), rel=0.03
    )


def test_models_with_friction_under_the_belts_agree_on_turns_and_others_do_not():
    rows = driven("tight arc")
    off = {model: row.deviation for model, row in rows.items() if row.deviation is not None}
    assert off["tracks-planar"] < 0.02
    assert max(off["segments"], off["wheels"]) < 0.15
    assert min(off["ideal"], off["frictionless"]) > 0.2
    assert off["ideal"] == pytest.approx(off["frictionless"], abs=0.01)


def test_a_pivot_stays_in_place_and_skidding_halves_it():
    rows = driven("pivot")
    assert rows["ideal"].end.yaw == pytest.approx(2.0 * math.pi, rel=0.06)
    assert 0.3 < rows["csm"].end.yaw / rows["ideal"].end.yaw < 0.8
    assert math.hypot(rows["csm"].end.x, rows["csm"].end.y) < 0.05


def test_a_model_that_does_not_describe_a_manoeuvre_has_no_row():
    robot = load_robot(ROBOT)
    assert try_drive("ideal", robot, BY_NAME["step"]) is None
    assert try_drive("plates:pitch=0.1", robot, BY_NAME["tight arc"]) is None
    assert try_drive("plates:pitch=0.1", load_robot("zhou-ugv"), BY_NAME["straight"]) is None


def test_no_model_is_further_from_the_reference_than_the_spread():
    rows = list(driven("tight arc").values())
    cells = deviations(rows)
    spread = median_spreads(rows)["tight arc"]
    assert all(0.0 <= value <= spread for cell in cells.values() for value in cell.values())
    assert ("tight arc", "csm") not in cells


def test_distance_counts_place_and_heading():
    origin = End(x=0.0, y=0.0, z=0.0, yaw=0.0)
    assert origin.apart(End(x=3.0, y=4.0, z=0.0, yaw=0.0), gauge=1.0) == 5.0
    assert origin.apart(End(x=0.0, y=0.0, z=0.0, yaw=0.5), gauge=2.0) == 0.5


@pytest.mark.parametrize(
    ("model", "passes"), [("icr", (True, True, True)), ("ideal", (True, False, False))]
)
def test_gz_sims_tests_pass_with_its_steering_efficiency_and_not_without(model, passes):
    row = GzRow(model=model, ends=tuple(drive_expectation(model, a) for a in EXPECTATIONS))
    assert tuple(row.meets(number) for number in range(len(EXPECTATIONS))) == passes


@pytest.mark.parametrize(
    ("climb", "meets"),
    [(Climb(x=3.4, z=0.6, pitch=-0.4), True), (Climb(x=3.2, z=0.6, pitch=-0.4), False),
     (Climb(x=3.4, z=0.5, pitch=-0.4), False), (Climb(x=3.4, z=0.6, pitch=0.4), False)],
)  # fmt: skip
def test_gz_sims_stairs_are_met_by_place_height_and_pitch(climb, meets):
    assert climb.meets == meets


def test_csm_climbs_gz_sims_stairs_as_high_as_its_test_expects():
    climb = climb_stairs("csm")
    assert climb.z > STAIRS_Z
    assert climb.pitch == pytest.approx(STAIRS_PITCH, abs=STAIRS_PITCH_NEAR)


def test_engines_agree_where_the_weight_can_rest_in_one_way_only():
    rows = measure_agreement(
        models=("csm", "csm:engine=mujoco"), robots=["zhou-ugv"], manoeuvres=[BY_NAME["pivot"]]
    )
    assert rows[1].deviation is not None
    assert rows[1].deviation < 0.01
    assert rows[1].end.yaw > 3.0

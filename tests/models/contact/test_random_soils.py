"""Some of the random soils of `python -m benchmarks soil-fuzz`, and former findings."""

import numpy as np
import pytest
from benchmarks.soil_fuzz import CREEP, ENERGY, run_soil_scene

from grouser.description import load_course, load_robot
from grouser.errors import InvalidValue
from grouser.models import make_model, start_model
from tests.models.contact.test_soil import ROBOT, soil
from tests.models.planar_tracks.robots import run

FINDINGS = {
    0: "weak damping of a light robot that strong cohesion holds",
    1: "creep on a slope: damping that faded with slip",
    3: "strength sideways below nothing, of a patch above the ground",
    4: "viscous resistance of soil at rest",
    7: "cohesion of patches without a load: not a number",
}
"""Seeds that failed once, and why."""


@pytest.mark.parametrize("seed", FINDINGS, ids=str)
def test_former_findings_stay_mended(seed):
    for case in run_soil_scene(seed):
        assert not case.error
        assert case.finite
        assert case.gained <= ENERGY
        assert np.isnan(case.crept) or case.crept <= CREEP


@pytest.mark.parametrize("name", ["dry-sand", "snow", "clayey-soil"])
@pytest.mark.parametrize("ruts", [False, True])
def test_a_robot_comes_to_rest_after_a_drive(name, ruts):
    plant = start_model(make_model("csm"), ROBOT, soil(name, ruts=ruts))
    run(plant, ROBOT, 0.3, -0.2, 1.0)
    before = run(plant, ROBOT, 0.0, 0.0, 4.0).pose
    after = run(plant, ROBOT, 0.0, 0.0, 2.0).pose
    assert (after.x, after.y, after.z) == pytest.approx((before.x, before.y, before.z), abs=1e-6)
    assert after.yaw == pytest.approx(before.yaw, abs=1e-6)


def test_a_robot_without_tracks_is_no_robot_for_soil():
    with pytest.raises(InvalidValue, match="tracks where the ground is soil"):
        make_model("csm").start(load_robot("zhou-ugv"), load_course("soil-bin"))

"""What stopped a robot, from its motions."""

import pytest

from grouser.datasheet.limits import Witness
from grouser.description import load_robot
from grouser.geometry import Pose, Twist
from grouser.models import Contact, Motion

ROBOT = load_robot("tankbot")


def _motion(*, slip=0.0, hull=0.0, belts=0.1, pitch=0.0):
    contacts = (
        Contact(
            drive="left", position_in_world=(0.0, 0.0, 0.0), normal_in_world=(0.0, 0.0, 1.0),
            force_in_world=(0.0, 0.0, 100.0), slip_in_world=(slip, 0.0, 0.0),
        ),
        Contact(
            drive="hull", position_in_world=(0.0, 0.0, 0.0), normal_in_world=(0.0, 0.0, 1.0),
            force_in_world=(0.0, 0.0, hull), slip_in_world=(0.0, 0.0, 0.0),
        ),
    )  # fmt: skip
    return Motion(
        pose=Pose(pitch=pitch), twist=Twist(), belt_speeds_commanded=(0.1, 0.1),
        belt_speeds=(belts, belts), belt_travels=(0.0, 0.0), contacts=contacts,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("motion", "ending", "limit", "words"),
    [
        (_motion(slip=0.1), "stuck", "friction", "slip by 100 % of their speed"),
        (_motion(slip=0.45), "stuck", "friction", "belts slide over the ground 4.5 times as fast"),
        (
            _motion(slip=0.1, hull=300.0),
            "stuck",
            "hull contact",
            "carries 75 % of the load, and belts slip",
        ),
        (_motion(slip=0.01, belts=0.01), "stuck", "torque", "10 % of their command"),
        (_motion(pitch=1.5), "tipped", "tipping", "more than 80° after 0.0 s"),
        (_motion(slip=0.01), "stuck", "shape", "slip by 10 % of their speed only"),
        (_motion(slip=0.01), "late", "time", "no time left"),
        (_motion(), "diverged", "divergence", "no longer finite"),
    ],
)
def test_the_failing_attempt_shows_the_limit(motion, ending, limit, words):
    """Tankbot has a motor, so that belts that stand still are a lack of torque."""
    witness = Witness(ROBOT, 0.1)
    for _ in range(3):
        witness.watch(motion)
    found = witness.judge(ending)
    assert found.limit == limit
    assert words in found.evidence


def test_belts_that_stand_need_no_torque_limit_that_nobody_stated():
    witness = Witness(load_robot("quince"), 0.1)
    witness.watch(_motion(slip=0.01, belts=0.01))
    assert witness.judge("stuck").limit == "shape"


def test_only_the_last_seconds_count():
    witness = Witness(ROBOT, 0.1)
    for _ in range(500):
        witness.watch(_motion(slip=0.1))
    for _ in range(100):
        witness.watch(_motion(slip=0.0))
    assert witness.judge("stuck").limit == "shape"

"""Postures and the rule `auto` in scenarios: words, files, and what they do on obstacles."""

import math

import numpy as np
import pytest

from grouser.control import AutoFlippers
from grouser.description import Course, Robot, load_course, load_robot
from grouser.drivers import Constant, Sides, WithFlippers
from grouser.errors import InvalidDescription, InvalidValue, UnknownName
from grouser.geometry import Pose
from grouser.log import Log
from grouser.models import make_model
from grouser.scenario import FlipperKeyframe, Scenario, run
from grouser.simulation import Simulation


def largest_pitch(log: Log) -> float:
    """Return the largest |pitch| [deg]."""
    return float(np.degrees(np.abs(log["pitch"])).max())


@pytest.mark.parametrize(
    ("word", "keyframes"),
    [
        ("auto", [FlipperKeyframe(time=0.0, posture="auto")]),
        ("0=climb; 4.5=flat", [FlipperKeyframe(time=0.0, posture="climb"),
                               FlipperKeyframe(time=4.5, posture="flat")]),
        ("0=0/0/0/0;2=auto", [FlipperKeyframe(time=0.0, angles=(0.0,) * 4),
                              FlipperKeyframe(time=2.0, posture="auto")]),
    ],
)  # fmt: skip
def test_a_posture_stands_where_angles_stand_in_words_and_in_files(word, keyframes):
    scenario = Scenario(robot="absolem", course="flat", flippers=word)
    assert scenario.flippers == tuple(keyframes)
    assert Scenario.from_content(scenario.content()) == scenario
    assert Scenario.parse(scenario.to_toml()) == scenario
    assert Scenario.parse(f'robot = "absolem"\nflippers = "{word}"').flippers == tuple(keyframes)


def test_mistakes_of_postures_name_what_would_work():
    with pytest.raises(UnknownName, match=r"named 'fly'; available: climb, .* rest"):
        Scenario(robot="absolem", course="flat", model="icr", driver="constant:speed=0.1",
                 flippers="fly").load()  # fmt: skip
    with pytest.raises(InvalidDescription, match="flippers: no posture of robot 'absolem' named"):
        Scenario.parse('robot = "absolem"\nflippers = "fly"')
    with pytest.raises(InvalidDescription, match="must have flippers for posture 'auto', not 'tp"):
        Scenario.parse('robot = "tp100"\nflippers = "auto"')
    with pytest.raises(InvalidValue, match="flippers at 1 s must be a posture or angles"):
        FlipperKeyframe(time=1.0, posture="flat", angles=(0.0,))
    for word in ("0=1/fly/0/0", "0=", "1=2=3", "3"):
        with pytest.raises(InvalidValue, match="flippers must be a posture as auto, or times"):
            Scenario(flippers=word)
    with pytest.raises(InvalidValue, match="not be given for flippers that are auto"):
        Scenario(robot="absolem", flippers="auto").vary("flippers.front_raised_deg", 3.0)


def test_raising_one_end_of_a_posture_keeps_the_other():
    varied = Scenario(robot="absolem", flippers="climb").vary("flippers.rear_raised_deg", 5.0)
    assert np.degrees(varied.flippers[0].angles) == pytest.approx([-45.0, -45.0, 5.0, 5.0])


def test_a_posture_counts_in_the_hash_by_its_angles():
    scenario = Scenario(robot="absolem", course="flat", flippers="climb")
    other = scenario.vary("robot.postures.climb.front_raised_deg", 50.0)
    unused = scenario.vary("robot.postures.flat.front_raised_deg", -5.0)
    plain = Scenario(robot="absolem", course="flat", flippers="climb", seed=0)
    assert scenario.content_hash == plain.content_hash
    assert other.content_hash != scenario.content_hash
    assert unused.content_hash != other.content_hash


OVER_THE_STEP = Scenario(robot="absolem", course="playground", model="csm",
                         driver="constant:speed=0.4", stop=8.0)  # fmt: skip
STAIRS = "4.3,0.3,0"
PALLET = "0,1.4,0"


@pytest.mark.parametrize(("start", "limit"), [("0,0,0", 20.0), (PALLET, 25.0), (STAIRS, 35.0)])
@pytest.mark.parametrize("robot", ["absolem", "quince"])
@pytest.mark.parametrize("flippers", ["rest", "auto"])
def test_no_robot_of_the_playground_rears(robot, flippers, start, limit):
    """Driven straight on over step, pallet and stairs, which are as steep as 30.4 deg."""
    found = run(OVER_THE_STEP.vary(robot=robot, start_pose=start, flippers=flippers)).log
    ahead = 2.3 if start != STAIRS else 1.6
    assert float(found["x"][-1] - found["x"][0]) > ahead
    assert -float(np.degrees(found["pitch"].min())) < limit


def test_the_posture_of_the_public_model_does_rear():
    """What the driving posture is for: statics of a hull that is 12 cm behind its tracks."""
    log = run(OVER_THE_STEP.vary("robot.posture", "raised")).log
    assert largest_pitch(log) > 40.0


def test_auto_climbs_a_step_and_stairs_that_level_flippers_do_not():
    climbed = {}
    for flippers in ("flat", "auto"):
        scenario = Scenario(robot="absolem", course="step:height_m=0.19", model="csm",
                            flippers=flippers, speed=0.2, stop=15.0)  # fmt: skip
        climbed[flippers] = float(run(scenario).log["z"].max()) > 0.18
    assert climbed == {"flat": False, "auto": True}


def test_a_replay_of_auto_flippers_is_bit_for_bit_the_run():
    scenario = OVER_THE_STEP.vary(flippers="auto", start_pose=PALLET, stop=5.0)
    log = run(scenario).log
    again, replayed = run(scenario).log, run(scenario.load(log)).log
    for name in (
        "x",
        "z",
        "pitch",
        "flipper_angle.front-left",
        "flipper_angle_commanded.rear-left",
    ):
        assert np.array_equal(log[name], again[name])
        assert np.array_equal(log[name], replayed[name])
    assert np.ptp(log["flipper_angle_commanded.front-left"]) > math.radians(10.0)
    assert Scenario.from_log(log).flippers == scenario.flippers


def test_auto_flippers_of_a_mirrored_drive_are_mirrored():
    """One side over the edge of the pallet, left and then right."""
    robot, course = load_robot("absolem"), load_course("pallet")
    seen, mirrored = (
        drive_by_rule(one, course, Pose(x=0.0, y=y))
        for one, y in ((robot, 0.5), (robot.mirrored(), -0.5))
    )
    assert float(np.degrees(np.abs(seen["roll"])).max()) > 3.0
    # As far as the engine itself is symmetric, whose contacts have an order.
    assert seen["roll"] == pytest.approx(-mirrored["roll"], abs=1e-3)
    for end in ("front", "rear"):
        one, other = (f"flipper_angle.{end}-{side}" for side in ("left", "right"))
        assert seen[one] == pytest.approx(mirrored[other], abs=1e-3)


def drive_by_rule(robot: Robot, course: Course, pose: Pose) -> Log:
    """Return the log of a straight drive with auto flippers."""
    simulation = Simulation(make_model("csm"), robot, course, pose=pose)
    ahead = Constant(robot, Sides(left=0.2, right=0.2))
    simulation.run(WithFlippers(ahead, robot, [(0.0, AutoFlippers(robot))]), duration=5.0)
    return simulation.log()

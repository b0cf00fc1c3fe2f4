"""Belts of hinged plates on sprockets."""

import mujoco
import numpy as np
import pytest

from grouser import Scenario
from grouser.description import load_robot
from grouser.errors import InvalidValue
from grouser.models import make_model
from grouser.models.contact.plant import ContactPlant
from grouser.models.mujoco.engine import MujocoWorld
from grouser.models.mujoco.plates import place_pins, shrink_loop
from grouser.models.mujoco.robot import MujocoRobot
from grouser.scenario import Part
from tests.models.contact.rides import GRAVITY, distance, ground, ride, start, wedge

WEDGE = "plates:pitch=0.1"


def robot_in(plant: ContactPlant) -> MujocoRobot:
    assert isinstance(plant.world, MujocoWorld)
    return plant.world.robots[0]


def test_pins_are_evenly_apart_and_lie_on_their_loop():
    loop = shrink_loop(load_robot("absolem").tracks[0].loop, 0.01)
    assert loop.bounds[3] - loop.bounds[2] == pytest.approx(2 * (0.09047 - 0.01))
    pins, pitch = place_pins(loop, 15)
    chords = np.linalg.norm(np.roll(pins, -1, axis=0) - pins, axis=1)
    assert chords == pytest.approx(pitch, abs=1e-9)
    assert pitch < loop.length / 15
    assert pins[0] == pytest.approx(loop.point_at(0.0))


def test_plates_take_their_mass_from_the_robot():
    for name in ("absolem", "tp100"):  # one weighs its tracks, the other does not
        plates, belts = (start(name, "flat", m) for m in ("plates", "csm:engine=mujoco"))
        masses = [robot_in(p).model.body_subtreemass[1] for p in (plates, belts)]
        assert masses[0] == pytest.approx(masses[1], rel=1e-9)
        centres = [p.world.centre_of_mass[0] for p in (plates, belts)]
        assert centres[0] == pytest.approx(centres[1], abs=2e-3)


def test_plates_on_the_ground_carry_the_weight():
    plant = start("absolem", "flat", "plates")
    ride(plant, "absolem", 0.0, 0.0, 0.3)
    force = plant.world.contacts(0).force.sum(axis=0)
    assert force[2] == pytest.approx(load_robot("absolem").mass * GRAVITY, rel=1e-3)


def test_the_belt_runs_stays_closed_and_carries_the_robot_along():
    # 3 s at 0.3 m/s; the polygon of plates is shorter than the belt, so it lags by a few percent.
    plant = start("absolem", "flat", "plates")
    end = ride(plant, "absolem", 0.3, 0.3, 3.0)
    assert end.pose.x == pytest.approx(0.9, abs=0.03)
    assert end.belt_speeds == pytest.approx((0.3, 0.3), rel=0.1)
    data = robot_in(plant).data
    mujoco.mj_forward(robot_in(plant).model, data)
    closing = data.efc_pos[: data.ne]
    assert np.abs(closing).max() < 1e-3


def test_it_stands_on_the_stairs_but_for_the_creep_of_pins_and_plates():
    # MuJoCo's friction creeps, at 0.44 mm/s here. P1 Table I: 0.2 m to 0.6 m in 10 s.
    plant = start("absolem", "staircase-stand", "plates")
    before = plant.motion.pose
    assert distance(before, ride(plant, "absolem", 0.0, 0.0, 1.0).pose) < 2e-3


def test_a_weak_motor_does_not_climb():
    # 60 kg on 20 degrees ask for 201 N; two motors of 5 N m at 0.12 m give 83 N.
    weak, strong = wedge(torque_limit=5.0), wedge()
    course = ground(0.9, slope=20.0)
    ends = [ride(start(robot, course, WEDGE), robot, 0.3, 0.3, 1.0) for robot in (weak, strong)]
    assert ends[1].pose.x > 0.2
    assert ends[0].pose.x < 0.0
    assert ends[0].belt_speeds[0] < 0.1


def test_the_limit_of_a_motor_is_that_of_the_model_or_else_of_the_robots_file():
    # Torque over the radius of the sprocket; Absolem's file has no limit.
    limits = [
        robot_in(start("absolem", "flat", model))._control._limit  # type: ignore[union-attr]
        for model in ("plates:torque_limit=9.047", "plates")
    ]
    assert limits == [pytest.approx(100.0), np.inf]


def test_grousers_lift_the_robot_by_their_height():
    plain, ribbed = (start("absolem", "flat", f"plates:grousers={n}") for n in (0, 1))
    lift = ribbed.motion.pose.z - plain.motion.pose.z
    assert lift == pytest.approx(0.01, abs=5e-4)


@pytest.mark.parametrize("pitch", [0.2, 0.001])
def test_plates_that_cannot_go_around_a_pulley_are_refused(pitch):
    with pytest.raises(InvalidValue, match=r"be from 0\.009 to 0\.113 m for the pulleys of 'abs"):
        start("absolem", "flat", f"plates:pitch={pitch}")


@pytest.mark.parametrize(("name", "value"), [("tension", 0.0), ("grouser_height", 0.5)])
def test_a_belt_that_cannot_be_is_refused(name, value):
    with pytest.raises(InvalidValue, match=f"plates:{name} must be"):
        make_model("plates", **{name: value})


def changed(*changes: tuple[str, str]) -> Scenario:
    text = load_robot("tp100").text
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return Scenario(robot=Part(name="mine", text=text), course="flat", model="plates")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("x_m = 0.0685", "x_m = 20.0"), "plates of a belt must be at most 200: tracks of 40.3 m"),
        (("width_m = 0.045\n", "width_m = 0.045\nmass_kg = 1e-6\n"), "mass of the tracks"),
    ],
)
def test_absurd_lengths_and_masses_are_refused_before_anything_is_built(
    change, sentence, monkeypatch
):
    monkeypatch.setattr("grouser.models.contact.scene.make_scene", None)
    with pytest.raises(InvalidValue, match=sentence):
        changed(change).start()


def test_what_mujoco_cannot_build_is_one_sentence(monkeypatch):
    def fail(_: object) -> None:
        raise ValueError("Error: mass and inertia of moving bodies must be larger than mjMINVAL")

    monkeypatch.setattr("mujoco.MjSpec.compile", fail)
    with pytest.raises(InvalidValue, match="robot must be one that MuJoCo can build .Error: mass"):
        changed().start()

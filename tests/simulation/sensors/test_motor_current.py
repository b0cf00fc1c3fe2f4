"""Motor currents: from the work of motors, with gears, losses and limits."""

import math

import numpy as np
import pytest

from grouser import Simulation, load_course, make_model
from grouser.drivers import Constant, Sides
from tests.simulation.sensors.moments import make_sensor, moment, motion, with_sensors

METER = "[sensors.motor_current]\ntorque_constant_N_m_A = 0.05\ngear_ratio = 20.0\n"


def meter(text=""):
    return make_sensor(METER + text, load_course("flat"))


def pushing(force, speed, tick=0.01):
    travel = speed * tick
    before = motion(belt_speeds=(speed, speed), belt_travels=(0.0, 1.0), works=(5.0, 7.0))
    now = motion(
        belt_speeds=(speed, speed),
        belt_travels=(travel, 1.0 + travel),
        works=(5.0 + force * travel, 7.0),
    )
    return moment(now, before)


def radius():
    return with_sensors(METER).sprocket_radius


def test_a_current_is_that_of_the_torque_behind_the_gear():
    found = meter().sample(pushing(40.0, 0.3))
    assert found == pytest.approx([40.0 * radius() / 20.0 / 0.05, 0.0])


def test_losses_add_to_a_driving_motor_and_relieve_a_braking_one():
    lossy, ideal = meter("efficiency = 0.8\n"), meter().sample(pushing(40.0, 0.3))[0]
    assert lossy.sample(pushing(40.0, 0.3))[0] == pytest.approx(ideal / 0.8)
    assert lossy.sample(pushing(-40.0, 0.3))[0] == pytest.approx(-ideal * 0.8)
    assert meter("idle_current_A = 0.4\n").sample(pushing(0.0, -0.3)) == pytest.approx([-0.4, -0.4])


def test_a_current_stops_at_its_limit_and_at_standstill():
    assert meter("limit_A = 2.0\n").sample(pushing(-1e5, 0.3))[0] == -2.0
    assert meter("idle_current_A = 0.4\n").sample(pushing(30.0, 0.0)) == [0.0, 0.0]


def test_climbing_takes_the_current_of_the_weight():
    angle = 15.0
    robot = with_sensors(METER)
    simulation = Simulation(make_model("csm"), robot, load_course("slope", angle_deg=angle))
    simulation.run(Constant(robot, Sides(left=0.2, right=0.2)), duration=2.0)
    log = simulation.log()
    both = np.mean([log["motor_current.left"][-100:], log["motor_current.right"][-100:]])
    force = 0.5 * robot.mass * 9.81 * math.sin(math.radians(angle))
    assert both == pytest.approx(force * robot.sprocket_radius / 20.0 / 0.05, rel=0.1)


def test_models_without_forces_have_no_current():
    robot = with_sensors(METER)
    simulation = Simulation(make_model("ideal"), robot, load_course("flat"))
    simulation.run(Constant(robot, Sides(left=0.2, right=0.2)), duration=0.1)
    assert np.isnan(simulation.log()["motor_current.left"]).all()

"""Pulleys on edges: which way they are pushed, and what they climb."""

import numpy as np
import pytest

from grouser.geometry import Pose
from grouser.laws.step_feasibility import friction_demand
from tests.models.contact.rides import ground, ride, start, wedge

STEP = """
[[terrain]]
kind = "step"
x_m = 0.55
height_m = {height}
depth_m = 3.0
width_m = 3.0
"""


@pytest.mark.parametrize("height", [0.01, 0.03, 0.06])
def test_an_edge_pushes_a_pulley_towards_its_axle(height):
    robot = wedge()
    plant = start(robot, ground(0.1, pieces=STEP.format(height=height)))
    checked = 0

    def look(plant):
        nonlocal checked
        table, pose = plant.world.contacts(0), plant.motion.pose
        axle = np.array([pose.x + 0.38, pose.z + 0.12])
        for position, normal in zip(table.position, table.normal, strict=True):
            if position[0] > 0.54:
                towards = axle - position[[0, 2]]
                wanted = towards / np.linalg.norm(towards)
                assert normal[[0, 2]] == pytest.approx(wanted, abs=0.03)
                checked += 1

    ride(plant, robot, 0.2, 0.2, 1.0, tick=0.001, watch=look)
    assert checked > 20


@pytest.mark.parametrize("height", [0.02, 0.05, 0.08])
def test_the_friction_that_low_steps_ask_for_is_that_of_the_balance_of_two_contacts(height):
    # Slowly: at 0.2 m/s the robot's momentum carries it up where friction alone would not.
    robot, demand = wedge(com_z=0.12), float(friction_demand(0.12, 0.76, height))
    begin = 0.54 - 0.38 - (0.12**2 - (0.12 - height) ** 2) ** 0.5
    ends = []
    for share in (0.9, 1.1):
        course = ground(demand * share, pieces=STEP.format(height=height))
        plant = start(robot, course, pose=Pose(x=begin))
        ends.append(ride(plant, robot, 0.03, 0.03, 4.0, tick=0.05).pose.pitch)
    assert ends[0] == pytest.approx(0.0, abs=1e-3)
    assert ends[1] < -0.02

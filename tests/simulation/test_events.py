"""What happens to robots from outside, over every model that has forces."""

import math
from typing import Any

import numpy as np
import pytest

from grouser import Scenario, limits
from grouser.control import Sticks
from grouser.errors import GrouserError, InvalidDescription, InvalidValue, Unsupported
from grouser.geometry import Pose
from grouser.models import CATALOGUE, command_sides
from grouser.scenario.events import Change
from grouser.simulation import Simulation
from grouser.simulation.events import Kick, Place, Pull, Push
from grouser.viewer.session import Session

FORCED = [name for name, kind in CATALOGUE.items() if getattr(kind, "has_forces", False)]
IN_SPACE = [name for name in FORCED if name not in ("tankbot", "tracks-planar")]


def stand(model: str, *events: object, course: str = "flat", **wishes: object) -> Simulation:
    robot = "tankbot" if model == "tankbot" else "absolem"
    scenario = {"robot": robot, "course": course, "model": model, "events": events} | wishes
    return Scenario(**scenario).start()  # pyright: ignore[reportArgumentType]


def wait(simulation: Simulation, ticks: int) -> Pose:
    still = command_sides(simulation.robot, 0.0, 0.0)
    for _ in range(ticks):
        simulation.advance(still)
    return simulation.motion.pose


def push_of(simulation: Simulation, share: float, x: float, y: float) -> Push:
    """Return a push of a share of the robot's weight in a direction."""
    weight = share * simulation.robot.mass * 9.81
    return Push(time=simulation.time, duration=0.5, force=(x * weight, y * weight, 0.0))


@pytest.mark.parametrize("model", [m for m in FORCED if m != "frictionless"])
def test_a_push_that_friction_holds_moves_nothing_and_a_stronger_one_does(model):
    simulation = stand(model)
    before = wait(simulation, 10)
    simulation.happen(push_of(simulation, 0.1, 0.0, 1.0))
    held = wait(simulation, 50)
    assert abs(held.y - before.y) < 1e-3
    simulation.happen(push_of(simulation, 2.0, 0.0, 1.0))
    assert wait(simulation, 50).y > before.y + 0.2


@pytest.mark.parametrize("model", ["csm", "plates", "tracks-planar", "tankbot"])
def test_pushes_to_the_left_and_to_the_right_mirror_each_other(model):
    paths = []
    for side in (1.0, -1.0):
        simulation = stand(model)
        wait(simulation, 10)
        simulation.happen(push_of(simulation, 2.0, 0.3, side))
        pose = wait(simulation, 30)
        paths.append((float(pose.x), side * float(pose.y), side * float(pose.yaw)))
    assert paths[0] == pytest.approx(paths[1], abs=2e-3)


@pytest.mark.parametrize("model", ["csm", "csm:engine=mujoco"])
def test_a_kick_in_the_air_is_the_impulse_over_the_mass(model):
    simulation = stand(model)
    high = Place(time=simulation.time, pose=Pose(x=0.0, y=0.0, z=5.0, roll=0.3, yaw=0.2))
    simulation.happen(high)
    wait(simulation, 1)
    plant: Any = simulation.plant
    before = plant.world.centre_of_mass[0].copy()
    simulation.happen(Kick(time=simulation.time, impulse=(10.0, -20.0, 0.0)))
    wait(simulation, 30)
    way = (plant.world.centre_of_mass[0] - before)[:2]
    # The kick is spread over the first tick: half a tick of the way is missing.
    assert way == pytest.approx(np.array([10.0, -20.0]) / simulation.robot.mass * 0.295, rel=0.01)


@pytest.mark.parametrize("model", IN_SPACE)
def test_a_robot_is_turned_over_and_set_upright(model):
    simulation = stand(model)
    simulation.happen(Place(time=0.0, pose=Pose(z=0.5, roll=math.pi)))
    assert abs(wait(simulation, 100).roll) > 3.0
    simulation.happen(Place(time=simulation.time, pose=Pose(z=0.1, yaw=1.0)))
    pose = wait(simulation, 100)
    assert abs(pose.roll) < 0.05
    assert pose.yaw == pytest.approx(1.0, abs=0.05)


def test_a_spring_pulls_the_robot_to_where_it_is_held_and_lets_it_go():
    simulation = stand("csm", course="flat", variation={"friction": 0.05})
    mass = simulation.robot.mass
    stiffness, damping = mass * 64.0, mass * 12.0
    spring = {"stiffness": stiffness, "damping": damping}
    simulation.happen(Pull(time=0.0, target=(1.0, 0.5, 0.1), point=(0.0, 0.0, 0.1), **spring))
    pose = wait(simulation, 300)
    assert (pose.x, pose.y) == (pytest.approx(1.0, abs=0.05), pytest.approx(0.5, abs=0.05))
    simulation.happen(Pull(time=simulation.time, target=None))
    wait(simulation, 1)
    assert simulation.events.acting.pull is None


def test_a_payload_comes_while_the_robot_stands():
    simulation = stand("csm", Change(time=0.2, key="variation.payload", value=3.0))
    wait(simulation, 20)
    light = simulation.plant.state.engine.copy()
    wait(simulation, 1)
    assert not np.array_equal(light, simulation.plant.state.engine)
    assert simulation.model.payload == 3.0  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(Unsupported, match="payload"):
        Scenario(robot="absolem", course="flat", model="slip", variation={"payload": 1.0}).start()


def test_events_come_at_their_ticks_in_the_order_of_time_and_not_before_now():
    simulation = stand("slip", Place(time=0.05, pose=Pose(x=1.0)), Place(time=0.02, pose=Pose(y=1)))
    assert wait(simulation, 3).y == pytest.approx(1.0)
    assert wait(simulation, 3).x == pytest.approx(1.0)
    with pytest.raises(InvalidValue, match="time of an event must be 0.06 s or later, not 0.01"):
        simulation.happen(Place(time=0.01, pose=Pose()))


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ("at_s = 1.0", "must have one of push_N, kick_N_s"),
        ("at_s = 1.0\npush_N = [1, 0, 0]", "for_s of the push at 1 s must be given"),
        ("at_s = 1.0\nlet_go = true\nkick_N_s = [1, 0, 0]", "kick_N_s and let_go"),
        ("push_N = [1, 0, 0]", "at_s"),
        ("at_s = -1.0\nlet_go = true", "at_s"),
        ("at_s = 1.0\nkick_N_s = [1, 0]", "kick_N_s"),
        ("at_s = 1.0\nkick_N_s = [nan, 0, 0]", "kick_N_s"),
        ('at_s = 1.0\nset = { "course.x" = 1.0 }', "key of a change"),
        ("at_s = 1.0\nplace = { x = 1.0 }", "x"),
    ],
)
def test_a_wrong_event_of_a_file_gets_its_sentence(table, sentence):
    with pytest.raises((InvalidDescription, InvalidValue), match=sentence):
        Scenario.parse(f'robot = "absolem"\n[[events]]\n{table}\n')


def test_a_push_of_a_model_without_forces_names_those_that_have_them():
    simulation = stand("slip", Push(time=0.0, duration=1.0, force=(1.0, 0.0, 0.0)))
    with pytest.raises(GrouserError, match="models that can: csm"):
        wait(simulation, 1)


def endless(count: int, **changes) -> list[Push]:
    return [Push(time=0.0, duration=1e6, force=(0.0, 0.0, 1e-3), **changes)] * count


def test_as_many_pushes_act_as_a_tick_can_add_up_and_no_more():
    Scenario(events=endless(limits.PUSHES))
    with pytest.raises(InvalidValue, match="pushes at 0 s must be at most 100 at the same time"):
        Scenario(events=endless(limits.PUSHES + 1))
    one_after_another = [
        Push(time=0.1 * k, duration=0.1, force=(0.0, 0.0, 1.0)) for k in range(5 * limits.PUSHES)
    ]
    Scenario(events=one_after_another)


def test_more_pushes_than_can_act_are_refused_while_a_run_goes_on():
    session = Session(Scenario(robot="absolem", course="flat", model="csm"))
    for _ in range(limits.PUSHES):
        session.push((0.0, 0.0, 1e-3), 1e6)
    with pytest.raises(InvalidValue, match="at most 100 at the same time"):
        session.push((0.0, 0.0, 1e-3), 1e6)
    session.advance(Sticks())
    assert len(session.simulation.events.acting.pushes) == limits.PUSHES


@pytest.mark.parametrize(
    ("kind", "given", "words"),
    [
        (Kick, {"impulse": (1e12, 0.0, 0.0)}, "kick must be from -1e.07 to 1e.07 N s"),
        (Kick, {"impulse": (0.0, 0.0, math.nan)}, "kick must be"),
        (Kick, {"impulse": (10**400, 0.0, 0.0)}, "kick must be"),
        (Kick, {"impulse": (1.0, 0.0, 0.0), "point": (1e3, 0.0, 0.0)}, "within 100 m"),
        (Push, {"force": (1e12, 0.0, 0.0), "duration": 1.0}, "push must be"),
        (Push, {"force": (1.0, 0.0, 0.0), "duration": 1.0, "point": (0.0, 1e6, 0.0)}, "point"),
        (Pull, {"target": (0.0, 0.0, 1e9)}, "pull to must be"),
        (Pull, {"target": None, "point": (0.0, 0.0, 1e9)}, "point of the pull"),
        (Place, {"pose": Pose(x=1e9)}, "place: x must be"),
        (Place, {"pose": Pose(yaw=math.nan)}, "place: yaw must be"),
    ],
)
def test_absurd_events_are_one_sentence_before_a_run(kind, given, words):
    with pytest.raises(InvalidValue, match=words):
        kind(time=0.0, **given)


def test_many_events_that_are_still_to_come_do_not_slow_ticks_down():
    later = [Kick(time=100.0 + k, impulse=(0.0, 0.0, 1.0)) for k in range(1000)]
    simulation = Scenario(robot="absolem", course="flat", model="csm", events=later).start()
    simulation.advance(command_sides(simulation.robot, 0.0, 0.0))
    order = simulation.events._in_order()
    simulation.advance(command_sides(simulation.robot, 0.0, 0.0))
    assert simulation.events._in_order() is order

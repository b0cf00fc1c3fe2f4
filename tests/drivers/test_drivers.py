"""Every driver of the catalogue commands what its reference says."""

from dataclasses import replace

import pytest

from grouser.description import load_course, load_robot
from grouser.drivers import DRIVERS, Constant, DriverInputs, DriverPlan, Sides, make_driver
from grouser.errors import GrouserError, InvalidLog, InvalidValue, UnknownName, Unreadable
from grouser.log import write_log
from grouser.models import make_model
from grouser.simulation import Simulation

ROBOT, FLAT = load_robot("tp100"), load_course("flat")
INPUTS = DriverInputs(robot=ROBOT, course=FLAT, start=FLAT.start_pose, speed=0.1)
ON_COURSE = replace(INPUTS, course=load_course("behaviour-2"))


def belts(plan: DriverPlan, time: float) -> tuple[float, ...] | None:
    still = Simulation(make_model("ideal"), ROBOT, FLAT).motion
    command = plan.driver(time, still)
    return None if command is None else tuple(float(speed) for speed in command.belt_speeds)


@pytest.mark.parametrize(
    ("reference", "time", "expected"),
    [
        ("constant", 3.0, (0.1, 0.1)),
        ("constant:left=0.1,right=-0.2", 3.0, (0.1, -0.2)),
        ("constant:left=0.1", 3.0, (0.1, 0.0)),
        ("constant:speed=0.1,yaw_rate=0.5", 3.0, (0.06, 0.14)),
        ("step:speed=0.2,at=2", 1.99, (0.0, 0.0)),
        ("step:speed=0.2,at=2", 2.0, (0.2, 0.2)),
        ("sine:speed=0.1,amplitude=0.05,period=4", 1.0, (0.15, 0.15)),
        ("sine:speed=0.1,turning=0.05,period=4", 1.0, (0.05, 0.15)),
        ("sine:speed=0.1,turning=0.05,period=4", 3.0, (0.15, 0.05)),
        ("square:speed=0,amplitude=0.05,period=2", 0.1, (0.05, 0.05)),
        ("square:speed=0,amplitude=0.05,period=2", 1.1, (-0.05, -0.05)),
        ("legs:speed=0.2,duration=2,count=3", 1.0, (0.2, 0.2)),
        ("legs:speed=0.2,duration=2,count=3", 3.0, (-0.2, -0.2)),
        ("legs:speed=0.2,duration=2,count=3", 5.0, (0.2, 0.2)),
        ("legs:speed=0.2,duration=2,count=3", 6.0, None),
    ],
)
def test_programs_command_belt_speeds(reference, time, expected):
    found = belts(make_driver(reference, INPUTS), time)
    assert found == (None if expected is None else pytest.approx(expected, abs=1e-12))


def test_programs_without_end_stop_after_ten_seconds():
    assert make_driver("constant", INPUTS).duration == 10.0
    assert make_driver("step:at=5", INPUTS).duration == 15.0
    assert make_driver("legs:duration=2,count=10", INPUTS).duration == 20.0


@pytest.mark.parametrize("name", ["follow", "pursuit", "stanley"])
def test_followers_know_when_to_give_up(name):
    plan = make_driver(f"{name}:speed=0.2", ON_COURSE)
    path = ON_COURSE.course.path
    assert path is not None
    assert plan.duration == pytest.approx(3.0 * path.length / 0.2 + 10.0)
    assert plan.progress is not None
    assert plan.progress() == 0.0


def test_the_lookahead_scales_with_the_robot():
    """0.12 m for the TP100, which is 0.185 m long."""
    small = make_driver("follow", ON_COURSE)
    quince = load_robot("quince")
    large = make_driver("follow", replace(ON_COURSE, robot=quince))
    assert small.driver._steering.distance == pytest.approx(0.12)
    scale = (quince.front - quince.rear) / 0.185
    assert large.driver._steering.distance == pytest.approx(0.12 * scale)
    told = make_driver("pursuit:lookahead=0.3", ON_COURSE)
    assert told.driver._steering.distance == 0.3


def test_waypoints_are_driven_through(tmp_path):
    (tmp_path / "points.csv").write_text("x_m,y_m\n0,0\n0.3,0\n0.3,0.3\n")
    for reference in (
        "waypoints:points=0/0;0.3/0;0.3/0.3",
        f"waypoints:file={tmp_path / 'points.csv'},steering=pursuit",
    ):
        plan = make_driver(reference, INPUTS)
        simulation = Simulation(make_model("slip"), ROBOT, FLAT)
        simulation.run(plan.driver, plan.duration)
        pose = simulation.motion.pose
        assert (pose.x, pose.y) == (pytest.approx(0.3, abs=0.03), pytest.approx(0.3, abs=0.03))
        assert plan.progress is not None
        assert plan.progress() > 0.9


def test_a_log_is_replayed_tick_by_tick(tmp_path):
    simulation = Simulation(make_model("ideal"), ROBOT, FLAT, dt=0.02)
    simulation.run(Constant(ROBOT, Sides(left=0.1, right=0.2)), 0.1)
    write_log(simulation.log(), tmp_path / "a.csv")
    plan = make_driver(f"replay:log={tmp_path / 'a.csv'}", INPUTS)
    assert (plan.dt, plan.duration) == (0.02, pytest.approx(0.1))
    assert [belts(plan, 0.0) for _ in range(6)] == [(0.1, 0.2)] * 5 + [None]


@pytest.mark.parametrize(
    ("reference", "error", "sentence"),
    [
        ("constnt", UnknownName, "no driver named 'constnt' .did you mean 'constant'"),
        ("stanley:lookahead=1", UnknownName, "no key of driver 'stanley' named 'lookahead'"),
        ("constant:left=fast", InvalidValue, "constant:left must be a finite number, not 'fast'"),
        ("constant:left=inf", InvalidValue, "constant:left must be a finite number, not inf"),
        ("constant:left=0.1,speed=0.1", InvalidValue, "have left and right, or speed and yaw_rate"),
        ("constant:speed=9", InvalidValue, "at most 0.3 m/s, the limit of robot 'tp100'"),
        ("sine:period=2", InvalidValue, "have an amplitude or a turning other than 0"),
        ("sine:amplitude=0.1,period=0", InvalidValue, "period must be positive"),
        ("legs:count=1.5", InvalidValue, "legs:count must be a whole number from 1"),
        ("legs:count=0", InvalidValue, "legs:count must be a whole number from 1"),
        ("legs:duration=-1", InvalidValue, "each of a positive duration"),
        (
            "follow",
            InvalidValue,
            "no path on course 'flat', which has none: constant:speed=0.1 dri",
        ),
        ("default:lookahead=1", UnknownName, "no key of driver 'constant' named 'lookahead'"),
        ("waypoints", InvalidValue, "either file=points.csv or points=0/0;1/0;1/1, not 'neither'"),
        ("waypoints:points=0/0/0", InvalidValue, "points x/y in metres"),
        ("waypoints:points=1/nan", InvalidValue, "points x/y in metres"),
        ("waypoints:points=1/0,steering=x", UnknownName, "no steering named 'x'"),
        ("waypoints:points=1/0,lookahead=0", InvalidValue, "follow:lookahead must be positive"),
        ("waypoints:file=none.csv", Unreadable, "none.csv: there is no such file"),
        ("replay", InvalidValue, "have a log, as in replay:log=run.csv"),
        ("replay:log=none.csv", InvalidLog, "none.csv: there is no such file"),
    ],
)
def test_what_a_driver_cannot_do_is_refused(reference, error, sentence):
    assert issubclass(error, GrouserError)
    with pytest.raises(error, match=sentence):
        make_driver(reference, INPUTS)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x,y\n1,2\n", "must have the columns x_m and y_m"),
        ("x_m,y_m\n", "must have the columns x_m and y_m, once, and at least one row"),
        ("x_m,y_m\n1,2\n3,\n", "line 3: x_m and y_m must be finite numbers"),
    ],
)
def test_a_bad_file_of_waypoints_is_refused(tmp_path, text, sentence):
    (tmp_path / "points.csv").write_text(text)
    with pytest.raises(InvalidLog, match=sentence):
        make_driver(f"waypoints:file={tmp_path / 'points.csv'}", INPUTS)


def test_the_default_driver_follows_a_path_or_drives_straight_on():
    assert make_driver("default:speed=0.2", ON_COURSE).progress is not None
    assert belts(make_driver("default:speed=0.2", INPUTS), 1.0) == (0.2, 0.2)


def test_every_driver_describes_itself():
    for name, kind in DRIVERS.items():
        assert kind.summary, name
        assert kind.keys or name == "person", name
        assert all(kind.keys.values()), name

"""Simulated twins of a robot outside."""

import math

import pytest

from grouser import Scenario, run
from grouser.errors import InvalidLog
from grouser.geometry import Pose
from grouser.live import Limits, LogRobot, MeasuredRobot, Measurement, Twins
from grouser.log import Column, Log
from grouser.scenario import Start
from tests.breaking import MESSAGE, register

SCENARIO = Scenario(
    robot="tp100", course="flat", model="icr", driver="constant:speed=0.1", stop=4.0
)
ROBOT = SCENARIO.robot.load_robot()
NORMAL = Limits(distance=0.05, heading=math.radians(5.0))


class Clock:
    time = 50.0

    def __call__(self) -> float:
        return self.time


def make_twins(*models: str, scenario: Scenario = SCENARIO, **options) -> Twins:
    def start(name: str, pose: Pose | None):
        here = {} if pose is None else {"start_pose": Start(x=pose.x, y=pose.y, yaw=pose.yaw)}
        return scenario.vary(model=name, driver="person", **here).load()

    found = Twins(scenario.robot.load_robot(), start, **{"limits": NORMAL} | options)
    found.set_models(models)
    return found


def curve(**changes) -> Log:
    """Return the log of a robot that drives a curve."""
    driver = "constant:speed=0.1,yaw_rate=0.35"
    return run(SCENARIO.vary(driver=driver, **changes)).log


def play(log: Log, twins: Twins, *, robot=ROBOT) -> list[str]:
    """Play a log to its end; return what diverged."""
    clock = Clock()
    source, found = LogRobot(log, robot, now=clock), []
    for _ in range(2):
        while (measurement := source.take()) is not None:
            found += map(str, twins.follow(measurement))
        clock.time += log.duration + 1.0
    assert source.is_over
    return found


def test_a_twin_of_the_same_model_stays_with_the_robot():
    twins = make_twins("icr")
    assert play(curve(), twins) == []
    assert twins.twins[0].largest < 0.006  # encoders are coarse
    assert twins.time == pytest.approx(4.0)


def test_another_model_diverges_and_it_is_said_where():
    log, twins = curve(), make_twins("icr", "ideal")
    (sentence,) = play(log, twins)
    told = twins.twins[1].divergence
    assert sentence.startswith(f"ideal diverged at {told.time:.1f} s, x = ")
    row = round(told.time / 0.01)
    assert (told.pose.x, told.pose.y) == pytest.approx((log["x"][row], log["y"][row]))
    assert told.distance > NORMAL.distance or abs(told.heading) > NORMAL.heading
    assert twins.twins[1].largest > told.distance


def test_belts_of_a_twin_run_as_far_as_those_of_the_robot():
    log, twins = curve(), make_twins("csm", "turning")
    play(log, twins)
    for twin in twins.twins:
        for place, side in enumerate(("left", "right")):
            goal = log.belt_travel(side)[-1]
            assert twin.motion.belt_travels[place] == pytest.approx(goal, abs=0.003)


def test_rows_that_are_missing_or_late_change_little():
    log = curve()
    thin = Log({n: Column(log[n][::7], log.unit(n)) for n in log}, log.provenance)
    all_rows, some_rows = make_twins("icr"), make_twins("icr")
    play(log, all_rows)
    play(thin, some_rows)
    one, other = all_rows.twins[0].motion.pose, some_rows.twins[0].motion.pose
    assert math.hypot(one.x - other.x, one.y - other.y) < 0.03


def test_brought_to_the_robot_they_start_anew():
    twins = make_twins("ideal")
    play(curve(), twins)
    twins.align()
    (twin,) = twins.twins
    assert (twin.divergence, twin.largest) == (None, pytest.approx(0.0, abs=1e-9))
    pose = twins.pose
    assert (twin.motion.pose.x, twin.motion.pose.y) == pytest.approx((pose.x, pose.y))


def drive(twins: Twins, times, pose=None, speed=0.1) -> None:
    for time in times:
        twins.follow(Measurement(time=time, belts=(speed, speed), pose=pose))


def test_twins_stop_after_the_timeout_of_a_silent_robot():
    twins = make_twins("ideal", timeout=0.5)
    drive(twins, [0.1 * k for k in range(21)])
    before = twins.twins[0].motion.pose.x
    drive(twins, [60.0])
    moved = twins.twins[0].motion.pose.x - before
    assert 0.5 * 0.1 < moved < 0.5 * 0.1 + 0.02  # and the way to stop
    assert twins.twins[0].motion.belt_speeds == pytest.approx((0.0, 0.0), abs=1e-3)
    drive(twins, [60.1, 60.2, 60.3, 60.4, 60.5])
    assert twins.twins[0].motion.belt_speeds == pytest.approx((0.1, 0.1), rel=0.2)


def test_a_clock_that_is_set_back_brings_them_to_the_robot():
    twins = make_twins("ideal")
    drive(twins, [10.0, 10.1, 10.2, 10.3], Pose())
    drive(twins, [1.0], Pose(x=3.0))
    assert twins.sentences == ["the robot's clock jumped back by 9.3 s: the ghosts are where it is"]


def test_another_piece_of_a_log_brings_them_to_the_robot_without_a_word():
    twins = make_twins("ideal")
    drive(twins, [10.0, 10.1, 10.2, 10.3], Pose())
    twins.follow(Measurement(time=11.3, belts=(0.1, 0.1), pose=Pose(x=3.0), begins=True))
    assert twins.sentences == []
    assert float(twins.twins[0].motion.pose.x) == pytest.approx(3.0, abs=1e-3)
    assert twins.twins[0].motion.pose.x == 3.0
    drive(twins, [1.1, 1.2], Pose(x=3.0))
    assert 3.0 < twins.twins[0].motion.pose.x < 3.03


def test_stamps_of_two_topics_may_be_a_little_out_of_order():
    twins, ordered = make_twins("ideal"), make_twins("ideal")
    drive(ordered, [0.1 * k for k in range(30)])
    drive(twins, [0.1 * k + (0.0, 0.12)[k % 2] for k in range(30)])
    assert twins.sentences == []
    assert twins.time == pytest.approx(3.02)
    goal = ordered.twins[0].motion.pose.x
    assert twins.twins[0].motion.pose.x == pytest.approx(goal, abs=0.015)


def test_measured_travel_wins_over_the_sum_of_speeds():
    twins = make_twins("ideal")
    for k in range(50):  # speeds are measured 5 % too high
        way = 0.1 * 0.1 * k + 7.0
        twins.follow(Measurement(time=0.1 * k, belts=(0.105, 0.105), travels=(way, way)))
    assert twins.twins[0].motion.pose.x == pytest.approx(0.49, abs=0.01)


def test_flippers_of_a_twin_follow_measured_ones():
    scenario = SCENARIO.vary(robot="absolem")
    twins = make_twins("ideal", scenario=scenario)
    for k in range(100):
        twins.follow(Measurement(time=0.05 * k, belts=(0.0, 0.0), flippers={"front-left": 0.3}))
    assert twins.twins[0].motion.flipper_angles[0] == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"time": math.nan}, "time stamp must be finite"),
        ({"belts": (math.nan, 0.0)}, "measured belt speed"),
        ({"belts": (0.0, 1e9)}, "at most 100"),
        ({"travels": (0.0, math.inf)}, "measured belt travel"),
        ({"pose": Pose(x=math.nan)}, "measured x"),
        ({"pose": Pose(yaw=math.inf)}, "measured yaw"),
        ({"flippers": {"wing": 0.0}}, "no flipper named 'wing'"),
    ],
)
def test_what_cannot_be_measured_is_counted_and_ignored(bad, words):
    clock = Clock()
    source = MeasuredRobot(ROBOT, clock)
    source.offer(Measurement(**{"time": 0.0, "belts": (0.1, 0.1)} | bad))
    assert words in source.problem
    assert (source.take(), source.counts.rejected, source.silence) == (None, 1, math.inf)


def test_a_log_is_played_as_fast_as_its_clock():
    clock, log = Clock(), curve()
    source = LogRobot(log, ROBOT, now=clock, factor=2.0)
    assert source.take().time == 0.0
    assert source.take() is None
    clock.time += 0.5
    rows = iter(source.take, None)
    assert [row.time for row in rows][-1] == pytest.approx(1.0)
    assert not source.is_over


def test_a_log_without_measured_belts_is_rejected():
    log = curve()
    bare = Log({n: Column(log[n], log.unit(n)) for n in ("time", "x", "y", "yaw")})
    with pytest.raises(InvalidLog, match="needs a column such as belt_speed.left"):
        LogRobot(bare, ROBOT, origin="bare.csv")


def test_a_twin_whose_tick_raises_starts_again_where_the_robot_is(monkeypatch):
    register(monkeypatch)
    twins = make_twins("breaking", "ideal")
    twins.follow(Measurement(time=0.0, belts=(0.2, 0.2), pose=Pose(x=1.0)))
    twins.follow(Measurement(time=0.1, belts=(0.2, 0.2), pose=Pose(x=1.02)))
    (sentence,) = twins.sentences
    assert sentence.startswith("breaking: the tick at 0 s failed")
    assert sentence.endswith(f"{MESSAGE}; it starts again where the robot is")
    twins.follow(Measurement(time=0.2, belts=(0.05, 0.05), pose=Pose(x=1.03)))
    assert [twin.motion.pose.x > 1.0 for twin in twins.twins] == [True, True]

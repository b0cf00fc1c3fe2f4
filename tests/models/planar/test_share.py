"""Robots of a batch, shared by threads."""

from collections.abc import Iterator

import numpy as np
import pytest

from grouser.description import load_course, load_robot
from grouser.geometry import Pose
from grouser.models import command_sides, make_model
from grouser.models.planar import share
from grouser.models.planar.share import share_robots

ROBOT, COURSE = load_robot("tankbot"), load_course("behaviour-3")


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("count", [1, 15, 16, 100, 3000])
def test_every_robot_is_advanced_once(count, threads):
    times = np.zeros(count, int)

    def advance(first: int, end: int) -> Iterator[None]:
        times[first:end] += 1
        yield

    share_robots(count, advance, threads)
    assert (times == 1).all()


def test_what_a_thread_raises_ends_all_shares():
    begun: list[int] = []

    def advance(first: int, end: int) -> Iterator[None]:
        begun.append(first)
        yield
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        share_robots(10_000, advance, 2)
    assert len(begun) <= 4


def test_each_of_many_robots_moves_as_if_it_were_alone_by_any_number_of_threads(monkeypatch):
    count, model = 50, make_model("tankbot")
    generator = np.random.default_rng(1)
    x, y, yaw = generator.uniform(-1.0, 1.0, (3, count))
    left, right = generator.uniform(-0.3, 0.4, (2, count))
    poses, found = Pose(x=x, y=y, yaw=yaw), []
    for threads in (1, 3):
        monkeypatch.setattr(share, "count_threads", lambda threads=threads: threads)
        plant = model.start(ROBOT, COURSE, poses)
        for _ in range(20):
            plant.advance(command_sides(ROBOT, left, right), 0.01)
        found.append(plant.state.numbers)
    assert np.array_equal(*found)
    for i in range(0, count, 7):
        plant = model.start(ROBOT, COURSE, poses[i])
        for _ in range(20):
            plant.advance(command_sides(ROBOT, float(left[i]), float(right[i])), 0.01)
        assert np.array_equal(plant.state.numbers[0], found[0][i])

"""The index against looking at everything, on random scenes; answers are equal to the last bit."""

import numpy as np
import pytest

from grouser.description.footprint_index import FootprintIndex
from grouser.description.solids import Plane, Slab, Tops
from grouser.description.surface import Rectangle
from grouser.description.terrain import Terrain, find_risers

SEEDS = range(5)


def boxes(seed: int, count: int = 300) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    low = random.uniform(-20.0, 20.0, (count, 2))
    return low, low + random.choice([1e-6, 0.1, 0.5, 7.0, 60.0], (count, 2)) * random.random(2)


def slabs(seed: int, count: int = 120, sloping: float = 0.2) -> tuple[Slab, ...]:
    """Return slabs of which many overlap, some share edges, some are equally high, some slope."""
    random = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        yaw = float(random.choice([0.0, np.pi / 2, random.uniform(0.0, 7.0)]))
        x, y = np.round(random.uniform(-6.0, 6.0, 2), int(random.integers(0, 3))).tolist()
        length, width = random.choice([0.5, 1.0, 1.3, 9.0], 2).tolist()
        start = float(random.choice([0.1, 0.2, random.random()]))
        end = start + 0.1 if random.random() < sloping else start
        footprint = Rectangle(x=x, y=y, yaw=yaw, length=length, width=width)
        made.append(Slab(footprint=footprint, top_start=start, top_end=end))
    return tuple(made)


def places(solids: tuple[Slab, ...], seed: int) -> np.ndarray:
    """Return points anywhere, on corners and edges, and some that are nowhere."""
    random = np.random.default_rng(seed)
    corners = np.concatenate([slab.footprint.corners for slab in solids])
    middles = 0.5 * (corners + np.roll(corners, -1, axis=0))
    nowhere = [[np.nan, 0.0], [0.0, np.nan], [1e300, 1.0], [1e5, -1e5]]
    return np.concatenate((random.uniform(-8.0, 8.0, (400, 2)), corners, middles, nowhere))


@pytest.mark.parametrize("seed", SEEDS)
def test_footprints_at_points_are_all_found(seed: int):
    low, high = boxes(seed)
    index = FootprintIndex(low, high)
    points = np.concatenate((np.random.default_rng(seed).uniform(-25.0, 60.0, (200, 2)), low, high))
    owners, items = index.pairs(*points.T)
    for number, point in enumerate(points):
        inside = set(np.flatnonzero(((low <= point) & (point <= high)).all(axis=1)).tolist())
        at = list(index.at(*point.tolist()))
        assert inside <= set(at)
        assert at == sorted(items[owners == number].tolist())


@pytest.mark.parametrize("seed", SEEDS)
def test_footprints_in_boxes_are_those_that_overlap(seed: int):
    low, high = boxes(seed)
    found = np.column_stack(FootprintIndex(low, high).neighbours(0.3))
    apart = (low[:, None] - 0.3 > high) | (high[:, None] + 0.3 < low)
    assert found.tolist() == np.argwhere(~apart.any(axis=2)).tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_the_highest_slab_is_the_same_with_and_without_an_index(seed: int):
    solids = slabs(seed)
    planes = (Plane(slope=0.01), Plane(z=0.15))
    every, indexed = Tops(planes, solids, (), few=10**6), Tops(planes, solids, (), few=0)
    x, y = places(solids, seed).T
    winners, heights = every.highest(x, y)
    many = indexed.highest(x, y)
    assert np.array_equal(winners, many[0])
    assert np.array_equal(heights, many[1], equal_nan=True)
    assert len(np.unique(winners)) > 30
    single = [indexed.highest(*point) for point in zip(x.tolist(), y.tolist(), strict=True)]
    assert [winner for winner, _ in single] == winners.tolist()
    assert np.array_equal([height for _, height in single], heights, equal_nan=True)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("ground", [(), (Plane(z=0.05),)], ids=["no ground", "level"])
def test_risers_are_the_same_if_all_slabs_are_looked_at(seed: int, ground: tuple[Plane, ...]):
    # Where a foot is not level, each break, also by a slab far away, ends a riser.
    solids = slabs(seed, 60, sloping=0.0)
    terrain = Terrain(solids=(*ground, *solids))
    all_slabs = {s: find_risers(s, terrain, solids) for s in solids if s.is_level}
    assert terrain.risers == tuple(riser for found in all_slabs.values() for riser in found)
    assert len(terrain.risers) > 20


def test_the_cost_of_a_point_does_not_grow_with_the_number_of_slabs():
    def seen(side: int) -> float:
        low = np.stack(np.meshgrid(np.arange(side), np.arange(side)), -1).reshape(-1, 2) * 1.7
        index = FootprintIndex(low, low + 1.2)
        points = np.random.default_rng(0).uniform(0.0, 1.7 * side, (500, 2))
        return len(index.pairs(*points.T)[0]) / len(points)

    assert seen(100) <= 1.2 * seen(10) <= 8.0

"""Ground from synthetic scans whose ground is known."""

from pathlib import Path

import numpy as np
import pytest

from grouser import limits
from grouser.description.scan_files import Scan
from grouser.description.scan_ground import ScanGround, ScanRule, find_start, make_ground
from grouser.errors import InvalidDescription

FILE = Path("scan.ply")
NONE = np.empty((0, 3), np.intp)
LENGTH, WIDTH, SPACING = 4.0, 2.0, 0.05


def scatter(height, count: int = 60_000, noise: float = 0.0, seed: int = 1) -> np.ndarray:
    """Return points (n, 3) on a ground, by its height at x, y [m]."""
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(0.0, LENGTH, count), rng.uniform(0.0, WIDTH, count)
    return np.column_stack((x, y, height(x, y) + rng.normal(0.0, noise, count)))


def ground_of(points: np.ndarray, **rule) -> ScanGround:
    return make_ground(FILE, Scan(points, NONE), ScanRule(spacing=SPACING, **rule))


def nodes(ground: ScanGround) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return x, y in the scan and the height of every node."""
    rows, columns = ground.heights.shape
    u = (np.arange(columns) - 0.5 * (columns - 1)) * ground.spacing + ground.middle[0]
    v = (0.5 * (rows - 1) - np.arange(rows)) * ground.spacing + ground.middle[1]
    return *np.meshgrid(u, v), ground.heights


def flat(x, y):
    return 0.0 * x


def test_a_slope_keeps_its_height_and_its_place():
    x, y, z = nodes(ground_of(scatter(lambda x, y: 412.0 + 0.1 * x - 0.2 * y)))
    inner = (x > 0.1) & (x < 3.9) & (y > 0.1) & (y < 1.9)
    error = (z - (412.0 + 0.1 * x - 0.2 * y))[inner]
    assert np.abs(error).max() < 0.5 * 0.3 * SPACING
    assert abs(error.mean()) < 1e-4
    assert (float(x[0, 0]), float(y[0, 0])) == pytest.approx((0.0, 2.0))  # the first row is north


def test_noise_is_averaged():
    # 15 points in a cell: the median of normal noise has 1.25 / sqrt(15) of its deviation.
    _, _, z = nodes(ground_of(scatter(flat, noise=0.01)))
    assert np.nanstd(z[2:-2, 2:-2]) == pytest.approx(0.01 * 1.2533 / np.sqrt(18.5), rel=0.08)
    assert abs(np.nanmean(z)) < 2e-4


def test_a_low_percentile_finds_the_ground_below_plants():
    rng = np.random.default_rng(2)
    points = scatter(flat)
    points[:, 2] += np.where(rng.random(len(points)) < 0.7, rng.uniform(0.0, 0.3, len(points)), 0.0)
    low, middle = (nodes(ground_of(points, percentile=p))[2] for p in (10.0, 50.0))
    assert np.nanpercentile(low, 90.0) < 0.01
    assert np.nanmedian(middle) > 0.05


def test_a_step_is_sharp_within_one_spacing():
    x, _, z = nodes(ground_of(scatter(lambda x, y: np.where(x > 2.01, 0.17, 0.0))))
    assert np.abs(z[(x < 1.98) & (x > 0.0)]).max() == 0.0
    assert np.nanmax(np.abs(z[x > 2.03] - 0.17)) < 1e-12


def test_stairs_have_their_risers():
    def stairs(x, y):
        return 0.17 * np.clip(np.floor((x - 0.975) / 0.3) + 1.0, 0.0, 6.0)

    x, _, z = nodes(ground_of(scatter(stairs)))
    tread = np.abs((x - 0.975) / 0.3 - np.rint((x - 0.975) / 0.3)) > 0.1
    assert np.abs(z - stairs(x, 0.0))[tread].max() < 1e-9
    assert float(np.nanmax(z)) == pytest.approx(6 * 0.17)


@pytest.mark.parametrize(("clearance", "kept"), [(0.5, 0.0), (0.8, 0.72)])
def test_below_a_table_is_ground_if_the_robot_fits_there(clearance, kept):
    rng = np.random.default_rng(3)
    count = 30_000  # five times as dense as the floor: the table is the majority of its cells
    table = np.column_stack(
        (rng.uniform(1.0, 2.2, count), rng.uniform(0.5, 1.3, count), np.full(count, 0.72))
    )
    ground = ground_of(np.concatenate((scatter(flat, 30_000), table)), clearance=clearance)
    x, y, z = nodes(ground)
    under = (x > 1.05) & (x < 2.15) & (y > 0.55) & (y < 1.25)
    assert np.nanmax(np.abs(z[under] - kept)) < 1e-9
    if kept == 0.0:
        # 24 by 16 cells are whole, and a border of half cells.
        assert 24 * 16 <= ground.nodes["under overhangs"] <= 25 * 17
        assert ground.points["above overhangs"] == count
        assert ground.headroom == pytest.approx(0.72)
    else:
        assert ground.nodes["under overhangs"] == 0
        assert ground.headroom is None


def test_below_a_table_cells_whose_floor_was_hidden_are_no_blocks():
    rng = np.random.default_rng(3)
    count = 20_000
    table = np.column_stack(
        (rng.uniform(1.0, 2.2, count), rng.uniform(0.5, 1.3, count), np.full(count, 0.72))
    )
    floor = scatter(flat, 12_000)  # 3.7 points in a cell: one of 40 has none
    ground = ground_of(np.concatenate((floor, table)))
    x, y, z = nodes(ground)
    assert float(np.nanmax(np.abs(z))) == 0.0
    assert ground.points["above overhangs"] == count
    # A block of which only the top was seen, without anything overhanging beside it, stays.
    beneath = (np.abs(floor[:, :2] - (1.6, 0.9)) < (0.6, 0.4)).all(axis=1)
    block = ground_of(np.concatenate((floor[~beneath], table)))
    assert (
        float(np.nanmedian(block.heights[(np.abs(x - 1.6) < 0.3) & (np.abs(y - 0.9) < 0.2)]))
        == 0.72
    )


def test_narrow_holes_are_filled_and_wide_ones_stay():
    points = scatter(lambda x, y: 0.1 * x)
    x, y, _ = points.T
    narrow = np.hypot(x - 1.0, y - 1.0) < 0.15
    wide = (np.abs(x - 3.0) < 0.5) & (np.abs(y - 1.0) < 0.5)
    ground = ground_of(points[~(narrow | wide)], fill=0.4)
    x, y, z = nodes(ground)
    near = np.hypot(x - 1.0, y - 1.0) < 0.15
    assert np.abs(z - 0.1 * x)[near].max() < 0.004
    inside = (np.abs(x - 3.0) < 0.46) & (np.abs(y - 1.0) < 0.46)
    assert np.isnan(z[inside]).all()
    assert ground.nodes["holes"] == np.isnan(z).sum()
    assert ground.nodes["filled"] >= 20
    assert sum(ground.nodes[name] for name in ("seen", "filled", "holes")) == z.size


@pytest.mark.parametrize("height", [-3.0, 4.0])
def test_single_points_far_off_are_outliers(height):
    ones = np.array([[1.01, 1.01, height], [2.51, 0.51, height], [2.52, 0.52, height]])
    points = scatter(flat)
    hidden = np.hypot(points[:, 0] - 1.0, points[:, 1] - 1.0) < 0.1  # nothing else is in this cell
    ground = ground_of(np.concatenate((points[~hidden], ones)))
    assert float(np.nanmax(np.abs(ground.heights))) == 0.0
    found = 3 if height < 0.0 else 1  # above ground that was seen, they overhang it
    assert ground.points["outliers"] == found
    assert ground.points["above overhangs"] == 3 - found


def test_a_post_of_many_points_stays():
    post = np.column_stack((np.full((50, 2), 2.0), np.linspace(0.0, 1.0, 50)))
    ground = ground_of(np.concatenate((scatter(flat), post)), percentile=100.0)
    assert float(np.nanmax(ground.heights)) == 1.0


@pytest.mark.parametrize("up", ["x", "y", "z", "-x", "-y", "-z"])
def test_any_axis_may_point_up_and_the_scan_is_not_mirrored(up):
    points = scatter(lambda x, y: 0.1 * x + 0.02 * y)
    axis = "xyz".index(up[-1])
    sign = -1.0 if up[0] == "-" else 1.0
    turn = np.zeros((3, 3))
    turn[axis, 2] = sign
    first, second = [other for other in range(3) if other != axis]
    turn[first, 0] = turn[second, 1] = 1.0
    turn[second, 1] *= np.linalg.det(turn)
    z = ground_of(points @ turn.T, up=up).heights
    rises = np.gradient(z[2:-2, 2:-2])
    assert sorted(abs(float(np.median(rise))) / SPACING for rise in rises) == pytest.approx(
        [0.02, 0.1], abs=0.01
    )
    # Seen from above, the rises are a quarter turn apart the same way round.
    north, east = -float(np.median(rises[0])), float(np.median(rises[1]))
    angle = np.arctan2(north, east) - np.arctan2(0.02, 0.1)
    assert angle / (0.5 * np.pi) == pytest.approx(round(angle / (0.5 * np.pi)), abs=0.1)


def test_units_and_crops():
    points = scatter(lambda x, y: 0.1 * x) * 1000.0
    ground = ground_of(points, unit=0.001, crop=(1.0, 2.0, 0.5, 1.5))
    assert (ground.heights.shape, ground.middle) == ((21, 21), pytest.approx((1.5, 1.0)))
    assert ground.elevation == pytest.approx(0.15, abs=0.003)
    assert ground.points["cropped"] == pytest.approx(60_000 * 7 / 8, rel=0.02)
    low = ground_of(points, unit=0.001, crop=(0.0, 4.0, 0.0, 2.0, 0.0, 0.2))
    assert float(np.nanmax(low.heights)) <= 0.2


def test_a_coarse_open_mesh_is_covered():
    corners = np.array([[0.0, 0.0, 0.0], [4.0, 0.0, 0.4], [4.0, 2.0, 0.4], [0.0, 2.0, 0.0]])
    scan = Scan(corners, np.array([[0, 1, 2], [0, 2, 3]]))
    ground = make_ground(FILE, scan, ScanRule(spacing=SPACING))
    x, _, z = nodes(ground)
    assert np.abs(z - 0.1 * x).max() < 0.5 * 0.1 * SPACING
    assert ground.nodes["filled"] == ground.nodes["holes"] == 0


def test_a_start_is_level_and_near_the_middle():
    heights = np.zeros((41, 81))
    heights[:, 30:50] = np.nan
    column, row = find_start(heights, 0.05)
    assert row == 20
    assert column in (21, 58, 59)  # 8 nodes, 0.4 m, from the hole
    heights[:, :50] = np.nan
    assert find_start(heights + np.arange(81), 0.05) == (50, 20)  # nothing is level


@pytest.mark.parametrize(
    ("points", "rule", "sentence"),
    [
        ([[np.nan, 0.0, 0.0]], {}, "has no points inside the crop that are finite numbers"),
        ([[0.0, 0.0, 0.0]], {}, "must cover two nodes of 0.05 m either way, and covers 0 x 0 m"),
        ([[0.0, 0.0, 0.0], [1e3, 1e3, 0.0]], {}, "would need 20,001 x 20,001 nodes of 0.05 m"),
        ([[0.0, 0.0, 2e5], [1.0, 1.0, 0.0]], {}, "z must be from -100000 to 100000 m, not from 0"),
        ([[2e8, 0.0, 0.0]], {}, r"x must be from -1e\+08 to 1e\+08 m"),
        ([[5.0, 0.0, 0.0]], {"crop": (0.0, 1.0, 0.0, 1.0)}, "has no points inside the crop"),
    ],
)
def test_what_cannot_be_ground_gets_a_sentence(points, rule, sentence):
    with pytest.raises(InvalidDescription, match=sentence):
        ground_of(np.array(points), **rule)


def test_the_grid_is_counted_before_it_is_made(monkeypatch):
    monkeypatch.setattr(limits, "HEIGHT_SAMPLES", 100)
    with pytest.raises(
        InvalidDescription, match="and 100 are the most for 60,000 points: give a larger"
    ):
        ground_of(scatter(flat))

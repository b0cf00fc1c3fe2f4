"""The page of an identification."""

import re

import numpy as np
import pytest

from grouser.identify import identify_records, read_record
from grouser.identify.page import write_fit_page
from grouser.identify.report_figures import limit_panels
from grouser.log import Column, Log
from tests.identify.short_pieces import ROBOT, identify_pieces, log_of_pieces


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> str:
    file = tmp_path_factory.mktemp("page") / "fit.html"
    write_fit_page(identify_pieces(), log_of_pieces(), file)
    return visible(file.read_text())


def visible(page: str) -> str:
    """Return a page without the program that draws its figures."""
    return re.sub(r"<script>.*?</script>", "", page, count=1, flags=re.DOTALL)


def test_the_parts_come_in_the_order_in_which_a_reader_asks(page):
    parts = (
        "Recommended is icr", "What was judged", 'class="bars"', "The same in numbers",
        "90 % limits of predictions", 'id="figure-limit-position"',
        'id="figure-limit-heading"', "held-out predictions, icr", "Parameters, icr",
        "Parameters of the other families", 'id="figure-driven"', "What was driven",
    )  # fmt: skip
    places = [page.index(part) for part in parts]
    assert places == sorted(places)


def test_bars_have_limits_and_the_recommended_one_a_mark(page):
    bars = page[page.index('class="bars"') : page.index("The same in numbers")]
    assert bars.count('class="span"') == 3
    assert bars.count('class="fill chosen"') == 1
    widths = [float(w) for w in re.findall(r'class="fill[^"]*" style="width:([\d.]+)%', bars)]
    assert widths == sorted(widths)
    assert max(widths) <= 100.0


def test_pieces_are_drawn_as_small_paths_and_not_as_one_drive(page):
    assert page.count("<figure><svg") == 12
    assert 'id="figure-plan"' not in page
    assert "12 of 32 held-out predictions" in page


def test_other_families_are_shown_on_demand(page):
    behind = page[page.index("Parameters of the other families") : page.index("figure-driven")]
    assert behind.count("<details>") == 2
    assert "slip_left" in behind


def test_no_number_is_nan(page):
    assert not re.search(
        r"\bnan\b", re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL), re.I
    )


def test_a_log_too_short_to_judge_has_a_page_that_says_so(tmp_path):
    log = log_of_pieces(pieces=1, rows=90)
    record = read_record(log, "short", None, ROBOT.gauge)
    write_fit_page(identify_records([record], ROBOT, ("icr",)), log, tmp_path / "fit.html")
    page = visible((tmp_path / "fit.html").read_text())
    assert "No family is recommended: nothing could be judged" in page
    assert "Nothing was judged." in page
    assert "figure-limit-position" not in page


def test_steady_states_have_a_map_of_rows_and_yaw_rates(tmp_path):
    left, right = (
        v.ravel() for v in np.meshgrid(np.linspace(-0.4, 0.4, 9), np.linspace(-0.4, 0.4, 8))
    )
    rate = (right - left) / 0.65
    noise = np.random.default_rng(0).normal(0.0, 0.003, left.size)
    log = Log({
        "belt_speed.left": Column(left, "m/s"), "belt_speed.right": Column(right, "m/s"),
        "vx": Column(0.5 * (left + right) + noise, "m/s"), "vy": Column(0.1 * rate, "m/s"),
        "yaw_rate": Column(rate + noise, "rad/s"),
    })  # fmt: skip
    record = read_record(log, "grid", None, ROBOT.gauge)
    write_fit_page(identify_records([record], ROBOT, ("icr",)), log, tmp_path / "fit.html")
    page = visible((tmp_path / "fit.html").read_text())
    assert "72 steady states" in page
    assert "Yaw rate of steady states" in page
    assert "figure-driven" in page
    assert "<figure><svg" not in page


def test_limits_are_drawn_over_time_with_all_held_out_errors():
    fit = identify_pieces(("icr",)).fits["icr"]
    for panel in limit_panels(fit):
        inside, beyond, usual, *others = panel.series
        assert panel.x_label == "time ahead [s]"
        assert fit.hold_out.cases is not None
        assert inside.x.size + beyond.x.size == fit.hold_out.cases.length.size
        assert np.unique(np.concatenate([inside.x, beyond.x])).size > 20  # not in one column
        for line in (usual, *others):
            assert not line.dots
            assert (line.x[0], line.x[-1]) == (0.0, pytest.approx(inside.x.max()))
        assert panel.y_range is not None
        assert panel.y_range[1] > usual.y.max()

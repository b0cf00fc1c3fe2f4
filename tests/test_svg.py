"""Pictures of shapes as SVG, and cards around them."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from grouser.svg import HEIGHT, MARGIN, MOST_POINTS, WIDTH, Sketch, html_card

NS = "{http://www.w3.org/2000/svg}"


def points_of(element: ET.Element) -> np.ndarray:
    return np.array([pair.split(",") for pair in element.get("points").split()], np.float64)


def test_shapes_fill_the_picture_to_one_scale_with_y_up():
    sketch = Sketch()
    sketch.rectangle((0.0, 4.0), (0.0, 1.0), "red")
    sketch.rectangle((0.0, 1.0), (1.0, 2.0), "blue")
    root = ET.fromstring(sketch.to_svg())
    first, second = (points_of(polygon) for polygon in root.findall(f"{NS}polygon"))
    assert np.ptp(first[:, 0]) == pytest.approx(WIDTH - 2 * MARGIN, abs=0.1)
    assert np.ptp(first[:, 0]) == pytest.approx(4.0 * np.ptp(first[:, 1]), abs=0.2)
    assert second[:, 1].max() <= first[:, 1].min() + 0.1  # above, which is a smaller y in SVG
    assert float(root.get("height")) <= HEIGHT


def test_a_line_is_thinned_out_and_has_gaps_where_it_is_not_known():
    table = np.column_stack((np.linspace(0.0, 1.0, 100_000), np.zeros(100_000)))
    table[40_000:60_000] = np.nan
    sketch = Sketch()
    sketch.line(table, "red")
    lines = ET.fromstring(sketch.to_svg()).findall(f"{NS}polyline")
    assert len(lines) == 2
    assert sum(len(points_of(line)) for line in lines) <= MOST_POINTS


@pytest.mark.parametrize("points", [[], [(0.0, np.nan)], [(1.0, 2.0)], [(np.inf, 0.0), (1.0, 0.0)]])
def test_nothing_to_draw_is_no_picture(points):
    sketch = Sketch()
    sketch.line(np.reshape(points, (-1, 2)), "red")
    assert (sketch.to_svg(), sketch.span) == ("", 0.0)


def test_a_line_without_extent_is_drawn_without_a_division_by_zero():
    sketch = Sketch()
    sketch.line([(3.0, 2.0), (3.0, 2.0)], "red")
    assert ET.fromstring(sketch.to_svg()) is not None


def test_all_words_of_a_card_are_escaped():
    bad = "<script>alert('x')</script>&\""
    card = html_card(bad, bad, {bad: bad, "left out": ""}, ["", "<svg/>"])
    assert "<script>" not in card
    assert card.count("&lt;script&gt;") == 4
    assert "left out" not in card
    ET.fromstring(card)  # and it is closed as it was opened

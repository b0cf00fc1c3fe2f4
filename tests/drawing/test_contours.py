"""Lines of equal height on height fields."""

from dataclasses import replace

import numpy as np
import pytest

from grouser.description import load_course
from grouser.drawing.contours import bands, contour_lines, round_step
from grouser.drawing.ground_mesh import LIFT


@pytest.mark.parametrize("name", ["rough", "playground"])
def test_lines_lie_on_the_field_every_centimetre_of_bumps_of_4_cm(name):
    terrain = load_course(name).terrain
    (field,) = terrain.fields
    lines = contour_lines(field)
    heights = lines[:, :, 2] - LIFT
    assert heights == pytest.approx(0.01 * np.round(heights / 0.01), abs=1e-9)
    assert len(np.unique(np.round(heights, 3))) >= 3
    ends = lines.reshape(-1, 3)
    ground = terrain.height(ends[:, 0], ends[:, 1])
    assert ends[:, 2] - LIFT == pytest.approx(ground, abs=1e-6)


def test_steps_are_round():
    assert [round_step(size) for size in (0.008, 0.01, 0.049, 0.6, 3.0)] == pytest.approx(
        [0.005, 0.01, 0.02, 0.5, 2.0]
    )


def test_bands_have_the_width_of_a_line_and_its_length():
    lines = np.array([[(0.0, 0.0, 1.0), (3.0, 4.0, 1.0)], [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)]])
    assert bands(lines, 0.1).area == pytest.approx(0.1 * (5.0 + 1.0))


def test_a_level_field_has_none():
    (field,) = load_course("rough").terrain.fields
    assert len(contour_lines(replace(field, heights=np.zeros_like(field.heights)))) == 0

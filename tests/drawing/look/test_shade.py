"""Light on the ground around obstacles."""

import io

import numpy as np
from PIL import Image

from grouser.description import load_course
from grouser.drawing.look.shade import TO_SUN, light_on, shade_ground, to_sun


def test_the_shadow_of_a_step_lies_away_from_the_sun():
    course = load_course("step:height_m=0.2")
    shade = shade_ground(course)
    assert shade is not None
    (slab,) = course.terrain.slabs
    corners = slab.footprint.corners
    away = -np.sign(TO_SUN[1])
    y = (corners[:, 1].max() if away > 0 else corners[:, 1].min()) + away * 0.05
    other = (corners[:, 1].min() if away > 0 else corners[:, 1].max()) - away * 0.05
    x = np.full(1, slab.footprint.x)
    dark, hidden = shade.at(x, np.full(1, y))
    bright, _ = shade.at(x, np.full(1, other))
    assert dark < 0.1
    assert bright > 0.9
    assert hidden < 0.95
    far, open_sky = shade.at(x, np.full(1, y + away * 1.0))
    assert far > 0.9
    assert open_sky > 0.97
    assert shade.at(x + 100.0, np.full(1, y)) == (1.0, 1.0)


def test_level_ground_has_no_shadows():
    assert shade_ground(load_course("flat")) is None


def test_the_picture_is_darker_with_the_sun_and_clear_at_its_edge():
    shade = shade_ground(load_course("step:height_m=0.2"))
    assert shade is not None
    alphas = []
    for with_sun in (True, False):
        picture = Image.open(io.BytesIO(shade.picture(with_sun=with_sun).content))
        alphas.append(np.asarray(picture)[..., 3].astype(float))
        assert alphas[-1][0].max() == alphas[-1][:, 0].max() == 0.0
    assert alphas[0].max() > alphas[1].max() > 0.0
    assert alphas[0].sum() > 2.0 * alphas[1].sum()


def test_light_is_strongest_towards_the_sun():
    normals = np.array([to_sun(), (0.0, 0.0, 1.0), -to_sun(), (0.0, 0.0, 1.0)])
    share = np.array([1.0, 1.0, 1.0, 0.0])
    light = light_on(normals, share, np.ones(4)).mean(axis=1)
    assert light[0] > light[1] > light[3] > light[2] > 0.0
    assert light[1] <= 1.0

"""Places on the earth: known distances, and the way back."""

import math

import numpy as np
import pytest

from grouser.laws.geodesy import EQUATOR, FLATTENING, Datum


@pytest.mark.parametrize("place", [(1200.0, -3400.0, 55.0), (0.0, 0.0, 0.0), (-80e3, 20e3, 1e3)])
def test_places_on_earth_lead_back_to_the_world(place):
    datum = Datum(math.radians(-33.9), math.radians(151.2), 30.0, x_from_east=0.4)
    assert datum.to_world(*datum.to_earth(np.array(place))) == pytest.approx(place, abs=1e-5)


def test_a_quarter_of_the_equator_lies_below_and_ahead():
    datum = Datum(0.0, 0.0, 0.0)
    east = datum.to_world(0.0, 0.5 * math.pi, 0.0)
    assert east == pytest.approx([EQUATOR, 0.0, -EQUATOR])
    pole = datum.to_world(0.5 * math.pi, 0.0, 100.0)
    assert pole == pytest.approx([0.0, EQUATOR * (1.0 - FLATTENING) + 100.0, -EQUATOR])


def test_height_is_counted_from_the_ellipsoid():
    latitude, longitude, height = Datum(0.9, -1.2, 321.0).to_earth(np.array((0.0, 0.0, 7.0)))
    assert (latitude, longitude, height) == pytest.approx((0.9, -1.2, 328.0))

"""The newest value from outside."""

import math

from grouser.live import Held


def test_a_value_counts_until_it_is_too_old():
    held: Held[str] = Held(timeout=0.5)
    assert (held.take(0.0), held.newest, held.age(0.0)) == (None, None, math.inf)
    held.put("old", now=0.5)
    held.put("new", now=1.0)
    assert (held.take(1.5), held.age(1.5)) == ("new", 0.5)
    assert (held.take(1.51), held.newest) == (None, "new")
    held.drop()
    assert (held.take(1.0), held.newest) == (None, None)

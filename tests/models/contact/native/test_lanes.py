"""Many robots are each exactly the one, bit for bit, on random scenes."""

import pytest

from tests.models.contact.native.equality import differences
from tests.models.contact.native.random_scenes import make_random_scene


@pytest.mark.parametrize("seed", [*range(17), 38, 118, 174])
def test_robots_of_a_batch_do_what_each_does_alone_bit_for_bit(seed):
    assert not any(differences(make_random_scene(seed)).values())

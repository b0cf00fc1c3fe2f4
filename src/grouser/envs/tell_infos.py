"""What is known of many robots, as Gymnasium wants it."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def tell_infos(which: NDArray[np.bool_], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return `infos`: for each name what is known of some robots, and of which it is known.

    Args:
        which: Of which robots anything is to be told; the others get zeros or None.
        values: Arrays with an entry for each robot, or mappings of such, by name.
    """
    infos: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            infos[name] = tell_infos(which, value)
        else:
            empty = None if value.dtype == object else np.zeros((), value.dtype)
            infos[name] = np.where(which, value, empty)
        infos[f"_{name}"] = which.copy()
    return infos

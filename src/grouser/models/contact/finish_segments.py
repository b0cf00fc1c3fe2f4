"""What the engine must know of belts with grousers besides their shapes."""

from collections.abc import Container

import mujoco


def finish_segments(
    spec: mujoco.MjSpec, *, belts: Container[str], softness: float | None = None
) -> None:
    """Set how the engine finds and solves contacts of grousers.

    The tree of boxes by which the engine rules out contacts does not know that geoms ride; and
    with this many it is slower. So it looks at each pair of geoms.

    Args:
        spec: The scene, before it is compiled.
        belts: Names of the belts.
        softness: Time in which a contact of a grouser settles; as all else if not given [s].
    """
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_MIDPHASE
    if softness is None:
        return
    for geom in spec.geoms:
        belt, grouser, _ = geom.name.partition("/grouser")
        if grouser and belt in belts:
            geom.solref = [softness, 1.0]
            geom.priority = 2  # theirs then counts, not the ground's

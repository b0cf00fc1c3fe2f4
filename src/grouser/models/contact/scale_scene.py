"""The same scene for a robot that weighs more or less, or on ground that grips otherwise."""

import copy
from dataclasses import replace

import mujoco

from grouser.models.contact.scene import Scene


def scale_scene(scene: Scene, friction: float, mass: float, *, own_friction: bool) -> Scene:
    """Return the scene, with a model of its own where a robot differs from the others.

    Args:
        scene: The scene as described.
        friction: Factor on all friction; counts here only for the engine's, which is kept in
            the model, as belt speeds are [1].
        mass: Factor on all masses and inertias [1].
        own_friction: Whether friction is ours.
    """
    if own_friction and mass == 1.0:
        return scene
    model = copy.copy(scene.model)
    if not own_friction:
        model.geom_friction[:, 0] *= friction
    if mass != 1.0:
        model.body_mass *= mass
        model.body_inertia *= mass
        mujoco.mj_setConst(model, mujoco.MjData(model))
    return replace(scene, model=model)

"""Looks of the scene, and the lights, haze and sky of each."""

from typing import Literal, TypeAlias, get_args

import numpy as np
import viser

from grouser.drawing.look.glb import Part, Skin, write_glb
from grouser.drawing.look.ground_parts import sky_dome
from grouser.drawing.look.materials import to_linear
from grouser.drawing.look.pictures import texture
from grouser.drawing.look.shade import to_sun
from grouser.drawing.look.textures import HAZE

Look: TypeAlias = Literal["full", "painted", "lean"]
"""`full` has a sun with shadows, a sky and textures; in `painted` the light on all that stands
still is part of its textures; `lean` has plain colours."""
LOOKS: tuple[Look, ...] = get_args(Look)
"""All looks, from the one that takes most to draw to the one that takes least."""

SKY_STYLE = (
    "canvas[data-engine] { background: linear-gradient(#b9cfe4 0%, #dfe9f2 45%, #eef2f5 75%) }"
)
"""CSS of the sky behind the transparent scene. A background image (`set_background_image`) would
take as long to draw as the floor where there is no graphics card."""
LEAN_HAZE = (0.925, 0.945, 0.96)
"""Colour of the horizon in the lean look."""
SUN_DISTANCE = 1e5
"""Distance of the sun's node from the origin of the world: light shines from it to the origin of
the page, and the world is moved past the camera by some metres, which must not turn the sun [m]."""
DOME = 400.0
"""Radius of the sky [m]."""
REFLECTIONS = 0.3
"""Intensity of the surroundings in reflections where there is a graphics card [1]."""
HAZE_FROM, HAZE_TO = 10.0, 75.0
"""Distances at which haze begins, and from which on nothing else is seen [m]."""


def light_scene(scene: viser.SceneApi, look: Look = "lean", *, root: str = "/world") -> None:
    """Add the lights, the haze and the sky of a look to a scene, instead of those of another.

    viser's default, an environment map and shadows, takes several seconds per frame without a
    graphics card. The sun of the full look is below `root`, so that it turns with the course; the
    page's script casts its shadows.
    """
    scene.configure_environment_map(None)
    scene.configure_default_lights(enabled=False, cast_shadow=False)
    scene.world_axes.visible = False
    for name in ("/light/sun", f"{root}/sun", f"{root}/sky"):
        old = scene.get_handle_by_name(name)
        if old is not None:
            old.remove()
    if look == "lean":
        _light_plainly(scene)
        return
    scene.add_light_hemisphere(
        "/light/sky", sky_color=(226, 236, 255), ground_color=(172, 160, 142), intensity=1.25
    )
    x, y, z = (SUN_DISTANCE * to_sun()).tolist()
    scene.add_light_directional(
        f"{root}/sun", color=(255, 243, 226), intensity=3.5, position=(x, y, z)
    )
    scene.configure_fog(HAZE_FROM, HAZE_TO, color=_sent(np.array(HAZE) / 255.0))
    _add_sky(scene, f"{root}/sky")


def add_reflections(scene: viser.SceneApi) -> None:
    """Let paint and metal reflect surroundings, on a page with a graphics card only."""
    scene.configure_environment_map("park", environment_intensity=REFLECTIONS)


def _light_plainly(scene: viser.SceneApi) -> None:
    """Add lights without shadows or reflections, which do not move with the world."""
    scene.add_light_hemisphere(
        "/light/sky", sky_color=(255, 255, 255), ground_color=(175, 175, 180), intensity=1.9
    )
    scene.add_light_directional("/light/sun", intensity=2.0, position=(-1.4, -1.0, 3.0))
    scene.configure_fog(0.4 * HAZE_FROM, 0.45 * HAZE_TO, color=_sent(np.array(LEAN_HAZE)))


def _sent(colour: np.ndarray) -> tuple[int, int, int]:
    """Return a colour of haze as the page takes it: without gamma, from 0 to 255."""
    red, green, blue = np.round(255.0 * to_linear(colour)).astype(int).tolist()
    return red, green, blue


def _add_sky(scene: viser.SceneApi, name: str) -> None:
    """Add the sky around the course; the page's script keeps the haze away from it."""
    corners, faces, places = sky_dome(DOME)
    skin = Skin(texture=texture("sky", 1024), is_unlit=True)
    part = Part(vertices=corners, faces=faces, places=places, normals=-corners / DOME, skin=skin)
    scene.add_glb(name, write_glb([part]), cast_shadow=False, receive_shadow=False)

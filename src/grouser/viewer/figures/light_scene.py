"""Lights and sky that also run well without a graphics card."""

import viser

SKY_STYLE = (
    "canvas[data-engine] { background: linear-gradient(#b9cfe4 0%, #dfe9f2 45%, #f4f7f9 75%) }"
)
"""CSS for the page: a sky behind the scene, which is transparent. A picture behind the scene
(`set_background_image`) would cost as much as the floor where there is no graphics card."""


def light_scene(scene: viser.SceneApi) -> None:
    """Give a scene lights without shadows or reflections.

    An environment map and shadows, which are viser's default, cost a browser without a graphics
    card several seconds a frame. The lights stay where they are when the world is moved.
    """
    scene.configure_environment_map(None)
    scene.configure_default_lights(enabled=False, cast_shadow=False)
    scene.add_light_hemisphere(
        "/light/sky", sky_color=(255, 255, 255), ground_color=(175, 175, 180), intensity=1.9
    )
    scene.add_light_directional("/light/sun", intensity=2.0, position=(-1.4, -1.0, 3.0))
    scene.world_axes.visible = False

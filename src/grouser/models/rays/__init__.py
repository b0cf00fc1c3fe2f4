"""Rays against the exact shapes of a course: planes, blocks, triangles and height fields.

The engine's `mj_multiRay` is not used: it takes one origin at a time, looks at every geom for each
ray and at all cells of a height field around it, and knows no holes in fields. Tests compare with
`mj_ray`, `python -m benchmarks rays` compares the speed.
"""

from grouser.models.rays.scene import RayScene, ray_scene

__all__ = ["RayScene", "ray_scene"]

"""Materials, textures, light and shapes of the painted and the full look."""

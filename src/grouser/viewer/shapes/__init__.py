"""What robots and courses look like: triangles and places, by numpy alone."""

"""MuJoCo as an engine."""

"""Endurance: what runs for hours must not grow. `python -m tests.soak --minutes N`."""

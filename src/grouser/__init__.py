"""Real-time, interactive simulation of tracked and skid-steer robots."""

__version__ = "0.1.0"

"""Plugs: live connections of a simulation to other programs."""

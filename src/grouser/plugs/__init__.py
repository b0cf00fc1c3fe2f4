"""Plugs: what connects a live simulation to other programs."""

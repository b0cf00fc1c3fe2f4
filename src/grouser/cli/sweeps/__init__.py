"""Capability maps: two parameters varied, a drive for each pair, and what came of it."""

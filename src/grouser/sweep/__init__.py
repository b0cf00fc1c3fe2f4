"""Capability maps: two parameters varied, a drive for each pair, and what came of it."""

from grouser.sweep.maps import MAPS, PointExperiment, SweepMap, draw_map, map_facts
from grouser.sweep.outcomes import OUTCOMES, Outcome
from grouser.sweep.setting import Axis, Setting
from grouser.sweep.sweep import run_sweep

__all__ = [
    "MAPS",
    "OUTCOMES",
    "Axis",
    "Outcome",
    "PointExperiment",
    "Setting",
    "SweepMap",
    "draw_map",
    "map_facts",
    "run_sweep",
]

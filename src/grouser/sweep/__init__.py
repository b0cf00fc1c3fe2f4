"""Capability maps: two parameters varied, a drive for each pair, and what came of it."""

from grouser.sweep.maps import MAPS, SweepMap, draw_map, find_map, map_facts
from grouser.sweep.outcomes import OUTCOMES, Outcome, find_outcome
from grouser.sweep.setting import Axis, Setting
from grouser.sweep.sweep import run_sweep

__all__ = [
    "MAPS",
    "OUTCOMES",
    "Axis",
    "Outcome",
    "Setting",
    "SweepMap",
    "draw_map",
    "find_map",
    "find_outcome",
    "map_facts",
    "run_sweep",
]

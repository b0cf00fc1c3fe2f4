"""Capability maps: two parameters varied, a drive for each pair, and what came of it."""

from grouser.sweep.axis import Axis
from grouser.sweep.draw_map import draw_map, map_facts
from grouser.sweep.maps import MAPS, SweepMap, find_map
from grouser.sweep.outcome import OUTCOMES, Outcome, find_outcome
from grouser.sweep.run_sweep import run_sweep
from grouser.sweep.setting import Setting

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

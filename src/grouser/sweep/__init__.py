"""Capability maps: two numbers of a scenario are varied, and the outcome of each pair is drawn."""

from grouser.sweep.maps import MAPS, choose_sweep, draw_map, map_facts
from grouser.sweep.outcomes import OUTCOMES, Outcome
from grouser.sweep.sweep import Axis, PointExperiment, Sweep, run_sweep

__all__ = [
    "MAPS",
    "OUTCOMES",
    "Axis",
    "Outcome",
    "PointExperiment",
    "Sweep",
    "choose_sweep",
    "draw_map",
    "map_facts",
    "run_sweep",
]

"""P3, Dean and Brennan 2008: the Tankbot on its treadmill."""

from grouser.papers.tankbot.manoeuvre import MANOEUVRES, Manoeuvre, find_manoeuvre
from grouser.papers.tankbot.run_manoeuvre import cruise_voltage, run_manoeuvre, run_many

__all__ = [
    "MANOEUVRES",
    "Manoeuvre",
    "cruise_voltage",
    "find_manoeuvre",
    "run_manoeuvre",
    "run_many",
]

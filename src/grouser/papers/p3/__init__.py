"""P3, Dean and Brennan 2008: the Tankbot on its treadmill."""

from grouser.papers.p3.manoeuvre import (
    MANOEUVRES,
    Manoeuvre,
    cruise_voltage,
    find_manoeuvre,
    run_manoeuvre,
    run_many,
)

__all__ = [
    "MANOEUVRES",
    "Manoeuvre",
    "cruise_voltage",
    "find_manoeuvre",
    "run_manoeuvre",
    "run_many",
]

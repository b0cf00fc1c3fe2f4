"""Drivers: programs that return the belt speed commands of a run, by name or as objects."""

from grouser.drivers.catalogue import (
    DEFAULT_DRIVER,
    DRIVERS,
    DriverInputs,
    DriverKind,
    DriverPlan,
    make_driver,
    usual_driver,
)
from grouser.drivers.programs import Constant, Legs, Replay, Sides, Step, Wave, WithFlippers

__all__ = [
    "DEFAULT_DRIVER",
    "DRIVERS",
    "Constant",
    "DriverInputs",
    "DriverKind",
    "DriverPlan",
    "Legs",
    "Replay",
    "Sides",
    "Step",
    "Wave",
    "WithFlippers",
    "make_driver",
    "usual_driver",
]

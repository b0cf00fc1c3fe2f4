"""Drivers by name: who gives the belt speeds of a drive."""

from grouser.drivers.catalogue import DRIVERS, DriverKind, make_driver
from grouser.drivers.plan import Plan, Situation

__all__ = ["DRIVERS", "DriverKind", "Plan", "Situation", "make_driver"]

"""A fit as a file for others: robot file, ros2_control, gz-sim, plain JSON."""

from grouser.identify.exports.equivalent_drive import UNFIT
from grouser.identify.exports.export_fit import SUFFIXES, export_fit

__all__ = ["SUFFIXES", "UNFIT", "export_fit"]

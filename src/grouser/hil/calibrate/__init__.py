"""Measuring what only the robot itself can tell: gyroscope at rest, encoders, motors."""

from grouser.hil.calibrate.board_session import BoardSession
from grouser.hil.calibrate.calibration import Calibration, Item
from grouser.hil.calibrate.measure_encoder import measure_encoder
from grouser.hil.calibrate.measure_gyro import measure_gyro
from grouser.hil.calibrate.measure_speed_map import DUTIES, measure_speed_map

__all__ = [
    "DUTIES",
    "BoardSession",
    "Calibration",
    "Item",
    "measure_encoder",
    "measure_gyro",
    "measure_speed_map",
]

"""How fast models are: every value with its ratio to a reference of the same run."""

from grouser.bench.bench import SECTIONS, Bench, Row, run_bench
from grouser.bench.case import QUICK, BenchOptions
from grouser.bench.cases import time_drive
from grouser.bench.machine import Machine, Watch

__all__ = [
    "QUICK",
    "SECTIONS",
    "Bench",
    "BenchOptions",
    "Machine",
    "Row",
    "Watch",
    "run_bench",
    "time_drive",
]

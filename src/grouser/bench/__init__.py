"""How fast models are: every number beside a reference of the same run."""

from grouser.bench.catalogue import SECTIONS
from grouser.bench.choice import QUICK, Choice
from grouser.bench.machine import Machine, Watch
from grouser.bench.run_bench import Bench, Row, run_bench
from grouser.bench.time_drive import time_drive

__all__ = [
    "QUICK",
    "SECTIONS",
    "Bench",
    "Choice",
    "Machine",
    "Row",
    "Watch",
    "run_bench",
    "time_drive",
]

"""Draw sweep-step.png, sweep-slope.png and sweep-stairs.png: what three robots can.

python docs/pictures/make_sweeps.py

Takes a few minutes on two cores; results are kept in out/, and only missing ones are driven.
"""

import shutil
from pathlib import Path

from grouser.cli import main

PICTURES = {"step": "sweep-step.png", "slope": "sweep-slope.png", "stairs": "sweep-stairs.png"}

if __name__ == "__main__":
    for name, picture in PICTURES.items():
        assert main(["sweep", name]) == 0
        shutil.copy(f"out/sweep-{name}/map.png", Path(__file__).parent / picture)

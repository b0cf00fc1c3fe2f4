"""Draw step-sensitivity.png: what the outcomes of P4's Table IV depend on.

python docs/pictures/make_step_sensitivity.py

Takes some minutes on one core.
"""

from pathlib import Path

from grouser.papers.p4.sensitivity import PAIRS, SETTINGS, vary_one, vary_two
from grouser.report import write_picture

if __name__ == "__main__":
    panels = [panel for name in SETTINGS for panel in vary_one(name).panels]
    panels += [panel for pair in PAIRS for panel in vary_two(*pair).panels]
    write_picture({}, Path(__file__).parent / "step-sensitivity.png", panels=panels)

"""Draw tankbot-step-y.png and tankbot-friction.png: a manoeuvre of P3, and its yaw resistance.

python docs/pictures/make_tankbot.py
"""

from pathlib import Path

from grouser.papers.p3.figures import manoeuvre_panels
from grouser.papers.p3.manoeuvre import MANOEUVRES, run_manoeuvre, tankbot_constants
from grouser.report import write_picture

FOLDER = Path(__file__).parent


def main() -> None:
    """Draw both."""
    constants = tankbot_constants()
    runs = {"step-y": run_manoeuvre(MANOEUVRES["step-y"])}
    panels = manoeuvre_panels(runs, constants)
    write_picture(runs, FOLDER / "tankbot-step-y.png", panels=panels)
    runs = {
        "one point (P3)": runs["step-y"],
        "nine points": run_manoeuvre(MANOEUVRES["step-y"], constants=tankbot_constants(points=9.0)),
    }
    shown = [p for p in manoeuvre_panels(runs, constants) if p.key in ("y", "psi", "x", "ellipse")]
    write_picture(runs, FOLDER / "tankbot-friction.png", panels=shown)


if __name__ == "__main__":
    main()

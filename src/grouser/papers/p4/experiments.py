"""P4's two tests: Quince in front of six steps, and how fast PackBot's models are."""

from collections.abc import Mapping
from math import radians

from grouser.models import make_model
from grouser.papers.experiment import Findings
from grouser.papers.p1.published import table_1
from grouser.papers.p1.tables import CPU_TIME
from grouser.papers.p4.measure_speed import MODELS, measure_speed
from grouser.papers.p4.printed import read_factors, read_steps
from grouser.papers.p4.step_climbing import attempt_step
from grouser.papers.stems import draw_stems
from grouser.report import Label, Mark, Panel
from grouser.report.colours import REFERENCE, line_colour

WITHOUT = ((0.0, 120.0), (45.0, 240.0))
"""Angles [deg] and heights [mm] that need grousers, by the balance of two contacts."""


def name_step(angle_deg: float, height_mm: float, *, grousers: bool = True) -> str:
    """Return what a climb is called."""
    worn = "" if grousers else " without grousers"
    return f"climbs {height_mm:g} mm at {angle_deg:g}°{worn}"


def climb_step(angle_deg: float, height_mm: float, *, grousers: bool = True) -> Findings:
    """Return whether Quince climbs a step, its front sub-tracks raised [deg], [mm]."""
    model = make_model("segments" if grousers else "segments:grousers=0")
    attempt = attempt_step(model, height_mm / 1e3, radians(angle_deg))
    key = name_step(angle_deg, height_mm, grousers=grousers)
    return Findings(values={key: float(attempt.climbed)})


def compare_speed() -> Findings:
    """Return real-time factors of Table II's models, and which of them is faster."""
    factors = measure_speed(MODELS.values(), drives=5)
    ours = {name: factors[reference] for name, reference in MODELS.items()}
    values = {f"factor of {name}": factor for name, factor in ours.items()}
    values |= {
        f"speed of {faster} over {slower}": ours[faster] / ours[slower]
        for faster, slower in ranks()
    }
    theirs = read_factors()
    values["factor of segments with grousers, at least 1"] = ours["proposed"]
    times = table_1()[CPU_TIME]
    values["factor of constraint_to_ground by P1's times"] = (
        theirs["4_wheels"] * times["4wheels"].mean / times["csm"].mean
    )
    return Findings(values=values, panels=(_draw_factors(ours, theirs),))


def _draw_factors(ours: Mapping[str, float], theirs: Mapping[str, float]) -> Panel:
    names = [name.replace("_", " ") for name in ours]
    groups = {
        "ours": (list(ours.values()), line_colour(0)),
        "P4": ([theirs[name] for name in ours], REFERENCE),
    }
    title = "Real-time factors of PackBot's models"
    return draw_stems("factors", title, "real-time factor [1]", names, groups)


def ranks() -> list[tuple[str, str]]:
    """Return the models of Table II in pairs: each, and the next slower one."""
    ordered = sorted(read_factors().items(), key=lambda item: -item[1])
    names = [name for name, _ in ordered]
    return list(zip(names, names[1:], strict=False))


def draw_outcomes(values: Mapping[str, float]) -> tuple[Panel, ...]:
    """Return which steps of Table IV were climbed, of those that were tried, and by P4."""
    tried = [s for s in read_steps() if name_step(s[0], s[1]) in values]
    if not tried:
        return ()
    marks = []
    for step in tried:
        climbed = bool(values[name_step(step[0], step[1])])
        mark = Mark(
            symbol="yes" if climbed else "no", x=step.angle_deg, y=step.height_mm,
            colour=line_colour(1 if climbed else 3), name="climbs" if climbed else "fails",
            words=f"P4: {'climbs' if step.is_climbed else 'fails'}",
        )  # fmt: skip
        marks.append(mark)
    labels = tuple(Label(text=m.words, x=m.x, y=m.y + 8.0) for m in marks)
    panel = Panel(
        key="steps", title="Quince on the steps of Table IV", series=(), marks=tuple(marks),
        labels=labels, x_label="front sub-tracks raised by [deg]",
        y_label="height of the step [mm]",
    )  # fmt: skip
    return (panel,)

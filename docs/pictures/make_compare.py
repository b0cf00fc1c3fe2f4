"""Draw compare.png: four models of TP100 obey the same belt speeds on behaviour course 2.

python docs/pictures/make_compare.py

The run is that of examples/01_compare_models.py; here only its plan and its gap are drawn.
"""

from dataclasses import replace
from pathlib import Path

from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from grouser import PathFollower, Simulation, load_course, load_robot, make_model, replay
from grouser.report import Panel, make_panels
from grouser.report.draw_matplotlib import draw_matplotlib

TARGET = Path(__file__).parent / "compare.png"


def clear(panel: Panel, title: str, *, legend: bool) -> Panel:
    """Return the panel without crosses, and `turning` dashed: it lies on `icr` for this robot."""
    series = tuple(
        replace(
            line,
            dash="dashed" if line.name == "turning" else line.dash,
            name=line.name if legend else "",
        )
        for line in panel.series
    )
    marks = tuple(mark for mark in panel.marks if mark.symbol == "start")
    return replace(panel, title=title, series=series, marks=marks)


def main() -> None:
    """Drive, replay and draw."""
    robot, course = load_robot("tp100"), load_course("behaviour-2")
    assert course.path is not None
    simulation = Simulation(make_model("slip"), robot, course)
    simulation.run(PathFollower(robot, course.path, speed=0.2), duration=30.0)
    lead = simulation.log(driver="follow")
    runs = {"slip": lead} | {name: replay(lead, name) for name in ("ideal", "icr", "turning")}
    panels = {panel.key: panel for panel in make_panels(runs, course)}
    with rc_context({"text.parse_math": False, "font.size": 9}):
        figure = Figure(figsize=(11.0, 4.2), layout="constrained")
        FigureCanvasAgg(figure)
        plan, gap = figure.subplots(1, 2, width_ratios=(9, 5))
        title = "TP100 on behaviour course 2: the same belt speeds through four models"
        draw_matplotlib(clear(panels["plan"], title, legend=True), plan)
        plan.set(aspect="equal", adjustable="box", xlim=(-0.12, 1.32), ylim=(-0.82, 0.12))
        title = "Distance from slip, which the driver steers"
        draw_matplotlib(clear(panels["gap"], title, legend=False), gap)
        figure.savefig(TARGET, dpi=120)


if __name__ == "__main__":
    main()

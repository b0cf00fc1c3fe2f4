"""Panels of runs and maps: lines, marks, heat maps."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from grouser.description import Path, load_robot, parse_course
from grouser.description.path import Leg
from grouser.errors import InvalidDescription, InvalidValue, UnknownName
from grouser.log import Column, Log, Provenance
from grouser.report import (
    Heat,
    Mark,
    Panel,
    Series,
    make_panels,
    write_map,
)
from grouser.report.colours import LINES, NO_FILL, REFERENCE, YES_FILL
from grouser.report.draw_matplotlib import draw_matplotlib
from grouser.report.draw_plotly import draw_plotly
from grouser.report.panel import rows_to_draw
from grouser.report.plan_view import robot_outlines
from grouser.report.time_series import reference_heading
from grouser.scenario import course_of_log, robot_of_log
from tests.report.conftest import COURSE, make_log


def panels(runs, course=None) -> dict[str, Panel]:
    return {panel.key: panel for panel in make_panels(runs, course)}


def line(panel: Panel, name: str) -> Series:
    return next(line for line in panel.series if line.name == name)


def test_single_run_shows_everything_that_its_log_holds(run):
    assert list(panels({"run": run})) == [
        "plan", "error", "yaw", "slip", "belts", "yaw_rate", "height", "pitch"
    ]  # fmt: skip


def test_real_robot_without_course_is_drawn_without_one():
    shown = panels({"robot": make_log()})
    assert "error" not in shown
    assert shown["plan"].shapes == ()
    assert line(shown["plan"], "robot").x == pytest.approx([0.0, 1.0, 2.0, 3.0])
    assert [line.name for line in shown["plan"].series] == ["robot"]


def test_plan_has_area_then_slabs_then_patch_and_labels_with_heights(course):
    plan = panels({"run": make_log()}, course)["plan"]
    assert plan.equal_axes
    assert [shape.name for shape in plan.shapes] == ["area", "block", "ramp", "ramp", "patch"]
    assert [shape.hatched for shape in plan.shapes] == [False, False, True, True, False]
    assert plan.shapes[1].corners.min(axis=0) == pytest.approx([0.9, -0.2])
    labels = {label.text: (label.x, label.y) for label in plan.labels}
    assert labels["block\n0.05 m"] == pytest.approx((1.0, 0.2), abs=1e-5)
    assert labels["ramp\n0.25 m"] == pytest.approx((2.5, 0.3), abs=1e-5)  # one for both halves
    assert labels["patch\n(ice)"] == pytest.approx((3.5, 0.4))


def test_reference_path_is_grey_and_dashed_and_start_is_marked(course):
    plan = panels({"run": make_log()}, course)["plan"]
    reference = line(plan, "reference path")
    assert (reference.colour, reference.dash) == (REFERENCE, "dashed")
    assert (reference.x[0], reference.x[-1]) == pytest.approx((0.0, 4.0))
    assert [(mark.symbol, mark.x, mark.y) for mark in plan.marks] == [("start", 0.0, 0.0)]


def test_robot_outline_has_the_size_of_the_robot_and_looks_where_it_drives(run):
    robot = load_robot("tp100")
    x, y = robot_outlines(robot, run, 1)
    # At the end it looks along -y: its length is along y, its width along x.
    assert (np.nanmax(y) - 0.1, np.nanmin(y) - 0.1) == pytest.approx((0.0925, -0.0925))
    assert (np.nanmax(x) - 3.0, np.nanmin(x) - 3.0) == pytest.approx((0.1025, -0.1025))
    stroke = slice(-3, -1)
    assert y[stroke] == pytest.approx([0.1, 0.1 - 0.0925])


def test_outlines_of_a_robot_do_not_overlap(run):
    robot = load_robot("tp100")
    assert np.count_nonzero(np.isnan(robot_outlines(robot, run, 4)[0])) == 2 * 4
    short = run.with_columns({"x": Column(0.1 * run["x"], "m")})
    assert np.count_nonzero(np.isnan(robot_outlines(robot, short, 4)[0])) == 2 * 2


def test_error_is_the_distance_to_the_path(course):
    error = panels({"run": make_log(y=-0.2)}, course)["error"]
    assert error.series[0].y == pytest.approx([0.2] * 4)
    assert error.y_label == "cross-track error [m]"


def test_yaw_is_in_degrees_without_jumps(course):
    yaw = panels({"run": make_log()}, course)["yaw"]
    assert line(yaw, "run").y == pytest.approx([0.0, 90.0, 180.0, 270.0])
    assert line(yaw, "reference path").y == pytest.approx([0.0] * 4)
    assert "[deg]" in yaw.y_label


def test_drives_have_one_colour_each_in_a_single_run():
    belts = panels({"run": make_log()})["belts"]
    commanded, reached = line(belts, "left commanded"), line(belts, "left reached")
    assert (commanded.dash, reached.dash) == ("dashed", "solid")
    assert commanded.colour == reached.colour == LINES[0]
    assert reached.y == pytest.approx([0.0, 0.9, -1.2, 0.0])


def test_nan_slip_is_a_gap():
    slip = panels({"run": make_log()})["slip"]
    assert np.isnan(line(slip, "right").y[-1])
    assert line(slip, "right").colour == LINES[1]


def test_peaks_of_slip_are_cut_and_noted_in_the_title():
    time = np.linspace(0.0, 1.0, 200)
    slip = np.where(np.arange(200) == 100, 50.0, 0.1)
    log = Log({"time": Column(time, "s"), "slip.left": Column(slip, "1")})
    panel = panels({"run": log})["slip"]
    assert panel.title.endswith("peaks cut")
    assert panel.y_range == pytest.approx((0.0, 0.2))
    assert max(panel.series[0].y) == 50.0  # still there for who zooms out
    calm = log.with_columns({"slip.left": Column(np.full(200, 0.1), "1")})
    assert panels({"run": calm})["slip"].y_range is None


def test_height_is_shown_only_where_the_course_is_not_flat(course, flat):
    log = make_log()
    assert "height" not in panels({"run": log}, flat)
    height = panels({"run": log}, course)["height"]
    assert line(height, "run").y == pytest.approx([0.0, 0.0, 0.5, 0.0])
    assert line(height, "ground below").y == pytest.approx([0.0, 0.05, 0.0, 0.0])


def test_without_a_course_height_is_shown_if_the_run_rises():
    level = {name: Column(np.zeros(4), unit) for name, unit in (("z", "m"), ("pitch", "rad"))}
    assert "height" in panels({"run": make_log()})
    assert "height" not in panels({"run": make_log().with_columns(level)})


def test_several_runs_have_one_colour_each_and_one_belt_panel_per_drive(course):
    shown = panels({"a": make_log(), "b": make_log(offset=0.03)}, course)
    assert {line(shown[key], "b").colour for key in ("plan", "yaw", "error", "gap")} == {LINES[1]}
    assert [key for key in shown if key.startswith("belts")] == ["belts.left"]
    slip = shown["slip"]
    assert (line(slip, "b left").dash, line(slip, "b right").dash) == ("solid", "dashed")
    assert "reference path" not in [line.name for line in shown["yaw"].series]


def test_gap_to_the_first_run_shows_when_they_diverge():
    gap = panels({"a": make_log(), "b": make_log(offset=0.03)})["gap"]
    assert [line.name for line in gap.series] == ["b"]
    assert gap.series[0].y == pytest.approx([0.0, 0.0, 0.03, 0.06])
    assert [mark.x for mark in gap.marks] == [2.0, 4.0]
    assert [mark.y for mark in gap.marks] == pytest.approx([0.03, 0.06])
    assert gap.marks[0].words == "b: 0.01 m from a at 2 s"


def test_plan_marks_the_positions_where_runs_diverge():
    plan = panels({"a": make_log(), "b": make_log(offset=0.03)})["plan"]
    places = [(mark.x, mark.y) for mark in plan.marks if mark.symbol == "divergence"]
    assert np.array(places) == pytest.approx(np.array([(2.03, 0.0), (3.06, 0.0)]))


def test_numbers_that_are_not_finite_are_gaps_and_rounding_is_none():
    series = Series(
        name="a", x=np.arange(3.0), y=np.array([np.inf, 1e-16, -np.inf]), colour="#000000"
    )
    assert np.isnan(series.y).tolist() == [True, False, True]
    assert series.y[1] == 0.0


def test_a_run_that_ended_not_finite_is_still_drawn(course):
    values = np.array([0.0, 1.0, np.nan, np.nan])
    broken = make_log().with_columns({name: Column(values, "m") for name in ("x", "y", "z")})
    shown = panels({"good": make_log(), "broken": broken}, course)
    assert np.isnan(line(shown["error"], "broken").y).tolist() == [False, False, True, True]
    assert len(line(shown["gap"], "broken").y) == 2


def test_an_empty_log_has_nothing_to_draw_but_does_no_harm(course):
    empty = Log(
        {name: Column(np.empty(0), "m" if name != "time" else "s") for name in ("time", "x", "y")}
    )
    assert "plan" not in panels({"empty": empty}, course)


def test_long_logs_keep_peaks_and_gaps_and_ends():
    values = np.zeros(100_000)
    values[51_234], values[70_000] = 7.0, np.nan
    rows = rows_to_draw(values)
    assert len(rows) < 2100
    assert {0, 51_234, 70_000, 99_999} <= set(rows.tolist())
    assert (np.diff(rows) > 0).all()


def test_reference_heading_turns_at_corners_and_stays_on_its_leg_of_a_path_there_and_back():
    path = Path(legs=(Leg(length=1.0), Leg(turn=np.pi, length=1.0)))
    x = np.concatenate((np.linspace(0.0, 1.0, 50), np.linspace(1.0, 0.0, 50)))
    headings = reference_heading(path, x, np.full(100, 0.01))
    assert headings[:45] == pytest.approx(0.0)
    assert headings[55:] == pytest.approx(np.pi)


def test_log_gives_back_its_robot_and_its_course_with_parameters():
    text = COURSE.replace("height_m = 0.05", 'height_m = "$h"') + "[parameters.h]\ndefault = 0.05\n"
    log = make_log(
        course="yard", course_text=text, course_parameters={"h": 0.07},
        robot="tp100", robot_text=load_robot("tp100").text,
    )  # fmt: skip
    restored = course_of_log(log)
    assert restored is not None
    assert restored.terrain.height(1.0, 0.0) == pytest.approx(0.07)
    assert robot_of_log(log) == load_robot("tp100")
    assert course_of_log(make_log()) is None
    assert robot_of_log(make_log()) is None


def test_a_log_with_an_invalid_course_raises_an_error():
    with pytest.raises(InvalidDescription, match="terrain"):
        make_panels({"run": make_log(course="yard", course_text='name = "yard"\nterrain = 3\n')})


def test_runs_must_be_there_and_have_times():
    with pytest.raises(InvalidValue, match="one log or more"):
        make_panels({})
    with pytest.raises(UnknownName, match="no column named 'time'"):
        make_panels({"run": Log({"yaw": Column(np.zeros(2), "rad")}, Provenance())})


def test_course_of_the_first_log_that_has_one_is_drawn(run):
    shown = panels({"real": make_log(), "simulated": run})
    assert shown["plan"].shapes[0].name == "area"
    assert line(shown["error"], "real").y == pytest.approx([0.0] * 4)


def test_a_course_without_path_or_area_is_drawn_too():
    bare = parse_course('name = "bare"\n[[terrain]]\nkind = "plane"\n', "bare")
    shown = panels({"run": make_log()}, bare)
    assert shown["plan"].shapes == ()
    assert "error" not in shown


def test_an_axis_that_counts_things_has_their_names_in_pages_and_pictures():
    stems = Series(name="ours", x=np.array([0.0, 1.0]), y=np.array([2.0, 3.0]), colour="#000000")
    panel = Panel(
        key="k", title="t", x_label="", y_label="y", series=(stems,), x_names=("a", "b<c>")
    )
    axis = draw_plotly(panel).layout.xaxis
    assert (axis.tickvals, axis.ticktext) == ((0, 1), ("a", "b&lt;c&gt;"))
    axes = Figure().add_subplot()
    draw_matplotlib(panel, axes)
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["a", "b<c>"]


def make_panel(names: tuple[str, str] | None) -> Panel:
    values = np.array([[1.0, 1.0, 0.0], [1.0, 0.0, np.nan]])
    heat = Heat(
        x=np.array([0.0, 10.0, 20.0]), y=np.array([0.1, 0.2]), values=values,
        title="slip <mean> [1]", names=names,
    )  # fmt: skip
    mark = Mark(symbol="yes", x=0.0, y=0.15, colour="#000000", name="P4: climbed")
    return Panel(key="map", title="What it can", x_label="angle [deg]", y_label="height [m]",
                 series=(), marks=(mark,), heat=heat)  # fmt: skip


def test_a_page_has_a_hover_text_for_each_cell_and_has_a_scale_or_a_legend():
    plain, named = (draw_plotly(make_panel(names)) for names in (None, ("fails", "climbs")))
    grid = plain.data[0]
    assert grid.type == "heatmap"
    assert grid.showscale
    assert not named.data[0].showscale
    upper = list(named.data[0].text[1])
    assert upper == ["0, 0.2: climbs", "10, 0.2: fails", "20, 0.2: no result"]
    assert [trace.name for trace in named.data[1:]] == ["fails", "climbs", "P4: climbed"]


def test_a_picture_has_the_colours_of_success_and_failure():
    figure = Figure()
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    draw_matplotlib(make_panel(("fails", "climbs")), axes)
    figure.canvas.draw()
    colours = [to_hex(colour) for colour in axes.collections[0].get_facecolors()]
    assert colours[:5] == [YES_FILL, YES_FILL, NO_FILL, YES_FILL, NO_FILL]
    assert axes.collections[0].get_facecolors()[5][3] == 0.0  # nothing where nothing is known
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "fails", "climbs", "P4: climbed"
    ]  # fmt: skip


@pytest.mark.parametrize("suffix", ["html", "png", "svg"])
def test_a_map_is_written_as_page_or_picture(tmp_path, suffix):
    path = tmp_path / f"map.{suffix}"
    write_map(make_panel(None), path, {"robot": "<quince>"})
    if suffix == "html":
        page = path.read_text()
        assert "&lt;quince&gt;" in page
        assert "Provenance" not in page  # there are no runs
    assert path.stat().st_size > 5000

"""Colours on a grid, in pages and pictures."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from grouser.report import Heat, Mark, Panel, write_map
from grouser.report.colours import NO_FILL, YES_FILL
from grouser.report.draw_matplotlib import draw_matplotlib
from grouser.report.draw_plotly import draw_plotly


def make_panel(names: tuple[str, str] | None) -> Panel:
    values = np.array([[1.0, 1.0, 0.0], [1.0, 0.0, np.nan]])
    heat = Heat(
        x=np.array([0.0, 10.0, 20.0]), y=np.array([0.1, 0.2]), values=values,
        title="slip <mean> [1]", names=names,
    )  # fmt: skip
    mark = Mark(symbol="yes", x=0.0, y=0.15, colour="#000000", name="P4: climbed")
    return Panel(key="map", title="What it can", x_label="angle [deg]", y_label="height [m]",
                 series=(), marks=(mark,), heat=heat)  # fmt: skip


def test_a_page_tells_each_cell_and_has_a_scale_or_a_legend():
    plain, named = (draw_plotly(make_panel(names)) for names in (None, ("fails", "climbs")))
    grid = plain.data[0]
    assert grid.type == "heatmap"
    assert grid.showscale
    assert not named.data[0].showscale
    upper = list(named.data[0].text[1])
    assert upper == ["0, 0.2: climbs", "10, 0.2: fails", "20, 0.2: no result"]
    assert [trace.name for trace in named.data[1:]] == ["fails", "climbs", "P4: climbed"]


def test_a_picture_has_the_colours_of_what_came_off_and_what_did_not():
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

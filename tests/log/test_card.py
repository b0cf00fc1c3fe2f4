"""A log as it is shown in notebooks."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from grouser.log import Column, Log, Provenance

TIME = Column(np.linspace(0.0, 1.0, 50), "s")
X, Y = Column(np.linspace(0.0, 2.0, 50), "m"), Column(np.linspace(0.0, 1.0, 50) ** 2, "m")


def test_a_log_shows_its_path_its_rows_and_where_it_is_from():
    card = Log({"time": TIME, "x": X, "y": Y}, Provenance(robot="tp100"))._repr_html_()
    assert "50 in 1 s" in card
    assert "tp100" in card
    drawn = [element.tag for element in ET.fromstring(card).iter() if element.get("points")]
    assert [tag.rpartition("}")[2] for tag in drawn] == ["polyline", "polygon", "polygon"]


def test_many_columns_are_counted():
    columns = {f"c{n}": Column([0.0], "1") for n in range(40)}
    assert "c11, and 28 more" in Log(columns)._repr_html_()


@pytest.mark.parametrize("x", [[], [np.nan] * 3, [1.0] * 3])
def test_a_log_without_a_path_has_a_card(x):
    log = Log(
        {"x": Column(np.array(x, np.float64), "m"), "y": Column(np.array(x, np.float64), "m")}
    )
    ET.fromstring(log._repr_html_())


def test_names_in_a_log_cannot_bring_scripts():
    card = Log({"x": X, "y": Y}, Provenance(robot="<script>"))._repr_html_()
    assert "<script" not in card

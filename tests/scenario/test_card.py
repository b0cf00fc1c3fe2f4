"""A scenario as it is shown in notebooks."""

import xml.etree.ElementTree as ET

from grouser import Scenario


def test_a_scenario_shows_its_parts_and_the_plan_of_its_course():
    card = Scenario(robot="absolem", course="step:height_m=0.2", model="csm")._repr_html_()
    assert "absolem" in card
    assert "height_m = 0.2" in card
    assert "<polygon" in card
    ET.fromstring(card)


def test_a_scenario_whose_course_does_not_exist_has_a_card_without_a_plan():
    card = Scenario(course="<script>")._repr_html_()
    assert "<svg" not in card
    assert "<script" not in card
    assert "&lt;script&gt;" in card

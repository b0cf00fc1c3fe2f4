"""Materials by the names of surfaces and soils."""

import pytest

from grouser.description import load_course
from grouser.description.surface import Surface
from grouser.drawing.look.materials import PALETTE, material_of, palette_places, palette_rows


@pytest.mark.parametrize(
    ("name", "material"),
    [
        ("ice", "ice"), ("mud", "mud"), ("wet_mud2", "mud"), ("Grass", "grass"),
        ("dry-sand", "sand"), ("gravel", "gravel"), ("asphalt", "asphalt"), ("tarmac", "asphalt"),
        ("concrete", "concrete"), ("wood", "wood"), ("snow", "snow"), ("clayey-soil", "clay"),
        ("sandy-loam", "earth"), ("lunar", "regolith"), ("slippery", "neutral"),
        ("device", "neutral"), ("x", "neutral"), ("", "neutral"),
    ],
)  # fmt: skip
def test_a_surface_is_made_of_what_its_name_says(name: str, material: str):
    assert material_of(name, Surface()).name == material


def test_the_ground_is_made_of_what_is_usual_there_and_a_soil_of_its_own():
    assert material_of("ground", Surface(), "pavement").name == "pavement"
    surfaces = load_course("soil-bin").terrain.surfaces
    assert [material_of(name, each).name for name, each in surfaces.items()][1:] == [
        "sand", "snow", "clay"
    ]  # fmt: skip
    soft = surfaces["snow"]
    assert material_of("ground", soft, "pavement").name == "snow"
    assert material_of("lane", soft).name == "snow"


def test_the_palette_has_a_pixel_for_each_paint():
    rows = palette_rows()
    assert {row.shape for row in rows.values()} == {(1, len(PALETTE), 3)}
    for number, name in enumerate(PALETTE):
        x, _ = palette_places(name, 1)[0]
        assert int(x * len(PALETTE)) == number
    assert rows["glow"].max() > 100

"""Soils by name, by file and as tables of surfaces; ruts; a belt's own grip on soil."""

import math
import re
import tomllib
from pathlib import Path

import pytest

from grouser.description import Course, load_course, load_robot, load_soil, parse_course, soil_names
from grouser.description.find import find_description, read_text
from grouser.description.load import parse_robot
from grouser.description.schema import MARKS, find_source, numeric_leaves
from grouser.description.surface import Surface
from grouser.errors import InvalidDescription, InvalidValue, UnknownName, Unsupported
from grouser.models import able_models, make_model, start_model

FIRM = """
name = "firm"
[[terrain]]
kind = "plane"
surface = "sand"
[surfaces.sand]
"""
OWN = """
k_c = 0.0
k_phi = 1e6
n = 1.0
cohesion_Pa = 500
friction_angle_deg = 30
shear_modulus_m = 0.01
unit_weight_N_m3 = 16000
"""
TABLE = {
    "dry-sand": (0.99, 1528.43, 1.1, 1.04, 28.0, 0.025),
    "lete-sand": (102.0, 5301.0, 0.793, 1.3, 31.1, 0.012),
    "sandy-loam": (5.27, 1515.04, 0.7, 1.72, 29.0, 0.025),
    "upland-sandy-loam": (74.6, 2080.0, 1.10, 3.3, 33.7, 0.02),
    "clayey-soil": (13.19, 692.15, 0.5, 4.14, 13.0, 0.01),
    "lean-clay": (1.52, 119.61, 0.15, 13.79, 11.0, 0.01),
    "snow": (4.37, 196.72, 1.6, 1.03, 19.7, 0.04),
    "lunar": (1.4, 820.0, 1.0, 0.17, 35.0, 0.0178),
}
"""Wong (2008), Table 2.3, in its units: kN/m^(n+1), kN/m^(n+2), 1, kPa, deg; K in m."""


def on(soil: str) -> Course:
    return parse_course(f"{FIRM}{soil}\n", "firm.toml")


def mistake_of(soil: str) -> str:
    with pytest.raises(InvalidDescription) as caught:
        on(soil)
    return str(caught.value)


@pytest.mark.parametrize("name", soil_names())
def test_the_zoo_has_the_published_numbers_in_si(name: str):
    soil = load_soil(name)
    k_c, k_phi, n, cohesion, angle, shear_modulus = TABLE[name]
    assert soil.name == name
    assert (soil.cohesive_modulus, soil.frictional_modulus) == pytest.approx(
        (1e3 * k_c, 1e3 * k_phi)
    )
    assert (soil.exponent, soil.shear_modulus) == (n, shear_modulus)
    assert soil.cohesion == pytest.approx(1e3 * cohesion)
    assert soil.friction_angle == pytest.approx(math.radians(angle))
    assert not soil.slip_sinkage


@pytest.mark.parametrize("name", soil_names())
def test_every_number_of_a_soil_has_a_source_and_k_is_uncertain(name: str):
    content = tomllib.loads(read_text(find_description("soil", name)))
    for key in numeric_leaves(content):
        source = find_source(content["sources"], key)
        assert source, key
        assert re.search(rf"\[[{''.join(MARKS)}]\]$", source), source
    assert "factor of two" in (load_soil(name).source_of("shear_modulus_m") or "")


def test_a_surface_names_a_soil_and_has_the_friction_of_its_angle():
    course = on('soil = "dry-sand"')
    sand = course.terrain.surfaces["sand"]
    assert sand.soil == load_soil("dry-sand")
    assert sand.friction == sand.friction_across == pytest.approx(math.tan(math.radians(28.0)))
    assert on('soil = "dry-sand"\nfriction = 0.3').terrain.friction(0.0, 0.0) == 0.3


def test_numbers_of_a_named_soil_are_replaced_one_by_one():
    soil = on('[surfaces.sand.soil]\nlike = "snow"\ncohesion_Pa = 500').surfaces["sand"].soil
    snow = load_soil("snow")
    assert soil is not None
    assert (soil.cohesion, soil.exponent, soil.name) == (500.0, snow.exponent, "snow, changed")
    assert soil.source_of("cohesion_Pa") is None
    assert soil.source_of("n") == snow.source_of("n")


def test_a_complete_table_is_a_soil_of_its_own(tmp_path: Path):
    soil = on(f"[surfaces.sand.soil]{OWN}").surfaces["sand"].soil
    assert soil is not None
    assert (soil.name, soil.reload_stiffness, soil.reload_slope) == ("own soil", 0.0, 0.0)
    (tmp_path / "mine.toml").write_text(f'name = "mine"{OWN}')
    assert load_soil(tmp_path / "mine.toml").frictional_modulus == 1e6
    (tmp_path / "course.toml").write_text(f'{FIRM}soil = "mine.toml"\n')
    course = load_course(tmp_path / "course.toml")
    assert course.surfaces["sand"].soil == load_soil(tmp_path / "mine.toml")
    (tmp_path / "mine.toml").write_text(f'name = "mine"{OWN}'.replace("1e6", "2e6"))
    again = load_course(tmp_path / "course.toml").surfaces["sand"].soil
    assert again is not None
    assert again.frictional_modulus == 2e6


def test_changes_and_parameters_choose_a_soil(tmp_path: Path):
    course = load_course("soil-bin:sand=lete-sand", {"surfaces.sand.soil.cohesion_Pa": 500.0})
    soil = course.surfaces["sand"].soil
    assert soil is not None
    assert (soil.cohesion, soil.exponent) == (500.0, load_soil("lete-sand").exponent)
    assert course.parameters["sand"] == "lete-sand"
    (tmp_path / "mine.toml").write_text(f'name = "mine"{OWN}')
    mine = load_course("sand-slope", soil=str(tmp_path / "mine.toml")).surfaces["sand"].soil
    assert mine is not None
    assert mine.name == "mine"


@pytest.mark.parametrize(
    ("soil", "sentence"),
    [
        ('{ like = "dry-sand", cohesion_Pa = -1.0 }', "cohesion_Pa must be from 0 to 1e+09 Pa"),
        ('{ like = "dry-sand", shear_modulus_m = 0 }', "firm ground is a surface with friction"),
        ('{ like = "dry-sand", n = 0 }', "sand.soil.n must be from 0.05 to 5, not 0"),
        ('{ like = "dry-sand", friction_angle_deg = 90 }', "must be from 0 to 80 deg, not 90"),
        ("{ k_c = 1.0 }", "surfaces.sand.soil.k_phi is missing"),
        ('"dry-sant"', "no soil named 'dry-sant' (did you mean 'dry-sand'?); available: clayey"),
        ('"no/such.toml"', "soil of no/such.toml: there is no file here; give the path of a soil"),
        ("7", "surfaces.sand.soil must be the name of a soil or a table, not 7"),
        ("{ like = 7 }", "soil.like must be the name or the file of a soil, not 7"),
        (
            '{ like = "dry-sand", cohesion_Pa = 0, friction_angle_deg = 0 }',
            "cohesion_Pa and friction_angle_deg must not both be 0",
        ),
        ('{ like = "dry-sand", cohesion = 1.0 }', "cohesion is not a known key; did you mean"),
    ],
)
def test_each_mistake_of_a_soil_is_a_sentence(soil: str, sentence: str):
    assert sentence in mistake_of(f"soil = {soil}")


def test_mistakes_of_names_files_and_parameters(tmp_path: Path):
    with pytest.raises(UnknownName, match="did you mean 'snow'"):
        load_soil("snown")
    (tmp_path / "bad.toml").write_text("k_c = 1.0")
    assert "bad.toml: k_phi is missing" in mistake_of(f'soil = "{tmp_path / "bad.toml"}"')
    with pytest.raises(InvalidValue, match="sand must be a word, such as dry-sand, not 3"):
        load_course("soil-bin:sand=3")
    with pytest.raises(InvalidDescription, match="minimum and maximum are for numbers"):
        on('[parameters.soil]\ndefault = "snow"\nminimum = 1.0')


def test_only_soils_that_are_used_are_a_feature():
    assert on('soil = "snow"').features == {"soil"}
    assert on("friction = 0.5\n[surfaces.mud]\nsoil = 'snow'").features == frozenset()
    able, others = set(able_models(load_course("soil-bin"))), {"slip", "wheels", "plates"}
    assert {"csm", "segments"} <= able
    assert not able & others


@pytest.mark.parametrize("name", ["ideal", "tankbot", "wheels", "plates", "frictionless"])
def test_models_without_soil_name_those_that_have_it(name: str):
    with pytest.raises(Unsupported, match=r"needs soil, .* models that can: csm, segments"):
        start_model(make_model(name), load_robot("tp100"), load_course("soil-bin"))


def test_another_engine_than_ours_has_no_soil():
    pytest.importorskip("mujoco")
    model = make_model("csm:engine=mujoco")
    with pytest.raises(Unsupported, match="model 'csm:engine=mujoco' lacks; .* csm:engine=native"):
        start_model(model, load_robot("tp100"), load_course("soil-bin"))


def test_a_course_keeps_its_soil_when_its_friction_changes():
    slick = load_course("soil-bin").with_friction(0.3, 0.2)
    assert slick.surfaces["sand"].soil == load_soil("dry-sand")
    assert slick.surfaces["sand"].friction == 0.3
    assert "soil" in slick.features


def test_hashes_count_the_numbers_of_a_soil_and_not_its_name():
    plain, named = on('soil = "snow"'), on('soil = { like = "snow", name = "white" }')
    assert plain.content_hash == named.content_hash
    assert plain.content_hash != on('soil = "lunar"').content_hash
    assert load_course("flat").content_hash.startswith("0270c567e3bd")
    assert (
        load_robot("tp100").content_hash == parse_robot(load_robot("tp100").text, "").content_hash
    )


def test_a_surface_without_soil_is_written_as_ever():
    assert Surface().model_dump() == {"friction": 0.8, "friction_across": 0.8, "slip_factor": 1.0}
    assert "ruts" not in load_course("flat").model_dump(by_alias=True)


def test_ruts_are_where_there_is_a_soil_unless_switched_off():
    assert load_course("flat").ruts is None
    sand = on('soil = "dry-sand"').ruts
    assert sand is not None
    assert (sand.cell, sand.lanes) == (0.02, ())
    assert on('soil = "dry-sand"\n[ruts]\non = false').ruts is None
    lanes = load_course("rutted-lane", {"ruts.lanes.depth_m": 0.05, "ruts.cell_m": 0.01}).ruts
    assert lanes is not None
    assert lanes.cell == 0.01
    assert [lane.depth for lane in lanes.lanes] == [0.05] * 3
    assert lanes.lanes[2].yaw == pytest.approx(math.radians(60.0))
    assert lanes.lanes[0].footprint.contains(6.4, 0.34)
    assert (
        on('soil = "snow"\n[ruts]\ncell_m = 0.05').content_hash != on("soil = 'snow'").content_hash
    )


def test_mistaken_ruts_are_sentences():
    lane = "[[ruts.lanes]]\nlength_m = 1\nwidth_m = 0.1\ndepth_m = 0.01"
    assert "ruts.lanes need a piece of terrain whose surface has a soil" in mistake_of(lane)
    assert "ruts.cell_m" in mistake_of('soil = "snow"\n[ruts]\ncell_m = 0')


def test_a_belt_may_grip_soil_in_its_own_way():
    text = load_robot("tp100").text
    contact = "soil_contact = { adhesion_Pa = 300, friction_angle_deg = 20 }"
    smooth = text.replace('name = "left"', f'name = "left"\n{contact}')
    left, right = parse_robot(smooth, "smooth.toml").tracks
    assert left.soil_contact is not None
    assert left.soil_contact.adhesion == 300.0
    assert left.soil_contact.friction_angle == pytest.approx(math.radians(20.0))
    assert right.soil_contact is None
    assert parse_robot(smooth, "").content_hash != parse_robot(text, "").content_hash
    assert parse_robot(smooth, "").mirrored().tracks[0].soil_contact == left.soil_contact
    with pytest.raises(InvalidDescription, match="friction_angle_deg must be from 0 to 80"):
        parse_robot(smooth.replace("= 20 }", "= 85 }"), "smooth.toml")


def test_the_soil_bin_has_its_lanes_beside_firm_ground():
    terrain = load_course("soil-bin").terrain
    surfaces = list(terrain.surfaces)
    lanes = [surfaces[int(terrain.surface(3.0, y))] for y in (2.25, 0.75, -0.75, -2.25)]
    assert lanes == ["ground", "sand", "snow", "clay"]
    assert load_course("sand-slope:angle_deg=10").start_pose.pitch == pytest.approx(
        -math.radians(10.0)
    )

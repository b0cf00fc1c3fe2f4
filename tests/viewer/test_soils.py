"""Another soil for a course, chosen on the page, and the ghost on firm ground."""

import numpy as np
import pytest

from grouser.control import Sticks
from grouser.description import course_names, load_course
from grouser.drawing.playback import Playback
from grouser.errors import InvalidValue, UnknownName
from grouser.log import Log
from grouser.scenario import Part, Scenario, replay, run
from grouser.viewer.app import DriveApp
from grouser.viewer.recordings import Player
from grouser.viewer.replay_page import write_replay
from grouser.viewer.session import Session
from grouser.viewer.soils import (
    AS_DESCRIBED,
    FIRM,
    choose_soil,
    chosen_soil,
    ghost_scenario,
    soil_choices,
)
from tests.viewer.browser import wait_until

PUSH = Sticks(forward=1.0)
SNOW = "0,-0.75,0"
"""Start on the lane of snow."""


def soils(course: Part) -> dict[str, str]:
    surfaces = course.load_course().terrain.surfaces
    return {name: each.soil.name for name, each in surfaces.items() if each.soil is not None}


@pytest.mark.parametrize("name", course_names())
def test_every_course_can_be_soft_and_firm_and_as_it_was(name):
    course = Part(name=name)
    soft = choose_soil(course, "snow")
    assert set(soils(soft).values()) == {"snow"}
    assert "soil" in soft.load_course().features
    assert chosen_soil(soft) == "snow"
    firm = choose_soil(soft, FIRM)
    assert soils(firm) == {}
    assert "soil" not in firm.load_course().features
    assert choose_soil(firm, AS_DESCRIBED) == choose_soil(soft, AS_DESCRIBED) == course
    assert chosen_soil(course) == AS_DESCRIBED


def test_only_the_ground_becomes_soft_not_what_stands_on_it():
    soft = choose_soil(Part(name="pallet"), "dry-sand").load_course()
    assert soft.terrain.surfaces[soft.terrain.planes[0].surface].soil.name == "dry-sand"
    assert all(soft.terrain.surfaces[slab.surface].soil is None for slab in soft.terrain.slabs)


def test_other_changes_of_a_course_stay():
    course = Part(name="flat", changes={"surfaces.ground.friction": 0.5})
    soft = choose_soil(course, "snow")
    assert soft.changes["surfaces.ground.friction"] == 0.5
    assert choose_soil(soft, AS_DESCRIBED) == course


def test_a_soil_is_part_of_the_scenario_and_of_its_file():
    scenario = Scenario(robot="tp100", course=choose_soil(Part(name="flat"), "snow"), model="csm")
    again = Scenario.parse(scenario.to_toml())
    assert again.course == scenario.course
    assert soils(again.course) == {"chosen": "snow"}


def test_unknown_soils_and_ground_that_cannot_be_soft_are_named(tmp_path):
    with pytest.raises(UnknownName, match="no soil named 'snov'"):
        choose_soil(Part(name="flat"), "snov")
    file = tmp_path / "box.toml"
    file.write_text(
        'name = "box"\n[[terrain]]\nkind = "box"\nlength_m = 9.0\nwidth_m = 9.0\nheight_m = 1.0\n'
    )
    with pytest.raises(InvalidValue, match="course must have a plane or a height field"):
        choose_soil(Part(name=str(file)), "snow")
    assert soil_choices()[:2] == (AS_DESCRIBED, FIRM)
    assert "snow" in soil_choices()


def test_the_ghost_on_firm_ground_has_the_same_model_and_leaves_no_ruts():
    scenario = Scenario(robot="absolem", course="soil-bin", model="csm", start_pose=SNOW)
    firm = ghost_scenario(scenario, FIRM)
    assert firm.model == scenario.model
    assert soils(firm.course) == {}
    driven = Session(scenario, (FIRM,))
    for _ in range(20):
        driven.advance(PUSH)
    own, ghost = driven.simulations
    assert ghost.model.name == own.model.name == "csm"
    assert ghost.course.ruts is None
    assert own.course.ruts is not None
    (gap,) = driven.snapshot().gaps
    assert gap.model == FIRM
    assert driven.snapshot().ruts.depth.max() > 0.001


def test_a_reset_begins_without_ruts():
    driven = Session(Scenario(robot="absolem", course="soil-bin", model="csm", start_pose=SNOW))
    for _ in range(100):
        driven.advance(PUSH)
        ruts = driven.snapshot().ruts
    pressed = (ruts.depth > 0.0).sum()
    driven.reset()
    assert (driven.snapshot().ruts.depth > 0.0).sum() < pressed
    assert driven.snapshot().ruts is not ruts


def test_the_page_changes_the_soil_and_the_drive_can_be_replayed(tmp_path):
    scenario = Scenario(robot="tp100", course="flat", model="csm")
    with DriveApp(scenario, port=0, folder=tmp_path) as page:
        wait_until(lambda: page.loop.session.note is None, "it is compiled", 90.0)
        page.commands.choose(soil="snow")
        wait_until(lambda: "soil" in page.loop.session.course.features, "the ground is soft")
        page.commands.set_ghosts((FIRM,))
        wait_until(lambda: page.loop.session.ghosts == (FIRM,), "a ghost is beside it")
        session = page.loop.session
        page.commands.choose(soil=AS_DESCRIBED)
        wait_until(lambda: page.loop.session is not session, "the ground is firm")
        assert page.loop.session.ghosts == (FIRM,)
        assert "soil" not in page.loop.session.course.features
    for _ in range(30):
        session.advance(PUSH)
    log = session.simulation.log()
    assert soils(Scenario.from_log(log).course) == {"chosen": "snow"}
    assert (replay(log)["x"] == log["x"]).all()
    assert np.ptp(log["x"]) > 0.0


def test_courses_say_none_for_firm_ground():
    firm = load_course("soil-bin", sand="none")
    assert firm.terrain.surfaces["sand"].soil is None
    assert firm.terrain.surfaces["snow"].soil is not None
    assert firm.terrain.surfaces["sand"].friction == 0.8


@pytest.fixture
def drive() -> Log:
    """A log of half a second on a lane of snow."""
    scenario = Scenario(
        robot="absolem", course="soil-bin", model="csm", driver="constant:speed=0.3", stop=0.5,
        start_pose=SNOW,
    )  # fmt: skip
    return run(scenario).log


def test_a_replay_shows_the_ruts_of_its_time(drive):
    player = Player(Playback(drive), "drive")
    player.seek(0.5)
    wait_until(lambda: player.snapshot().ruts is not None, "ruts are computed")
    wait_until(lambda: player.playback.ruts.reached == np.inf, "all are computed")
    late = (player.snapshot().ruts.depth > 0.0).sum()
    player.seek(0.0)
    assert (player.snapshot().ruts.depth > 0.0).sum() < late


def test_a_replay_as_a_file_has_ruts_and_their_legend(drive, tmp_path):
    write_replay(drive, tmp_path / "drive.html")
    page = (tmp_path / "drive.html").read_text("utf-8")
    assert "rut of 50 to 100 mm" in page
    assert "rut of over 100 mm" not in page

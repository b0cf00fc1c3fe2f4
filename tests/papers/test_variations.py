"""Which verdicts turn if friction, mass or the seed are others: nobody tunes to a claim unseen."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from docs.claim_tables import describe_flip

from grouser.description import load_course, load_robot
from grouser.papers.paper import PAPERS
from grouser.papers.reproduce import find_flips
from grouser.papers.variation import VARIATIONS, Variation
from grouser.scenario import Scenario
from grouser.tasks import Workers

ROOT = Path(__file__).parents[2]
STORED = json.loads((ROOT / "docs/claims.json").read_text())["flips"]
CHEAP = ("P0/turning", "P2/left-out", "P4/wall", "P4/conveyor")
"""Experiments that depend on a variation and take a second."""


def test_flips_of_cheap_experiments_are_those_that_are_stored(capsys):
    papers = [
        replace(paper, experiments=tuple(e for e in paper.experiments if e.key in CHEAP))
        for paper in PAPERS.values()
    ]
    run = {e.key for paper in papers for e in paper.experiments}
    assert run == set(CHEAP)
    _, flips = find_flips([p for p in papers if p.experiments], workers=Workers(count=1))
    found = [describe_flip(flip) for flip in flips]
    with capsys.disabled():
        lines = [f"  {flip['key']}: {flip['variation']}" for flip in found]
        sys.stdout.write("\n".join(["", "verdicts that turn:", *lines, ""]))
    keys = {
        claim.key
        for paper in PAPERS.values()
        for claim in paper.make_claims()
        if f"{paper.name}/{claim.experiment}" in CHEAP
    }
    stored = [flip for flip in STORED if flip["key"] in keys]
    assert sorted(map(str, found)) == sorted(map(str, stored))


@pytest.mark.parametrize("name", VARIATIONS)
def test_a_variation_changes_just_what_it_names(name):
    variation = VARIATIONS[name]
    robot, course = load_robot("quince"), load_course("soil-bin")
    heavy, slippery = variation.vary_robot(robot), variation.vary_course(course)
    assert heavy.mass == pytest.approx(variation.mass * robot.mass)
    assert heavy.centre_of_mass == pytest.approx(robot.centre_of_mass)
    for key, surface in course.terrain.surfaces.items():
        other = slippery.terrain.surfaces[key]
        assert other.friction == pytest.approx(variation.friction * surface.friction)
        if surface.soil is not None and other.soil is not None:
            cohesion = variation.friction * surface.soil.cohesion
            assert other.soil.cohesion == pytest.approx(cohesion)
    assert (heavy is robot, slippery is course) == (
        "mass" not in variation.changed, "friction" not in variation.changed
    )  # fmt: skip


def test_a_loaded_scenario_is_varied_as_a_whole():
    loaded = Scenario(robot="tp100", course="flat", model="csm", driver="constant:speed=0.1").load()
    varied = Variation(friction=0.9, mass=1.1, seed=3).vary_loaded(loaded)
    assert varied.scenario.seed == loaded.scenario.seed + 3
    assert varied.robot.mass == pytest.approx(1.1 * loaded.robot.mass)
    assert Variation().vary_loaded(loaded) is loaded

"""P2's turns as simulated, its fits out of sample, and the claims that can fail."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from grouser.description import load_course, load_robot
from grouser.laws.icr import equivalent_wheelbase
from grouser.papers.p2 import turns as experiments
from grouser.papers.p2.claims import P2
from grouser.papers.p2.predict import (
    bootstrap,
    by_both_fits,
    by_closed_form,
    mean_error,
    printed_radii,
    tight_runs,
    wide_runs,
    without_slip,
)
from grouser.papers.p2.simulate import (
    COURSE,
    FRICTION,
    PLACES,
    ROBOT,
    Side,
    SimulatedTurns,
    TurnSettings,
    shear_model,
    simulate_turns,
)
from grouser.papers.p2.tables import LENGTH, WIDTH, credible_runs, read_columns
from grouser.papers.paper import Kind, Status, Verdict
from grouser.papers.variation import Variation

ROOT = Path(__file__).parents[3]


@cache
def simulated(settings: TurnSettings | None = None) -> SimulatedTurns:
    return simulate_turns(settings)


def test_the_robot_and_the_ground_are_those_of_p2():
    robot = load_robot(ROBOT)
    assert robot.body.mass == 330.0
    assert {wheel.name for wheel in robot.wheels} == set(PLACES)
    assert {abs(wheel.x) for wheel in robot.wheels} == {0.5 * LENGTH}
    assert {abs(wheel.y) for wheel in robot.wheels} == {0.5 * WIDTH}
    assert load_course(COURSE).terrain.surfaces["ground"].friction == FRICTION


def test_simulated_rims_run_as_those_of_the_record():
    recorded = read_columns("table5.csv")["Ev_a_mps"]
    assert simulated().column("apparent_difference") == pytest.approx(recorded, abs=1e-9)


@pytest.mark.parametrize("settings", [TurnSettings(paired=True), TurnSettings(model=shear_model())])
def test_wide_turns_need_the_width_of_the_closed_form(settings):
    wide = printed_radii() > 50.0
    expected = equivalent_wheelbase(LENGTH, WIDTH, 0.0, 0.0, 0.0)
    assert simulated(settings).widths[wide] == pytest.approx(expected, rel=0.02)


def test_mass_changes_no_turn_but_friction_does():
    heavy = simulate_turns(variation=Variation(mass=1.1)).column("radius")
    slippery = simulate_turns(variation=Variation(friction=0.9)).column("radius")
    assert heavy == pytest.approx(simulated().column("radius"), rel=1e-9)
    assert np.abs(slippery / simulated().column("radius") - 1.0).max() > 1e-3


def test_wheels_that_share_a_torque_part_and_held_ones_do_not():
    chosen: tuple[tuple[Side, ...], ...] = ((), ("inner",), ("outer", "inner"))
    apart = {
        shares: simulated(TurnSettings(paired=True, sharing=shares)).slippage("i1")
        - simulated(TurnSettings(paired=True, sharing=shares)).slippage("i2")
        for shares in chosen
    }
    assert np.abs(apart[()]).max() < 1e-9
    assert apart[("inner",)].min() > 0.0
    assert np.median(apart[("outer", "inner")]) > 1.5 * np.median(apart[("inner",)])


def test_a_bias_turns_the_vehicle_to_the_side_of_the_smaller_wheels():
    bent = simulated(TurnSettings(bias=0.01))
    assert np.all(bent.column("radius") < simulated().column("radius"))
    mirrored = simulated(TurnSettings(bias=-0.005))
    assert np.all(mirrored.column("radius") > simulated().column("radius"))


def test_the_bias_of_made_turns_is_found_again():
    made = printed_radii()
    biased = 1.0 / (1.0 / made + 0.01)
    # Turns as printed, but for a bias of -0.6 %: +0.6 % mends them.
    shifted = 1.0 / (1.0 / made - 0.6 * (1.0 / biased - 1.0 / made))
    again = 1.0 / (1.0 / shifted + (1.0 / biased - 1.0 / made))
    assert experiments._find_bias(shifted, again) == pytest.approx(0.006, abs=1e-9)


def test_leaving_a_run_out_makes_its_prediction_worse_on_average():
    printed = read_columns("table6.csv")
    first, second = by_both_fits()
    assert mean_error(first) > np.abs(printed["E_R01_percent"]).mean()
    assert mean_error(second) > np.abs(printed["E_R02_percent"]).mean()


def test_predictors_rank_as_in_the_audit():
    first, second = by_both_fits()
    errors = [mean_error(r) for r in (first, second, by_closed_form(), without_slip())]
    assert errors == pytest.approx([4.1, 11.5, 15.0, 33.1], abs=0.15)


def test_tight_and_wide_runs_are_all_of_p2s_selection():
    kept = credible_runs()
    assert np.count_nonzero(kept & tight_runs()) == 8
    assert np.count_nonzero(kept & wide_runs()) == 11


def test_an_interval_holds_its_mean_and_depends_on_the_seed():
    values = np.arange(40.0)
    low, high = bootstrap(lambda draws: values[draws].mean(axis=1), np.arange(40), seed=0)
    assert low < 19.5 < high
    assert high - low == pytest.approx(2 * 1.645 * values.std() / 40**0.5, rel=0.1)
    assert bootstrap(lambda d: values[d].mean(axis=1), np.arange(40), seed=1) != (low, high)


def test_what_can_fail_rejects_its_null_and_there_is_enough_of_it():
    claims = [claim for claim in P2.make_claims() if claim.kind.can_fail]
    assert [claim.key for claim in claims if not claim.rejects_null] == []
    assert sum(claim.kind == Kind.INDEPENDENT for claim in claims) >= 6
    assert sum(claim.kind == Kind.HELD_OUT for claim in claims) >= 6


def test_conclusions_are_judged_by_what_can_fail():
    values = {}
    for experiment in P2.experiments:
        if experiment.depends_on and experiment.is_quick:
            values |= experiment.run(Variation()).values
    verdicts = {c.key: Verdict(claim=c, ours=values.get(c.key)) for c in P2.make_claims()}
    found = [conclusion.judge(verdicts) for conclusion in P2.conclusions]
    assert found == [
        Status.PARTLY, Status.FAILED, Status.REPRODUCED, Status.REPRODUCED, Status.PARTLY,
        Status.PARTLY, Status.PARTLY, Status.UNTESTABLE,
    ]  # fmt: skip


def test_a_variation_reaches_the_experiment(monkeypatch):
    seen: list[Variation] = []

    def note(settings: TurnSettings | None = None, variation: Variation | None = None):
        assert variation is not None
        seen.append(variation)
        return simulated()

    monkeypatch.setattr(experiments, "simulate_turns", note)
    asked = Variation(friction=0.9, mass=1.1, seed=1)
    for run in (experiments.simulate_all, experiments.share_torque, experiments.vary_settings):
        run(asked)
    factors = {replace(v, friction=1.0) for v in seen}
    assert factors == {replace(asked, friction=1.0)}
    assert {round(v.friction, 6) for v in seen} == {0.9, 0.675, 1.125}


def test_every_equation_has_a_function_that_something_evaluates():
    page = (ROOT / "docs/models/turning.md").read_text()
    rows = re.findall(r"^\| ([\d, ]+) \| (.+?) \|", page, re.M)
    numbers = {int(number) for cell, _ in rows for number in cell.split(",")}
    assert numbers == set(range(1, 21))
    text = "".join(path.read_text() for path in (ROOT / "src/grouser").rglob("*.py"))
    for name in re.findall(r"`(\w+)`", "".join(cell for _, cell in rows)):
        assert f"def {name}(" in text
        assert re.search(rf"(?<!def )\b{name}[(,]", text.replace(f"    {name},\n", "")), name

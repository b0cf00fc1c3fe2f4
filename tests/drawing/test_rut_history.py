"""Ruts of a log at any time, by running it again."""

import numpy as np
import pytest

from grouser.drawing.playback import Playback
from grouser.drawing.rut_history import PERIOD
from grouser.log import Column, Log
from grouser.models.contact.plant import ContactPlant
from grouser.models.ground.ruts import ruts_of
from grouser.notices import listen
from grouser.scenario import Scenario, run

SNOW = "0,-0.75,0"
"""Start on the lane of snow."""
SCENARIO = Scenario(
    robot="absolem", course="soil-bin", model="csm", driver="constant:speed=0.2", start_pose=SNOW,
    stop=1.0,
)  # fmt: skip


@pytest.fixture(scope="module")
def recorded() -> tuple[Log, np.ndarray]:
    """A log, and its ruts at the end."""
    done = run(SCENARIO)
    ruts = ruts_of(done.simulation.plant)
    assert ruts is not None
    return done.log, ruts.depth.copy()


def test_a_log_has_the_ruts_of_its_run_at_any_time(recorded):
    log, pressed = recorded
    history = Playback(log).ruts
    assert history is not None
    assert history.at(0.5) is None  # nothing is computed yet
    history.compute(0.5)
    assert 0.5 <= history.reached <= 0.5 + 2.0 * PERIOD
    early = history.at(0.5).depth.copy()
    history.compute()
    late = history.at(1.0).depth.copy()
    assert 0 < (early > 0.0).sum() < (late > 0.0).sum()
    assert (late == pressed).all()  # bit for bit
    assert (history.at(0.5).depth == early).all()  # back in time
    assert (history.at(9.0).depth == late).all()
    assert history.reached == np.inf


def test_firm_courses_and_other_courses_have_no_ruts(recorded):
    log, _ = recorded
    assert (
        Playback(log, course=SCENARIO.vary(course="rutted-lane").course.load_course()).ruts is None
    )
    firm = run(SCENARIO.vary(course="flat", model="ideal", stop=0.1)).log
    assert Playback(firm).ruts is None


def test_a_run_that_comes_out_differently_is_said_and_not_drawn(recorded):
    log, _ = recorded
    elsewhere = Column(np.where(log.time > 0.4, log["x"] + 0.05, log["x"]), "m")
    log = Log({**log.columns, "x": elsewhere}, log.provenance)
    history = Playback(log, origin="run.csv").ruts
    assert history is not None
    said = []
    with listen(said.append):
        history.compute()
        history.compute()
    assert len(said) == 1
    assert "run.csv: its ruts are not drawn to the end" in said[0]
    assert "0.05 m beside the log at 0.5 s" in said[0]
    assert (history.at(1.0).depth > 0.0).any()


def test_a_plant_without_ruts_draws_none(monkeypatch, recorded):
    log, _ = recorded
    monkeypatch.setattr(ContactPlant, "ruts", property(lambda plant: None))
    history = Playback(log).ruts
    history.compute()
    assert history.at(1.0) is None
    assert history.reached == np.inf

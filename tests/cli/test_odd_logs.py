"""Logs that can be read, but lack something: each command says so in one sentence."""

from dataclasses import replace

import numpy as np
import pytest

from grouser import PathFollower, Simulation, load_course, load_robot, make_model
from grouser.log import Column, Log, write_log


@pytest.fixture(scope="module")
def good() -> Log:
    robot, course = load_robot("tp100"), load_course("behaviour-1-radius")
    simulation = Simulation(make_model("ideal"), robot, course, dt=0.02)
    return simulation.log(
        simulation.run(PathFollower(robot, course.path, speed=0.1), 1.0), "follow"
    )


def cut(log: Log, rows: int) -> Log:
    columns = {name: Column(c.values[:rows], c.unit) for name, c in log.columns.items()}
    return Log(columns, log.provenance)


def drop(log: Log, *names: str) -> Log:
    columns = {name: c for name, c in log.columns.items() if not name.startswith(names)}
    return Log(columns, log.provenance)


def blank(log: Log) -> Log:
    gaps = {n: Column(np.full(len(log), np.nan), c.unit) for n, c in log.columns.items()}
    return log.with_columns(
        {name: gap for name, gap in gaps.items() if name not in ("tick", "time")}
    )


ODD = {
    "empty": lambda log: cut(log, 0),
    "one row": lambda log: cut(log, 1),
    "gaps": blank,
    "no poses": lambda log: drop(log, "x", "y", "yaw"),
    "no time": lambda log: drop(log, "time"),
    "no belts": lambda log: drop(log, "belt_speed"),
    "bad robot": lambda log: Log(log.columns, replace(log.provenance, robot_text="a = [")),
    "bad course": lambda log: Log(log.columns, replace(log.provenance, course_text="a = [")),
    "bad start": lambda log: Log(log.columns, replace(log.provenance, notes={"start": "x"})),
    "bad model": lambda log: Log(
        log.columns, replace(log.provenance, model_parameters={"reference": 1})
    ),
}
SENTENCES = [
    ("replay", "empty", "odd.csv: has 0 rows, but at least 1 row is needed"),
    ("replay", "gaps", "odd.csv: cannot be replayed: command.belt_speeds must have finite"),
    ("replay", "no belts", "odd.csv: cannot be replayed: the log has no column 'belt_speed_comm"),
    ("replay", "bad robot", "odd.csv, robot 'tp100' in the log: this is not TOML"),
    ("replay", "bad course", "odd.csv, course 'behaviour-1-radius' in the log: this is not TOML"),
    ("replay", "bad start", "odd.csv: cannot be replayed: provenance.notes.start must be a pose"),
    ("replay", "bad model", "odd.csv: cannot be replayed: no parameter of model 'ideal' named"),
    ("plot", "empty", "odd.csv: has 0 rows"),
    ("plot", "no time", "odd.csv: has no column time (needed: time); it has"),
    ("plot", "bad robot", "robot 'tp100' in the log: this is not TOML"),
    ("compare good.csv", "empty", "odd.csv: has 0 rows"),
    ("compare good.csv", "no poses", "odd.csv: has no column x, y, yaw (needed: time, x, y, yaw)"),
    ("compare good.csv", "gaps", "good.csv and odd.csv: cannot be compared: reference must be kn"),
    ("identify --robot tp100", "empty", "odd.csv: has belt speeds in fewer than two rows"),
    ("identify --robot tp100", "one row", "odd.csv: has belt speeds in fewer than two rows"),
    ("identify --robot tp100", "gaps", "odd.csv: has belt speeds in fewer than two rows"),
    ("identify --robot tp100", "no time", "odd.csv: has too few rolled rows"),
    ("fuse --camera good.csv", "empty", "odd.csv: has 0 rows, but at least 2 rows are needed"),
    ("fuse --camera good.csv", "one row", "odd.csv: has 1 rows, but at least 2 rows are needed"),
    ("fuse --camera good.csv", "no time", "odd.csv: has no column time"),
    ("render --out a.html", "empty", "odd.csv: the log has no row in which time, x, y and yaw"),
    ("render --out a.html", "gaps", "odd.csv: the log has no row in which time, x, y and yaw"),
    ("render --out a.html", "no poses", "odd.csv: the log has no column x, y, yaw"),
    ("render --out a.html", "bad robot", "robot 'tp100' in the log: this is not TOML"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "kind", "sentence"), SENTENCES)
def test_what_a_log_lacks_is_one_sentence(grouser, good, command, kind, sentence):
    write_log(good, "good.csv")
    write_log(ODD[kind](good), "odd.csv")
    name, _, rest = command.partition(" ")
    line = f"{name} {rest} odd.csv" if name == "compare" else f"{name} odd.csv {rest}"
    answer = grouser(line)
    assert answer.code == 2
    assert sentence in answer.err
    assert "Traceback" not in answer.err

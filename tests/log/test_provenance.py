"""Provenance goes into a file and comes back."""

import json
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from grouser.errors import InvalidValue
from grouser.log import Provenance

FULL = Provenance(
    grouser_version="0.1.0",
    robot="tp100",
    robot_hash="ab12",
    robot_text='name = "tp100"  # größer\n',
    course="slope",
    course_hash="cd34",
    course_text="[terrain]\n",
    course_parameters={"angle": 0.1},
    model="slip",
    model_parameters={"integration": "arc", "slip": (0.1, 0.2)},
    engine="numpy 2.0.0",
    dt=0.01,
    seed=3,
    driver="sine",
    status="interrupted",
    created="2026-01-31T12:00:00Z",
    notes={"weather": "rain"},
)


def test_json_round_trip():
    text = FULL.to_json()
    assert "\n" not in text
    assert text.isascii()
    assert Provenance.from_json(text) == FULL
    assert Provenance.from_json("{}") == Provenance()


def test_every_entry_reaches_the_file():
    assert set(json.loads(FULL.to_json())) == {
        "grouser_version", "robot", "robot_hash", "robot_text", "course", "course_hash",
        "course_text", "course_parameters", "model", "model_parameters", "engine", "dt", "seed",
        "driver", "status", "created", "scenario", "notes",
    }  # fmt: skip


def test_entries_of_a_newer_version_are_kept():
    content = {**FULL.to_dict(), "weather": {"wind": 3}}
    provenance = Provenance.from_dict(content)
    assert provenance.other == {"weather": {"wind": 3}}
    assert provenance.to_dict() == content
    assert replace(provenance, other={}) == FULL


def test_numpy_values_become_plain_ones():
    numbers: dict[str, Any] = {"seed": np.int64(5), "dt": np.float64(0.5)}
    provenance = Provenance(**numbers, notes={"a": np.arange(2), "b": np.float32(0.5)})
    assert type(provenance.seed) is int
    assert type(provenance.dt) is float
    assert provenance.notes == {"a": [0, 1], "b": 0.5}
    assert Provenance.from_json(provenance.to_json()) == provenance


def test_mappings_cannot_be_changed_and_do_not_follow_the_original():
    notes = {"a": [1]}
    provenance = Provenance(notes=notes)
    notes["a"].append(2)
    assert provenance.notes == {"a": [1]}
    with pytest.raises(TypeError):
        provenance.notes["b"] = 1  # type: ignore[index]


def test_survives_the_way_to_another_process():
    assert pickle.loads(pickle.dumps(FULL)) == FULL


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ({"status": "done"}, r"provenance.status must be one of \('complete'.* not 'done'"),
        ({"created": "yesterday"}, "provenance.created must be a time in UTC such as"),
        ({"created": "2026-01-31T12:00:00+02:00"}, "provenance.created must be a time in UTC"),
        ({"created": "2026-01-31T12:00:00"}, "provenance.created must be a time in UTC"),
        ({"robot": 5}, "provenance.robot must be a text, not 5"),
        ({"dt": "fast"}, "provenance.dt must be a number, not 'fast'"),
        ({"seed": 1.5}, "provenance.seed must be a whole number, not 1.5"),
        ({"notes": [1]}, "provenance.notes must be a mapping"),
        ({"notes": {"a": object()}}, r"provenance.notes must hold what JSON can \(a object"),
    ],
)
def test_a_wrong_entry_is_refused_in_words(entry, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        Provenance(**entry)


@pytest.mark.parametrize("text", ["{", "[1]", ""])
def test_what_is_not_a_json_object_is_refused(text):
    with pytest.raises(InvalidValue, match="provenance must be"):
        Provenance.from_json(text)

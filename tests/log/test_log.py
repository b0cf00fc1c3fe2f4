"""Columns, logs and provenance."""

import copy
import json
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from grouser.errors import InvalidValue, UnknownName
from grouser.log import Column, Log, Provenance, conventional_unit


def column(*values: float, unit: str = "m") -> Column:
    return Column(np.array(values), unit)


def test_columns_are_read_by_name_with_their_unit(log):
    assert log["slip.right"].tolist() == [0.0, 0.25, 1.0]
    assert log.unit("belt_speed.left") == "m/s"
    assert log.names[:3] == ("tick", "time", "x")
    assert "x" in log
    assert "y" not in log
    assert list(log) == list(log.names)
    assert len(log) == 3


def test_unknown_column_names_the_columns_that_exist():
    log = Log({"time": column(0.0, unit="s"), "yaw": column(0.0, unit="rad")})
    with pytest.raises(
        UnknownName, match=r"no column named 'yaws' \(did you mean 'yaw'\?\); available: time, yaw"
    ):
        log["yaws"]
    with pytest.raises(UnknownName, match="no column named 'x'"):
        log.unit("x")


def test_nothing_in_a_log_can_be_changed(log):
    with pytest.raises(ValueError, match="read-only"):
        log["x"][0] = 1.0
    with pytest.raises(TypeError):
        log.columns["x"] = column(1.0)
    with pytest.raises(AttributeError):
        log.provenance = None


def test_a_log_does_not_follow_the_array_it_was_made_from():
    values = np.array([1.0, 2.0])
    log = Log({"x": Column(values, "m")})
    values[0] = 9.0
    assert log["x"].tolist() == [1.0, 2.0]


def test_columns_must_have_equal_length():
    with pytest.raises(InvalidValue, match="column 'y' must have 2 rows like column 'x', not 1"):
        Log({"x": column(1.0, 2.0), "y": column(1.0)})


def test_a_log_needs_a_column():
    with pytest.raises(InvalidValue, match="a log must have at least one column"):
        Log({})


def test_units_are_si():
    with pytest.raises(InvalidValue, match="unit of a column must be one of 1, m, s, .* not 'cm'"):
        column(1.0, unit="cm")


@pytest.mark.parametrize(
    ("name", "unit"),
    [("x", "m"), ("yaw", "rad"), ("slip.left", "1"), ("belt_speed.left", "m/s"), ("vz", "m/s"),
     ("flipper_angle.a", "rad"), ("gyro_yaw_rate", "rad/s"), ("wall_time", "s"), ("phase", "1")],
)  # fmt: skip
def test_a_name_has_its_unit_in_every_log(name, unit):
    assert conventional_unit(name) == unit
    assert Log({name: column(1.0, unit=unit)}).unit(name) == unit
    with pytest.raises(InvalidValue, match=f"unit of column '{name}' must be '{unit}', not 'kg'"):
        Log({name: column(1.0, unit="kg")})


def test_other_columns_choose_their_unit():
    assert conventional_unit("motor_voltage.left") is None
    assert conventional_unit("encoder.left") is None
    assert conventional_unit("slip") is None
    assert Log({"motor_voltage.left": column(1.0, unit="V")}).unit("motor_voltage.left") == "V"


@pytest.mark.parametrize("name", ["", "x,y", "x [m]", 'x"', " x", "x\n", "#x"])
def test_a_name_must_survive_a_header(name):
    with pytest.raises(InvalidValue, match="name of a column must be at most 100 letters"):
        Log({name: column(1.0, unit="kg")})


def test_ticks_are_whole_and_all_else_is_float():
    log = Log({"tick": column(0.0, 3.0, unit="1"), "x": Column(np.array([1, 2]), "m")})
    assert log["tick"].dtype == np.int64
    assert log["x"].dtype == np.float64
    for wrong in (0.5, np.nan, np.inf):
        with pytest.raises(InvalidValue, match="column 'tick' must hold whole numbers"):
            Log({"tick": column(wrong, unit="1")})


@pytest.mark.parametrize("values", [["a"], [1j], [[1.0]], [2**63]])
def test_a_column_holds_a_list_of_real_numbers(values):
    with pytest.raises(InvalidValue, match="a column must"):
        Column(np.array(values), "m")


def test_duration_drives_and_flippers_come_from_the_columns(log):
    assert log.duration == 0.30000000000000004
    assert log.drives == ("left", "right")
    assert log.flippers == ("front left",)
    assert Log({"time": Column(np.array([]), "s")}).duration == 0.0


def test_equality_is_of_bits():
    assert column(np.nan) == column(-np.nan)
    assert column(0.0) != column(-0.0)
    assert column(1.0) != column(1.0, unit="s")
    assert column(1.0) != Column(np.array([1]), "m")
    assert Log({"x": column(1.0)}) == Log({"x": column(1.0)})
    assert Log({"x": column(1.0)}) != Log({"x": column(np.nextafter(1.0, 2.0))})


def test_more_columns_make_a_new_log(log):
    longer = log.with_columns({"x": column(1.0, 2.0, 3.0), "y": column(1.0, 2.0, 3.0)})
    assert longer.names == (*log.names, "y")
    assert longer["x"].tolist() == [1.0, 2.0, 3.0]
    assert np.isnan(log["x"][1])
    assert longer.provenance == log.provenance


def test_a_log_survives_the_way_to_another_process(log):
    for twin in (pickle.loads(pickle.dumps(log)), copy.deepcopy(log)):
        assert twin == log
        assert twin.names == log.names
        assert not twin["x"].flags.writeable


FULL = Provenance(
    grouser_version="0.1.0",
    grouser_source="0123456789ab",
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
        "grouser_version", "grouser_source", "robot", "robot_hash", "robot_text", "course",
        "course_hash", "course_text", "course_parameters", "model", "model_parameters", "engine",
        "dt", "seed",
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
def test_a_wrong_entry_raises_an_error(entry, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        Provenance(**entry)


@pytest.mark.parametrize("text", ["{", "[1]", ""])
def test_what_is_not_a_json_object_raises_an_error(text):
    with pytest.raises(InvalidValue, match="provenance must be"):
        Provenance.from_json(text)

"""Names of files, and places that are taken."""

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouser import Simulation, load_course, load_robot, make_model
from grouser.errors import NotFinite, Unwritable
from grouser.log import name_file, read_log
from grouser.models import command_sides
from grouser.storage import STALE, next_free, take_name, write_atomically, write_new


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("tp100-flat-slip", "tp100-flat-slip.csv"),
        ("x/../../../pwn", "x-.-.-.-pwn.csv"),
        ("..", "unnamed.csv"),
        ("", "unnamed.csv"),
        ("\0\n", "unnamed.csv"),
        ("con", "_con.csv"),
        ("LPT1.x", "_LPT1.x.csv"),
        ("größer", "größer.csv"),
        ("a" * 300, "a" * 196 + ".csv"),
        ("ö" * 300, "ö" * 98 + ".csv"),
    ],
)
def test_names_become_names_of_files(words, name):
    assert name_file(words, ".csv") == name


@given(st.text(), st.sampled_from(["", ".csv", ".html"]))
def test_any_text_becomes_one_component_of_a_path(words, suffix):
    name = name_file(words, suffix)
    assert Path("out", name).parent == Path("out")
    assert name not in ("", ".", "..")
    assert name.endswith(suffix)
    assert len(name.encode()) <= 200
    assert name.isprintable()
    assert not set(name) & set('/\\:*?"<>|')


def test_the_dump_of_a_robot_with_a_bad_name_stays_in_its_folder(tmp_path, monkeypatch):
    monkeypatch.setattr("grouser.simulation.simulation.find_not_finite", lambda motion: "pose.x")
    robot = load_robot("tp100")
    robot = robot.model_copy(update={"name": "x/../../../pwn"})
    folder = tmp_path / "a" / "b" / "out"
    for name in ("not-finite-x-.-.-.-pwn-ideal.csv", "not-finite-x-.-.-.-pwn-ideal-2.csv"):
        simulation = Simulation(make_model("ideal"), robot, load_course("flat"), dump_folder=folder)
        with pytest.raises(NotFinite) as caught:
            simulation.advance(command_sides(robot, 0.1, 0.1))
        assert caught.value.dump == folder / name
        assert read_log(folder / name).provenance.status == "not finite"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_new_file_takes_the_next_free_name(tmp_path):
    path = tmp_path / "a.b.csv"
    found = [write_new(path, lambda place: place.write_text("new")) for _ in range(3)]
    assert [file.name for file in found] == ["a.b.csv", "a.b-2.csv", "a.b-3.csv"]
    assert next_free(path).name == "a.b-4.csv"


def test_a_file_that_appears_at_the_last_instant_is_not_replaced(tmp_path):
    path = tmp_path / "a.csv"

    def write(place: Path) -> None:
        place.write_text("ours")
        path.write_text("theirs")

    assert write_new(path, write).name == "a-2.csv"
    assert path.read_text() == "theirs"


def test_a_link_that_appears_is_neither_followed_nor_replaced(tmp_path):
    (tmp_path / "target").write_text("old")

    def write(place: Path) -> None:
        place.write_text("ours")
        (tmp_path / "a.csv").symlink_to("target")

    assert write_new(tmp_path / "a.csv", write).name == "a-2.csv"
    assert (tmp_path / "target").read_text() == "old"


def test_without_hard_links_nothing_is_replaced_either(tmp_path, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", fail)
    (tmp_path / "a.csv").write_text("theirs")
    (tmp_path / "new").write_text("ours")
    assert take_name(tmp_path / "new", tmp_path / "a.csv").name == "a-2.csv"
    assert (tmp_path / "a.csv").read_text() == "theirs"
    assert (tmp_path / "a-2.csv").read_text() == "ours"
    assert not (tmp_path / "new").exists()


def test_what_a_killed_writer_left_is_removed_later(tmp_path):
    old, new = tmp_path / ".grouser-1.part.csv", tmp_path / ".grouser-2.part"
    for file in (old, new):
        file.write_text("half")
    os.utime(old, (0.0, old.stat().st_mtime - 2.0 * STALE))
    write_atomically(tmp_path / "a", "text")
    assert sorted(file.name for file in tmp_path.iterdir()) == [new.name, "a"]


def test_a_failed_write_leaves_no_folder_behind(tmp_path):
    def fail(place: Path) -> None:
        place.write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(Unwritable, match=r"No space left.*a\.csv'"):
        write_new(tmp_path / "x" / "y" / "a.csv", fail)
    assert list(tmp_path.iterdir()) == []


def test_nul_in_a_name_is_one_sentence(tmp_path):
    with pytest.raises(Unwritable, match="NUL"):
        write_atomically(f"{tmp_path}/a\0b", "text")


def test_a_new_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "usual").write_text("a")
    write_new(tmp_path / "ours", lambda place: place.write_text("a"))
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("usual", "ours")}
    assert len(modes) == 1

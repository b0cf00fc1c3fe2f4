"""A folder of recorded drives."""

import os
from pathlib import Path

import pytest

from grouser.description import load_course, load_robot
from grouser.drivers import Constant, Sides
from grouser.errors import GrouserError, InvalidLog, InvalidValue, UnknownName
from grouser.log import Log
from grouser.models import make_model
from grouser.simulation import Simulation
from grouser.viewer import recordings as module
from grouser.viewer.recordings import KEPT, Recordings


@pytest.fixture(scope="module")
def log() -> Log:
    robot = load_robot("tp100")
    simulation = Simulation(make_model("slip"), robot, load_course("flat"))
    simulation.run(Constant(robot, Sides(left=0.1, right=0.1)), duration=1.5)
    return simulation.log()


def age(path: Path, seconds: float) -> None:
    """Make a file that much older."""
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then))


def test_what_was_saved_comes_back_bit_for_bit(tmp_path, log):
    folder = Recordings(tmp_path / "new" / "folder")
    assert folder.names() == ()
    path = folder.save(log)
    assert path.suffix == ".parquet"
    assert path.name.endswith("-tp100-flat-slip.parquet")
    assert folder.load(path.name) == log


def test_the_list_has_the_newest_first(tmp_path, log):
    folder = Recordings(tmp_path)
    old, new = folder.save(log, "first"), folder.save(log, "second")
    age(old, 60.0)
    assert folder.names() == (new.name, old.name)


def test_without_pyarrow_recordings_are_csv(tmp_path, log, monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    folder = Recordings(tmp_path)
    path = folder.save(log)
    assert path.suffix == ".csv"
    assert folder.load(path.name) == log
    assert folder.names() == (path.name,)


def test_nothing_is_ever_overwritten(tmp_path, log):
    folder = Recordings(tmp_path)
    paths = [folder.save(log, "my drive / 1") for _ in range(3)]
    assert [path.name for path in paths] == [
        "my-drive-1.parquet", "my-drive-1-2.parquet", "my-drive-1-3.parquet",
    ]  # fmt: skip


def test_a_broken_or_foreign_file_says_so_and_the_others_stay(tmp_path, log):
    folder = Recordings(tmp_path)
    good = folder.save(log)
    (tmp_path / "cut.parquet").write_bytes(good.read_bytes()[:1000])
    (tmp_path / "foreign.csv").write_text("t;x\n0;1\n")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "notes.txt").write_text("not a log")
    (tmp_path / "folder.csv").mkdir()
    problems = {
        "cut.parquet": "cut off or damaged",
        "foreign.csv": "not a log written by grouser",
        "empty.csv": "the file is empty",
        "folder.csv": "folder.csv",
    }
    assert set(folder.names()) == {good.name, *problems}
    assert folder.load(good.name) == log
    for name, problem in problems.items():
        with pytest.raises(InvalidLog, match=problem) as refusal:
            folder.load(name)
        assert "\n" not in str(refusal.value)


def test_a_name_that_is_not_there_or_leads_elsewhere_is_refused(tmp_path, log):
    folder = Recordings(tmp_path / "folder")
    folder.save(log, "mine")
    (tmp_path / "other.csv").write_text("secret")
    with pytest.raises(UnknownName, match="no recording named 'min.parquet'.*'mine.parquet'"):
        folder.load("min.parquet")
    with pytest.raises(UnknownName):
        folder.load("../other.csv")
    path = folder.save(log, "../../escape")
    assert path.parent == tmp_path / "folder"


def test_only_the_newest_automatic_recordings_are_kept(tmp_path, log):
    folder = Recordings(tmp_path)
    asked_for = folder.save(log, "keep me")
    age(asked_for, 1e6)
    for number in range(KEPT + 3):
        age(folder.save(log, f"{number:02}", automatic=True), 1000.0 - number)
    names = folder.names()
    assert asked_for.name in names
    automatic = [name for name in names if name.startswith("auto-")]
    assert len(automatic) == KEPT
    assert automatic[0] == f"auto-{KEPT + 2:02}.parquet"
    assert "auto-00.parquet" not in automatic


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path, log):
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidValue, match="output must be"):
        Recordings(tmp_path / "file" / "folder").save(log)
    with pytest.raises(GrouserError, match="name of a recording must have a letter"):
        Recordings(tmp_path).save(log, "...")

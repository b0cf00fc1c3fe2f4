"""The package of docs/extend/plugin.md, installed, and what others have declared wrongly."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from grouser.errors import BrokenPlugin, InvalidValue, UnknownName
from grouser.log import read_log
from grouser.registry import Registry

ROOT = Path(__file__).parents[1]
GROUSER = Path(sys.executable).with_name("grouser")
PAGE = (ROOT / "docs/extend/plugin.md").read_text()
BROKEN = """
[grouser.models]
lunar = grouser_broken:LunarModel
slip = grouser_broken:SlipModel
hollow = json:JSONDecoder

[grouser.courses]
craters = grouser_broken.courses
"""


def block(kind: str) -> str:
    (found,) = re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.M | re.S)
    return found


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder into which pip has installed the package of the page."""
    source, target = (tmp_path_factory.mktemp(name) for name in ("source", "target"))
    courses = source / "grouser_dune" / "courses"
    courses.mkdir(parents=True)
    (courses.parent / "__init__.py").write_text(block("python"))
    (courses / "dune.toml").write_text(block("toml"))
    (source / "pyproject.toml").write_text(block("text"))
    offline = "--no-deps --no-build-isolation --no-index --disable-pip-version-check --quiet"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *offline.split(), "--target", target, source],
        check=True,
    )
    return target


@pytest.fixture
def run(installed: Path, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return what runs a command line where that package, and perhaps a broken one, is there."""

    def run(line: str, *more: Path) -> subprocess.CompletedProcess[str]:
        paths = [str(installed), *map(str, more), os.environ.get("PYTHONPATH", "")]
        return subprocess.run(
            [GROUSER, *line.split()],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))},
            capture_output=True,
            text=True,
            timeout=120.0,
            check=False,
        )

    return run


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """Return a folder with a package that declares what it does not have."""
    info = tmp_path / "broken" / "grouser_broken-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: grouser-broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(BROKEN)
    (info.parent / "grouser_broken.py").write_text("raise RuntimeError('no moon')\n")
    return info.parent


def test_run_and_compare_know_the_model_the_driver_and_the_course(run, tmp_path):
    done = run("run --model sand --course dune --drive weave:turning=0.03 --out sand.csv")
    assert done.returncode == 0, done.stderr
    log = read_log(tmp_path / "sand.csv")
    origin = log.provenance
    assert (origin.model, origin.course, log.duration) == ("sand", "dune", 8.0)
    assert log["yaw"].max() > 0.01

    replayed = run("replay sand.csv")
    assert replayed.returncode == 0, replayed.stderr

    compared = run("compare --models sand ideal --course dune --drive weave --json")
    assert compared.returncode == 0, compared.stderr
    assert "sand" in compared.stdout


def test_drive_opens_a_page_with_the_model_and_the_course(run):
    done = run("drive --no-open --port 0 --for 0.5 --robot tp100 --model sand --course dune")
    assert done.returncode == 0, done.stderr
    assert "drive at: http" in done.stdout


def test_sweep_drives_in_other_processes(run):
    axes = "--x drive.turning=0.01,0.02 --y course.surfaces.ground.friction=0.4,0.5"
    given = "--model sand --course dune --drive weave --outcome travelled --duration 1"
    done = run(f"sweep {axes} {given} --workers 2 --out out --json")
    assert done.returncode == 0, done.stderr
    assert all(0.05 < value < 0.2 for row in json.loads(done.stdout)["rows"] for value in row)


def test_lists_and_suggestions_have_what_was_installed(run):
    drivers = {row["name"]: row for row in json.loads(run("drivers --json").stdout)}
    assert drivers["weave"]["summary"] == "straight on average"
    wrong = run("run --model sandy")
    assert wrong.returncode != 0
    assert "did you mean 'sand'?" in wrong.stderr


def test_a_broken_package_costs_one_sentence_and_nothing_else(run, broken):
    fine = run("run --model ideal --course behaviour-2 --duration 1", broken)
    assert fine.returncode == 0
    assert "broken" not in fine.stderr

    wrong = run("run --model lunar", broken)
    assert wrong.returncode != 0
    sentence = "plug-in 'lunar' of package 'grouser-broken' (grouser.models) cannot be used"
    assert f"{sentence}: RuntimeError: no moon" in " ".join(wrong.stderr.split())
    assert "Traceback" not in wrong.stderr

    listed = run("models --json", broken)
    names = [row["name"] for row in json.loads(listed.stdout)]
    assert names[:2] == ["ideal", "slip"]
    assert names[-1] == "sand"
    warned = " ".join(listed.stderr.split())
    assert warned.count("'slip' of package 'grouser-broken' (grouser.models) is not used") == 1
    assert "json:JSONDecoder must have name, summary, source" in warned

    courses = run("courses --json", broken)
    assert "dune" in [row["name"] for row in json.loads(courses.stdout)]
    assert " ".join(courses.stderr.split()).count("'craters' of package 'grouser-broken'") == 1


class Thing:
    name = "thing"
    size = 1


def test_a_registry_is_a_mapping_of_what_was_registered():
    things = Registry[type]("thing", "grouser.nothing", {"late": "json:loads"}, needs=("size",))
    assert things.register(Thing) is Thing
    assert things.register(Thing) is Thing  # once more, as in a notebook
    assert list(things) == ["late", "thing"]
    assert len(things) == 2
    assert things["late"] is json.loads
    assert things.get("other") is None
    assert dict(things.items()) == {"late": json.loads, "thing": Thing}
    with pytest.raises(UnknownName, match="no thing named 'thin' .did you mean 'thing'"):
        things.find("thin")
    with pytest.raises(InvalidValue, match="not be that of another one"):
        things.register(type("Other", (), {"size": 2}), "thing")
    with pytest.raises(InvalidValue, match="have size to be a thing"):
        things.register(dict, "empty")
    with pytest.raises(InvalidValue, match="have a name"):
        things.register(type("Nameless", (), {"size": 2}))


def test_a_broken_entry_is_left_out_of_values(broken, monkeypatch):
    from importlib.metadata import Distribution

    (info,) = broken.glob("*.dist-info")
    entries = list(Distribution.at(info).entry_points)
    monkeypatch.setattr(
        "grouser.registry.entry_points", lambda group: [e for e in entries if e.group == group]
    )
    models = Registry[type]("model", "grouser.models", {"here": "json:loads"}, needs=("name",))
    assert set(models) == {"here", "lunar", "slip", "hollow"}
    assert list(models.values()) == [json.loads]
    with pytest.raises(BrokenPlugin, match="json:JSONDecoder must have name to be a model"):
        models.find("hollow")


def test_no_general_module_knows_a_paper():
    source = ROOT / "src" / "grouser"
    knowing = [
        str(path.relative_to(source))
        for path in sorted(source.rglob("*.py"))
        if path.relative_to(source).parts[0] not in ("papers", "cli")
        and "grouser.papers." in path.read_text()
    ]
    assert knowing == []


def test_every_paper_of_the_folder_declares_itself():
    from grouser.papers.paper import PAPERS

    folders = [path.parent for path in (ROOT / "src/grouser/papers").glob("*/claims.py")]
    assert len(PAPERS) == len(folders) == 5
    # In a new process: one that was looked up before the others stands before them.
    program = "from grouser.papers.paper import PAPERS; print(*PAPERS)"
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert printed.stdout.split() == [b"P0", b"P1", b"P2", b"P3", b"P4"]
    assert {p.__class__.__name__ for p in PAPERS.values()} == {"Paper"}

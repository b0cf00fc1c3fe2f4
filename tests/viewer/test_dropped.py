"""Files that are dropped on a page."""

import io
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import trimesh
from PIL import Image

from grouser import limits
from grouser.description import load_course, load_robot
from grouser.description.find import find_description, read_text
from grouser.errors import GrouserError
from grouser.scenario import Scenario
from grouser.viewer.course_files import clean_name
from tests.viewer.bombs import FOUND, MORE, SLOW, png
from tests.viewer.dropping import BROKEN, PLACE, Page
from tests.viewer.outside import WAYS, WHICH, fill

pytestmark = pytest.mark.shares_processes  # the page of a module reads by a process of its own


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Iterator[Page]:
    with Page(tmp_path_factory.mktemp("page") / "drives", "icr") as made:
        yield made


@pytest.fixture(scope="module")
def rough_page(tmp_path_factory) -> Iterator[Page]:
    """A page whose model drives over height fields and meshes."""
    with Page(tmp_path_factory.mktemp("rough") / "drives", "csm") as made:
        yield made


@pytest.mark.parametrize(("name", "content", "words"), BROKEN.values(), ids=list(BROKEN))
def test_a_broken_file_gets_its_sentences_and_leaves_nothing_behind(page, name, content, words):
    before, scenario = files_of(page.folder.parent), page.loop.session.scenario
    outcome = page.drop(name, content)
    assert outcome.sentence == ""
    for word in words:
        assert any(word in mistake for mistake in outcome.mistakes), outcome.mistakes
    assert files_of(page.folder.parent) == before
    assert page.loop.session.scenario is scenario


def test_mistakes_are_those_of_the_command_line(page, tmp_path):
    name, content, _ = BROKEN["wrong kind"]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(GrouserError) as caught:
        load_course(tmp_path / name)
    assert page.drop(name, content).mistakes == caught.value.mistakes  # pyright: ignore[reportAttributeAccessIssue]


def test_a_robot_and_a_course_are_kept_and_shown(page):
    for kind, name, load in (("robot", "tp100", load_robot), ("course", "slippery", load_course)):
        text = read_text(find_description(kind, name))
        outcome = page.drop(f"/tmp/../my {name}.toml", text.encode())
        assert outcome.mistakes == ()
        kept = page.folder / f"{kind}s" / f"my-{name}.toml"
        assert str(kept) in outcome.sentence
        assert outcome.sentence.endswith("the page shows it now")
        assert getattr(page.loop.session.scenario, kind).name == str(kept)
        assert load(kept).content_hash == load(name).content_hash


def test_files_of_the_same_name_are_both_kept(page):
    text = read_text(find_description("course", "flat"))
    for _ in range(2):
        page.drop("twice.toml", text.encode())
    assert {"twice.toml", "twice-2.toml"} <= {file.name for file in files_of(page.folder)}


def test_a_scenario_is_opened(page):
    outcome = page.drop("run.toml", Scenario(robot="tp100", course="flat").to_toml().encode())
    assert outcome.mistakes == ()
    assert (page.folder / "run.toml").exists()
    assert page.loop.session.scenario.robot.name == "tp100"


def test_a_piece_that_the_model_cannot_drive_on_is_undone_with_a_sentence(page):
    before = files_of(page.folder)
    outcome = page.drop("box.stl", trimesh.creation.box((0.5, 0.5, 0.2)).export(file_type="stl"))
    assert any("mesh" in mistake for mistake in outcome.mistakes)
    assert not any("mesh" in str(piece) for piece in page.loop.session.course.pieces)
    assert files_of(page.folder) == before


@pytest.mark.parametrize("ending", ["stl", "obj", "ply", "glb"])
def test_a_mesh_becomes_a_piece_on_the_ground_where_it_was_dropped(rough_page, ending):
    box = trimesh.creation.box((0.5, 0.4, 0.4))
    box.apply_translation((3.0, 3.0, 3.0))
    content = box.export(file_type=ending)
    content = content.encode() if isinstance(content, str) else content
    outcome = rough_page.drop(f"crate.{ending}", content)
    assert outcome.mistakes == ()
    vertices = rough_page.loop.session.course.terrain.meshes[-1].vertices
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    assert 0.5 * (low + high)[:2] == pytest.approx(PLACE[:2], abs=1e-3)
    assert low[2] == pytest.approx(0.0, abs=1e-3)
    assert rough_page.builder.state.selected is not None


def test_a_map_with_a_scale_becomes_the_ground_of_a_course(page):
    numbers = np.add.outer(np.zeros(30), 412.0 + 0.01 * np.arange(40))
    rows = "\n".join(" ".join(f"{h:g}" for h in row) for row in numbers)
    place = "xllcenter 482300\nyllcenter 5421000\n"
    grid = f"ncols 40\nnrows 30\n{place}cellsize 0.5\n{rows}\n"
    outcome = page.drop("my quarry.asc", grid.encode())
    assert outcome.mistakes == ()
    assert "of 40 x 30 became the ground of a course of 19.5 x 14.5 m" in outcome.sentence
    assert outcome.sentence.endswith("the page shows it now")
    course = page.loop.session.course
    assert (course.has_ground, course.terrain.planes) == (True, ())
    assert course.start_pose.z == 0.0
    assert course.datum.to_map(0.0, 0.0, 0.0) == pytest.approx((482309.75, 5421007.25, 412.195))


def test_of_a_map_without_a_scale_it_is_told_how_high_its_edge_is(rough_page):
    stream = io.BytesIO()
    np.save(stream, np.add.outer(np.zeros(9), 0.05 * np.arange(9)))
    outcome = rough_page.drop("ramp.npy", stream.getvalue(), (-3.0, -3.0, 0.0))
    assert "its edge stands up to 0.4 m above the ground" in outcome.sentence


def test_a_height_map_becomes_a_piece_ahead_of_the_robot(rough_page):
    grey = (127 + 100 * np.sin(np.arange(20)[:, None] / 3.0) * np.ones(30)).astype(np.uint8)
    stream = io.BytesIO()
    Image.fromarray(grey).save(stream, "png")
    outcome = rough_page.drop("hills.png", stream.getvalue(), None)
    assert outcome.mistakes == ()
    state = rough_page.builder.state
    assert state.draft is not None
    piece = state.draft.pieces[-1]
    assert piece["file"] == "hills.png"
    assert piece["spacing_m"] == pytest.approx(3.0 / 29.0, abs=1e-4)
    assert piece["x_m"] > 0.5
    rough_page.builder.save(scenario=False)


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\windows\\evil.TOML", "evil.toml"),
        ("..", "unnamed"),
        ("a\0b.stl", "a-b.stl"),
        ("x" * 500 + ".png", "x" * 100),
    ],
)
def test_names_become_plain_file_names(sent, kept):
    made = clean_name(sent)
    assert made.startswith(kept)
    assert "/" not in made
    assert len(made.encode()) < 255


def test_a_full_folder_is_left_as_it_is(page, monkeypatch):
    monkeypatch.setattr("grouser.viewer.course_files.FOLDER_BYTES", 10)
    outcome = page.drop("more.toml", read_text(find_description("course", "flat")).encode())
    assert "delete some" in outcome.mistakes[0]


def files_of(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def outside(page) -> Path:
    """A folder beside that of the page, with all files that a dropped one may name."""
    place = page.folder.parent / "outside"
    fill(place, page.folder)
    return place


@pytest.mark.parametrize("way", WAYS)
def test_no_file_outside_of_the_folder_is_read_in_any_way(page, outside, way):
    file, text = WAYS[way]
    before = files_of(page.folder)
    sentences = []
    for path in (outside / file, outside / "absent" / file):
        outcome = page.drop("theirs.toml", text.replace("PATH", str(path)).encode())
        assert outcome.sentence == ""
        assert any(" must name a file in the folder " in each for each in outcome.mistakes)
        assert not any("password" in each or "more" in each for each in outcome.mistakes)
        sentences.append([each.replace(f"{path.parent}", "") for each in outcome.mistakes])
    assert sentences[0] == sentences[1]  # nobody learns whether a file exists
    assert files_of(page.folder) == before


@pytest.mark.parametrize(
    "path",
    ["../../outside/mesh.stl", "~/mesh.stl", "C:\\\\mesh.stl", "..\\\\mesh.stl", "link/mesh.stl",
     "link.stl", "/dev/zero.stl", "\\\\\\\\host\\\\mesh.stl", "a/../../../outside/mesh.stl"],
)  # fmt: skip
def test_no_spelling_of_a_path_leads_out_of_the_folder(page, outside, path):
    for link, target in (("link", outside), ("link.stl", outside / "mesh.stl")):
        if not (place := page.folder / "courses" / link).is_symlink():
            place.symlink_to(target)
    outcome = page.drop("theirs.toml", WAYS["mesh of a piece"][1].replace("PATH", path).encode())
    assert outcome.sentence == ""
    assert "terrain[1].file must name a file in the folder" in outcome.mistakes[0]


def test_files_of_the_folder_and_of_the_package_may_be_named(rough_page):
    fill(rough_page.folder.parent / "outside", rough_page.folder)
    outcome = rough_page.drop("theirs.toml", WHICH.encode())
    assert outcome.mistakes == ()
    run = (
        'model = "csm"\nrobot = "tp100"\ncourse = { name = "courses/which.toml", which = "PATH" }\n'
    )
    outcome = rough_page.drop("run.toml", run.replace("PATH", "rock.stl").encode())
    assert outcome.mistakes == ()


@pytest.mark.parametrize("name", [*FOUND, *(name for name in MORE if name not in SLOW)])
def test_a_bomb_gets_a_sentence_and_costs_the_page_nothing(rough_page, name, monkeypatch):
    monkeypatch.setattr(limits, "READING_BYTES", 1_000_000_000)
    file, make = (FOUND | MORE)[name]
    content = make()
    tracemalloc.start()
    outcome = rough_page.drop(file, content)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert bool(outcome.sentence) != bool(outcome.mistakes)
    assert not any("memory" in mistake for mistake in outcome.mistakes)  # refused by its counts
    assert peak < 100_000_000


def test_a_lack_of_memory_in_the_page_is_a_sentence(page, monkeypatch):
    def fail(*given: object, **more: object) -> None:
        raise MemoryError

    monkeypatch.setattr(page.files.reader, "read", fail)
    outcome = page.drop("flat.toml", read_text(find_description("course", "flat")).encode())
    assert outcome.mistakes == ("the page has not enough memory for it: make it smaller",)


def test_a_large_height_map_is_thinned_and_keeps_its_size(rough_page):
    outcome = rough_page.drop("map.png", png(1_000, 600))
    assert "1000 x 600, thinned to 500 x 300 for the page" in outcome.sentence
    piece = rough_page.builder.state.draft.pieces[-1]
    assert piece["file"] == "map-thinned.png"
    assert piece["spacing_m"] * 499 == pytest.approx(3.0, abs=0.03)

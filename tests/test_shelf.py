"""Which files may be read."""

import pytest

from grouser.description import load_course, parse_robot
from grouser.description.find import find_description, read_text, shelf_of
from grouser.errors import Unreadable
from grouser.shelf import OutOfReach, Shelf, check_path, locate, only_from
from grouser.storage import is_file, read_file


@pytest.fixture
def shelf(tmp_path) -> Shelf:
    folder = tmp_path / "page"
    (folder / "courses").mkdir(parents=True)
    (folder / "courses" / "in.txt").write_text("in")
    (tmp_path / "out.txt").write_text("out")
    return Shelf(folder)


def test_all_files_may_be_read_unless_somebody_says_otherwise(shelf, tmp_path):
    assert locate(shelf.folder, "../out.txt", "file").resolve() == tmp_path / "out.txt"
    assert locate(shelf.folder, tmp_path / "out.txt", "file") == tmp_path / "out.txt"
    assert read_file(tmp_path / "out.txt", 10) == b"out"


def test_within_a_block_only_files_of_the_folder_are_read(shelf, tmp_path):
    with only_from(shelf):
        assert read_file(locate(shelf.folder / "courses", "in.txt", "file"), 10) == b"in"
        assert not is_file(shelf.folder / "absent.txt")
        for path in (tmp_path / "out.txt", tmp_path / "absent.txt", shelf.folder, "/", "a\0b"):
            with pytest.raises(OutOfReach, match="must name a file in the folder"):
                read_file(path, 10)
            with pytest.raises(OutOfReach):
                is_file(path)
    check_path(tmp_path / "out.txt")


@pytest.mark.parametrize(
    "name",
    ["../out.txt", "../page/courses/in.txt", "a/../../out.txt", "~/x", "~root/x", "..", "/etc/x",
     "..\\out.txt", "C:\\x", "C:x", "\\\\host\\x", "a\0b", "link.txt", "folder/out.txt", "loop/x"],
)  # fmt: skip
def test_no_name_leads_out_of_the_folder(shelf, tmp_path, name):
    (shelf.folder / "link.txt").symlink_to(tmp_path / "out.txt")
    (shelf.folder / "folder").symlink_to(tmp_path)
    (shelf.folder / "loop").symlink_to(shelf.folder / "loop")
    with only_from(shelf), pytest.raises(OutOfReach, match=r"^body.mesh: body.mesh must name"):
        locate(shelf.folder, name, "body.mesh")


def test_what_was_parsed_freely_is_not_taken_for_what_may_be_read(shelf, tmp_path):
    text = read_text(find_description("robot", "tp100"))
    text = text.replace("[body]\n", f'[body]\nmesh = "{tmp_path / "hull.stl"}"\n', 1)
    parse_robot(text, shelf.folder / "x.toml")
    with only_from(shelf), pytest.raises(Unreadable, match="body.mesh must name a file"):
        parse_robot(text, shelf.folder / "x.toml")


def test_what_comes_with_the_package_may_be_read(shelf):
    with only_from(shelf_of(shelf.folder)):
        assert load_course("step").name == "step"

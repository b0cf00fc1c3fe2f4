"""Results in a file: appended, read again, and what a crash leaves of them."""

import json
from pathlib import Path

import pytest

from grouser.errors import InvalidValue, Unreadable
from grouser.tasks.results import ResultStore

RESULTS = {"first": 1, 'a\n"name"': {"x": [1.5, None], "y": "a\nb"}, "last": float("inf")}


def keep_all(file: Path, results: dict[str, object] = RESULTS) -> None:
    kept = ResultStore(file)
    for name, value in results.items():
        kept.keep(name, value)
    kept.sync()


def test_results_are_one_json_object_in_the_order_in_which_they_came(tmp_path):
    keep_all(tmp_path / "r.json")
    found = json.loads((tmp_path / "r.json").read_text())
    assert found == RESULTS
    assert list(found) == list(RESULTS)
    assert ResultStore(tmp_path / "r.json").by_name == RESULTS


def test_a_result_costs_its_own_line_and_no_writing_of_all_others(tmp_path, monkeypatch):
    keep_all(tmp_path / "r.json")
    monkeypatch.setattr("grouser.tasks.results.write_atomically", None)  # not called again
    keep_all(tmp_path / "r.json", {str(number): number for number in range(50)})
    assert len(json.loads((tmp_path / "r.json").read_text())) == len(RESULTS) + 50


def test_a_file_of_an_earlier_version_is_continued(tmp_path):
    (tmp_path / "r.json").write_text(json.dumps(RESULTS, indent=1))
    keep_all(tmp_path / "r.json", {"more": {"a": 2}})
    assert ResultStore(tmp_path / "r.json").by_name == {**RESULTS, "more": {"a": 2}}
    assert json.loads((tmp_path / "r.json").read_text()) == {**RESULTS, "more": {"a": 2}}


@pytest.mark.parametrize("earlier", [True, False])
def test_a_line_that_was_not_written_to_its_end_is_lost_and_no_other(tmp_path, earlier):
    file = tmp_path / "r.json"
    if earlier:
        file.write_text(json.dumps(RESULTS, indent=1))
    else:
        keep_all(file)
    before = file.read_bytes()
    keep_all(file, {"more": {"a": 2}})
    after = file.read_bytes()
    for size in range(len(before), len(after)):
        file.write_bytes(after[:size])
        found = ResultStore(file).by_name
        assert found in (RESULTS, {**RESULTS, "more": {"a": 2}})
        keep_all(file, {"later": 3})
        assert json.loads(file.read_text()) == {**found, "later": 3}


def test_a_file_that_another_process_changed_is_written_whole(tmp_path):
    kept = ResultStore(tmp_path / "r.json")
    kept.keep("a", 1)
    kept.keep("b", 2)
    for content in ("{}", None):
        if content is None:
            (tmp_path / "r.json").unlink()
        else:
            (tmp_path / "r.json").write_text(content)
        kept.keep("c", 3)
        assert json.loads((tmp_path / "r.json").read_text()) == {"a": 1, "b": 2, "c": 3}


@pytest.mark.parametrize("content", ["time,x", "[1]"])
def test_a_file_that_holds_something_else_is_refused(tmp_path, content):
    (tmp_path / "r.json").write_text(content)
    with pytest.raises(
        Unreadable, match=r"r\.json: does not hold results: it .*move the file away"
    ):
        ResultStore(tmp_path / "r.json")


@pytest.mark.parametrize(
    "content",
    ["[" * 100_000, "{\n1\n,", "time,x\n", "9" * 5000, b"\xff\xfe", '{"a": ' * 40 + "1" + "}" * 40],
)
def test_json_that_python_cannot_take_is_refused(tmp_path, content):
    (tmp_path / "r.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(Unreadable, match=r"r\.json: does not hold results: it is not JSON"):
        ResultStore(tmp_path / "r.json")


def test_a_result_that_no_file_can_hold_is_refused(tmp_path):
    kept = ResultStore(tmp_path / "r.json")
    with pytest.raises(InvalidValue, match="result of 'a' must be plain"):
        kept.keep("a", {1, 2})

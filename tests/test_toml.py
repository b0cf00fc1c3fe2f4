"""TOML files within limits."""

import os
import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouser import limits
from grouser.errors import InvalidDescription
from grouser.storage import is_file
from grouser.toml import parse_toml, read_text, read_toml

DEEP = limits.NESTING + 1


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("a = 1\nb = " + "[" * 5000, "line 2: lists and tables may be nested 32 deep"),
        ("a = " + "[" * DEEP + "]" * DEEP, "line 1: lists and tables may be nested 32 deep"),
        ("a = " + "{a=" * 600 + "1" + "}" * 600, "line 1: lists and tables may be nested"),
        (".".join(['"a"'] * 5000) + " = 1", "may be nested 32 deep, not deeper"),
        ("\n\na = " + "9" * 5000, "line 3: a number or a bare key may have 100 characters"),
        ("a = 9223372036854775808", "a must be a whole number from -2^63 to 2^63 - 1, not 0x8000"),
        ("[t]\na = [1, 0x1ffffffffffffffff]", "t.a[1] must be a whole number from"),
        ("a = 2026-02-30", "this is not TOML"),
        ("a = 1\nb =\n", "this is not TOML: .* line 2"),
        ("a = 'x\0'", "this is not TOML: .* line 1"),
        ("a" * (limits.DESCRIPTION_BYTES + 1), "the text has 4,194,305 characters; at most"),
    ],
)
def test_what_the_parser_must_not_see_is_refused_with_its_place(text: str, mistake: str):
    with pytest.raises(InvalidDescription) as caught:
        parse_toml(text, "mine.toml")
    assert re.search(mistake.replace("^", r"\^").replace("[1]", r"\[1\]"), str(caught.value))
    assert str(caught.value).startswith("mine.toml: ")
    assert len(str(caught.value)) < 500


def test_brackets_in_strings_and_comments_are_not_nesting():
    many = "[" * 100
    text = f"""# {many}
a = "{many}"
b = '{many}'
c = \"\"\"
{many} \\" ""quoted"" {many}\"\"\"\"
d = '''{many}''''
e = [[1, [2]], {{f = 1}}]
"""
    content = parse_toml(text, "mine.toml")
    assert content["a"] == content["b"] == many
    assert content["c"].endswith(f'{many}"')
    assert content["d"] == f"{many}'"
    assert content["e"] == [[1, [2]], {"f": 1}]


@given(st.text(alphabet="[]{}\"'\\#=.,\n 1a", max_size=200))
def test_any_text_is_parsed_or_refused(text: str):
    with suppress(InvalidDescription):
        assert isinstance(parse_toml(text, "mine.toml"), dict)


def test_only_regular_files_of_text_are_read(tmp_path: Path):
    (tmp_path / "latin.toml").write_bytes(b"name = 'caf\xe9'")
    os.mkfifo(tmp_path / "pipe.toml")
    for name, mistake in (
        ("/dev/zero", "not a regular file"),
        (str(tmp_path), "not a regular file"),
        (str(tmp_path / "pipe.toml"), "not a regular file"),
        (str(tmp_path / "none.toml"), "there is no such file"),
        (str(tmp_path / ("x" * 300)), "cannot be read"),
        (str(tmp_path / "a\0b"), "not the name of a file"),
        (str(tmp_path / "latin.toml"), "cannot be read as text"),
    ):
        with pytest.raises(InvalidDescription, match=mistake):
            read_toml(name)
        assert is_file(name) == name.endswith("latin.toml")
    (tmp_path / "large.toml").write_bytes(b"#" * 101)
    with pytest.raises(InvalidDescription, match="101 bytes; files of at most 100 are read"):
        read_text(tmp_path / "large.toml", 100)

"""What is installed beside grouser: pinned, complete, and under licences that somebody has read."""

import re
import sys
from importlib.metadata import distribution, metadata
from pathlib import Path

import pytest
from docs.make_licences import (
    COPYLEFT,
    EXAMINED,
    PAGE,
    PINNED,
    TABLES,
    find_licence,
    find_strange,
    installed_with,
    read_pins,
)
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
ENTRY = re.compile(r"^([\w.-]+)==(\S+)(?: \\\n    --hash=sha256:[0-9a-f]{64})+\n", re.M)
PINS = read_pins()


@pytest.mark.parametrize("file", PINNED)
def test_what_make_installs_is_what_is_pinned_with_the_hash_of_each_wheel(file: str):
    text = (ROOT / file.replace("constraints", "requirements")).read_text()
    pins = dict(pin.split("==") for pin in (ROOT / file).read_text().split())
    entries = re.findall(
        r"^([\w.-]+)==(\S+) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", text, re.M
    )
    assert {name: version for name, version, _ in entries} == pins
    rest = re.sub(
        r"^[\w.-]+==\S+ \\\n(    --hash=sha256:[0-9a-f]{64}( \\)?\n)+", "", text, flags=re.M
    )
    assert all(line.startswith("# ") for line in rest.splitlines())


@pytest.mark.parametrize("extra", ["dev", "building"])
def test_everything_that_is_needed_is_pinned_and_fits_together(extra: str):
    pins = {canonicalize_name(name): version for name, version in PINS.items()}
    needed = (
        installed_with("hatchling") if extra == "building" else installed_with("grouser", extra)
    )
    assert sorted(needed - {"grouser"} - set(pins)) == []
    for package in needed:
        for text in distribution(package).requires or ():
            required = Requirement(text)
            name = canonicalize_name(required.name)
            applies = required.marker is None or required.marker.evaluate({"extra": ""})
            if applies and name in pins:
                assert required.specifier.contains(pins[name], prereleases=True), (package, text)


@pytest.mark.parametrize("name", PINS)
def test_a_licence_is_permissive_or_was_examined(name: str):
    assert find_strange(canonicalize_name(name), find_licence(metadata(name))) == []


@pytest.mark.parametrize("licence", ["GPL-3.0-only", "MIT AND LGPL-2.1", "", "mine"])
def test_other_licences_are_noticed(licence: str):
    assert find_strange("anything", licence)


def test_only_packages_that_are_installed_count_as_examined():
    assert set(EXAMINED) <= set(map(canonicalize_name, PINS))


@pytest.mark.parametrize("word", TABLES)
def test_the_page_has_the_tables_of_what_is_installed(word: str):
    if word == "bundled" and sys.platform != "linux":
        pytest.skip("the table is of the wheels for Linux")
    assert f"<!-- {word}:begin -->\n{TABLES[word]()}\n<!-- {word}:end -->" in PAGE.read_text()


def test_the_page_says_what_the_codecs_under_the_gpl_mean():
    page = PAGE.read_text()
    for library in ("libx264", "libx265"):
        assert COPYLEFT[library].startswith("GPL")
        assert f"| av | {library} |" in page

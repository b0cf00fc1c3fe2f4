"""XML of others, before an engine sees it: within limits, and naming only files that are there."""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.etree import ElementTree

from grouser import limits
from grouser.errors import InvalidDescription, Unreadable
from grouser.storage import is_file, read_file

_FOLDERS = {"mesh": "meshdir", "hfield": "meshdir", "texture": "texturedir", "skin": "meshdir"}
"""Which attribute of MJCF's compiler says where the files of an element are."""
_COUNTS = ("count", "nrow", "ncol", "width", "height", "nsample", "resolution", "maxhullvert")
"""Attributes of MJCF by which an engine makes many of something out of nothing."""


class _NoDoctype(ElementTree.TreeBuilder):
    """Builds a tree, but of no file that declares entities: few letters may stand for many."""

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        """Reject the declaration before its entities are read."""
        raise ElementTree.ParseError("a document type (<!DOCTYPE>) is not accepted")


def read_xml(file: Path) -> ElementTree.Element:
    """Return the root of a URDF or MJCF file.

    Raises:
        InvalidDescription: The file is missing, too large, not XML, nested too deeply, declares
            entities, has a number that is not finite, or makes too many of something.
    """
    tree = _parse(file)
    mistakes = list(_mistaken_numbers(tree))
    if mistakes:
        raise InvalidDescription(file, mistakes)
    return tree


def check_files(tree: ElementTree.Element, file: Path) -> None:
    """Look for the files that an MJCF file names, before the engine opens them.

    Raises:
        InvalidDescription: One is not there, too large, not a regular file, or itself wrong.
    """
    compilers = [element.attrib for element in tree.iter("compiler")]
    folders = {key: value for attributes in compilers for key, value in attributes.items()}
    mistakes = list(_mistaken_files(tree, file, folders, {file}))
    if mistakes:
        raise InvalidDescription(file, mistakes)


def _parse(file: Path) -> ElementTree.Element:
    parser = ElementTree.XMLParser(target=_NoDoctype())
    try:
        parser.feed(read_file(file, limits.MESH_BYTES))
        tree = parser.close()
    except Unreadable as error:
        raise InvalidDescription(file, [f"the file cannot be read: {error.problem}"]) from None
    except (ElementTree.ParseError, ValueError, LookupError) as error:  # also of its encoding
        raise InvalidDescription(file, [f"this is not XML: {error}"]) from None
    waiting = [(tree, 1)]
    while waiting:
        element, depth = waiting.pop()
        if depth > limits.XML_NESTING:
            problem = f"elements may be nested {limits.XML_NESTING} deep, not deeper"
            raise InvalidDescription(file, [f"<{element.tag}>: {problem}"])
        waiting += [(child, depth + 1) for child in element]
    return tree


def _mistaken_numbers(tree: ElementTree.Element) -> Iterator[str]:
    for element in tree.iter():
        made = 1.0
        for key, text in element.attrib.items():
            numbers = [number for word in text.split() if (number := _number(word)) is not None]
            if any(not abs(number) <= limits.RANGES["1"][1] for number in numbers):
                allowed = f"finite numbers of at most {limits.RANGES['1'][1]:g} in size"
                yield f"<{element.tag} {key}={text!r}> must have {allowed}"
            elif key in _COUNTS:
                made *= math.prod(max(abs(number), 1.0) for number in numbers)
        if made > limits.HEIGHT_SAMPLES:
            yield f"<{element.tag}> must make at most {limits.HEIGHT_SAMPLES:,} of what it counts"


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


def _mistaken_files(
    tree: ElementTree.Element, file: Path, folders: Mapping[str, str], seen: set[Path]
) -> Iterator[str]:
    for element in tree.iter():
        own = folders.get(_FOLDERS.get(element.tag, ""), folders.get("assetdir", ""))
        names = [value for key, value in element.attrib.items() if key.startswith("file")]
        for name in names if element.tag in (*_FOLDERS, "include") else ():
            places = [file.parent / own / name, file.parent / name]
            found = next((place for place in places if is_file(place)), None)
            if found is None:
                yield f"<{element.tag}> names the file {name!r}, which is not at {places[0]}"
            elif found.stat().st_size > limits.MESH_BYTES:
                yield f"{found} has more than {limits.MESH_BYTES:,} bytes"
            elif element.tag == "include" and found in seen:
                yield f"<include> names the file {name!r} a second time"
            elif element.tag == "include":
                seen.add(found)
                yield from _mistaken_files(read_xml(found), file, folders, seen)

"""Hashes of this package's files: which code made a result.

A version stays the same while its code is worked on; results of other code do not count.
"""

import hashlib
import os
from collections.abc import Iterator
from functools import cache
from itertools import chain

ROOT = os.path.dirname(__file__)
"""The folder of the package."""
SUFFIXES = (".py", ".csv", ".json", ".toml")
"""Files that results depend on."""
MOTION = ("control", "description", "drivers", "laws", "log", "models", "scenario", "simulation")
"""Folders that decide how a robot moves with given commands, and what its log holds; modules beside
them do, too."""
LENGTH = 12
"""Digits of a hash."""


@cache
def motion_source() -> str:
    """Return the hash of the code that decides what a simulation computes."""
    files = sorted(name for name in os.listdir(ROOT) if name.endswith(".py"))
    of_folders = (_find(os.path.join(ROOT, folder), (".py",)) for folder in MOTION)
    return _hash(chain((os.path.join(ROOT, name) for name in files), *of_folders))


@cache
def package_source() -> str:
    """Return the hash of all code and data of the package."""
    return _hash(_find(ROOT, SUFFIXES))


def _find(folder: str, suffixes: tuple[str, ...]) -> Iterator[str]:
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        yield from (os.path.join(place, name) for name in sorted(files) if name.endswith(suffixes))


def _hash(paths: Iterator[str]) -> str:
    found = hashlib.blake2b()
    for path in paths:
        # Unbuffered, and without a path object: this is done at the start of every run.
        with open(path, "rb", buffering=0) as file:
            content = file.read()
        name = os.path.relpath(path, ROOT).replace(os.sep, "/")
        found.update(f"{name} {len(content)} ".encode() + content)
    return found.hexdigest()[:LENGTH]

"""Every reader and every word grammar, gathered from the modules of this package."""

import importlib
import pkgutil

from tests.fuzz.target import Target


def all_targets() -> dict[str, Target]:
    """Return the targets of all modules of this package by name."""
    found: dict[str, Target] = {}
    for module in sorted(entry.name for entry in pkgutil.iter_modules(__path__)):
        for target in importlib.import_module(f"{__name__}.{module}").TARGETS:
            assert target.name not in found, f"two targets are named {target.name!r}"
            found[target.name] = target
    return found

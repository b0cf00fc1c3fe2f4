"""Every reader and every word grammar, gathered from the modules of this package."""

import importlib
import pkgutil

from tests.fuzz.target import Target


def find_modules() -> dict[str, str]:
    """Return the module of each target by the target's name."""
    found: dict[str, str] = {}
    for module in sorted(entry.name for entry in pkgutil.iter_modules(__path__)):
        for name in load_targets(module):
            assert name not in found, f"two targets are named {name!r}"
            found[name] = module
    return found


def load_targets(module: str) -> dict[str, Target]:
    """Return the targets of one module by name."""
    targets = importlib.import_module(f"{__name__}.{module}").TARGETS
    return {target.name: target for target in targets}


def all_targets() -> dict[str, Target]:
    """Return the targets of all modules of this package by name."""
    return {name: load_targets(module)[name] for name, module in find_modules().items()}

"""The pages of the programming interface: every public name, from its docstring."""

import importlib
import inspect
import pkgutil

import grouser
import grouser.laws

PACKAGES = (
    "scenario",
    "description",
    "models",
    "simulation",
    "control",
    "drivers",
    "log",
    "report",
    "identify",
    "envs",
    "tasks",
    "geometry",
    "errors",
    "units",
)
"""What a program may import from; `laws` has a page of its own for each law."""


def api_menu() -> str:
    """Return the last part of the menu, one line for each page."""
    lines = ["  - API:", "      - Public names: api.md"]
    lines += [f"      - {name}: api/{name}.md" for name in PACKAGES]
    lines += ["      - laws:", *(f"          - {name}: api/laws/{name}.md" for name in _laws())]
    return "\n".join((*lines, ""))


def api_pages() -> dict[str, str]:
    """Return the pages by their path."""
    modules = [*PACKAGES, *(f"laws.{name}" for name in _laws())]
    paths = {name: f"api/{name.replace('.', '/')}.md" for name in modules}
    rows = [f"| [`grouser.{n}`]({path}) | {_line(f'grouser.{n}')} |" for n, path in paths.items()]
    names = ", ".join(f"[`{name}`][{_home(name)}]" for name in grouser.__all__)
    index = (
        "# API\n",
        f"`from grouser import ...` has what most programs need: {names}.\n",
        "| module | what is in it |",
        "|---|---|",
        *rows,
        "",
    )
    pages = {path: _page(f"grouser.{name}") for name, path in paths.items()}
    return {**pages, "api.md": "\n".join(index)}


def _laws() -> list[str]:
    return [module.name for module in pkgutil.iter_modules(grouser.laws.__path__)]


def _home(name: str) -> str:
    for package in PACKAGES:
        if name in _public(f"grouser.{package}"):
            return f"grouser.{package}.{name}"
    raise LookupError(f"grouser.{name} is on no page of docs/site/api_pages.py")


def _page(module: str) -> str:
    names = _public(module)
    parts = [f"# `{module}`\n\n{inspect.getdoc(importlib.import_module(module))}\n"]
    return "\n".join([*parts, *(f"::: {module}.{name}\n" for name in names)])


def _public(module: str) -> list[str]:
    """Return the names that `__all__` lists, or that the module itself defines."""
    loaded = importlib.import_module(module)
    if hasattr(loaded, "__all__"):
        return sorted(loaded.__all__, key=str.lower)
    return [
        name
        for name, value in vars(loaded).items()
        if getattr(value, "__module__", None) == module and not name.startswith("_")
    ]


def _line(module: str) -> str:
    return (inspect.getdoc(importlib.import_module(module)) or "").splitlines()[0]

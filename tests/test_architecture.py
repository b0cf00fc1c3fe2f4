"""The house rules, as tests."""

import ast
import dataclasses
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from pydantic import BaseModel

import grouser
from grouser.models import CATALOGUE

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
LONGEST_FUNCTION = 40
"""Lines of a function, without its docstring."""
DOORS = {
    "PIL": ("description/height_files", "drawing/look/pictures", "drawing/picture"),
    "av": ("drawing/film",),
    "backports": ("log/mcap",),
    "cma": ("identify/solve", "papers/p1/search"),
    "cobs": ("hil/frames",),
    "cv2": ("drawing/markers",),
    "cyclopts": ("cli",),
    "distributed": ("tasks/dask",),
    "foxglove": ("plugs/foxglove",),
    "gymnasium": ("envs",),
    "llvmlite": ("models/lanes",),
    "lz4": ("log/mcap",),
    "matplotlib": ("report",),
    "msgspec": ("viewer",),
    "mujoco": ("drawing", "models/mujoco"),
    "numba": ("models/contact", "models/kept_code", "models/lanes"),
    "pandas": ("log/log", "log/tables"),
    "plotly": ("report",),
    "polars": ("log/log", "log/tables"),
    "psutil": ("bench/machine",),
    "pyarrow": ("log/csv_rows", "log/parquet_file"),
    "rclpy": ("plugs/ros",),
    "rich": ("cli", "viewer"),
    "rosbags": ("log/mcap",),
    "serial": ("hil/serial_port",),
    "shapely": ("description/path", "models/contact/plant", "report/plan_view"),
    "stable_baselines3": ("envs/sb3",),
    "tomlkit": ("description/edit", "identify/fitted_robot"),
    "trimesh": (
        "drawing",
        "plugs/foxglove",
        "viewer/piece_shapes",
        "viewer/scene",
    ),
    "viser": ("viewer",),
    "websockets": ("viewer",),
    "zstandard": ("viewer/page",),
}
"""Modules or packages that may import a third-party package; all others use what these offer."""
OURS = {"grouser", "compression"}  # the latter is part of Python from 3.14 on
EVERYWHERE = {"annotated_types", "numpy", "pydantic", "pydantic_core", "scipy"}
"""Third-party packages that any module may import."""
NOT_INSTALLED = {"grouser.envs.sb3"}
"""Modules that need what `make test` does not install (torch): tests/learn imports them."""
FORBIDDEN_NAMES = re.compile(r"^(utils?|common|helpers?|base_.*|misc)\.py$")


def modules() -> Iterator[str]:
    for found in pkgutil.walk_packages(grouser.__path__, "grouser."):
        if not found.name.endswith("__main__") and found.name not in NOT_INSTALLED:
            yield found.name


def public_classes() -> Iterator[type]:
    for name in modules():
        module = importlib.import_module(name)
        for _, kind in inspect.getmembers(module, inspect.isclass):
            if kind.__module__ == name and not kind.__name__.startswith("_"):
                yield kind


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_functions_are_short(path: Path):
    too_long = {}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            length = body[-1].end_lineno - body[0].lineno + 1 if body else 0
            if length > LONGEST_FUNCTION:
                too_long[node.name] = length
    assert too_long == {}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_is_named_by_what_it_is_not(path: Path):
    assert not FORBIDDEN_NAMES.match(path.name)


def field_docstrings(kind: type) -> dict[str, str]:
    """Return the docstring behind each field of a class, from its source."""
    tree = ast.parse(inspect.cleandoc("\n" + inspect.getsource(kind)))
    body = tree.body[0].body  # type: ignore[attr-defined]
    found = {}
    for statement, follower in zip(body, [*body[1:], None], strict=True):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            documented = isinstance(follower, ast.Expr) and isinstance(follower.value, ast.Constant)
            found[statement.target.id] = (
                str(follower.value.value) if documented else "",
                ast.unparse(statement.annotation),
            )
    return found


NUMBERS = re.compile(
    r"\b(float|Array|Scalar|Vector|Number|Positive|NotNegative|Degrees|PositiveDegrees"
    r"|NotNegativeDegrees|PerDegree|Ratio)\b|NDArray\[np\.float64\]"
)


@pytest.mark.parametrize("kind", list(public_classes()), ids=lambda kind: kind.__qualname__)
def test_every_number_says_its_unit(kind: type):
    if not (dataclasses.is_dataclass(kind) or issubclass(kind, BaseModel)):
        return
    without = [
        name
        for name, (text, annotation) in field_docstrings(kind).items()
        if NUMBERS.search(annotation)
        and "Callable" not in annotation
        and not re.search(r"\[[^\]]+\]", text)
    ]
    assert without == []


def test_every_public_name_exists_and_is_documented():
    for name in grouser.__all__:
        assert inspect.getdoc(getattr(grouser, name)), name
    for module in modules():
        loaded = importlib.import_module(module)
        assert loaded.__doc__, module
        assert loaded.__doc__ != "To be written.", module
        for name in getattr(loaded, "__all__", ()):
            assert hasattr(loaded, name), f"{module}.{name}"


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'tracks'"):
        grouser.tracks  # noqa: B018


def models_table() -> str:
    lines = ["| model | what it is | source |", "|---|---|---|"]
    lines += [f"| `{name}` | {kind.summary} | {kind.source} |" for name, kind in CATALOGUE.items()]
    return "\n".join(lines)


def test_the_readme_lists_the_models_of_the_catalogue():
    readme = (ROOT / "README.md").read_text()
    found = re.search(r"<!-- models:begin -->\n(.*?)\n?<!-- models:end -->", readme, re.S)
    assert found is not None
    assert found[1] == models_table()


def test_the_readme_names_the_two_commands():
    readme = (ROOT / "README.md").read_text()
    assert "make demo" in readme
    assert "make test" in readme


def test_the_changelog_entries_start_with_an_area():
    areas = {path.name for path in (ROOT / "src/grouser").iterdir() if path.is_dir()}
    areas |= {path.stem for path in (ROOT / "src/grouser").glob("*.py")} | {"docs", "project"}
    areas |= {"spread"}  # the name of tasks in earlier releases
    for entry in re.findall(r"^- (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.M):
        assert entry.split(":")[0] in areas, entry


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT / "src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(tree: ast.Module, known: frozenset[str]) -> set[str]:
    """Return the modules that a file imports, inside functions too, but not only for types."""
    found: set[str] = set()
    for node in _run_time_nodes(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in known else node.module)
    return found & known


def _run_time_nodes(tree: ast.Module) -> Iterator[ast.AST]:
    guarded = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    return (node for node in ast.walk(tree) if id(node) not in guarded)


def packages_of(tree: ast.Module) -> set[str]:
    """Return the third-party packages that a file imports, for types too."""
    names = {alias.name for n in ast.walk(tree) if isinstance(n, ast.Import) for alias in n.names}
    names |= {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module}
    return {name.partition(".")[0] for name in names} - set(sys.stdlib_module_names) - OURS


def cycles_of(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return each group of modules that import one another."""

    def reachable(name: str) -> set[str]:
        found, waiting = set(), list(graph[name])
        while waiting:
            if (other := waiting.pop()) not in found:
                found.add(other)
                waiting += graph[other]
        return found

    reached = {name: reachable(name) for name in graph}
    groups = {
        tuple(sorted(other for other in reached[name] if name in reached[other]))
        for name in graph
        if name in reached[name]
    }
    return sorted(map(list, groups))


@cache
def import_graph() -> dict[str, set[str]]:
    """Return what each of our modules imports."""
    known = frozenset(module_of(path) for path in SOURCES)
    return {module_of(path): imports_of(ast.parse(path.read_text()), known) for path in SOURCES}


def test_no_module_imports_itself_in_a_circle():
    assert cycles_of(import_graph()) == []


def test_only_papers_and_commands_import_papers():
    importers = [
        module
        for module, imported in import_graph().items()
        if not module.startswith(("grouser.papers", "grouser.cli"))
        and any(name.startswith("grouser.papers") for name in imported)
    ]
    assert importers == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_third_party_packages_are_imported_only_by_their_doors(path: Path):
    place = str(path.relative_to(ROOT / "src" / "grouser").with_suffix("")) + "/"
    found = packages_of(ast.parse(path.read_text())) - EVERYWHERE
    outside = [
        package
        for package in sorted(found)
        if not any(place.startswith(f"{door}/") for door in DOORS.get(package, ()))
    ]
    assert outside == []


def test_a_circle_of_imports_is_found():
    known = frozenset({"a", "b", "c"})
    lazy = ast.parse("def f():\n    from a import x")
    typed = ast.parse("if TYPE_CHECKING:\n    import a")
    graph = {"a": {"b"}, "b": imports_of(lazy, known), "c": imports_of(typed, known)}
    assert cycles_of(graph) == [["a", "b"]]

"""Registries by name: built-in entries, entries of a program, entries of installed packages.

Packages declare what they bring as entry points of the groups `grouser.models`, `grouser.drivers`
and so on (docs/extend/plugin.md). The papers in `grouser/papers` do the same in an
`entry_points.txt` in their folder, which is read from there: no general module imports a paper, and
a checkout needs no new installation when a paper changes.

Built-in names come first: entry points are read only to list names, or for a name that is not
built in. A plug-in cannot replace something built in, and a broken one costs only itself.
"""

from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from grouser.errors import BrokenPlugin, GrouserError, InvalidValue, UnknownName
from grouser.notices import LOGGER

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")
V = TypeVar("V")

SUFFIX = ".toml"
"""How names of description files end."""


class Registry(Mapping[str, T], Generic[T]):
    """Things of one kind by name, in order of registration; then those of plug-ins."""

    def __init__(
        self,
        kind: str,
        group: str,
        entries: Mapping[str, T | str] | None = None,
        *,
        needs: tuple[str, ...] = (),
    ) -> None:
        """Start with what is built in."""
        self.kind, self.group, self._needs = kind, group, needs
        self._entries: dict[str, T | str] = dict(entries or {})
        self._plugins: dict[str, EntryPoint] | None = None

    def register(self, value: V, name: str = "") -> V:
        """Add something under a free name, its own `name` if none is given; a decorator."""
        name = name or str(getattr(value, "name", ""))
        problem = "have a name" if not name else self._lacks(value)
        if problem:
            raise InvalidValue(f"{self.kind} {name!r}", value, problem)
        taken = self._entries.get(name)
        # The same cell of a notebook may run again.
        if taken is not None and _origin(taken) != _origin(value):
            raise InvalidValue(f"name of a {self.kind}", name, "not be that of another one")
        self._entries[name] = cast("T", value)
        return value

    def declare(self, name: str, place: str) -> None:
        """Add something that is imported when it is needed, as `module:attribute`."""
        self._entries[name] = place

    def find(self, name: str) -> T:
        """Return an entry; UnknownName if there is none, BrokenPlugin if it cannot be loaded."""
        if name not in self:
            raise UnknownName(self.kind, name, self)
        return self[name]

    def __getitem__(self, name: str) -> T:
        if name not in self._entries:
            self._entries[name] = self._load(self._declared()[name])
        elif isinstance(entry := self._entries[name], str):
            module, _, attribute = entry.partition(":")
            self._entries[name] = getattr(import_module(module), attribute)
        return cast("T", self._entries[name])

    def __contains__(self, name: object) -> bool:
        return name in self._entries or name in self._declared()

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._entries, *self._declared())))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def items(self) -> ItemsView[str, T]:
        """Return names and entries; what cannot be loaded is left out, with a warning."""
        found: dict[str, T] = {}
        for name in self:
            try:
                found[name] = self[name]
            except BrokenPlugin as error:
                _warn(str(error))
        return found.items()

    def values(self) -> ValuesView[T]:
        """Return the entries, as `items` does."""
        return dict(self.items()).values()

    def _declared(self) -> "dict[str, EntryPoint]":
        if self._plugins is None:
            self._plugins = {}
            for entry in entry_points(self.group):
                if entry.name in self._entries or entry.name in self._plugins:
                    _warn(f"{_describe(entry)} is not used: there is another {self.kind} so named")
                else:
                    self._plugins[entry.name] = entry
        return self._plugins

    def _load(self, entry: "EntryPoint") -> T:
        value = load(entry)
        if problem := self._lacks(value):
            raise BrokenPlugin(_describe(entry), f"{entry.value} must {problem}")
        if getattr(value, "name", entry.name) != entry.name:
            problem = f"{entry.value} is named {value.name!r} itself"
            raise BrokenPlugin(_describe(entry), problem)
        return value

    def _lacks(self, value: object) -> str:
        missing = [name for name in self._needs if not hasattr(value, name)]
        return f"have {', '.join(missing)} to be a {self.kind}" if missing else ""


def description_files(kind: str) -> dict[str, Traversable]:
    """Return the TOML files of robots, courses or rigs by name: all of them, sorted."""
    return dict(sorted({**_plugin_files(kind), **_own_files(kind)}.items()))


def find_file(kind: str, name: str) -> Traversable:
    """Return the TOML file of a name; UnknownName if there is none."""
    file = _own_files(kind).get(name) or _plugin_files(kind).get(name)
    if file is None:
        raise UnknownName(kind, name, description_files(kind))
    return file


def entry_points(group: str) -> "list[EntryPoint]":
    """Return what papers and installed packages declare in a group."""
    own = [entry for entry in _entries_of_papers() if entry.group == group]
    installed = _entries_of_packages()
    return own + list(installed.select(group=group) if installed else ())


def load(entry: "EntryPoint") -> Any:
    """Import what an entry point names; BrokenPlugin if that fails."""
    try:
        return entry.load()
    except GrouserError:  # its message names what is missing
        raise
    except (Exception, SystemExit) as error:  # any error of a foreign module
        problem = f"{type(error).__name__}: {error}"
        raise BrokenPlugin(_describe(entry), problem) from error


@cache
def _own_files(kind: str) -> dict[str, Traversable]:
    return _toml_files(files("grouser") / "description" / "zoo" / f"{kind}s")


@cache
def _plugin_files(kind: str) -> dict[str, Traversable]:
    found: dict[str, Traversable] = {}
    for entry in entry_points(f"grouser.{kind}s"):
        try:
            found = {**_toml_files(files(load(entry))), **found}
        except (GrouserError, TypeError, OSError) as error:
            broken = BrokenPlugin(_describe(entry), f"it names no package with {kind} files")
            _warn(str(error if isinstance(error, BrokenPlugin) else broken))
    return found


def _toml_files(folder: Traversable) -> dict[str, Traversable]:
    found = folder.iterdir() if folder.is_dir() else ()
    return {f.name.removesuffix(SUFFIX): f for f in found if f.name.endswith(SUFFIX)}


@cache
def _entries_of_papers() -> "list[EntryPoint]":
    from importlib.metadata import Distribution  # takes milliseconds, which few commands need

    folders = (Path(__file__).parent / "papers").iterdir()
    found = [entry for folder in folders for entry in Distribution.at(folder).entry_points]
    return sorted(found, key=lambda entry: entry.name)


@cache
def _entries_of_packages() -> Any:
    from importlib.metadata import entry_points

    try:
        return entry_points()
    except Exception as error:  # a package has metadata that cannot be read
        _warn(f"no plug-in is used: the entry points of a package cannot be read ({error})")
        return None


def _describe(entry: "EntryPoint") -> str:
    has_metadata = entry.dist is not None and entry.dist.read_text("METADATA")
    package = entry.dist.name if entry.dist is not None and has_metadata else "grouser"
    return f"{entry.name!r} of package {package!r} ({entry.group})"


def _origin(value: object) -> object:
    words = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    return words if all(words) else value


@cache
def _warn(sentence: str) -> None:
    """Warn once."""
    LOGGER.warning(sentence)

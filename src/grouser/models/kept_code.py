"""Disk cache of compiled code, keyed by all sources, with checked files.

The compiler's own store looks only at the file of a function, not at those of the functions that
it calls, and does not check what it reads. Here the name of a file depends on the sources, the
types, by which versions and for which processor its code was made, so that code never outlives
its source and processes that compile at the same time write the same file. Its content begins
with its hash: what is damaged is compiled anew.

Code is kept beside the sources, or, where those cannot be written, in a folder of the user. Who
waits for the compiler is told so and how far it is, see `notices`; who cannot wait asks with
`compiler.only_kept`.
"""

import hashlib
import os
import pickle
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numba
from numba.core import caching, codegen, compiler, config, serialize
from numba.core.runtime.nrt import rtsys

from grouser import interrupts
from grouser.errors import GrouserError
from grouser.limits import KEPT_CODE_BYTES
from grouser.models.compiler import WRITING, CompilerProgress, NotCompiled, must_be_kept
from grouser.notices import LOGGER
from grouser.storage import read_file, write_atomically

SUFFIX = f".{sys.implementation.cache_tag}.code"
"""How the names of files with compiled code end."""
HASH_SIZE = 32
"""Bytes of the hash at the beginning of a file."""
NEEDS_ALL = b"numba_hashsecret"
"""Symbol that is known only after all that the compiler can compile was loaded."""


@dataclass(frozen=True, eq=False)
class Package:
    """Functions that are compiled from the same sources."""

    title: str
    """What it computes, for the message: "the models in three dimensions"."""
    patience: str
    """How long all of it takes to compile, in words."""
    folder: Path
    """Where its sources are."""
    size: int = 1_000_000
    """How large the files of all functions of a variant are, about: the longer the code of a
    function, the longer it takes to compile [B]."""
    called: tuple[Path, ...] = ()
    """Sources that it calls besides its own: files, or folders of them."""
    watched: set[Path] = field(default_factory=set)
    """Sources of plug-ins that it calls; see `watch`."""

    def watch(self, source: Path) -> None:
        """Compile again when a file of a plug-in changes; call it before anything is compiled."""
        source = source.resolve()
        if source.is_file() and source.parent not in (self.folder, *self.called):
            self.watched.add(source)

    def compiled(self, **options: Any) -> Callable[[Any], Any]:
        """Return a decorator that compiles a function, or finds its code.

        A function without a wrapper for Python is called by compiled functions only: it is
        optimised as a part of those, not by itself.
        """
        words = " ".join(f"{name}={value}" for name, value in sorted(options.items()))

        def decorate(function: Any) -> Any:
            # What a function closes over is part of its code.
            closed = " ".join(repr(cell.cell_contents) for cell in function.__closure__ or ())
            dispatcher: Any = numba.njit(**options)(function)
            if dispatcher is not function:  # as it is where the compiler is switched off
                dispatcher._cache = KeptCode(self, function, f"{words} {closed}")
                inner = options.get("no_cpython_wrapper", False)
                (_INNER if inner else _OUTER).add(function.__qualname__)
                work = _heed_interrupts(dispatcher._compile_for_args)
                dispatcher._compile_for_args = self._until_done(work)
            return dispatcher

        return decorate

    @cached_property
    def sources(self) -> str:
        """Hash of all sources and of what compiles them."""
        found = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
        for place in (self.folder, *self.called):
            for source in sorted(place.glob("*.py")) or [place]:
                found.update(f"{source.name} {source.stat().st_size} ".encode())
                found.update(source.read_bytes())
        return found.hexdigest()[:16]

    @cached_property
    def folders(self) -> tuple[Path, ...]:
        """Where its code may be kept, the best place first."""
        variable = getattr(config, "CACHE_DIR", "")
        chosen = (Path(variable),) if variable else ()
        place = hashlib.sha256(str(self.folder.resolve()).encode()).hexdigest()[:16]
        own = f"{self.folder.name}-{place}"
        users = [folder / own for folder in user_folders()]
        beside = self.folder / "__pycache__"
        return (chosen[0] / own,) if chosen else (beside, *users)

    @cached_property
    def kept_in(self) -> Path | None:
        """Where new code is written; nowhere if no folder can be written."""
        return next((folder for folder in self.folders if _is_writable(folder)), None)

    @cached_property
    def progress(self) -> CompilerProgress:
        """How far the compiler is."""
        return CompilerProgress(f"compiling {self.title}", self.size)

    def begin(self) -> None:
        """Announce that a function is compiled which is not kept; raise if nobody can wait.

        Raises:
            NotCompiled: It was asked for by `only_kept`.
        """
        if must_be_kept() and self.kept_in is not None:
            raise NotCompiled(f"compiling {self.title} takes {self.patience}")
        _ = self.announced
        self.progress.begin()

    def _until_done(self, work: Callable[..., Any]) -> Callable[..., Any]:
        """Return a call of the compiler from Python, at whose end its report ends."""

        def call(*arguments: Any, **named: Any) -> Any:
            try:
                return work(*arguments, **named)
            finally:
                self.progress.end()

        return call

    @cached_property
    def announced(self) -> bool:
        """Whether the message was printed; once is enough."""
        best, kept_in = self.folders[0], self.kept_in
        if kept_in is None:
            tried = " nor ".join(str(folder) for folder in self.folders)
            LOGGER.warning(
                "compiling %s, %s, at every start: neither %s can be written; "
                "NUMBA_CACHE_DIR may name a folder that can", self.title, self.patience, tried,
            )  # fmt: skip
        else:
            why = "" if kept_in == best else f", as {best} cannot be written"
            LOGGER.warning(
                "compiling %s once, %s; kept in %s%s", self.title, self.patience, kept_in, why
            )
            self._drop_old_code(kept_in)
        return True

    def _drop_old_code(self, folder: Path) -> None:
        for kept in folder.glob(f"*{SUFFIX}"):
            if f"-{self.sources}-" not in kept.name:
                with suppress(OSError):  # another process was faster
                    kept.unlink()


_INNER: set[str] = set()
"""Names of functions that are optimised as a part of others only."""
_OUTER: set[str] = set()
"""Names of functions that others become a part of."""
_LIBRARY: Any = codegen.JITCodeLibrary
_optimise = _LIBRARY._optimize_final_module


def _optimise_outer(library: Any) -> None:
    """Optimise the code of a function, with all that it calls, unless it is an inner one."""
    if library.name in _INNER:
        return
    if library.name in _OUTER:  # its own copies of inner functions count, not those before
        for function in library._final_module.functions:
            if function.linkage.name == "linkonce_odr" and not function.is_declaration:
                function.linkage = "internal"
    _optimise(library)


_LIBRARY._optimize_final_module = _optimise_outer


class KeptCode(caching._Cache):
    """The cache interface of the compiler: loads and saves the code of a function."""

    def __init__(self, package: Package, function: Any, options: str) -> None:
        self._package, self._options = package, options
        self._name = f"{Path(function.__code__.co_filename).stem}.{function.__qualname__}"
        self._enabled = True

    @property
    def cache_path(self) -> Any:
        """Where new code is kept."""
        return str(self._package.kept_in or "")

    def enable(self) -> None:
        """Keep code."""
        self._enabled = True

    def disable(self) -> None:
        """Keep no code."""
        self._enabled = False

    def flush(self) -> None:
        """Drop the code of this function."""
        for folder in self._package.folders:
            for kept in folder.glob(f"{self._name}-*{SUFFIX}"):
                with suppress(OSError):
                    kept.unlink()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for arguments of some types; None if it has to be compiled."""
        interrupts.check()
        # Code that is loaded needs the compiler's run-time library, but not all that it can
        # compile (`target_context.refresh`): a fifth of the time in which a run starts.
        rtsys.initialize(target_context)
        if self._enabled:
            name = self._file_name(sig, target_context.codegen())
            for folder in self._package.folders:
                found = self._read(folder / name, sig, target_context)
                if found is not None:
                    return found
        self._package.begin()
        target_context.refresh()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if it can be."""
        interrupts.check()
        folder = self._package.kept_in
        cannot = data.library.has_dynamic_globals or any(not x.can_cache for x in data.lifted)
        if not self._enabled or folder is None or cannot:
            return
        content = serialize.dumps((repr(sig), data._reduce()))
        self._package.progress.count(len(content), is_new=True)
        # On a full disk, compile again at the next start.
        with WRITING, suppress(GrouserError, OSError):
            path = folder / self._file_name(sig, data.codegen)
            write_atomically(path, hashlib.sha256(content).digest() + content, durable=False)

    def _file_name(self, sig: Any, codegen: Any) -> str:
        made_for = f"{self._name} {self._options} {sig!r} {codegen.magic_tuple()!r}"
        for source in sorted(self._package.watched):
            made_for += hashlib.sha256(source.read_bytes()).hexdigest()
        key = hashlib.sha256(made_for.encode()).hexdigest()[:24]
        return f"{self._name}-{self._package.sources}-{key}{SUFFIX}"

    def _read(self, path: Path, sig: Any, target_context: Any) -> Any:
        if not path.is_file():
            return None
        try:
            kept = read_file(path, KEPT_CODE_BYTES)
            digest, content = kept[:HASH_SIZE], kept[HASH_SIZE:]
            if digest != hashlib.sha256(content).digest():
                raise ValueError("damaged")
            made_for, code = pickle.loads(content)
            if NEEDS_ALL in content:
                target_context.refresh()
            if made_for == repr(sig):
                found = compiler.CompileResult._rebuild(target_context, *code)
                self._package.progress.count(len(content), is_new=False)
                return found
        except Exception:  # any error of a damaged or foreign file: compile instead
            with suppress(OSError):
                path.unlink()
        return None


def _heed_interrupts(work: Callable[..., Any]) -> Callable[..., Any]:
    """Return work of the compiler that an interrupt ends between two functions.

    In between it may be lost: the compiler is called back from code that drops exceptions, and
    then goes on with half of what it needs.
    """

    def guarded(*arguments: Any, **named: Any) -> Any:
        with interrupts.held():
            found = work(*arguments, **named)
        interrupts.check()
        return found

    return guarded


def user_folders() -> Iterator[Path]:
    """Yield the user's folder for what can be made again, if there is one."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "") or os.path.expanduser("~/.cache")
    if os.path.isabs(base):  # without a home there is no user folder
        yield Path(base) / "grouser"


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False

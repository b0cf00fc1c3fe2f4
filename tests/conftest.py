"""What holds for all tests.

Tests that are collected are no garbage: the collector does not look through them each time.
Signals are as in a terminal, and a process that outlives its test fails it and is ended.
"""

import gc
from collections.abc import Iterator

import pytest

from tests.surroundings import (
    adopt_orphans,
    children,
    end_leftovers,
    take_signals_as_in_a_terminal,
)

BEFORE: pytest.StashKey[set[int]] = pytest.StashKey()
"""Processes that were there before a test, or the first one of its module, was called."""
SHARED = "shares_processes"
"""Mark of modules whose tests share what starts processes: those end with the last test."""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"{SHARED}: processes end with the module, not the test")
    take_signals_as_in_a_terminal()
    adopt_orphans()


def pytest_collection() -> None:
    gc.disable()


def pytest_collection_finish() -> None:
    gc.enable()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    item.stash[BEFORE] = children()
    if (module := item.getparent(pytest.Module)) is not None:
        module.stash.setdefault(BEFORE, item.stash[BEFORE])
    yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    yield
    owner: pytest.Item | pytest.Module | None = item
    if item.get_closest_marker(SHARED) is not None:
        owner = item.getparent(pytest.Module)
        if nextitem is not None and nextitem.getparent(pytest.Module) is owner:
            return
    if owner is None or BEFORE not in owner.stash:
        return
    left = end_leftovers(owner.stash[BEFORE])
    owner.stash[BEFORE] = children()
    assert not left, f"processes were left behind: {'; '.join(left)}"


@pytest.fixture(scope="session", autouse=True)
def _no_process_is_left() -> Iterator[None]:
    """Look for processes of fixtures that all have ended by now: this one was the first."""
    yield
    left = end_leftovers(set())
    assert not left, f"processes of fixtures were left behind: {'; '.join(left)}"

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
"""Processes that were there before a test was called; fixtures may have started them."""


def pytest_configure() -> None:
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
    yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    yield
    left = end_leftovers(item.stash[BEFORE]) if BEFORE in item.stash else []
    assert not left, f"processes were left behind: {'; '.join(left)}"


@pytest.fixture(scope="session", autouse=True)
def _no_process_is_left() -> Iterator[None]:
    """Look for processes of fixtures that all have ended by now: this one was the first."""
    yield
    left = end_leftovers(set())
    assert not left, f"processes of fixtures were left behind: {'; '.join(left)}"

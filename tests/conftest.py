"""Tests that are collected are no garbage: the collector does not look through them each time."""

import gc


def pytest_collection() -> None:
    gc.disable()


def pytest_collection_finish() -> None:
    gc.enable()
    gc.freeze()

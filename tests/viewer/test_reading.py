"""The process that reads dropped files: its limits, its end, and what it answers."""

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grouser import limits
from grouser.errors import InvalidDescription
from grouser.viewer import reading
from grouser.viewer.reading import ReadingProcess
from tests.viewer.bombs import CORNERS, TETRAHEDRON

pytestmark = pytest.mark.shares_processes


@pytest.fixture(scope="module")
def reader() -> Iterator[ReadingProcess]:
    made = ReadingProcess()
    yield made
    made.close()


def ask(reader: ReadingProcess, file: Path) -> dict:
    return reader.read("mesh", file, file.parent, kept=str(file.with_name("kept.stl")))


def mesh(folder: Path, copies: int = 1) -> Path:
    file = folder / "mesh.obj"
    file.write_bytes(CORNERS + TETRAHEDRON * copies)
    return file


def test_it_answers_what_the_task_found(reader, tmp_path):
    found = ask(reader, mesh(tmp_path))
    assert (found["triangles"], found["kept"]) == (4, 4)
    assert (tmp_path / "kept.stl").stat().st_size == 84 + 4 * 50


def test_it_lists_the_mistakes_of_a_file_and_goes_on(reader, tmp_path):
    file = mesh(tmp_path)
    file.write_bytes(CORNERS)
    with pytest.raises(InvalidDescription, match="has no triangles"):
        ask(reader, file)
    assert ask(reader, mesh(tmp_path))["triangles"] == 4


def test_too_little_memory_is_a_sentence(reader, tmp_path, monkeypatch):
    file = mesh(tmp_path, 50_000)
    monkeypatch.setattr(limits, "READING_BYTES", 1)
    with pytest.raises(InvalidDescription, match=r"needs more than .* GB of memory to be read"):
        ask(reader, file)


def test_too_little_time_of_the_processor_is_a_sentence(reader, tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "READING_SECONDS", 1)
    with pytest.raises(InvalidDescription, match="could not be read within 1 s"):
        ask(reader, mesh(tmp_path, 900_000))


def test_a_process_that_only_waits_is_ended(reader, tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "READING_PATIENCE", 0.0)
    with pytest.raises(InvalidDescription, match="could not be read within 0 s"):
        ask(reader, mesh(tmp_path, 100_000))


def test_a_process_that_was_killed_is_a_sentence_and_the_next_file_has_a_new_one(
    tmp_path, monkeypatch
):
    reader = ReadingProcess()
    ask(reader, mesh(tmp_path))
    process = reader._process
    assert process is not None
    os.kill(process.pid, signal.SIGSTOP)  # so that it cannot answer before it dies

    class Killing:
        """The answers of the process, which is killed when the first is awaited."""

        def __init__(self, stream: Any) -> None:
            self._stream = stream

        def readline(self) -> bytes:
            os.kill(process.pid, signal.SIGKILL)
            return self._stream.readline()

        def close(self) -> None:
            self._stream.close()

    monkeypatch.setattr(process, "stdout", Killing(process.stdout))
    try:
        with pytest.raises(InvalidDescription, match="was not read, as the process .* ended"):
            ask(reader, mesh(tmp_path))
        assert ask(reader, mesh(tmp_path))["triangles"] == 4
    finally:
        reader.close()


def test_closing_ends_the_process_even_while_it_reads(tmp_path):
    reader = ReadingProcess()
    ask(reader, mesh(tmp_path))
    process, caught = reader._process, []
    assert process is not None
    os.kill(process.pid, signal.SIGSTOP)

    def read() -> None:
        try:
            ask(reader, mesh(tmp_path))
        except InvalidDescription as error:
            caught.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    reader.close()
    thread.join()
    assert process.poll() is not None
    assert len(caught) == 1


def test_nobody_else_keeps_it_alive(tmp_path):
    reader = ReadingProcess()
    ask(reader, mesh(tmp_path))
    process = reader._process
    assert process is not None
    del reader
    assert process.poll() == -signal.SIGKILL


def test_without_work_it_ends_by_itself(monkeypatch):
    monkeypatch.setattr(reading, "IDLE", 0.0)
    reading_end, writing_end = os.pipe()
    with os.fdopen(reading_end) as stream, os.fdopen(writing_end, "w"):
        monkeypatch.setattr("sys.stdin", stream)
        reading.serve()  # returns though its input is open

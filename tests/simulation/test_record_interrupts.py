"""An interrupt at any instant of a recording leaves each row in the log once."""

import sys
from contextlib import suppress
from pathlib import Path

import pytest

from grouser.description import load_course, load_robot
from grouser.log import Provenance, Spool, read_log
from grouser.log import spool as spool_module
from grouser.models import command_sides, make_model
from grouser.simulation import Simulation
from grouser.simulation import record as record_module
from grouser.simulation.record import Recorder

FILES = {record_module.__file__, spool_module.__file__}
SIMULATION = Simulation(make_model("ideal"), load_robot("tp100"), load_course("flat"))
COMMAND = command_sides(SIMULATION.robot, 0.1, 0.2)
ROWS, FROM = 3, 2
"""Rows of a recording, and from which on they may be interrupted."""


class Interrupt:
    """Raises KeyboardInterrupt before one instruction of recorder or spool, as a signal would."""

    def __init__(self, at: int) -> None:
        self.at, self.count = at, 0

    def __enter__(self) -> "Interrupt":
        sys.settrace(self._enter)
        return self

    def __exit__(self, *reason: object) -> None:
        sys.settrace(None)

    def _enter(self, frame, event, argument):
        if frame.f_code.co_filename not in FILES:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return self._step

    def _step(self, frame, event, argument):
        if event == "opcode":
            self.count += 1
            if self.count == self.at:
                raise KeyboardInterrupt
        return self._step


def add(recorder: Recorder, tick: int) -> None:
    recorder.add(tick, float(tick), SIMULATION.motion, COMMAND, SIMULATION.reading.values)


def record(folder: Path, at: int) -> tuple[Interrupt, int, Spool]:
    """Record, be interrupted before an instruction, and end in order; return what was added.

    Rows are a second apart, so that each of them is written.
    """
    recorder = Recorder(SIMULATION.robot, lambda: 0.0, SIMULATION.reading.columns)
    spool = Spool(folder / f"{at}.csv", recorder.columns, Provenance())
    recorder.stream(spool)
    tick = 0
    with Interrupt(0):
        for tick in range(FROM):
            add(recorder, tick)
    with Interrupt(at) as interrupt, suppress(KeyboardInterrupt):
        for tick in range(FROM, ROWS):
            add(recorder, tick)
        recorder.flush()
    recorder.flush()
    spool.finish("interrupted")
    return interrupt, tick, spool


def count_instructions(folder: Path) -> int:
    interrupt, _, spool = record(folder, 0)
    spool.close(remove=True)
    return interrupt.count


def test_an_interrupt_before_any_instruction_leaves_each_row_once(tmp_path):
    count = count_instructions(tmp_path)
    assert count > 200  # there is something to interrupt
    for at in range(1, count + 1):
        interrupt, tick, spool = record(tmp_path, at)
        assert interrupt.count >= at  # the interrupt came
        log = read_log(spool.complete())
        ticks = log["tick"].tolist()
        # The row under way is there as a whole, or not at all.
        assert ticks in (list(range(tick)), list(range(tick + 1))), at
        assert log == spool.log()
        spool.close(remove=True)


def test_recording_goes_on_after_an_interrupt_as_if_there_were_none(tmp_path):
    count = count_instructions(tmp_path)
    for at in range(1, count, 29):
        recorder = Recorder(SIMULATION.robot, lambda: 0.0, SIMULATION.reading.columns)
        spool = Spool(tmp_path / f"on-{at}.csv", recorder.columns, Provenance())
        recorder.stream(spool)
        with suppress(KeyboardInterrupt), Interrupt(at):
            for tick in range(ROWS):
                add(recorder, tick)
        for tick in range(100, 103):
            add(recorder, tick)
        recorder.flush()
        ticks = spool.log()["tick"].tolist()
        first = ticks[: ticks.index(100)]
        assert first == list(range(len(first)))
        assert ticks[len(first) :] == [100, 101, 102]
        spool.close(remove=True)


def test_a_row_that_cannot_be_a_number_leaves_no_part_of_itself():
    recorder = Recorder(SIMULATION.robot, lambda: 0.0, SIMULATION.reading.columns)
    add(recorder, 0)
    with pytest.raises(TypeError):
        recorder.add(1, 0.01, SIMULATION.motion, COMMAND, ("no number",))  # type: ignore[arg-type]
    add(recorder, 2)
    assert recorder.log(Provenance())["tick"].tolist() == [0, 2]

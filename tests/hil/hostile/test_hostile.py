"""Whatever a board says, the host moves nothing before a handshake and stops in time."""

import re
from dataclasses import fields

import pytest

from grouser.hil.messages import KINDS
from grouser.hil.plausible import RANGES
from tests.hil.hostile.board import HostileLink
from tests.hil.hostile.lies import all_rows
from tests.hil.hostile.rows import COMMAND_TIMEOUT, LOOK, Row
from tests.hil.hostile.trial import attempt

ROWS = all_rows()
HONEST = Row("line", "nothing false", lambda: (lambda link, message: [message], None))
FROM_THE_BOARD = 0x80
"""Types from here on are the board's."""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_nothing_moves_early_everything_stops_in_time_and_all_is_kept(row, tmp_path):
    outcome = attempt(row, tmp_path)
    record = outcome.record
    assert record.fault_at is not None, "the board never lied"
    assert record.moving_early == 0
    assert outcome.is_off
    assert outcome.took < 6.0
    if not row.connects:
        assert outcome.rejected
        assert record.armed_at is None
        assert not any(moves for _, moves in record.commands)
        assert outcome.raw_bytes == b""
        return
    assert outcome.run is not None
    assert outcome.raw_bytes
    if row.pauses:
        assert record.pause_after is not None
        assert record.pause_after <= COMMAND_TIMEOUT + LOOK
    report = outcome.run.report
    assert re.search(row.reason, report.stopped_by)
    if row.problem:
        assert any(re.fullmatch(row.problem, found) for found in report.problems)
    if not row.harmless:
        assert report.stopped_by
        assert not report.is_valid
        assert record.zero_after is not None
        assert record.zero_after <= row.within
        assert outcome.last_row >= record.fault_at - 0.1


def test_an_honest_board_drives(tmp_path):
    outcome = attempt(HONEST, tmp_path)
    assert outcome.verdict == "drove on"
    assert outcome.run is not None
    assert outcome.run.report.is_valid
    assert outcome.run.is_done
    assert any(moves for _, moves in outcome.record.commands)


def test_a_host_that_moves_early_would_be_noticed():
    link = HostileLink(lambda link, message: [message])
    from grouser.hil.frames import encode_message
    from grouser.hil.messages import Cmd

    link.send(encode_message(Cmd(1, 1, 0, 100, 0)))
    assert link.record.moving_early == 1


def test_every_number_of_every_message_of_a_board_has_a_range():
    kinds = {kind for number, kind in KINDS.items() if number >= FROM_THE_BOARD}
    assert set(RANGES) == kinds
    for kind, ranges in RANGES.items():
        assert list(ranges) == [field.name for field in fields(kind)]

"""The table of faults against the real firmware, damaged frames, and the safety case."""

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grouser.errors import InvalidValue
from grouser.hil.conversation import Conversation
from grouser.hil.faults import FIRMWARE_ROWS, MUTANTS, TABLE
from grouser.hil.frame_damage import DAMAGES, try_frames
from grouser.hil.frames import FrameDecoder, encode_frame, encode_message
from grouser.hil.links import LockstepLink
from grouser.hil.messages import KINDS, Cmd, pack, unpack
from grouser.hil.options import BoardOptions
from grouser.hil.run import run_board
from grouser.hil.simulated_board import BUILD, SimulatedBoard
from grouser.scenario import Scenario

TWINS = [(row.number, twin) for row in TABLE.values() for twin in row.twins]


@pytest.mark.parametrize("number", TABLE)
def test_the_promise_is_kept(number):
    found = TABLE[number].check("")
    assert found.is_kept, found.measured


@pytest.mark.parametrize(("number", "guard"), TWINS, ids=lambda value: str(value))
def test_without_the_safety_function_the_fault_shows(number, guard):
    found = TABLE[number].check(guard)
    assert not found.is_kept, found.measured


def test_the_table_is_whole_and_every_row_has_a_twin():
    assert list(TABLE) == list(range(1, 26))
    assert all(row.twins for row in TABLE.values())
    assert len(FIRMWARE_ROWS) == 17


def test_every_firmware_that_lacks_something_is_caught_by_a_row():
    built = {path.stem.removeprefix("no-") for path in (BUILD / "mutants").glob("no-*.elf")}
    assert built == set(MUTANTS)


def test_a_row_measures_the_same_again():
    assert TABLE[1].check("") == TABLE[1].check("")
    assert TABLE[12].check("") == TABLE[12].check("")


def test_the_page_of_faults_has_the_rows_of_the_table():
    page = (BUILD.parents[1] / "docs" / "hil-faults.md").read_text()
    block = page.partition("<!-- faults:begin -->\n")[2].partition("<!-- faults:end -->")[0]
    cells = [
        [cell.strip() for cell in line.strip("|\n").split(" | ")] for line in block.splitlines()[2:]
    ]
    assert [cell[:3] for cell in cells] == [
        [str(row.number), row.fault, row.promise] for row in TABLE.values()
    ]
    assert {cell[4] for cell in cells} == {"kept"}
    guards = {twin for row in TABLE.values() for twin in row.twins}
    assert [guard for guard in sorted(guards) if f"`{guard}`" not in page] == []


def drive(words, seconds):
    driver = "constant:left=0.1,right=0.1"
    scenario = Scenario(course="flat", model="ideal", driver=driver, stop=seconds)
    options = BoardOptions(faults=(f"{words} @0.5",))
    return run_board(LockstepLink(SimulatedBoard(seed=1)), scenario, options)


def test_two_bytes_lost_in_a_hundred_do_not_stop_a_run_but_it_does_not_count():
    run = drive("link lose 0.02", 6.0)
    assert run.report.stopped_by == ""
    assert run.is_done
    assert run.report.missing > 100
    assert not run.report.is_valid


def test_a_mute_board_is_told_to_stand_and_the_run_ends():
    run = drive("link mute", 6.0)
    assert "silent" in run.report.stopped_by
    assert not run.report.is_valid


class Trusting(FrameDecoder):
    """Takes every frame whose stuffing is right, as if its checksum were."""

    def _decode(self, frame):
        from cobs import cobs

        try:
            return unpack(cobs.decode(frame)[:-2])
        except cobs.DecodeError:
            return None


def test_no_damaged_frame_is_taken_for_what_it_is_not():
    tallies = try_frames(60_000, seed=2)
    assert set(tallies) == set(DAMAGES)
    assert sum(tally.frames for tally in tallies.values()) == 60_000
    assert [tally.wrong for tally in tallies.values()] == [0] * len(DAMAGES)
    assert [tally.not_recovered for tally in tallies.values()] == [0] * len(DAMAGES)
    assert tallies["one bit flipped"].dropped == tallies["one bit flipped"].frames
    assert tallies["junk after"].intact == tallies["junk after"].frames


def test_without_a_checksum_damage_goes_unnoticed():
    tallies = try_frames(3_000, make_decoder=Trusting)
    assert tallies["one bit flipped"].wrong > 100
    assert tallies["two bits flipped"].wrong > 100


def test_a_count_that_means_nothing_is_refused():
    with pytest.raises(InvalidValue, match="count must be at least 1, not 0"):
        try_frames(0)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.binary(max_size=200), max_size=8))
def test_the_parser_takes_any_bytes_cut_anyhow(parts):
    whole, cut = FrameDecoder(), FrameDecoder()
    at_once = whole.feed(b"".join(parts))
    by_and_by = [message for part in parts for message in cut.feed(part)]
    assert by_and_by == at_once
    assert cut.counts == whole.counts


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(list(KINDS.values())), st.binary(max_size=70), st.booleans())
def test_frames_of_any_type_and_length_do_not_break_a_conversation(kind, body, fits):
    size = kind.LAYOUT.size
    body = (body + bytes(size))[:size] if fits else body
    talk = Conversation(7)
    talk.open(0.0)
    talk.receive(encode_frame(bytes((kind.TYPE,)) + body), 0.01)
    talk.tick(0.02)
    talk.receive(encode_frame(bytes((kind.TYPE,)) + body), 0.03)
    assert talk.frames.good + talk.frames.bad == 2


@given(
    st.builds(
        Cmd,
        st.integers(0, 65535),
        st.integers(0, 65535),
        st.integers(0, 2**32 - 1),
        st.integers(-32768, 32767),
        st.integers(-32768, 32767),
        st.integers(0, 255),
    )
)
def test_a_command_survives_its_frame(command):
    assert FrameDecoder().feed(encode_message(command)) == [command]
    assert unpack(pack(command)) == command


ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "hil.md"
ROW = re.compile(r"^\| (?P<hazard>[^|]+) \| (?P<barrier>[^|]+) \| `(?P<test>[^`]+)` \|$", re.M)


def rows() -> list[re.Match[str]]:
    text = PAGE.read_text()
    section = text[text.index("## Safety case") :].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    found = list(ROW.finditer(section))
    assert len(found) == len(lines) - 1, "a row has no test"
    return found


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["hazard"])
def test_the_named_test_exists(row):
    file, _, name = row["test"].partition("::")
    tree = ast.parse((ROOT / file).read_text())
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}

"""Every promise of the table of faults, against the real firmware in lockstep."""

import pytest

from grouser.hil.faults import FIRMWARE_ROWS, MUTANTS, TABLE
from grouser.hil.simulated_board import BUILD

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

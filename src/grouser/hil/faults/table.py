"""All rows of the table of faults, in their order."""

from grouser.hil.faults import commands, hardware, host_link, host_time
from grouser.hil.faults.bench import FaultRow

_FAMILIES = (
    commands.LOST_COMMANDS,
    commands.WRONG_COMMANDS,
    hardware.BROKEN_HARDWARE,
    hardware.STOPPED_CHIP,
    host_link.ROWS,
    host_time.ROWS,
)

TABLE: dict[int, FaultRow] = {
    row.number: row
    for row in sorted((row for family in _FAMILIES for row in family), key=lambda row: row.number)
}
"""The rows by their number."""
FIRMWARE_ROWS = tuple(
    number for number, row in TABLE.items() if number in (*range(1, 18), 23) and number != 14
)
"""Rows that measure the firmware alone, whatever the host does."""
HOST_GUARDS = frozenset(
    twin for number, row in TABLE.items() if number not in FIRMWARE_ROWS for twin in row.twins
) | {"repetition"}
"""Safety functions of the host; all others are the firmware's."""
MUTANTS = tuple(
    sorted({twin for row in TABLE.values() for twin in row.twins if twin not in HOST_GUARDS})
)
"""Safety functions that a firmware can be built without."""

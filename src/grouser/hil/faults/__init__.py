"""The table of faults: the reaction to each, measured with and without its safety function."""

from grouser.hil.faults import commands, hardware, host
from grouser.hil.faults.bench import FaultRow, Finding

__all__ = ["FIRMWARE_ROWS", "HOST_GUARDS", "MUTANTS", "TABLE", "FaultRow", "Finding"]

_NAMED = [found for module in (commands, hardware, host) for found in vars(module).values()]
_ROWS = {found.number: found for found in _NAMED if isinstance(found, FaultRow)}
TABLE = dict(sorted(_ROWS.items()))
"""The rows by number."""
FIRMWARE_ROWS = tuple(number for number in TABLE if number in (*range(1, 18), 23) and number != 14)
"""Rows that measure the firmware alone."""
HOST_GUARDS = frozenset(
    twin for number, row in TABLE.items() if number not in FIRMWARE_ROWS for twin in row.twins
) | {"repetition"}
"""Safety functions of the host; all others are the firmware's."""
MUTANTS = tuple(
    sorted({twin for row in TABLE.values() for twin in row.twins if twin not in HOST_GUARDS})
)
"""Safety functions without which a firmware can be built."""

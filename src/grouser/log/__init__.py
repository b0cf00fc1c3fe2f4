"""Logs of simulations and of real robots: columns, files, and comparison.

This package does not depend on robots, courses or models; the provenance holds their texts.
"""

from grouser.log.column_map import ColumnMap, ForeignColumn, read_column_map
from grouser.log.compare import (
    NEEDED,
    Comparison,
    ErrorSummary,
    compare,
    compare_commands,
    resample,
)
from grouser.log.declaration import Declaration
from grouser.log.files import name_file, read_log, write_log, write_spool
from grouser.log.foreign import read_foreign
from grouser.log.log import SI_UNITS, Column, Log, concatenate_logs, conventional_unit
from grouser.log.provenance import STATUSES, Provenance
from grouser.log.spool import Spool, name_spool

__all__ = [
    "NEEDED",
    "SI_UNITS",
    "STATUSES",
    "Column",
    "ColumnMap",
    "Comparison",
    "Declaration",
    "ErrorSummary",
    "ForeignColumn",
    "Log",
    "Provenance",
    "Spool",
    "compare",
    "compare_commands",
    "concatenate_logs",
    "conventional_unit",
    "name_file",
    "name_spool",
    "read_column_map",
    "read_foreign",
    "read_log",
    "resample",
    "write_log",
    "write_spool",
]

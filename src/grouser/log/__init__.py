"""What happened: logs of simulations and of real robots, their files, and how they differ.

Nothing here knows robots, courses or models; those appear only as texts in the provenance.
"""

from grouser.log.column_map import ColumnMap, ForeignColumn, read_column_map
from grouser.log.compare import NEEDED, Comparison, ErrorSummary, compare, resample
from grouser.log.files import LogHead, name_file, read_head, read_log, write_log, write_spool
from grouser.log.foreign import read_foreign
from grouser.log.log import SI_UNITS, Column, Log, conventional_unit
from grouser.log.provenance import STATUSES, Provenance
from grouser.log.spool import Spool, name_spool

__all__ = [
    "NEEDED",
    "SI_UNITS",
    "STATUSES",
    "Column",
    "ColumnMap",
    "Comparison",
    "ErrorSummary",
    "ForeignColumn",
    "Log",
    "LogHead",
    "Provenance",
    "Spool",
    "compare",
    "conventional_unit",
    "name_file",
    "name_spool",
    "read_column_map",
    "read_foreign",
    "read_head",
    "read_log",
    "resample",
    "write_log",
    "write_spool",
]

"""A log as a table of pandas or polars, with the names of its columns."""

from typing import TYPE_CHECKING

from grouser.extras import require_extra

if TYPE_CHECKING:
    import pandas
    import polars

    from grouser.log.log import Log

UNITS = "units"
"""Key of the units in the attributes of a pandas table."""


def to_pandas(log: "Log") -> "pandas.DataFrame":
    """Return the columns as a table; `table.attrs["units"]` has their units."""
    require_extra("a table of pandas", "tables", "pandas")
    import pandas as pd

    table = pd.DataFrame({name: column.values for name, column in log.columns.items()})
    table.attrs[UNITS] = log.units
    return table


def to_polars(log: "Log") -> "polars.DataFrame":
    """Return the columns as a table; units are in `log.units`, as polars has no place for them."""
    require_extra("a table of polars", "tables", "polars")
    import polars as pl

    return pl.DataFrame({name: column.values for name, column in log.columns.items()})

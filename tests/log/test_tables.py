"""Logs as tables: the names are the same whatever the log was read from."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from grouser import Scenario, read_log, run, write_log
from grouser.errors import MissingExtra
from grouser.log import Column, Log

LOG = run(Scenario(robot="tp100", course="flat", model="slip", driver="constant", stop=0.2)).log
SUFFIXES = (".csv", ".parquet", ".mcap")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_tables_have_the_same_names_and_numbers_in_every_format(tmp_path, suffix):
    write_log(LOG, tmp_path / f"log{suffix}")
    log = read_log(tmp_path / f"log{suffix}")
    with_pandas, with_polars = log.to_pandas(), log.to_polars()
    assert tuple(with_pandas.columns) == tuple(with_polars.columns) == LOG.names
    for name in LOG:
        np.testing.assert_array_equal(with_pandas[name].to_numpy(), LOG[name])
        np.testing.assert_array_equal(with_polars[name].to_numpy(), LOG[name])
    assert with_pandas.attrs["units"] == log.units == LOG.units


def test_a_parquet_file_that_pandas_reads_itself_has_these_names(tmp_path):
    write_log(LOG, tmp_path / "log.parquet")
    assert tuple(pd.read_parquet(tmp_path / "log.parquet").columns) == LOG.names
    assert tuple(pl.read_parquet(tmp_path / "log.parquet").columns) == LOG.names


def test_units_are_by_name():
    assert LOG.units["yaw"] == "rad"
    assert LOG.units["belt_speed.left"] == LOG.unit("belt_speed.left") == "m/s"


def test_whole_numbers_stay_whole_and_nan_is_no_null():
    log = Log({"tick": Column([1, 2], "1"), "x": Column([np.nan, 1.0], "m")})
    assert [str(kind) for kind in log.to_pandas().dtypes] == ["int64", "float64"]
    table = log.to_polars()
    assert table.schema == {"tick": pl.Int64, "x": pl.Float64}
    assert table["x"].null_count() == 0
    assert np.isnan(table["x"][0])


def test_a_change_of_a_table_does_not_reach_the_log():
    table = LOG.to_pandas()
    table.loc[0, "x"] = 7.0
    assert LOG["x"][0] != 7.0


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_a_missing_package_names_its_extra(monkeypatch, package):
    monkeypatch.setattr("grouser.extras.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=rf"{package}.*grouser\[tables\]"):
        getattr(LOG, f"to_{package}")()

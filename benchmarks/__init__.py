"""Speed, measured in one run and printed as one table: `make bench`."""

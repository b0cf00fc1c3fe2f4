"""MuJoCo as an engine, as it is: plates, cross-checks, import and export."""

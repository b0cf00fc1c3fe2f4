"""How fast models are: every number beside a reference row of the same run."""

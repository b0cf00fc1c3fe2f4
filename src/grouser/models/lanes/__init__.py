"""Numbers in lanes of a vector: one source of compiled code for one robot and for many."""

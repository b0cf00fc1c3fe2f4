"""Our own engine: rigid robots on rigid ground, one or many in lanes of a vector."""

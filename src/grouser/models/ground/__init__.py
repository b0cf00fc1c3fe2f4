"""A terrain as faces, edges, height fields and patches, with an index, for compiled code."""

"""The table of faults: each promise measured against the real firmware, with and without."""

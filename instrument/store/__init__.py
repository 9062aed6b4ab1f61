"""Data files: where they lie, how they are read, moved, compacted, rotated and erased."""

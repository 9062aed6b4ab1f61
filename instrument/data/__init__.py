"""Data files: read, put together, summed up into rows; and the packs of the cache."""

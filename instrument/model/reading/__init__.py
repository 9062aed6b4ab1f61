"""Data files in, a snapshot out: their records, given to the readers of the measures."""

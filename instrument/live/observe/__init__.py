"""Displays of the counts of running JVMs: the screen of `classhook top`, watched calls as they end, metrics for other
systems."""

"""What JVMs count, shown while they run: the screen of `classhook top`, watched calls as they end, metrics for other
systems."""

"""Everything at once in one JVM, for minutes, and then whether the counts are right:
`python -m tools.stress --help`."""

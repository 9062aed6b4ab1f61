"""Wheels for each release of Python and each processor, and proof that they work: ``python -m tools.wheels``."""

"""Weaving jars and folders ahead of time."""

"""Modules that any room may import: errors, files, names, progress, the terminal."""

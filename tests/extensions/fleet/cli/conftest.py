"""The fixtures of tests/cli/."""

from tests.cli.conftest import agent, classes, classhook, counts, data, jar, java, measured, recorded

__all__ = ["agent", "classes", "classhook", "counts", "data", "jar", "java", "measured", "recorded"]

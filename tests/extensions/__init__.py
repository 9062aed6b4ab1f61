"""Tests of the extensions, a folder each; without its extension, a folder can go, too."""

import pytest

from classhook.extensions import EXTENSIONS


def needs(name: str) -> pytest.MarkDecorator:
    """Skips a test of the core that has an extension for an example, where the extension is not there."""
    return pytest.mark.skipif(name not in {one.name for one in EXTENSIONS}, reason=f"there is no extension {name}")

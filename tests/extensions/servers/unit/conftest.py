"""A project of two source files."""

from __future__ import annotations

from pathlib import Path

import pytest

from classhook.extensions.servers.editor.project import Project
from tests.conftest import Compiled


@pytest.fixture(scope="session")
def classes(compiled: Compiled) -> Path:
    return compiled("editor")


@pytest.fixture(scope="session")
def project(classes: Path) -> Project:
    found = Project([classes.parent], [str(classes)])
    found.refresh()
    return found

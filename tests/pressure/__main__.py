"""``python -m tests.pressure [pytest's options]`` runs the long forms of these tests and prints their figures."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

if __name__ == "__main__":
    os.environ["CLASSHOOK_TEST_PRESSURE"] = "long"
    sys.exit(pytest.main([str(Path(__file__).parent), *sys.argv[1:]]))

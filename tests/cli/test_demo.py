"""`make demo` shows its tables, and where the flame graph is."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

DEMO = Path(__file__).parents[2] / "tools" / "demo" / "demo.py"


def test_the_demo_ends_with_the_flame_graph() -> None:
    if not (Path(sys.executable).parent / "classhook").exists():
        pytest.skip("classhook is not installed for this Python")
    done = subprocess.run([sys.executable, str(DEMO)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^[\d,]+ timed methods by self: ", done.stdout, re.MULTILINE)
    found = re.fullmatch(r"the flame graph, to open in a browser: (.*)", done.stdout.splitlines()[-1])
    assert found
    assert "com.sun.tools.javac" in Path(found[1]).read_text()

"""`python -m tools.NAME --help` describes each tool, and does nothing else."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[3] / "tools"
NAMES = sorted(
    [path.parent.name for path in TOOLS.glob("*/__main__.py")]
    + [path.stem for path in TOOLS.glob("*.py") if 'if __name__ == "__main__"' in path.read_text()]
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore:.*found in sys.modules:RuntimeWarning")
def test_help(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["tools", "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module(f"tools.{name}", run_name="__main__")
    assert ended.value.code == 0
    assert f"usage: python -m tools.{name} " in capsys.readouterr().out

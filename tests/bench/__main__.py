"""``python -m tests.bench [part]...`` runs the benchmarks and prints their tables."""

from __future__ import annotations

import sys
from importlib import import_module

PARTS = ("weaving", "startup", "probes", "programs", "tools")

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        import_module(f"tests.bench.{part}").main()
        print()

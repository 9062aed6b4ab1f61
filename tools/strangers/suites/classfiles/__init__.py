"""Suites of odd class files."""

from __future__ import annotations

from tools.strangers.suites.classfiles import asmtools, cfr, vineflower

SUITES = {"cfr": cfr.SUITE, "vineflower": vineflower.SUITE, "asmtools": asmtools.SUITE}

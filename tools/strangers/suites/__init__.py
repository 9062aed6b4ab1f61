"""The suites, by the words of the command, in the order in which they run: each module here has a SUITE, or several in
SUITES. A module is left out where it is not there, because an extension that it needs was removed."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from tools.strangers.suite import Suite

MODULES = ("jacoco", "peers", "heaps", "hotspot", "random", "jcstress", "faults", "classfiles")

SUITES: dict[str, Suite] = {}
for name in MODULES:
    if find_spec(f"{__name__}.{name}"):
        module = import_module(f"{__name__}.{name}")
        SUITES.update(module.SUITES if hasattr(module, "SUITES") else {name: module.SUITE})

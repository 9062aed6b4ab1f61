"""The modules that a script has for itself: those beside it, and JVMPI's, which keep what the script told them.

When another script takes its place, they are imported anew; if that one is wrong, they are as they were. Scripts in one folder share them.
While a script is executed, those of others cannot be found: who imports one later than at the start waits for `exchange`.
"""

from __future__ import annotations

import sys
from _thread import RLock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Final

PACKAGE: Final = "classhook"
JVMPI: Final = "classhook.jvmpi"
#: Held while modules are exchanged, and until those of all scripts are found again.
exchange: Final = RLock()


def own(folder: str) -> dict[str, ModuleType]:
    """Those of a script in this folder, by name."""
    return {name: module for name, module in list(sys.modules.items()) if is_own(name, module, folder)}


def is_own(name: str, module: ModuleType, folder: str) -> bool:
    if name == PACKAGE or name.startswith(f"{PACKAGE}."):
        return name == JVMPI or name.startswith(f"{JVMPI}.")
    file = getattr(module, "__file__", None) or ""
    return name != "__main__" and file.startswith(f"{folder}/") and "/site-packages/" not in file and not file.startswith(sys.prefix)


def take_out(modules: dict[str, ModuleType]) -> None:
    """They are not found any more; others of their names stay."""
    for name, module in modules.items():
        if sys.modules.get(name) is module:
            del sys.modules[name]
    if vars(sys.modules[PACKAGE]).get("jvmpi") is modules.get(JVMPI, PACKAGE):
        del vars(sys.modules[PACKAGE])["jvmpi"]


def put_back(modules: dict[str, ModuleType]) -> None:
    """They are found again."""
    sys.modules.update(modules)
    if JVMPI in modules:
        vars(sys.modules[PACKAGE])["jvmpi"] = modules[JVMPI]

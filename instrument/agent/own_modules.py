"""The modules that a script has for itself: those beside it, and JVMPI's, which keep the script's settings.

1. When another script takes its place, they are imported anew; if that one is wrong, they are as they were. Scripts in
   one folder share them.
2. From the execution of a new script until it is known which scripts stay, there may be two modules of one name, and
   `sys.modules` has the newer. Modules that an older script imports meanwhile are found among its own
   (`import_for_owner`, in the place of Python's `__import__`).
"""

from __future__ import annotations

import builtins
import sys
from _thread import RLock

from classhook.agent.loaded import SCRIPTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType
    from typing import Any, Final

    from classhook.agent.loaded import Script

PACKAGE: Final = "classhook"
EXTENSIONS: Final = "classhook.extensions"
JVMPI: Final = "classhook.extensions.jvmpi"
PYTHONS_IMPORT: Final = builtins.__import__
#: Held while `sys.modules` lacks the modules of some script.
exchange: Final = RLock()


class State:
    executing: Script | None = None  # its modules are in sys.modules as it imports them


def own(folder: str) -> dict[str, ModuleType]:
    """The modules of a script in this folder, by name."""
    return {name: module for name, module in list(sys.modules.items()) if is_own(name, module, folder)}


def jvmpi() -> dict[str, ModuleType]:
    """JVMPI's, as a script before has them."""
    return {name: module for name, module in list(sys.modules.items()) if is_jvmpi(name)}


def is_own(name: str, module: ModuleType, folder: str) -> bool:
    if name == PACKAGE or name.startswith(f"{PACKAGE}."):
        return is_jvmpi(name)
    file = getattr(module, "__file__", None) or ""
    return (
        name != "__main__"
        and file.startswith(f"{folder}/")
        and "/site-packages/" not in file
        and not file.startswith(sys.prefix)
    )


def is_jvmpi(name: str) -> bool:
    return name == JVMPI or name.startswith(f"{JVMPI}.")


def gained(script: Script) -> dict[str, ModuleType]:
    """The modules that the script has now. JVMPI's belong to the script that imported JVMPI first."""
    found = own(script.folder)
    package = found.get(JVMPI)
    if package is not None and any(one.modules.get(JVMPI) is package for one in SCRIPTS if one is not script):
        return {name: module for name, module in found.items() if not is_jvmpi(name)}
    return found


def take_out(modules: Mapping[str, ModuleType]) -> None:
    """They are not found any more; others of their names stay."""
    for name, module in modules.items():
        if sys.modules.get(name) is module:
            del sys.modules[name]
    if EXTENSIONS in sys.modules and vars(sys.modules[EXTENSIONS]).get("jvmpi") is modules.get(JVMPI, PACKAGE):
        del vars(sys.modules[EXTENSIONS])["jvmpi"]


def put_back(modules: Mapping[str, ModuleType]) -> None:
    """They are found again."""
    sys.modules.update(modules)
    if JVMPI in modules:
        vars(sys.modules[EXTENSIONS])["jvmpi"] = modules[JVMPI]


def begin() -> None:
    """New scripts will be executed beside those that are there, which may have imported more since they were
    executed."""
    if builtins.__import__ is PYTHONS_IMPORT:
        for script in SCRIPTS:
            script.modules.update(gained(script))
        builtins.__import__ = import_for_owner


def end() -> None:
    """Ends the exchange, once it is known which scripts stay: only their modules are found."""
    builtins.__import__ = PYTHONS_IMPORT
    for script in SCRIPTS:
        put_back(script.modules)


def import_for_owner(
    name: str,
    globals: Mapping[str, object] | None = None,
    locals: Mapping[str, object] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> Any:
    """`__import__`, which finds the modules of the script whose code imports."""
    script = owner(globals)
    known = sys.modules.get(name) if level == 0 else None
    if script is None or (known is not None and not is_own(name, known, script.folder)):
        return PYTHONS_IMPORT(name, globals, locals, fromlist or (), level)
    with exchange:
        if script is State.executing:
            return PYTHONS_IMPORT(name, globals, locals, fromlist or (), level)
        others = own(script.folder)
        take_out(others)
        put_back(script.modules)
        try:
            return PYTHONS_IMPORT(name, globals, locals, fromlist or (), level)
        finally:
            script.modules = own(script.folder)
            take_out(script.modules)
            put_back(others)


def owner(globals: Mapping[str, object] | None) -> Script | None:
    """The script whose code has these globals."""
    for script in SCRIPTS:
        if script.main is not None and vars(script.main) is globals:
            return script
        if any(vars(module) is globals for module in list(script.modules.values())):
            return script
    return None

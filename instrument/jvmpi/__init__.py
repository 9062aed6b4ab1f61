"""JVMPI's names over JVMTI, for scripts of `classhook run --agent`: `from classhook import jvmpi`. docs/reference/jvmpi.md has the tables.

Each constant has two names: `jvmpi.JVMPI_EVENT_CLASS_LOAD` and `jvmpi.EVENT_CLASS_LOAD`. Outside a JVM there are only these.
"""

from __future__ import annotations

import sys

from classhook.jvmpi.constants import CONSTANTS
from classhook.jvmpi.events import EVENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: What is told of each event; the script assigns it.
NotifyEvent: Callable[[Any], None] | None = None

for _name, _value in [*CONSTANTS.items(), *((f"EVENT_{kind.name}", kind.number) for kind in EVENTS)]:
    globals()[_name] = globals()[f"JVMPI_{_name}"] = _value

if "classhook_jvmpi" in sys.modules:  # native/jvmpi/jvmpi_module.c
    from classhook.jvmpi import dispatch, dumps, handles, interface, raw
    from classhook.jvmpi import event_records as records
    from classhook.jvmpi import jvm_functions as control
    from classhook.jvmpi import thread_functions as threads

    for _module in (control, interface, raw, records, threads, dumps, handles):
        own = {name: its for name, its in vars(_module).items() if getattr(its, "__module__", "") == _module.__name__}
        globals().update({name: its for name, its in own.items() if name[0].isupper() or name.startswith("jobject")})
    dispatch.start()


def __getattr__(name: str) -> Any:
    if "classhook_jvmpi" not in sys.modules:
        raise AttributeError(f"jvmpi.{name}: its functions are there inside a JVM: classhook run --agent SCRIPT -- java ...")
    raise AttributeError(f"JVMPI has no `{name}`")

"""For what processor a wheel is: the compiler, and what Python's build configuration says there.

Headers are the building Python's. The library that is linked is empty and has only libpython's name: an extension finds
Python's functions in the process that loads it. So nothing of the other processor but its compiler is needed, and a
library never names a folder of this machine.
"""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path

from tools.wheels.pythons import Python
from tools.wheels.shell import call

HERE = platform.machine()
#: A module that says what sysconfig says of the other Python.
CONFIGURATION = """import json, sys
build_time_vars = json.loads({old!r}) | {new!r}
"""
OURS = "import json, sysconfig as s; print(json.dumps(__import__(s._get_sysconfigdata_name()).build_time_vars))"


@dataclass(frozen=True)
class Target:
    """A processor: its name, Debian's name for it, and what the names of its compiler's programs begin with."""

    machine: str
    debian: str
    tools: str

    @property
    def triple(self) -> str:
        return f"{self.machine}-linux-gnu"


TARGETS = {
    "x86_64": Target("x86_64", "amd64", ""),
    "aarch64": Target("aarch64", "arm64", "aarch64-linux-gnu-"),
}


def headers(python: Python, target: Target, scratch: Path) -> Path:
    """A folder for what Debian's headers look for: their configuration is that of all processors with 64 bits."""
    folder, name = scratch / "include", f"python{python.release}"
    own = (python.root or Path("/")) / f"usr/include/{TARGETS[HERE].triple}" / name
    if own.is_dir():
        (folder / target.triple).mkdir(parents=True)
        (folder / target.triple / name).symlink_to(own)
    return folder


def environment(python: Python, target: Target, scratch: Path) -> dict[str, str]:
    """The variables with which `python` builds for the target."""
    soname, cc = f"libpython{python.release}.so.1.0", f"{target.tools}gcc"
    empty = scratch / "empty"
    empty.mkdir()
    (empty / "empty.c").write_text("")
    call(cc, "-shared", f"-Wl,-soname,{soname}", empty / "empty.c", "-o", empty / soname)
    (empty / f"libpython{python.release}.so").symlink_to(soname)
    abi = f"cpython-{python.release.replace('.', '')}-{target.triple}"
    new = {
        "CC": f"{cc} -pthread",
        "CXX": f"{target.tools}g++ -pthread",
        # the embedding library names libpython, though the empty one has nothing for it
        "LDSHARED": f"{cc} -pthread -shared -Wl,--no-as-needed",
        "CFLAGS": f"-fno-strict-overflow -DNDEBUG -O2 -Wall -I{headers(python, target, scratch)}",
        "OPT": "-DNDEBUG -O2",
        "CCSHARED": "-fPIC",
        "LDFLAGS": "",
        "LIBDIR": str(empty),
        "MULTIARCH": target.triple,
        "SOABI": abi,
        "EXT_SUFFIX": f".{abi}.so",
        "INSTSONAME": soname,
        "LDLIBRARY": f"libpython{python.release}.so",
        "Py_ENABLE_SHARED": 1,
    }
    (scratch / "_sysconfigdata_target.py").write_text(
        CONFIGURATION.format(old=call(python.program, "-c", OURS), new=new)
    )
    return {
        **os.environ,
        "PYTHONPATH": str(scratch),
        "_PYTHON_SYSCONFIGDATA_NAME": "_sysconfigdata_target",
        "_PYTHON_HOST_PLATFORM": f"linux-{target.machine}",
        "CC": cc,
        "OBJCOPY": f"{target.tools}objcopy",
        "CLASSHOOK_PORTABLE": "1",
        "CLASSHOOK_AGENTS": ",".join(other for other in TARGETS if other != target.machine),
    }

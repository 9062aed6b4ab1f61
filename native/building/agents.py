"""Compilers for agents of other machines, which `classhook bundle` puts into its files.

``python -m classhook.native.building MACHINE FILE`` builds one alone. CLASSHOOK_AGENTS=aarch64,... makes an
installation or wheel hold these agents beside its own.
"""

from __future__ import annotations

import os
import shutil

from classhook.native.building.prerequisites import Missing

#: A machine as `classhook bundle` names it; the compiler, and Debian's package with it.
COMPILERS = {
    "x86_64": ("x86_64-linux-gnu-gcc", "gcc-x86-64-linux-gnu"),
    "aarch64": ("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"),
    "x86_64-musl": ("musl-gcc", "musl-tools"),
}
#: musl loads no library later than the program that has variables of threads at fixed places.
FURTHER = {"x86_64-musl": ("-Dtls_model(model)=",)}
BESIDE = "libclasshook-{}.so.gz"


def wanted() -> list[str]:
    """The machines whose agents are to be beside our own."""
    return [name for name in os.environ.get("CLASSHOOK_AGENTS", "").split(",") if name]


def compiler(machine: str) -> list[str]:
    """The compiler for a machine, with the flags that only this one needs. Raises Missing."""
    if machine not in COMPILERS:
        raise Missing(f"no agent can be built for {machine!r}: known are {', '.join(COMPILERS)}")
    name, package = COMPILERS[machine]
    if not shutil.which(name):
        raise Missing(
            f"the compiler {name} is missing, which builds the agent for {machine}; Debian and Ubuntu have it in"
            f" {package}"
        )
    return [name, *FURTHER.get(machine, ())]

"""Makes libraries need nothing newer than glibc 2.17, whatever glibc they are built with.

1. glibc 2.34 moved the functions of libdl, libpthread and librt into libc.so.6, under new versions of their names. The
   old versions are the same functions. The loader of an old glibc wants them where they were, so the libraries are
   linked with stubs that have only these names and versions; a later glibc has such stubs of its own.
2. base/older_glibc.h names functions that newer headers rename.
3. What 2.17 does not have under any name is in base/system_calls.c.

tests/unit/native/test_glibc.py finds what is missing here.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

#: The libraries that had the functions, and since when on x86-64. aarch64 came with 2.17.
PARTS = {
    "libdl.so.2": {"2.2.5": "dladdr dlclose dlerror dlopen dlsym"},
    "libpthread.so.0": {
        "2.2.5": "pthread_create pthread_detach pthread_getspecific pthread_key_create pthread_mutex_timedlock"
        " pthread_mutex_trylock pthread_mutexattr_init pthread_mutexattr_settype pthread_setspecific pthread_sigmask"
        " sem_destroy sem_init sem_post sem_timedwait sem_trywait sem_wait",
        "2.3.3": "pthread_condattr_setclock",
        "2.12": "pthread_setname_np",
    },
    "librt.so.1": {"2.3.3": "timer_create timer_delete timer_settime"},
}
INCLUDED = ("-include", str(Path(__file__).resolve().parents[1] / "base" / "older_glibc.h"))


def stubs(compiler: str, scratch: Path) -> list[str]:
    """Makes the stubs in `scratch` and returns what the linker is to be given; nothing for musl."""
    machine = subprocess.run([compiler, "-dumpmachine"], stdout=subprocess.PIPE, text=True, check=True).stdout
    if "musl" in machine or "musl" in Path(compiler).name:
        return []
    return [str(stub(compiler, scratch / name, versions, machine)) for name, versions in PARTS.items()]


def stub(compiler: str, target: Path, versions: dict[str, str], machine: str) -> Path:
    """Makes a library with these functions, which do nothing."""
    if machine.startswith("aarch64"):
        versions = {"2.17": " ".join(versions.values())}
    source, script = target.with_suffix(".c"), target.with_suffix(".map")
    source.write_text("".join(f"void {name}(void) {{}}\n" for names in versions.values() for name in names.split()))
    script.write_text(
        "".join(f"GLIBC_{since} {{ {'; '.join(names.split())}; }};\n" for since, names in versions.items())
    )
    linked = f"-Wl,-soname,{target.name},--version-script={script}"
    subprocess.run([compiler, "-shared", "-fPIC", "-nostdlib", linked, source, "-o", target], check=True)
    return target

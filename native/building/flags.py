"""The C compiler's flags: for builds, tests, analysis and sanitizers."""

from __future__ import annotations

import os

from classhook.native.building.older_glibc import INCLUDED

LANGUAGE = ("-std=c11", "-D_GNU_SOURCE", "-pthread")
#: Vectors of neighbouring fields make a timed call 1 to 2 ns dearer: values go to other registers and back.
CODE = ("-O2", "-fno-tree-slp-vectorize", "-fPIC", "-fvisibility=hidden")
WARNINGS = ("-Wall", "-Wextra")
#: GCC's further ones, without findings in this code. Another compiler need not know them, so only the project's own
#: tests and its analysis use them.
STRICT = (
    "-Walloca",
    "-Wcast-qual",
    "-Wconversion",
    "-Wdate-time",
    "-Wdouble-promotion",
    "-Wduplicated-branches",
    "-Wduplicated-cond",
    "-Wformat-signedness",
    "-Wformat=2",
    "-Wimplicit-fallthrough=5",
    "-Wjump-misses-init",
    "-Wlogical-op",
    "-Wmissing-prototypes",
    "-Wnested-externs",
    "-Wnull-dereference",
    "-Wold-style-definition",
    "-Wpointer-arith",
    "-Wredundant-decls",
    "-Wshadow",
    "-Wsign-conversion",
    "-Wstrict-prototypes",
    "-Wtrampolines",
    "-Wundef",
    "-Wunused-macros",
    "-Wvla",
    "-Wwrite-strings",
)

#: The flags of tools/sanitize.py; CLASSHOOK_SANITIZE names one of them. Findings are written down, and
#: the program goes on.
SANITIZERS = {
    "address": ("-fsanitize=address,undefined", "-fsanitize-recover=address,undefined", "-fno-sanitize=alignment"),
    "thread": ("-fsanitize=thread",),
}
SANITIZED = (
    [*SANITIZERS[which], "-O1", "-g", "-fno-omit-frame-pointer"]
    if (which := os.environ.get("CLASSHOOK_SANITIZE"))
    else []
)

#: None of these changes an instruction of what a timed or counted call runs. The sanitizers check more, and in their
#: own way.
HARDENED = () if SANITIZED else ("-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2")
#: The build puts it into a file beside the library, so that a stack of a crash has lines.
DEBUG = ("-g",)
LINKED = ("-Wl,-z,relro,-z,now", "-Wl,-z,noexecstack")

C_FLAGS = [*LANGUAGE, *INCLUDED, *CODE, *WARNINGS, *SANITIZED, *HARDENED, *DEBUG]
if (
    os.environ.get("CLASSHOOK_WERROR") == "1"
):  # for the project's own tests only: another compiler may give more warnings
    C_FLAGS += [*STRICT, "-Werror"]
LIBRARIES = ("-ldl", "-lm")

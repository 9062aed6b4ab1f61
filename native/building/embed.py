"""Builds the embedding library, through which the agent's C code calls classhook.weaving.agent_calls by cffi.

No other code uses ``ffi``: the functions below convert between C and plain Python values.
"""

from __future__ import annotations

from pathlib import Path

from classhook.native.building import older_glibc
from classhook.native.building.flags import DEBUG, HARDENED, LINKED, SANITIZED, WARNINGS
from classhook.native.building.prerequisites import compiler

HERE = Path(__file__).resolve().parents[1]
LAYERS = ("embedded", "extensions/jvmpi")  # each may call the one to its left; ENTRY, on top, may call both
ENTRY = HERE / "embedded" / "interpreter.c"  # cffi appends its generated code to this file

#: cffi generates functions and parameters that are not used.
GENERATED = ("-Wno-unused-function", "-Wno-unused-parameter")

#: Functions called by C. The embedding library passes them to the agent in a struct (embed.h); they are not exported.
CALLED_BY_C = """
    int ch_py_load(const char *rules, size_t bytes, uint64_t timeout_ms);
    int ch_py_weave(const char *name, const unsigned char *data, uint32_t bytes, const struct ch_about *about,
                    struct ch_woven *out);
    char *ch_py_compile(const char *path, const char *text, size_t bytes, char **why);
    char *ch_py_without(const char *rule, const char *rules, size_t bytes, char **why);
    char *ch_py_scripts(const char *request, const char *rules, size_t bytes, char **why);
    char *ch_py_ask(const char *about, const char *text, size_t bytes, char **why);
"""

#: Declarations that these functions use.
USED_BY_PYTHON = """
    struct ch_woven {
        int status; unsigned char *bytes; uint32_t length; uint32_t slots; uint32_t integers; uint32_t integers_at;
        char *meta; uint32_t meta_bytes; int lasting; ...;
    };
    struct ch_about {
        int in_jdk; const char *supertypes; uint32_t supertypes_bytes; const char *source; ...;
    };
    void *malloc(size_t);
"""

#: Runs once inside the JVM, when one of the functions is first called.
INIT_CODE = """
import sys
from classhook_python import ffi, lib
from classhook.weaving import agent_calls

def give(data):
    memory = lib.malloc(len(data) or 1)
    if memory == ffi.NULL:
        raise MemoryError
    ffi.memmove(memory, data, len(data))
    return memory

def text(answer, why):
    if isinstance(answer, bytes):
        return ffi.cast("char *", give(answer + b"\\0"))
    why[0] = ffi.cast("char *", give(answer.encode("utf-8", "replace") + b"\\0"))
    return ffi.NULL

@ffi.def_extern(error=0)
def ch_py_load(rules, size, timeout_ms):
    return agent_calls.load(ffi.buffer(rules, size)[:], timeout_ms / 1000)

@ffi.def_extern(error=1)
def ch_py_weave(name, data, size, about, out):
    supertypes = ffi.buffer(about.supertypes, about.supertypes_bytes)[:] if about.supertypes_bytes else b""
    result = agent_calls.transform(ffi.string(name), ffi.buffer(data, size)[:], about.in_jdk != 0, supertypes,
                                   ffi.string(about.source) if about.source else b"")
    out.status = result.status
    out.lasting = result.lasting
    if result.data:
        out.bytes = ffi.cast("unsigned char *", give(result.data))
        out.length = len(result.data)
        out.slots = result.slots
        out.integers = result.slots
        out.integers_at = result.integers_at
    if result.meta:
        out.meta = ffi.cast("char *", give(result.meta))
        out.meta_bytes = len(result.meta)
    return 0

@ffi.def_extern(error=ffi.NULL)
def ch_py_compile(path, rules, size, why):
    return text(agent_calls.compile_rules(ffi.string(path), ffi.buffer(rules, size)[:]), why)

@ffi.def_extern(error=ffi.NULL)
def ch_py_without(rule, rules, size, why):
    return text(agent_calls.rules_without(ffi.string(rule), ffi.buffer(rules, size)[:]), why)

@ffi.def_extern(error=ffi.NULL)
def ch_py_scripts(request, rules, size, why):
    return text(agent_calls.scripts(ffi.string(request), ffi.buffer(rules, size)[:]), why)

@ffi.def_extern(error=ffi.NULL)
def ch_py_ask(about, asked, size, why):
    extension, _, what = ffi.string(about).decode().partition(" ")
    module = __import__(f"classhook.extensions.{extension}.inside_jvm", fromlist=["asked"])
    return text(module.asked(what, ffi.buffer(asked, size)[:]), why)
"""


def sources() -> list[Path]:
    """The library's C files but for ENTRY."""
    return sorted(path for layer in LAYERS for path in (HERE / layer).glob("*.c") if path != ENTRY)


def build(scratch: Path, macros: dict[str, str], include_dirs: list[str], rpath: str) -> Path:
    """Compiles the library in `scratch` and returns its path; errors of the compiler are passed on. `rpath`: where it
    looks for libpython; empty: where the linker does."""
    from cffi import FFI

    scratch.mkdir(exist_ok=True)
    older = older_glibc.stubs(compiler(), scratch)
    ffi = FFI()
    ffi.cdef(USED_BY_PYTHON)
    ffi.embedding_api(CALLED_BY_C)
    ffi.embedding_init_code(INIT_CODE)
    ffi.set_source(
        "classhook_python",
        ENTRY.read_text(),
        define_macros=[(name, f'"{value}"') for name, value in macros.items()],
        include_dirs=[str(ENTRY.parent), *include_dirs],
        sources=[str(path) for path in sources()],
        extra_compile_args=[
            "-D_GNU_SOURCE=1",  # as Python's header has it, which is not the first
            *older_glibc.INCLUDED,
            "-O2",
            "-fvisibility=hidden",
            *WARNINGS,
            "-Wno-missing-field-initializers",
            *GENERATED,
            *SANITIZED,
            *HARDENED,
            *DEBUG,
        ],
        extra_link_args=[*([f"-L{rpath}", f"-Wl,-rpath,{rpath}"] if rpath else []), *SANITIZED, *LINKED, *older],
    )
    return Path(ffi.compile(tmpdir=str(scratch), target="classhook_python.so"))

"""Builds the agent, the embedding library, and the layout of data files for Python.

1. JDK, compiler and shared libpython are looked for first; each one missing is reported in one line that says what to
   do. If a step fails later, the message follows what its tool printed (failing.py).
2. The tracker class is compiled and becomes a C header; the agent is compiled from the C files in native/.
3. mypyc compiles the weaver's hot path (hotpath.py).
4. cffi builds the embedding library and turns classhook.h into native/_layout.py; the constants of its slots go to
   native/_slots.py. The records of probe tables (probe_records/) become a C header and instrument/probes/records.py.
5. The library of `classhook heap` is compiled from native/extensions/heap/; its header becomes native/_heap.py.

Also defines the ``build_ext`` command of pyproject.toml, so that ``pip install`` builds all this.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from setuptools.command.build_ext import build_ext

from classhook.native.building import agents, header, older_glibc, tree
from classhook.native.building.failing import Failed, say, step
from classhook.native.building.flags import C_FLAGS, LIBRARIES, LINKED, SANITIZED
from classhook.native.building.prerequisites import Missing, compiler, jdk_home, libpython, python

HERE = Path(__file__).resolve().parents[1]

LAYERS = (
    "base",
    "table",
    "measure",
    "moments",
    "blocks",
    "timing",
    "threads",
    "contexts",
    "sampling",
    "locks",
    "objects",
    "weaver",
    "classes",
    "events",
    "watch",
    "live",
)  # each may call those above it
#: The list of the agent's extensions, and those that are there; each may call all of the above.
EXTENSIONS = ("extensions/hprof", "extensions")
TABLES = Path("rules", "grammar.tables")
OF_HEAP = ("libclasshook_heap.so", "_heap.py") if header.HEAP.exists() else ()  # an extension's
RECORDS = Path("probes", "records.py")
BUILT = ("libclasshook.so", "_layout.py", "_slots.py", "_built.py", "libclasshook_python.so", *OF_HEAP)
MADE = [Path("native", name) for name in ("_layout.py", "_slots.py", "_built.py", "_heap.py")] + [
    Path("instrument") / RECORDS
]


def python_macros() -> dict[str, str]:
    """Macros with the paths at which the embedded interpreter finds its library and modules."""
    paths = sysconfig.get_paths()
    base = {"installed_base": sys.base_prefix, "installed_platbase": sys.base_exec_prefix, "base": sys.base_prefix}
    standard = sysconfig.get_paths(vars=base | {"platbase": sys.base_exec_prefix})
    stdlib = [standard["stdlib"], standard["platstdlib"], str(Path(standard["platstdlib"]) / "lib-dynload")]
    return {
        "CH_LIBPYTHON": libpython().name,
        "CH_PYTHON_HOME": sys.base_prefix,
        "CH_PYTHON_STDLIB": ":".join(dict.fromkeys(stdlib)),
        "CH_PYTHON_PACKAGES": ":".join(dict.fromkeys([paths["purelib"], paths["platlib"]])),
    }


def agent_sources() -> list[Path]:
    """The agent's C files."""
    return sorted(
        [*HERE.glob("*.c"), *(path for layer in (*LAYERS, *EXTENSIONS) for path in (HERE / layer).glob("*.c"))]
    )


def agent_includes(scratch: Path, include_dirs: Sequence[str], native: Path = HERE) -> list[str]:
    """The flags with which the agent's C files find their headers, of which those of the tracker, of the JDK's
    members and of probe tables are made in `scratch`."""
    from classhook.native.building import jdk_header
    from classhook.native.building.probe_records import c_source as probe_records
    from classhook.native.building.tracker import c_source

    (scratch / "tracker_class.h").write_text(c_source.c_header())
    (scratch / "tracker_natives.h").write_text(c_source.natives_header())
    (scratch / "jdk_member_rows.h").write_text(jdk_header.header())
    (scratch / "probe_records.h").write_text(probe_records.header())
    return [f"-I{native}", f"-I{scratch}", *(f"-isystem{folder}" for folder in include_dirs)]


def build_agent(target: Path, scratch: Path, include_dirs: list[str]) -> None:
    """Compiles the agent to `target`."""
    install(compile_agent([compiler()], scratch / target.name, scratch, include_dirs), target)


def compile_agent(command: Sequence[str], fresh: Path, scratch: Path, include_dirs: Sequence[str]) -> Path:
    """Compiles the agent to `fresh`. `command`: the compiler, and flags of its own."""
    includes = agent_includes(scratch, include_dirs)
    sources = [str(path) for path in agent_sources()]
    older = older_glibc.stubs(command[0], scratch)
    flags = [*C_FLAGS, f'-DCH_BUILD_ID="{build_id()}"', *includes, "-shared"]
    subprocess.run([*command, *flags, *sources, "-o", str(fresh), *LINKED, *older, *LIBRARIES], check=True)
    return fresh


def agent_for(machine: str, scratch: Path) -> bytes:
    """The agent for another machine. Raises Missing, Failed."""
    home, command = jdk_home(), [*agents.compiler(machine), "-Wl,--strip-debug"]
    with step(f"compiling the agent for {machine}"):
        return compile_agent(
            command, scratch / f"{machine}.so", scratch, [str(home / "include"), str(home / "include" / "linux")]
        ).read_bytes()


def build_other_agents(folder: Path, scratch: Path) -> None:
    """Builds the agents that are wanted besides our own, and removes others. Raises Missing, Failed."""
    for old in folder.glob(agents.BESIDE.format("*")):
        old.unlink()
    for machine in agents.wanted():
        (folder / agents.BESIDE.format(machine)).write_bytes(gzip.compress(agent_for(machine, scratch), mtime=0))


def build_id() -> str:
    """A digest of all sources that affect weaving, so that no build uses the cache of another."""
    digest = hashlib.sha256()
    for folder in ("classfile", "instrument", "native", "rules"):
        for path in sorted((HERE.parent / folder).rglob("*")):
            if path.suffix in (".py", ".c", ".h", ".java", ".lark") and path.relative_to(HERE.parent) not in MADE:
                digest.update(str(path.relative_to(HERE.parent)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def build_heap(target: Path, scratch: Path) -> None:
    """Compiles the loops of `classhook heap`, which know nothing of the JVM."""
    sources = [str(path) for path in sorted(header.HEAP.parent.glob("*.c"))]
    fresh = scratch / target.name
    flags = [flag for flag in C_FLAGS if not flag.startswith("-fvisibility")]
    subprocess.run([compiler(), *flags, "-shared", *sources, "-o", str(fresh), *LINKED], check=True)
    install(fresh, target)


def build_layout(target: Path, scratch: Path, file: Path = header.HEADER) -> None:
    """Writes the Python form of a header: `ffi`, and `lib` with the header's constants."""
    from cffi import FFI

    ffi = FFI()
    ffi.cdef(header.text(file))
    ffi.set_source(f"classhook.native.{target.stem}", None)
    fresh = scratch / target.name
    ffi.emit_python_code(str(fresh))
    fresh.write_text(fresh.read_text() + "\nlib = ffi.dlopen(None)\n")
    replace(fresh, target)


def build_slots(target: Path, scratch: Path) -> None:
    """Writes the constants of probes' slots as a module that imports nothing, for use inside the JVM."""
    fresh = scratch / "_slots.py"
    lines = [f"{name} = {value}\n" for name, value in header.slots().items()]
    fresh.write_text('"""Made from native/classhook.h."""\n\n' + "".join(lines))
    replace(fresh, target)


def build_records(target: Path, scratch: Path) -> None:
    """Writes the classes of the records of probe tables, unless they are there: `make` looks at the file's time."""
    from classhook.native.building.probe_records import python_source

    fresh, text = scratch / target.name, python_source.source()
    if not target.is_file() or target.read_text() != text:
        fresh.write_text(text)
        replace(fresh, target)


def portable() -> bool:
    """True if the libraries are for another machine (CLASSHOOK_PORTABLE=1), and name no folder of this one."""
    return os.environ.get("CLASSHOOK_PORTABLE") == "1"


def build_facts(target: Path, scratch: Path) -> None:
    """Writes with which Python the embedding library was built, which finds it again by itself."""
    fresh = scratch / "_built.py"
    home, library = ("", "") if portable() else (sys.base_prefix, str(libpython()))
    fresh.write_text(f'"""Made by native/building/build.py."""\n\nHOME = {home!r}\nLIBPYTHON = {library!r}\n')
    replace(fresh, target)


def build_grammar(target: Path, scratch: Path) -> None:
    """Has the tables of the parser of rules made."""
    fresh = scratch / target.name
    subprocess.run([sys.executable, "-m", "classhook.measures.parser_tables", fresh], cwd=tree.TREE, check=True)
    replace(fresh, target)


def install(fresh: Path, target: Path) -> None:
    """Puts a library in its place. In a checkout, its debug information goes to a file beside it, which debuggers find;
    elsewhere it is left out."""
    debug = target.with_name(target.name + ".debug")
    tools = None if SANITIZED else shutil.which(os.environ.get("OBJCOPY", "objcopy"))
    if tools:
        if target.parent == HERE:
            subprocess.run([tools, "--only-keep-debug", fresh, fresh.with_name(debug.name)], check=True)
            replace(fresh.with_name(debug.name), debug)
            subprocess.run([tools, "--strip-debug", f"--add-gnu-debuglink={debug}", fresh], check=True)
        else:
            subprocess.run([tools, "--strip-debug", fresh], check=True)
    replace(fresh, target)


def replace(fresh: Path, target: Path) -> None:
    """Replaces a file by renaming, so that a JVM that has mapped the old library keeps it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(target.name + ".new")
    shutil.copy2(fresh, beside)
    os.replace(beside, target)


def build(folder: Path) -> None:
    """Builds everything into `folder` (the package's own, or its copy in a wheel). Raises Missing, Failed."""
    from classhook.native.building import embed, hotpath

    python()
    home = jdk_home()
    include_dirs = [str(home / "include"), str(home / "include" / "linux")]
    compiler()
    macros = python_macros()
    package = tree.TREE / tree.PACKAGE if folder == HERE else folder.parent
    say(f"{'half a minute' if hotpath.left_pure() else 'two and a half minutes'} of processor time follow")
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        with step("compiling the agent"):
            build_agent(folder / "libclasshook.so", scratch, include_dirs)
            build_layout(folder / "_layout.py", scratch)
            if OF_HEAP:
                build_heap(folder / "libclasshook_heap.so", scratch)
                build_layout(folder / "_heap.py", scratch, header.HEAP)
            build_slots(folder / "_slots.py", scratch)
            build_facts(folder / "_built.py", scratch)
            build_records(package / RECORDS, scratch)
            if folder != HERE:  # imported by the modules compiled next
                build_slots(HERE / "_slots.py", scratch)
                build_records(tree.TREE / tree.PACKAGE / RECORDS, scratch)
        build_other_agents(folder, scratch)
        hotpath.forget(package)
        with step("making the parser of rules"):
            build_grammar(folder.parent / TABLES, scratch)
        with step(
            "compiling the weaver with mypyc and gcc, which takes a minute or two" if not hotpath.left_pure() else ""
        ):
            hotpath.build(package, scratch / "hotpath")
        with step("compiling the library that embeds Python"):
            rpath = "" if portable() else str(libpython().parent)
            install(embed.build(scratch / "cffi", macros, include_dirs, rpath), folder / "libclasshook_python.so")


class BuildNative(build_ext):
    """setuptools' build_ext command; runs the build above instead of compiling extension modules."""

    def run(self) -> None:
        folder = HERE if self.inplace or self.editable_mode else Path(self.build_lib) / tree.PACKAGE / "native"
        try:
            build(folder)
        except (Missing, Failed) as error:
            raise SystemExit(f"classhook: {error}") from None

    def get_outputs(self) -> list[str]:
        if self.inplace:
            return []
        from classhook.native.building import hotpath

        lib = Path(self.build_lib) / tree.PACKAGE
        return [
            *(str(lib / "native" / name) for name in BUILT),
            str(lib / TABLES),
            str(lib / RECORDS),
            *map(str, hotpath.built(lib)),
        ]

    def get_output_mapping(self) -> dict[str, str]:
        return {}

    def get_source_files(self) -> list[str]:
        return [str(path.relative_to(HERE.parent)) for path in sorted([*HERE.rglob("*.[ch]"), *HERE.rglob("*.java")])]


def main(arguments: Sequence[str] = ()) -> Any:
    """``python -m classhook.native.building``: builds in place; with MACHINE FILE, only the agent for another
    machine."""
    machine, *target = arguments or [""]
    if machine and (machine.startswith("-") or len(target) != 1):
        print(
            f"usage: python -m classhook.native.building [MACHINE FILE]\n\nmachines: {', '.join(agents.COMPILERS)}",
            file=sys.stderr,
        )
        return sys.exit(2)
    try:
        if not machine:
            return build(HERE)
        with tempfile.TemporaryDirectory() as name:
            Path(*target).write_bytes(agent_for(machine, Path(name)))
    except (Missing, Failed) as error:
        sys.exit(f"classhook: {error}")
    except OSError as error:
        sys.exit(f"classhook: {error.filename}: {error.strerror}")

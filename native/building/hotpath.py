"""Compiles the weaver's hot path with mypyc, which makes it three to five times as fast; the pure modules keep working.

The compiled modules lie beside the sources, and Python prefers them; `make` rebuilds them when a source is newer.
mypyc writes a C file for each module, so that gcc works on all processors; one file for all takes one processor, and
740 MB of memory.
"""

from __future__ import annotations

import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from classhook.native.building import imports, tree

CALLED_BY_C = "weaving.agent_calls"  # it hands on, and takes no time itself
#: The modules that these ones import, directly or not, are compiled, if they lie in one of the rooms.
ROOTS = (
    CALLED_BY_C,
    "rules.ruleset",
    "classfile.widen",  # imported when a method needs it
    "rules.languages.written",  # likewise
    "coverage.exact_probes",  # likewise
    "coverage.analysis",
    "coverage.bundle",
    "coverage.class_id",
)
ROOMS = ("classfile", "coverage", "measures", "probes", "rules", "weaving")


def sources() -> list[Path]:
    """The files of the modules to compile, seen from tree.TREE."""
    files = imports.sources()
    graph = imports.graph(files, only_at_import=True)
    found = [
        name
        for name in sorted(imports.reached(graph, ROOTS))
        if name.partition(".")[0] in ROOMS and name != CALLED_BY_C
    ]
    # a compiled package does not find its own modules reliably: not while it is imported, nor from a function in an
    # embedded interpreter
    whole = imports.graph(files)
    return [
        files[name].relative_to(tree.TREE)
        for name in found
        if not any(other.startswith(f"{name}.") for other in whole[name])
    ]


def built(folder: Path) -> list[Path]:
    """The compiled modules of an earlier build in `folder`, which is the package's."""
    return [
        path
        for pattern in ("native/*__mypyc.*.so", *(f"{room}/**/*.so" for room in ROOMS))
        for path in folder.glob(pattern)
    ]


def forget(folder: Path) -> None:
    """Removes the compiled modules of an earlier build, which Python would import in the place of sources that have
    changed since."""
    for old in built(folder):
        old.unlink()


def left_pure() -> bool:
    """True if nothing is to be compiled: for a quick installation."""
    return os.environ.get("CLASSHOOK_PURE") == "1"


def build(folder: Path, scratch: Path) -> None:
    """Compiles into the package in `folder`. With CLASSHOOK_PURE=1, or with a notice if mypyc is missing, leaves them
    pure."""
    forget(folder)
    if left_pure():
        return
    try:
        from mypyc.build import mypycify
    except ImportError:
        print(
            "classhook: mypyc is not installed; the weaver stays pure Python and is three to five times slower",
            file=sys.stderr,
        )
        return
    here = Path.cwd()
    os.chdir(tree.TREE)  # mypyc derives module names from paths relative to it
    try:
        files = [str(path) for path in sources()]
        # what they only name in types is checked by `make test`; its libraries are not there while pip builds
        options = ["--follow-imports=silent", *files]
        code = scratch / "c"
        extensions = mypycify(
            options, opt_level="2", multi_file=True, group_name="classhook.native.hotpath", target_dir=str(code)
        )
        for extension in extensions:
            extension.include_dirs.append(str(code / tree.PACKAGE / "native"))  # mypyc looks for its headers above them
        compile_extensions(extensions, scratch)
    finally:
        os.chdir(here)
    for path in (scratch / "lib").rglob("*.so"):
        target = folder / path.relative_to(scratch / "lib" / tree.PACKAGE)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)


def compile_extensions(extensions: list[Any], scratch: Path) -> None:
    """Runs setuptools' own build_ext, not the project's, on all processors."""
    from setuptools import Distribution
    from setuptools.command.build_ext import build_ext

    class Parallel(build_ext):
        """Compiles the files of an extension side by side; setuptools itself does so with whole extensions only."""

        def build_extension(self, extension: Any) -> None:
            def compiled(source: str) -> list[str]:
                objects: list[str] = self.compiler.compile(
                    [source],
                    output_dir=self.build_temp,
                    include_dirs=extension.include_dirs,
                    extra_postargs=extension.extra_compile_args,
                )
                return objects

            if len(extension.sources) > 1:
                with ThreadPoolExecutor(processors) as pool:
                    extension.extra_objects += [
                        made for objects in pool.map(compiled, extension.sources) for made in objects
                    ]
                extension.sources = []
            super().build_extension(extension)

    processors = len(os.sched_getaffinity(0))
    command = Parallel(Distribution({"name": "hotpath", "ext_modules": extensions}))
    command.build_lib, command.build_temp, command.inplace = str(scratch / "lib"), str(scratch / "temp"), False
    command.parallel = processors
    command.ensure_finalized()
    command.run()

"""Compiles the weaver's hot path with mypyc, which makes it three to five times as fast; the pure modules keep working.

The compiled modules lie beside the sources, and Python prefers them; `make` rebuilds them when a source is newer.
mypyc writes a C file for each module, so that gcc works on all processors; one file for all takes one processor, and 740 MB of memory.
"""

from __future__ import annotations

import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

#: Modules that run for every woven class. Those used only by tools stay pure: classfile.dump, classfile.constants.
MODULES = {
    "classfile": ["annotations", "attributes", "code", "errors", "flow", "frame_heights", "frames", "inits", "insertions", "intervals", "jumps",
                  "layout", "monitors", "opcodes", "pool", "ranges", "reader", "room", "scan", "splice", "tables", "validity", "widen", "write"],
    "rules": ["escapes", "patterns", "ruleset", "syntax", "targets", "words"],
    "instrument/coverage": ["analysis", "body", "bundle", "class_id", "counters", "counts", "effects", "exact", "flow", "labels", "members", "missed",
                            "pattern", "probes"],
    "instrument/coverage/filters": ["base", "coroutines", "kotlin", "kotlin_code", "kotlin_libraries", "methods", "resources", "statements",
                                    "strings", "switches"],
    "instrument/measures": ["alloc", "base", "count", "cover", "event", "exits", "paced", "profile", "resumptions", "short", "time"],
    "instrument/weaving": ["class_weaver", "empty_methods", "method_weaver", "plan", "probe_table", "reasons", "weave"],
}  # fmt: skip


def sources() -> list[Path]:
    """The modules' files."""
    return [ROOT / package / f"{name}.py" for package, names in MODULES.items() for name in names]


def built(folder: Path) -> list[Path]:
    """The compiled modules of an earlier build in `folder`, which holds the packages."""
    tops = sorted({package.partition("/")[0] for package in MODULES})
    return [path for pattern in ["native/*__mypyc.*.so", *(f"{top}/**/*.so" for top in tops)] for path in folder.glob(pattern)]


def left_pure() -> bool:
    """Whether nothing is to be compiled: for a quick installation."""
    return os.environ.get("CLASSHOOK_PURE") == "1"


def build(folder: Path, scratch: Path) -> None:
    """Compiles into the packages in `folder`. With CLASSHOOK_PURE=1, or with a notice if mypyc is missing, leaves them pure."""
    for old in built(folder):
        old.unlink()
    if left_pure():
        return
    try:
        from mypyc.build import mypycify
    except ImportError:
        print("classhook: mypyc is not installed; the weaver stays pure Python and is three to five times slower", file=sys.stderr)
        return
    here = Path.cwd()
    os.chdir(ROOT)  # mypyc derives module names from paths relative to it
    try:
        files = [str(path.relative_to(ROOT)) for path in sources()]
        # what they only name in types is checked by `make test`; its libraries are not there while pip builds
        options = ["--follow-imports=silent", *files]
        code = scratch / "c"
        extensions = mypycify(options, opt_level="2", multi_file=True, group_name="native.hotpath", target_dir=str(code))
        for extension in extensions:
            extension.include_dirs.append(str(code / "native"))  # the group's headers lie in its package, and mypyc looks for them above it
        compile_extensions(extensions, scratch)
    finally:
        os.chdir(here)
    for path in (scratch / "lib").rglob("*.so"):
        target = folder / path.relative_to(scratch / "lib")
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
                    [source], output_dir=self.build_temp, include_dirs=extension.include_dirs, extra_postargs=extension.extra_compile_args
                )
                return objects

            if len(extension.sources) > 1:
                with ThreadPoolExecutor(processors) as pool:
                    extension.extra_objects += [made for objects in pool.map(compiled, extension.sources) for made in objects]
                extension.sources = []
            super().build_extension(extension)

    processors = len(os.sched_getaffinity(0))
    command = Parallel(Distribution({"name": "hotpath", "ext_modules": extensions}))
    command.build_lib, command.build_temp, command.inplace = str(scratch / "lib"), str(scratch / "temp"), False
    command.parallel = processors
    command.ensure_finalized()
    command.run()

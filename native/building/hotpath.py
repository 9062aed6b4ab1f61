"""Compiles the weaver's hot path with mypyc, which makes it three to five times as fast; the pure modules keep working.

The compiled modules lie beside the sources, and Python prefers them; `make` rebuilds them when a source is newer.
"""

from __future__ import annotations

import os
import shutil
import sys
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
        compile_extensions(mypycify(options, opt_level="3", group_name="native.hotpath", target_dir=str(scratch / "c")), scratch)
    finally:
        os.chdir(here)
    for path in (scratch / "lib").rglob("*.so"):
        target = folder / path.relative_to(scratch / "lib")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)


def compile_extensions(extensions: list[Any], scratch: Path) -> None:
    """Runs setuptools' own build_ext, not the project's."""
    from setuptools import Distribution
    from setuptools.command.build_ext import build_ext

    command = build_ext(Distribution({"name": "hotpath", "ext_modules": extensions}))
    command.build_lib, command.build_temp, command.inplace = str(scratch / "lib"), str(scratch / "temp"), False
    command.ensure_finalized()
    command.run()

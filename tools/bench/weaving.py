"""The time to weave a class: about 2,000 classes of java.base, the same in all variants, each time in a fresh process.

1. The classes are those that a JVM has loaded when it runs main, which the agent weaves all at once, and others by name
   up to 2,000, loaded by Load.java. Further classes that these load are woven and included, too.
2. In the JVM: the time in the agent's hook, over all classes that it wove, without Python's start.
3. The weaver alone, in Python: from bytes to bytes and probe table, compiled by mypyc and not. With `time`, 64 % of it
   was in libpython, 24 % in our modules and 8 % in the kernel (`perf record -e cpu-clock`).
4. ASM, in Java: from bytes to bytes, with a call at each method's entry and nothing else (AsmWeave.java).
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from classhook.classfile import splice
from classhook.classfile.reader import ClassFile
from classhook.native.building import tree
from classhook.probes import probe_table
from classhook.probes.records import ClassRecord
from classhook.rules.compiled import dumps
from classhook.rules.parse import load
from classhook.store.data_file import DataFile
from classhook.store.layout import lib
from tests import peers
from tools.bench.common import HERE, Agent, compiled, oldest, own_classes, peer, printed, scratch
from tools.bench.figures import Results, Values, runs, table

CLASSES = 2000
RULES = {
    "count": ("count jdk:**::*",),
    "time": ("time jdk:**::*",),
    "time and alloc": ("time jdk:**::*", "alloc * in jdk:**"),
}
COMPILED = splice.__file__.endswith(".so")
HOW = {
    "hook": "in the JVM, cold",
    "warm": "in the JVM, from the cache",
    "compiled": "weaver alone",
    "pure": "weaver alone, without mypyc",
}


def measure(results: Results) -> None:
    release, java = oldest()
    folder = own_classes(java)
    names = scratch() / "names.txt"
    chosen = choose(java, folder, names)
    sizes = [(folder / path_of(name)).stat().st_size for name in chosen]
    results.facts = {"release": release, "classes": f"{len(chosen):,}", "bytes": f"{sum(sizes) / len(sizes):,.0f}"}
    variants: dict[str, Callable[[], Values]] = {}
    for name, rules in RULES.items():
        for how, cold in (("hook", True), ("warm", False)):
            agent = Agent(rules, f"weaving-{name}-{how}", cold)
            agent.run(java, words(names))
            variants[f"{how}/{name}"] = partial(agent.run, java, words(names), a_class)
        file = scratch() / f"{name}.rules"
        file.write_text(dumps(load([], list(rules))))
        for how, packages in (("compiled", tree.make()), ("pure", pure())):
            if how == "pure" or COMPILED:
                line: list[str | Path] = [sys.executable, "-P", HERE / "weaver.py", names, folder, file]
                line[:0] = ["/usr/bin/env", f"PYTHONPATH={packages}"]
                variants[f"{how}/{name}"] = partial(printed, "us", line)
    variants["asm/count"] = partial(asm, java, names, folder)
    results.by_turns(variants, runs(), "2,000 classes")


def path_of(name: str) -> str:
    return name.replace(".", "/") + ".class"


def words(names: Path) -> list[str | Path]:
    return ["-cp", compiled("Load.java"), "Load", names]


def choose(java: str, folder: Path, names: Path) -> list[str]:
    """The names of the classes, which are also written to a file."""
    agent = Agent(RULES["time"])

    def woven(wanted: list[str]) -> list[str]:
        found: list[str] = []

        def see(file: DataFile) -> Values:
            found.extend(woven_names(file))
            return {}

        names.write_text("".join(f"{name}\n" for name in wanted))
        agent.run(java, words(names), see)
        return [name for name in dict.fromkeys(found) if (folder / path_of(name)).exists()]

    at_start = woven([])
    with_code = (path for path in sorted(folder.glob("java/**/*.class")) if has_code(path))
    by_name = (str(path.relative_to(folder).with_suffix("")).replace("/", ".") for path in with_code)
    others = [name for name in by_name if name not in set(at_start)]
    found = woven(others[: CLASSES - len(at_start)])
    names.write_text("".join(f"{name}\n" for name in found))
    return found


def has_code(path: Path) -> bool:
    return any(method.code_at for method in ClassFile.parse(path.read_bytes()).methods)


def woven_names(file: DataFile) -> list[str]:
    """The classes that the agent wove, in order."""
    texts = [text for kind, _, _, text in file.descriptions() if kind in (lib.CH_META_CLASS, lib.CH_META_SKIP)]
    records = [record for text in texts for record in probe_table.decode(text)]
    return [record.name.replace("/", ".") for record in records if isinstance(record, ClassRecord)]


def a_class(file: DataFile) -> Values:
    """The mean over the classes that the agent wove."""
    header = file.header
    return {"us": header.weaving_ns / max(header.matched, 1) / 1e3, "python": header.python_ns / 1e6}


def pure() -> Path:
    """A copy of the package without mypyc's compiled modules."""
    out = scratch() / "pure"
    shutil.copytree(
        tree.make() / tree.PACKAGE,
        out / tree.PACKAGE,
        ignore=shutil.ignore_patterns("*.cpython-*.so", "__pycache__"),
        dirs_exist_ok=True,
    )
    return out


def asm(java: str, names: Path, folder: Path) -> Values:
    library = peer(peers.ASM)
    return printed(
        "us", [java, "-cp", f"{compiled('AsmWeave.java', library)}{os.pathsep}{library}", "AsmWeave", names, folder]
    )


def tables(results: Results) -> str:
    rows = []
    for how, what in HOW.items():
        cells = [results.figure(how, name, "us").text("{:.0f} us") for name in RULES]
        rows.append([what, *cells])
    rows.append(
        ["ASM in a fresh JVM, a call at the entry", results.figure("asm", "count", "us").text("{:.0f} us"), "", ""]
    )
    return table(["mean per class", "`count` on every method", "`time` on every method", "`time` and `alloc *`"], rows)

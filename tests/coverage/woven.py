"""Weaves the probes into classes as simply as can be: a call of Hits.hit with the probe's number at each place."""

from __future__ import annotations

import atexit
import os
import shutil
import struct
import tempfile
from functools import lru_cache
from pathlib import Path

from classhook.classfile.code import Code
from classhook.classfile.insertions import BEFORE, BEHIND, EDGE, Insertion
from classhook.classfile.reader import ClassFile
from classhook.classfile.splice import Context, Edit, splice
from classhook.classfile.write import rebuild
from classhook.coverage.placement import CASE, ENTER, EXIT, FALL, GOTO, TAKEN
from classhook.coverage.placing import place
from tests import compiling
from tests.conftest import Jvm, execute
from tests.coverage.conftest import SOURCES, class_files

#: By kind: the rank of the insertion, and whether it is on an edge.
RANKS = {FALL: BEHIND, EXIT: BEFORE, GOTO: BEFORE, TAKEN: EDGE, CASE: EDGE, ENTER: BEFORE}


def weave(data: bytes, first: int, level: int) -> tuple[bytes, int]:
    """The woven class, and how many probes it has; they are numbered from `first` on."""
    cf = ClassFile.parse(data)
    hit = cf.pool.add_method_ref(b"Hits", b"hit", b"(I)V")
    replaced = {}
    number = first
    for method in cf.methods:
        if not method.code_at:
            continue
        code = Code(data, method.code_at, cf.pool)
        placement = place(code, level)
        insertions = []
        for kind, pc, target in zip(placement.kinds, placement.pcs, placement.targets, strict=True):
            text = b"\x11" + number.to_bytes(2, "big") + b"\xb8" + hit.to_bytes(2, "big")
            rank = RANKS[kind]
            insertions.append(
                Insertion(target, text, rank, stack=1, source=pc)
                if rank == EDGE
                else Insertion(pc, text, rank, stack=1)
            )
            number += 1
        replaced[method.code_at] = splice(code, Edit(insertions), cf.pool, Context.from_method(cf, method))
    return rebuild(cf, replaced), number - first


@lru_cache
def hits_class(javac: Path) -> Path:
    """The folder with the compiled Hits."""
    folder = Path(tempfile.mkdtemp(prefix="classhook-test-hits-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    compiling.javac(javac, "--release", "17", "-d", folder, SOURCES / "hits" / "Hits.java")
    return folder


def run(classes: Path, main: str, level: int, jvm: Jvm, jdk: Jvm, folder: Path) -> dict[str, tuple[bytes, list[int]]]:
    """Runs the program with probes: by class name, its original bytes and its hits."""
    out = folder / "woven"
    out.mkdir()
    parts = []
    first = 0
    for data in class_files(classes):
        woven, count = weave(data, first, level)
        name = ClassFile.parse(data).name
        (out / f"{name}.class").write_bytes(woven)
        parts.append((name, data, first, count))
        first += count
    file = folder / "hits"
    done = execute(
        [
            jvm.java,
            f"-Dhits.file={file}",
            "-ea",
            "-Xverify:all",
            "-cp",
            f"{out}{os.pathsep}{hits_class(jdk.tool('javac'))}",
            main,
        ]
    )
    assert done.status == 0, done.stderr
    counts = list(struct.unpack(f">{1 << 16}q", file.read_bytes()))
    return {name: (data, counts[first : first + count]) for name, data, first, count in parts}

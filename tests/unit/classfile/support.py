"""Shared by the tests of classfile: hand-made class files, the JDK's own classes, a JVM to verify with."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import zipfile
from functools import lru_cache
from pathlib import Path

import pytest

from classhook.classfile.code import Code
from classhook.classfile.errors import CodeTooLarge
from classhook.classfile.frames import INTEGER
from classhook.classfile.inits import phases
from classhook.classfile.insertions import BEFORE, EDGE, Edit, Handler, Insertion, Label
from classhook.classfile.intervals import without
from classhook.classfile.monitors import locked_pcs
from classhook.classfile.opcodes import UNCONDITIONAL
from classhook.classfile.pool import ConstantPool
from classhook.classfile.reader import ClassFile
from classhook.classfile.scan import Scan
from classhook.classfile.splice import Context, splice
from classhook.classfile.write import rebuild
from tests import compiling


def u2(number: int) -> bytes:
    return number.to_bytes(2, "big")


def u4(number: int) -> bytes:
    return number.to_bytes(4, "big")


class Builder:
    """A class T under construction; its pool is classfile's, initially empty."""

    def __init__(self, major: int = 49, super_name: bytes = b"java/lang/Object", minor: int = 0) -> None:
        self.pool = ConstantPool(b"\x00\x01", 0)
        self.major = major
        self.minor = minor
        self.this_class = self.pool.add_class(b"T")
        self.super_class = self.pool.add_class(super_name)
        self.fields: list[bytes] = []
        self.methods: list[bytes] = []

    def field(self, name: bytes, descriptor: bytes, flags: int) -> Builder:
        self.fields.append(u2(flags) + u2(self.pool.add_utf8(name)) + u2(self.pool.add_utf8(descriptor)) + u2(0))
        return self

    def attribute(self, name: bytes, body: bytes) -> bytes:
        return u2(self.pool.add_utf8(name)) + u4(len(body)) + body

    def method(
        self,
        name: bytes,
        descriptor: bytes,
        code: bytes,
        *,
        flags: int = 9,
        max_stack: int = 10,
        max_locals: int = 10,
        exceptions: tuple[tuple[int, int, int, int], ...] = (),
        attributes: tuple[tuple[bytes, bytes], ...] = (),
    ) -> Builder:
        body = u2(max_stack) + u2(max_locals) + u4(len(code)) + code
        body += u2(len(exceptions)) + b"".join([u2(n) for entry in exceptions for n in entry])
        body += u2(len(attributes)) + b"".join([self.attribute(*a) for a in attributes])
        head = u2(flags) + u2(self.pool.add_utf8(name)) + u2(self.pool.add_utf8(descriptor)) + u2(1)
        self.methods.append(head + self.attribute(b"Code", body))
        return self

    def build(self) -> bytes:
        head = b"\xca\xfe\xba\xbe" + u2(self.minor) + u2(self.major) + self.pool.to_bytes()
        head += u2(0x21) + u2(self.this_class) + u2(self.super_class) + u2(0)
        head += u2(len(self.fields)) + b"".join(self.fields) + u2(len(self.methods))
        return head + b"".join(self.methods) + u2(0)


def first_code(data: bytes) -> tuple[ClassFile, Code, Context]:
    """The class, its first method's Code, and that method's context."""
    cf = ClassFile.parse(data)
    method = cf.methods[0]
    return cf, Code.parse(data, method.code_at, cf.pool), Context.from_method(cf, method)


def spliced(data: bytes, edit: Edit) -> bytes:
    """The class with its first method edited."""
    cf, code, context = first_code(data)
    return rebuild(cf, {cf.methods[0].code_at: splice(code, edit, cf.pool, context)})


def on_edges(scan: Scan, rnd: random.Random, use: bytes) -> list[Insertion]:
    """Inserts code on edges, taken and falling through. Some of it jumps itself, with a value on the stack at the
    target."""
    branching = b"\x03\x59\x99\0\4\0\x57"  # iconst_0, dup, ifeq over nop, pop
    insertions: list[Insertion] = []
    for pc in [*scan.jumps16, *scan.jumps32, *scan.switches]:
        for target in dict.fromkeys(scan.targets(pc)):
            for _ in range(rnd.choice((0, 1, 1, 2))):
                guarded = rnd.random() < 0.7
                if rnd.random() < 0.5:
                    insertions.append(Insertion(target, branching, EDGE, guarded, 2, [Label(6, [INTEGER])], pc))
                else:
                    insertions.append(Insertion(target, use, EDGE, guarded, 1, source=pc))
        if not UNCONDITIONAL[scan.code[pc]] and rnd.random() < 0.5:
            insertions.append(Insertion(scan.next_pc(pc), use, stack=1))
    return insertions


def woven(data: bytes, rnd: random.Random | None = None) -> bytes:
    """Gives all methods an entry, exits and a handler that use a new local; with `rnd`, also nops anywhere."""
    cf = ClassFile.parse(data)
    replaced: dict[int, bytes] = {}
    for method in cf.methods:
        if not method.code_at:
            continue
        code = Code.parse(data, method.code_at, cf.pool)
        scan = code.scan()
        context = Context.from_method(cf, method)
        local = u2(code.max_locals)
        use = b"\xc4\x15" + local + b"\x57"  # wide iload, pop
        # iconst_0, dup, ifeq over pop, iconst_0 and nop, wide istore; rethrows where that is 0
        entry = b"\x03\x59\x99\0\6\x57\x03\x00" + b"\xc4\x36" + local
        insertions = [Insertion(0, entry, stack=2, labels=[Label(8, [INTEGER])])]
        rethrow = b"\xc4\x15" + local + b"\x99\0\6\0\0\0\xbf"
        insertions += [Insertion(pc, use, BEFORE, stack=1) for pc in scan.returns]
        if rnd is not None:
            insertions += on_edges(scan, rnd, use)
            pcs = [pc for pc, bound in enumerate(scan.bounds) if bound]
            for pc in rnd.sample(pcs, min(len(pcs), 5)):
                insertions.append(Insertion(pc, bytes(rnd.randrange(1, 9)), BEFORE, guarded=rnd.random() < 0.5))
        early, ranges = phases(code, cf.pool, context)
        if scan.monitors:
            locked = locked_pcs(code.code, scan, code.exception_table)
            early, ranges = without(early, locked), without(ranges, locked)
        edit = Edit(insertions, Handler(rethrow, ranges, 1, [Label(10, [])], early if context.strict else []), INTEGER)
        try:
            replaced[method.code_at] = splice(code, edit, cf.pool, context)
        except CodeTooLarge:
            assert len(code.code) > 60000
    return rebuild(cf, replaced)


@lru_cache(maxsize=1)
def jdk_classes() -> tuple[bytes, ...]:
    """Some 300 classes of java.base, picked evenly."""
    java = shutil.which("java")
    if java is None:
        pytest.skip("no JDK: java is not in PATH")
    jmod = Path(os.path.realpath(java)).parent.parent / "jmods" / "java.base.jmod"
    if not jmod.exists():
        pytest.skip(f"no JDK: {jmod} is missing")
    with zipfile.ZipFile(jmod) as jar:  # a jmod is a zip file after four bytes
        names = sorted(name for name in jar.namelist() if name.startswith("classes/") and name.endswith(".class"))
        return tuple(jar.read(name) for name in names[:: max(1, len(names) // 300)])


LINK = """
import java.io.*; import java.net.*; import java.util.*; import java.util.jar.*;
public class Link {
  public static void main(String[] args) throws Exception {
    URL[] urls = { new File(args[0]).toURI().toURL() };
    ClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
    int linked = 0;
    try (JarFile jar = new JarFile(args[0])) {
      for (JarEntry e : Collections.list(jar.entries())) {
        if (!e.getName().endsWith(".class")) continue;
        String name = e.getName().substring(0, e.getName().length() - 6).replace('/', '.');
        try { Class.forName(name, false, loader).getDeclaredMethods(); linked++; }  // getDeclaredMethods links, so verifies
        catch (VerifyError | ClassFormatError x) { System.out.println("bad " + name + " " + x); }
        catch (LinkageError x) { }
      }
    }
    System.out.println("linked " + linked);
  }
}
"""


def run_java(folder: Path, *arguments: str) -> str:
    """Runs `java -Xverify:all ARGUMENTS` in the folder and returns its output; the status must be 0."""
    if shutil.which("java") is None or shutil.which("javac") is None:
        pytest.skip("no JDK: java and javac are not in PATH")
    command = ["java", "-Xverify:all", "-XX:-PrintWarnings", "-cp", ".", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def link(folder: Path, classes: dict[str, bytes]) -> str:
    """Links all classes (path in the jar: bytes) in a JVM; prints a line for each that does not verify."""
    if shutil.which("javac") is None:
        pytest.skip("no JDK: javac is not in PATH")
    with zipfile.ZipFile(folder / "woven.jar", "w") as jar:
        for name, data in classes.items():
            jar.writestr(name, data)
    (folder / "Link.java").write_text(LINK)
    compiling.javac("javac", "-d", folder, folder / "Link.java")
    return run_java(folder, "Link", "woven.jar")

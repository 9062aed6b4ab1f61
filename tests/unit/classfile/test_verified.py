"""Woven classes are verified and run by a JVM: the verifier must accept whatever the splicer inserts."""

from __future__ import annotations

import random
import zipfile
from pathlib import Path

import pytest

from classhook.classfile.code import Code
from classhook.classfile.insertions import BEFORE, BEHIND, EDGE, Edit, Insertion
from classhook.classfile.reader import ClassFile
from classhook.classfile.splice import Context, splice
from classhook.classfile.write import rebuild
from tests import compiling
from tests.conftest import need_jar
from tests.unit.classfile.support import link, on_edges, run_java, woven


def compiled(folder: Path, source: str, *options: str) -> dict[str, bytes]:
    """The classes that javac makes of Main.java."""
    (folder / "Main.java").write_text(source)
    try:
        compiling.javac("javac", *options, "-d", folder, folder / "Main.java")
    except FileNotFoundError:
        pytest.skip("no JDK: javac is not in PATH")
    return {path.name: path.read_bytes() for path in folder.glob("*.class")}


@pytest.mark.rest
@pytest.mark.parametrize("nops", [False, True])
def test_a_whole_jar_verifies(tmp_path: Path, nops: bool) -> None:
    rnd = random.Random(3) if nops else None
    with zipfile.ZipFile(need_jar("h2.jar")) as jar:
        names = [name for name in jar.namelist() if name.endswith(".class") and not name.startswith("META-INF")]
        out = link(tmp_path, {name: woven(jar.read(name), rnd) for name in names})
    assert "bad" not in out
    assert int(out.split()[-1]) > 0.95 * len(names)


MAIN = """
import java.util.*;
public class Main {
  static class Base { int n; Base(int n) { this.n = n; if (n == 13) throw new IllegalStateException("13"); } }
  static class Sub extends Base {
    final Object o;
    Sub(int n, boolean b) { super(b ? n : Arrays.asList(n).get(0) + 1); o = new Object() { int x = n; }; }
    Sub(int n) { this(n, n > 3); }
  }
  static synchronized int locks(Object o, int n) {
    synchronized (o) { synchronized (Main.class) { if (n == 2) return 5; if (n == 3) throw new RuntimeException("3"); } n++; }
    return n;
  }
  static long words(String s, double d, long l) {
    long sum = l;
    String[] split = s.split(" ");
    for (String w : split) switch (w) { case "a": sum += 1; break; case "bb": sum *= 3; break; default: sum -= (long) d; }
    switch ((int) sum) { case 1: case 2: case 3: sum += 100; break; case 4: sum = 0; }
    try { if (sum % 2 == 0) throw new Exception("even"); } catch (Exception e) { sum += e.getMessage().length(); }
    finally { sum++; }
    do { sum--; } while (sum > 1000);
    return sum;
  }
  public static void main(String[] a) {
    for (int i = 0; i < 15; i++) {
      try { System.out.println(new Sub(i).n + " " + locks(new Object(), i) + " " + words("a bb a ccc " + i, i, i)); }
      catch (RuntimeException e) { System.out.println(e); }
    }
    Runnable r = () -> System.out.println(Arrays.asList(1, 2L, 3.0));
    r.run();
  }
}
"""


@pytest.mark.parametrize("options", [("--release", "8"), ("--release", "17")])
def test_a_program_does_what_it_did(tmp_path: Path, options: tuple[str, ...]) -> None:
    classes = compiled(tmp_path, MAIN, *options)
    expected = run_java(tmp_path, "Main")
    for seed in range(4):
        for name, data in classes.items():
            (tmp_path / name).write_bytes(woven(data, random.Random(seed)))
        assert run_java(tmp_path, "Main") == expected


def wide_source() -> str:
    step = "    a = a * 31 + 1234 ^ x;\n"
    body = "".join([step * 40 + f"    if (a == {1000 + i}) return {i};\n" for i in range(55)])
    return (
        'public class Main {\n  static int f(int x) { int a = x; long w = x; String s = "v";\n  do { if (x > 3)'
        f" {{\n{body}    s += a; w++; }} else {{ a -= 7; }}\n  switch (a & 3) {{ case 0: a++; break; case 1: w--;"
        " break; default: }\n  x++; } while (x < 6);\n  return a + (int) w + s.length(); }\n  static int g(int x)"
        f" {{ int a = x; while (a < 10000000) {{ a = a * 3 + 1;\n  if (a > x) {{ {body} }} }} return a; }}\n  public"
        ' static void main(String[] a) { for (int i = -3; i < 9; i++) System.out.println(f(i) + " " + g(i)); }\n}\n'
    )


def test_jumps_that_outgrow_16_bits(tmp_path: Path) -> None:
    data = compiled(tmp_path, wide_source())["Main.class"]
    expected = run_java(tmp_path, "Main")
    cf = ClassFile.parse(data)
    for length in (1, 2, 5):
        cf = ClassFile.parse(data)
        replaced: dict[int, bytes] = {}
        conditionals = 0
        for method in cf.methods:
            code = Code.parse(data, method.code_at, cf.pool)
            pcs = [pc for pc, bound in enumerate(code.scan().bounds) if bound]
            edit = Edit([Insertion(pc, bytes(length), BEFORE) for pc in pcs[:: 2 if length < 3 else 4]])
            if length == 2:
                use = b"\xc4\x15" + code.max_locals.to_bytes(2, "big") + b"\x57"
                edit.insertions += on_edges(code.scan(), random.Random(5), use)
            edit.insertions.insert(0, Insertion(0, b"\x03\xc4\x36" + code.max_locals.to_bytes(2, "big"), stack=1))
            edit.new_local = b"\x01"
            new = splice(code, edit, cf.pool, Context.from_method(cf, method))
            replaced[method.code_at] = new
            if method.name in "fg":
                conditionals += len(Code.parse(new, 0, cf.pool).scan().jumps32)
        assert conditionals
        (tmp_path / "Main.class").write_bytes(rebuild(cf, replaced))
        assert run_java(tmp_path, "Main") == expected


COUNTED = """
public class Main {
  static int[] n = new int[8];
  static int f(int i) {
    int[] counters = n;
    do { i--; } while (i > 5);
    if (i % 3 == 0) i += 6;
    switch (i) { case 0: case 1: return 1; case 4: i = 9; break; default: i++; }
    return i;
  }
  public static void main(String[] a) {
    for (int i = 0; i < 10; i++) f(i);
    for (int c : n) System.out.print(c + " ");
  }
}
"""


@pytest.mark.parametrize("release", ["8", "17"])
def test_edges_are_counted_when_they_are_taken(tmp_path: Path, release: str) -> None:
    data = compiled(tmp_path, COUNTED, "--release", release)["Main.class"]
    cf = ClassFile.parse(data)
    (f,) = [method for method in cf.methods if method.name == "f"]
    code = Code.parse(data, f.code_at, cf.pool)
    scan = code.scan()
    edges = [(pc, target) for pc in [*scan.jumps16, *scan.switches] for target in dict.fromkeys(scan.targets(pc))]
    edges += [(-1, scan.next_pc(pc)) for pc in scan.jumps16 if code.code[pc] != 0xA7]  # not taken
    insertions = []
    for i, (source, target) in enumerate(edges):
        count = (
            b"\x2b\x10" + bytes((i,)) + b"\x5c\x2e\x04\x60\x4f"
        )  # aload_1, bipush, dup2, iaload, iconst_1, iadd, iastore
        insertions.append(Insertion(target, count, BEHIND if source < 0 else EDGE, stack=4, source=source))
    new = splice(code, Edit(insertions), cf.pool, Context.from_method(cf, f))
    (tmp_path / "Main.class").write_bytes(rebuild(cf, {f.code_at: new}))
    # while, if, break; default, case 0 and 1, case 4; not: while, if
    assert run_java(tmp_path, "Main") == "6 8 1 8 1 1 10 2 "

"""`cover` in programs that run: JaCoCo's numbers, whatever the rules, the end of the program, its loaders and threads,
and the store."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from classhook.classfile.code import Code
from classhook.classfile.reader import ClassFile
from classhook.coverage.analysis import Options, analyze, as_jacoco
from classhook.coverage.bundle import bundle
from classhook.coverage.counters import METHOD, ClassCoverage
from classhook.coverage.execfile import read
from classhook.coverage.placement import BLOCKS, ENTRY, EXACT, FULL, OUT, STARTS
from classhook.coverage.placing import place
from classhook.measures.cover import LACKS
from classhook.measures.cover.reader_classes import Covered, coarsened, covered
from classhook.model.reading.files import data_files
from classhook.store.originals import FOLDER
from classhook.store.reading import read_file
from tests import compiling, jars
from tests.conftest import (
    ENVIRONMENT,
    PATIENCE,
    FindJvm,
    Jvm,
    classhook_command,
    execute,
    releases,
    report_of,
    run_line,
)
from tests.coverage.conftest import SOURCES, Compile, Oracle, assert_equal, nodes_of
from tests.coverage.test_against_jacoco import PROGRAMS
from tests.originals import damage, kept, place_of
from tests.rare.assembler import assemble

RULES = {"cover": ["cover **"], "hits": ["cover ** hits"], "exact": ["cover ** exact"], "both": ["cover ** hits exact"]}
OTHERS = ["time **::*", "time **::* sample 1/10", "profile **::*", "count **::*"]
Classes = dict[str, Covered]
RARE = Path(__file__).parents[1] / "rare" / "asm"


def classes_of(*data: Path) -> Classes:
    """Reads the covered classes, by name; these programs have one version of each class."""
    found = covered([read_file(path) for path in data_files(data)])
    assert len({one.name for one in found}) == len(found)
    return {one.name: one for one in found}


def analysed(one: Covered) -> ClassCoverage:
    assert one.data is not None
    return analyze(one.data, one.hits, Options(level=one.level, levels=one.levels, counts=one.counts))


def probes_of(classes: Classes) -> dict[str, bytes]:
    """By class that ran, its probes as JaCoCo's agent has them."""
    found = {}
    for one in classes.values():
        assert one.data is not None
        found[one.name.replace(".", "/")] = as_jacoco(one.data, one.hits, Options(level=one.level, levels=one.levels))
    return {name: probes for name, probes in found.items() if any(probes)}


def with_jacoco(jvm: Jvm, agent: Path, file: Path, *words: str | Path) -> dict[str, bytes]:
    """By class that ran, its probes, by JaCoCo's agent."""
    done = execute([jvm.java, f"-javaagent:{agent}=destfile={file}", *words])
    assert done.status == 0, done.stderr
    return {one.name: one.probes for one in read(file.read_bytes()).classes.values() if any(one.probes)}


def run(rules: Sequence[str], data: Path, *words: str | Path) -> str:
    """Runs the words under `classhook run`; returns stdout."""
    done = execute(run_line(rules, data, words))
    assert (done.status, done.stderr) == (0, ""), done.stderr
    return done.stdout


@pytest.mark.parametrize("program", ["javac17", "javac17-8", "ecj-8", "javac25-21", "javac25-25"])
@pytest.mark.parametrize("rules", RULES)
def test_numbers_are_those_of_jacocos_agent(
    program: str, rules: str, compile_java: Compile, find_jvm: FindJvm, oracle: Oracle, agent: Path, tmp_path: Path
) -> None:
    folder, compiler, options, release = PROGRAMS[program]
    classes, jvm = compile_java(folder, compiler, *options), find_jvm(release)
    words = ["-ea", "-cp", classes, folder.capitalize()]
    theirs = with_jacoco(jvm, agent, tmp_path / "jacoco.exec", *words)
    run(RULES[rules], tmp_path / "data", jvm.java, "-Xverify:all", *words)
    mine = classes_of(tmp_path / "data")
    assert probes_of(mine) == theirs
    if rules == "cover":
        (jacoco,) = oracle(classes, (tmp_path / "jacoco.exec").read_bytes())
        never = [analyze(file.read_bytes()) for file in sorted(classes.rglob("*.class")) if file.stem not in mine]
        assert_equal(nodes_of(bundle("all", [*map(analysed, mine.values()), *never])), jacoco)


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("rules", RULES)
def test_beside_other_measures(other: str, rules: str, compile_java: Compile, jdk: Jvm, tmp_path: Path) -> None:
    classes = compile_java("shapes", "javac17")
    words = [jdk.java, "-ea", "-Xverify:all", "-cp", classes, "Shapes"]
    alone = run(RULES[rules], tmp_path / "alone", *words)
    assert run([*RULES[rules], other, "alloc * in **"], tmp_path / "together", *words) == alone
    assert classes_of(tmp_path / "together") == classes_of(tmp_path / "alone")
    report = report_of(tmp_path / "together")
    assert report["methods"]
    assert report["allocations"]
    assert report["classes"]["skipped"] == []


def test_a_large_program(jdk: Jvm, agent: Path, tmp_path: Path) -> None:
    """All its probes are the same, also in the methods that these make too large for HotSpot to compile, which the
    report names."""
    jar = jars.find("h2.jar") or pytest.skip(jars.missing("h2.jar"))
    script = tmp_path / "script.sql"
    rows = "".join(f"INSERT INTO t VALUES({i}, 'name {i * 7919 % 100}');" for i in range(300))
    script.write_text(
        f"CREATE TABLE t(id INT PRIMARY KEY, name VARCHAR(100));{rows}SELECT name, COUNT(*) FROM t GROUP BY name ORDER"
        " BY name;"
    )
    words = ["-cp", jar, "org.h2.tools.RunScript", "-url", "jdbc:h2:mem:x", "-script", script]
    theirs = with_jacoco(jdk, agent, tmp_path / "jacoco.exec", *words)
    run(["cover org.h2.**"], tmp_path / "data", jdk.java, *words)
    mine = classes_of(tmp_path / "data")
    assert [name for name, one in mine.items() if one.levels] == []
    classes = report_of(tmp_path / "data")["classes"]
    assert {(row["class"], row["method"]) for row in classes["not_compiled"]} == {
        ("org.h2.command.Parser", "readBuiltinFunctionIf")
    }
    assert classes["skipped"] == []
    ours = probes_of(mine)
    theirs = {name: probes for name, probes in theirs.items() if name.startswith("org/h2/")}
    assert len(theirs) > 200
    assert ours["org/h2/command/Parser"] == theirs["org/h2/command/Parser"]
    # its background threads, and caches that the garbage collector empties, differ from run to run
    different = {name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name)}
    assert len(different) <= 5, different


@pytest.mark.parametrize("release", releases(17, 25))
@pytest.mark.parametrize("rules", ["cover", "hits"])
def test_each_call_of_a_subroutine_counts_for_itself(
    rules: str, release: int, compile_java: Compile, find_jvm: FindJvm, oracle: Oracle, agent: Path, tmp_path: Path
) -> None:
    """JaCoCo, which also replaces jsr by a copy, counts the same; here other measures are beside the coverage."""
    classes, jvm = tmp_path / "classes", find_jvm(release)
    classes.mkdir()
    (classes / "Jsr.class").write_bytes(assemble((RARE / "jsr.asm").read_text())[0].data)
    words = ["-Xverify:all", "-cp", f"{classes}{os.pathsep}{compile_java('subroutines', 'javac17')}", "Subroutines"]
    with_jacoco(jvm, agent, tmp_path / "jacoco.exec", *words)
    run([*RULES[rules], "profile Jsr::*", "alloc * in Jsr"], tmp_path / "data", jvm.java, *words)
    assert report_of(tmp_path / "data")["classes"]["skipped"] == []
    (theirs,) = oracle(classes, (tmp_path / "jacoco.exec").read_bytes())
    ours = nodes_of(bundle("all", [analysed(classes_of(tmp_path / "data")["Jsr"])]))
    # one method has a jump to where a subroutine returns to: of that jump, JaCoCo does not know whether it was taken
    methods = {key for key in theirs if key[0] == "method" and ".twice(" not in key[1]}
    assert len(methods) == 4
    assert {key: ours[key] for key in methods} == {key: theirs[key] for key in methods}


#: Subroutines that go on in code of the method's own, or after a jsr of theirs: `again` and `later` never return.
SHARING = """
.class public super Sharing version 48
.method public static main ([Ljava/lang/String;)V stack 4 locals 2
  iconst_0
  istore_1
  goto print
 again: pop
  iinc 1 1
 print: getstatic java/lang/System.out Ljava/io/PrintStream;
  iload_1
  invokevirtual java/io/PrintStream.println (I)V
  iload_1
  iconst_3
  if_icmplt more
  iload_1
  ifeq last
  jsr later
  return
 more: jsr again
  return
 deep: astore_0
  ret 0
 later: pop
  jsr deep
 last: return
"""


@pytest.mark.parametrize("release", releases(17, 25))
def test_a_subroutine_that_goes_on_in_shared_code(release: int, find_jvm: FindJvm, tmp_path: Path) -> None:
    (tmp_path / "Sharing.class").write_bytes(assemble(SHARING)[0].data)
    words = [find_jvm(release).java, "-Xverify:all", "-cp", tmp_path, "Sharing"]
    assert run(RULES["cover"], tmp_path / "data", *words) == "0\n1\n2\n3\n"
    counters = analysed(classes_of(tmp_path / "data")["Sharing"]).counters
    assert counters[:2] == [2, 25]  # not the returns behind `jsr later` and `jsr again`


# ---- the small program

Program = Callable[..., list[str | Path]]


@pytest.fixture(scope="module")
def program(compile_java: Compile) -> Program:
    """The words that run a part of Agent.java."""
    return lambda jvm, part: [jvm.java, "-Xverify:all", "-cp", compile_java("agent", "javac17"), "Agent", part]


def ran(name: str, source: str = "Agent.java") -> dict[int, int]:
    """Reads from the comments of a source how often their lines run."""
    lines = (SOURCES / "agent" / source).read_text().splitlines()
    return {i: int(line.partition("// ran ")[2]) for i, line in enumerate(lines, 1) if "// ran " in line}


def test_hits_are_exact_over_threads(jvm: Jvm, program: Program, tmp_path: Path) -> None:
    run(["cover ** hits"], tmp_path / "data", *program(jvm, "threads"))
    found = {one.name: one for one in analysed(classes_of(tmp_path / "data")["Agent"]).methods}["looped"]
    expected = ran("looped")
    assert {line: found.line_hits[line] for line in expected} == expected


def test_copies_of_a_class_are_one(jvm: Jvm, program: Program, tmp_path: Path) -> None:
    assert run(["cover **"], tmp_path / "data", *program(jvm, "loaders")) == "left\nright\n"
    assert {
        line: four
        for line, four in analysed(classes_of(tmp_path / "data")["Copied"]).lines.items()
        if four[0] or four[2]
    } == {1: [3, 0, 0, 0]}


def test_the_program_sees_no_difference(jvm: Jvm, program: Program, tmp_path: Path) -> None:
    words = program(jvm, "reflection")
    assert run(["cover **"], tmp_path / "data", *words) == execute(words).stdout


def test_halt_keeps_what_was_covered(jvm: Jvm, program: Program, tmp_path: Path) -> None:
    assert execute(run_line(["cover **"], tmp_path / "data", program(jvm, "halt"))).status == 3
    assert_looped(tmp_path / "data")


def test_a_killed_program_keeps_what_was_covered(jvm: Jvm, program: Program, tmp_path: Path) -> None:
    line = run_line(
        ["cover **"], tmp_path / "data", ["bash", "-c", 'echo $$; exec "$@"', "bash", *program(jvm, "kill")]
    )
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        while process.stdout.readline() != "ready\n":
            pass
        os.kill(pid, signal.SIGKILL)
        process.wait(PATIENCE)
    assert_looped(tmp_path / "data")


def assert_looped(data: Path) -> None:
    """`looped` is covered, and the line of `main` that called it."""
    found = {one.name: one for one in analysed(classes_of(data)["Agent"]).methods}
    assert all(four[0] == four[2] == 0 for four in found["looped"].lines.values())
    text = (SOURCES / "agent" / "Agent.java").read_text().splitlines()
    (line,) = [i for i, one in enumerate(text, 1) if "// before the end" in one]
    assert found["main"].lines[line][1] > 0


# ---- rules, cache, store, several runs


def shapes(compile_java: Compile, jvm: Jvm) -> list[str | Path]:
    return [jvm.java, "-ea", "-cp", compile_java("shapes", "javac17"), "Shapes"]


def test_what_rules_leave_out_does_not_count(compile_java: Compile, jdk: Jvm, tmp_path: Path) -> None:
    run(["cover Shapes except Shapes::byNumber"], tmp_path / "data", *shapes(compile_java, jdk))
    classes = classes_of(tmp_path / "data")
    assert list(classes) == ["Shapes"]
    assert list(classes["Shapes"].levels.values()) == [OUT]
    names = {one.name for one in analysed(classes["Shapes"]).methods}
    assert "byNumber" not in names
    assert "byString" in names


def test_a_run_with_the_cache_is_the_same(compile_java: Compile, jdk: Jvm, tmp_path: Path) -> None:
    for name in ("cold", "warm"):
        line = run_line(["cover **"], tmp_path / name, shapes(compile_java, jdk))
        line[line.index("--") : line.index("--")] = ["--cache", tmp_path / "cache"]
        assert execute(line).stderr == ""
    cold, warm = report_of(tmp_path / "cold"), report_of(tmp_path / "warm")
    assert warm["classes"]["cached"] == cold["classes"]["woven"] > 0
    assert warm["processes"][0]["python_start_ns"] == 0
    assert classes_of(tmp_path / "warm") == classes_of(tmp_path / "cold")


def test_runs_are_united(compile_java: Compile, jdk: Jvm, tmp_path: Path) -> None:
    """Whatever their rules; the store has each class once."""
    runs = {name: tmp_path / name for name in RULES}
    for name, data in runs.items():
        run(RULES[name], data, *shapes(compile_java, jdk))
    full = probes_of(classes_of(runs["cover"]))
    for others in (["cover", "exact"], ["hits", "exact"], ["hits", "both"], ["cover", "hits"]):
        assert probes_of(classes_of(*(runs[name] for name in others))) == full, others
    run(RULES["hits"], runs["hits"], *shapes(compile_java, jdk))
    once, twice = (analysed(classes_of(data)["Shapes"]).counters for data in (runs["both"], runs["hits"]))
    assert once == twice
    assert len(kept(runs["hits"])) == len(full)


def test_runs_of_different_levels_are_united_by_the_coarser(compile_java: Compile, jdk: Jvm, tmp_path: Path) -> None:
    run(RULES["exact"], tmp_path / "data", *shapes(compile_java, jdk))
    one = classes_of(tmp_path / "data")["Shapes"]
    assert one.data is not None
    cf = ClassFile.parse(one.data)
    at = 0
    for method in cf.methods:
        code = Code(one.data, method.code_at, cf.pool)
        fine = place(code, EXACT)
        hits = one.hits[at : at + fine.count]
        at += fine.count
        full, blocks = coarsened(code, hits, EXACT, FULL), coarsened(code, hits, EXACT, BLOCKS)
        assert list(full) == list(hits[: fine.standard])
        assert list(coarsened(code, full, FULL, BLOCKS)) == list(blocks)
        assert len(blocks) == place(code, BLOCKS).count
        assert list(coarsened(code, hits, EXACT, ENTRY)) == [int(any(hits))]


def test_a_store_that_cannot_be_written(compile_java: Compile, jdk: Jvm, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / FOLDER).write_text("in the way")
    done = execute(run_line(["cover **"], data, shapes(compile_java, jdk)))
    assert done.status == 0
    (said,) = [line for line in done.stderr.splitlines() if "class files" in line]
    assert f"cannot be kept in {data}/{FOLDER}: Not a directory; the program runs on" in said
    assert "make that folder writable" in said
    report = execute([*classhook_command(), "report", data])
    assert report.status == 1
    assert f"class files could not be kept in {data}/{FOLDER}: Not a directory" in report.stdout
    files = [read_file(path) for path in data_files([data])]
    assert {one.data for one in covered(files)} == {None}
    assert any("is missing or damaged" in note for note in files[0].notes)


@pytest.mark.parametrize("how", ["missing", "torn", "other"])
def test_a_damaged_original_is_not_used(how: str, compile_java: Compile, jdk: Jvm, tmp_path: Path) -> None:
    run(["cover **"], tmp_path / "data", *shapes(compile_java, jdk))
    whole = classes_of(tmp_path / "data")
    original = whole["Shapes"].data
    assert original is not None
    damage(place_of(tmp_path / "data", original), how)
    assert classes_of(tmp_path / "data")["Shapes"].data is None
    run(["cover **"], tmp_path / "data", *shapes(compile_java, jdk))  # adds what is missing or cut off
    assert (classes_of(tmp_path / "data")["Shapes"].data is None) == (how == "other")


def test_a_store_of_many_classes(jdk: Jvm, tmp_path: Path) -> None:
    """Two JVMs at the same time, then one that has nothing to add."""
    data = tmp_path / "data"
    (tmp_path / "A.java").write_text("class A { }")
    words = [jdk.java, "-m", "jdk.compiler/com.sun.tools.javac.Main", "-d", tmp_path, tmp_path / "A.java"]
    line = run_line(["cover jdk:com.sun.tools.javac.**"], data, words)
    both = [subprocess.Popen([str(word) for word in line], env=ENVIRONMENT) for _ in range(2)]
    assert [one.wait(PATIENCE) for one in both] == [0, 0]
    found = covered([read_file(path) for path in data_files([data])])
    files = list((data / FOLDER).iterdir())
    assert len(found) > 600
    assert {one.data for one in found} == {*kept(data)}
    assert execute(line).status == 0
    assert list((data / FOLDER).iterdir()) == files


def test_what_another_store_adds_is_found(compile_java: Compile, jdk: Jvm, tmp_path: Path) -> None:
    """Data directories are merged by copying their files into one; what is no store's file is no harm."""
    for name in ("one", "two"):
        run(["cover **"], tmp_path / name, *shapes(compile_java, jdk))
    whole = classes_of(tmp_path / "one")
    (tmp_path / "one" / FOLDER / "x.classes").write_bytes(b"CLSORIG1")
    (tmp_path / "one" / FOLDER / "y.classes").write_bytes(random.Random(1).randbytes(20_000))
    (tmp_path / "one" / FOLDER / "z.classes").mkdir()
    for path in (tmp_path / "one" / FOLDER).glob("[0-9]*"):
        path.unlink()
    assert {one.data for one in classes_of(tmp_path / "one").values()} == {None}
    shutil.copytree(tmp_path / "two" / FOLDER, tmp_path / "one" / FOLDER, dirs_exist_ok=True)
    assert {name: one.data for name, one in classes_of(tmp_path / "one").items()} == {
        name: one.data for name, one in whole.items()
    }


#: By statements in the method: the level that its probes get if it is to be compiled.
SIZES = {30: FULL, 1000: BLOCKS, 500: STARTS, 700: ENTRY}


@pytest.mark.parametrize(
    ("rule", "statements"), [("cover **", 500), *(("cover ** compiled", statements) for statements in SIZES)]
)
def test_a_method_that_gets_too_large(rule: str, statements: int, jdk: Jvm, agent: Path, tmp_path: Path) -> None:
    """It is not compiled and has JaCoCo's probes, or, with `compiled`, fewer; only that method, and the report names
    it."""
    lines = "\n".join("        a();" if statements == 1000 else "        if (n > 3) n--;" for _ in range(statements))
    other = (
        "    static void a() {}\n    static int small(int n) {\n        if (n > 1)\n            return 2;\n       "
        " return 3;\n    }\n"
    )
    text = (
        f"class Large {{\n{other}    static int large(int n) {{\n{lines}\n        return n;\n    }}\n"
        + "    public static void main(String[] args) { large(small(5)); }\n}\n"
    )
    (tmp_path / "Large.java").write_text(text)
    compiling.javac(jdk.tool("javac"), "-g", "-d", tmp_path, tmp_path / "Large.java")
    words = ["-Xverify:all", "-cp", tmp_path, "Large"]
    run([rule], tmp_path / "data", jdk.java, *words)
    one = classes_of(tmp_path / "data")["Large"]
    level = SIZES[statements] if "compiled" in rule else FULL
    assert list(one.levels.values()) == ([] if level == FULL else [level])
    about = report_of(tmp_path / "data")["classes"]
    skipped = [(row["method"], row["reason"], row["detail"].partition(":")[0]) for row in about["skipped"]]
    assert skipped == ([] if level == FULL else [("large", "code-too-large", LACKS[level])])
    assert [row["method"] for row in about["not_compiled"]] == (["large"] if "compiled" not in rule else [])
    if "compiled" not in rule:
        assert probes_of({"Large": one}) == with_jacoco(jdk, agent, tmp_path / "jacoco.exec", *words)
        text = execute([*classhook_command(), "report", tmp_path / "data"]).stdout
        assert "\nToo large for HotSpot to compile: 1\n  Large.large(int): not-compiled: " in text
        assert "not instrumented" not in text
    found = {method.name: method for method in analysed(one).methods}
    assert found["small"].counters[:4] == [2, 5, 1, 1]
    assert found["large"].counters[METHOD + 1] == 1
    if level != ENTRY:
        ran = {line for line, four in found["large"].lines.items() if four[1]}
        assert ran == set(found["large"].lines)


def test_exact_tells_the_call_that_threw(compile_java: Compile, jdk: Jvm, tmp_path: Path) -> None:
    source = SOURCES / "throwing" / "Throwing.java"
    threw = {
        i for i, text in enumerate(source.read_text().splitlines(), 1) if "threw" in text.partition("//")[2].split()
    }
    lines = {}
    for name in ("cover", "exact"):
        run(
            RULES[name],
            tmp_path / name,
            jdk.java,
            f"-Dhits.file={tmp_path}/unused",
            "-cp",
            compile_java("throwing", "javac17"),
            "Throwing",
        )
        lines[name] = {
            line for line, four in analysed(classes_of(tmp_path / name)["Throwing"]).lines.items() if four[1]
        }
    assert lines["exact"] - lines["cover"] == threw
    assert EXACT in {one.level for one in classes_of(tmp_path / "exact").values()}


def test_classes_of_the_jdk(jvm: Jvm, program: Program, tmp_path: Path) -> None:
    """Rules cover all classes of the JDK that the program needs, including those loaded before the agent."""
    assert (
        run(["cover jdk:java.**", "cover jdk:jdk.**"], tmp_path / "data", *program(jvm, "loaders")) == "left\nright\n"
    )
    classes = classes_of(tmp_path / "data")
    assert {"java.lang.String", "java.util.HashMap"} <= set(classes)
    assert sum(any(one.hits) for one in classes.values()) > 100

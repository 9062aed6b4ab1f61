"""Classes that no compiler writes (any more), or writes rarely: woven, each behaves as before, and its counts are
right.

All of them are called by one program (java/Driver.java), on the oldest and the newest JVM. Comments in the sources give
the expected counts of each method: asm/*.asm and large.py for tests/rare's assembler, java/ for ecj and javac.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from classhook.classfile.code import Code
from classhook.classfile.errors import Unsupported
from classhook.classfile.insertions import EDGE, Edit, Insertion
from classhook.classfile.reader import ClassFile
from classhook.classfile.splice import Context, splice
from classhook.probes.records import SkipRecord
from classhook.rules.parse import load, parse_text
from classhook.rules.ruleset import RuleSet
from classhook.weaving.weave import weave
from tests import compiling
from tests.conftest import ENVIRONMENT, PATIENCE, Jvm, Result, execute, releases, report_of, run_line
from tests.jvm.expectations import expectations
from tests.rare.assembler import assemble
from tests.rare.large import LARGE

HERE = Path(__file__).parent
ECJ = Path("/usr/share/java/eclipse-jdt-core.jar")
VERSIONS = releases(17, 25)
RULES = {"both": ("time **::*", "alloc * in **"), "count": ("count **::*",), "some": ("count **::*", "alloc * in **")}
ALL = (
    "time **::* tree",
    "alloc * in ** live",
    "cover ** hits exact",
    "watch **::* show this, args, result, exception, stack 4 first 3",
)
#: The measures that insert calls elsewhere than at a method's entry, its returns and its allocations.
INSIDE = {"profile": ("profile **::*",), "cover": ("cover **",), "all": ALL}
Key = tuple[str, str, str]
Counts = tuple[int, int, int]  # calls, completed, exceptions

SIZES, CRAMPED, ODD = "code-too-large", "constant-pool-full", "unsupported-code"
#: (class, method): what the report says was skipped; everything else must be woven in full. For constant pools see
#: CRAMPED_POOLS.
SKIPPED: dict[str, dict[tuple[str, str], tuple[str, str]]] = {
    "both": {
        ("Jsr", "<init>"): (ODD, "not timed, only counted"),
        ("Limits", "deep"): (ODD, "not timed, only counted"),
        ("Limits", "many"): (ODD, "not timed, only counted"),
        ("Sizes", "m7990"): (SIZES, "not timed, only counted"),
        ("Sizes", "m65526"): (SIZES, "not timed, only counted"),
        ("Sizes", "m65529"): (SIZES, "not timed, only counted"),
        ("Sizes", "m65530"): (SIZES, "not timed, only counted"),
        ("Sizes", "m65531"): (SIZES, ""),
        ("Sizes", "m65535"): (SIZES, ""),
        ("Sizes", "m8000"): (SIZES, ""),
    },
    "count": {("Sizes", "m8000"): (SIZES, ""), ("Sizes", "m65531"): (SIZES, ""), ("Sizes", "m65535"): (SIZES, "")},
}
SKIPPED["some"] = SKIPPED["count"]


@dataclass(frozen=True)
class Program:
    """Classes in a folder; `counts`: from the comments in their sources."""

    folder: Path
    counts: dict[Key, Counts]
    options: tuple[str, ...]

    def line(self, jvm: Jvm, names: str = "names", rounds: int = 0, options: tuple[str, ...] = ()) -> list[str | Path]:
        return [
            jvm.java,
            "-Xverify:all",
            *self.options,
            *options,
            "-cp",
            self.folder,
            "Driver",
            self.folder / names,
            str(rounds),
        ]


def command(*line: str | Path) -> None:
    done = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE, env=ENVIRONMENT)
    assert done.returncode == 0, done.stdout + done.stderr


def ecj(java: Path, source: Path, folder: Path) -> None:
    """Compiles for Java 1.1 with ecj, since javac no longer does; without ecj, this class is skipped."""
    if ECJ.exists():
        compiler = "org.eclipse.jdt.internal.compiler.batch.Main"
        command(java, "-cp", ECJ, compiler, "-source", "1.3", "-target", "1.1", "-g", "-nowarn", "-d", folder, source)


@pytest.fixture(scope="session")
def program(find_jvm: Callable[[int], Jvm], tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Program]:
    @lru_cache
    def make(version: int) -> Program:
        jvm = find_jvm(version)
        folder = tmp_path_factory.mktemp(f"rare-{version}")
        names: list[str] = []
        counts: dict[Key, Counts] = {}
        for source in [
            *(path.read_text() for path in sorted((HERE / "asm").glob("*.asm"))),
            *(large() for large in LARGE),
        ]:
            for one in assemble(source):
                (folder / f"{one.name}.class").write_bytes(one.data)
                names.append(one.name)
                for (method, descriptor), calls in one.calls.items():
                    counts[one.name, method, descriptor] = (calls.calls, calls.completed, calls.exceptions)
        javac = jvm.tool("javac")
        compiling.javac(javac, "-nowarn", "-d", folder, HERE / "java" / "Driver.java")
        ecj(jvm.java, HERE / "java" / "old" / "OldFinally.java", folder / "old")
        compiling.javac(javac, "-g", "-d", folder / "modern", HERE / "java" / "modern" / "Modern.java")
        module = HERE / "java" / "module"
        compiling.javac(javac, "-g", "-d", folder / "module", *module.rglob("*.java"))
        preview = HERE / "java" / f"preview{version}"
        compiling.javac(
            javac,
            "-g",
            "--enable-preview",
            "--release",
            str(version),
            "-d",
            folder / "preview",
            *preview.glob("*.java"),
        )
        for made, sources in (
            ("old", HERE / "java" / "old"),
            ("modern", HERE / "java" / "modern"),
            ("preview", preview),
        ):
            if not (folder / made).exists():
                continue
            for expected in expectations(sources, folder / made, jvm.tool("javap")).values():
                counts |= {key: (c.calls, c.completed, c.exceptions) for key, c in expected.items()}
            names += [path.stem for path in sorted(sources.glob("*.java"))]
            shutil.copytree(folder / made, folder, dirs_exist_ok=True)
            shutil.rmtree(folder / made)
        counts["rare.inside.Inside", "run", "(I)Ljava/lang/String;"] = (8, 8, 0)
        names.append("rare.inside.Inside")
        (folder / "names").write_text("\n".join(names) + "\n")
        (folder / "locks").write_text("Monitors\nJsr\nHandlers\nInits\nOldFinally\nModern\n")
        return Program(
            folder, counts, ("--enable-preview", "-p", str(folder / "module"), "--add-modules", "rare.inside")
        )

    return make


@pytest.fixture(scope="session")
def bare(find_jvm: Callable[[int], Jvm], program: Callable[[int], Program]) -> Callable[[int], Result]:
    @lru_cache
    def run_bare(version: int) -> Result:
        return execute(program(version).line(find_jvm(version)))

    return run_bare


def run_afresh(kind: str, data: Path, command: list[str | Path]) -> Result:
    """Runs with weaving, without the cache of woven classes."""
    line = run_line((RULES | INSIDE)[kind], data, command)
    line.insert(line.index("run") + 1, "--no-cache")
    result = execute(line)
    result.report = report_of(data)
    return result


@pytest.fixture(scope="session")
def woven(
    find_jvm: Callable[[int], Jvm], program: Callable[[int], Program], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[int, str], Result]:
    @lru_cache
    def run_woven(version: int, kind: str) -> Result:
        return run_afresh(kind, tmp_path_factory.mktemp("data"), program(version).line(find_jvm(version)))

    return run_woven


CASES = pytest.mark.parametrize(("version", "kind"), [(version, kind) for version in VERSIONS for kind in RULES])


@CASES
def test_it_does_what_it_did(
    woven: Callable[[int, str], Result], bare: Callable[[int], Result], version: int, kind: str
) -> None:
    ours, theirs = woven(version, kind), bare(version)
    assert ours.stdout == theirs.stdout
    assert ours.stderr == theirs.stderr
    assert ours.status == theirs.status == 0
    assert theirs.stdout.count("cannot be used") == 2  # helper classes, which have no method run


@pytest.mark.parametrize("version", VERSIONS)
def test_all_measures_at_once(
    find_jvm: Callable[[int], Jvm], program: Callable[[int], Program], tmp_path: Path, version: int
) -> None:
    line = program(version).line(find_jvm(version), "locks")
    theirs, ours = execute(line), run_afresh("all", tmp_path, line)
    assert (ours.stdout, ours.stderr, ours.status) == (theirs.stdout, theirs.stderr, 0)
    skipped = {
        (row["class"], row["method"], row["detail"].partition(":")[0]) for row in ours.report["classes"]["skipped"]
    }
    assert skipped <= {("Jsr", "<init>", "not watched"), ("Jsr", "<init>", "not timed, only counted")}
    assert {row["method"] for row in ours.report["coverage"]}


def missing(skipped: list[dict[str, Any]]) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    for row in skipped:
        if not row["class"].startswith("Pool"):
            yield (row["class"], row["method"]), (row["reason"], row["detail"].rpartition(": ")[0])


@CASES
def test_counts(
    woven: Callable[[int, str], Result], program: Callable[[int], Program], version: int, kind: str
) -> None:
    report = woven(version, kind).report
    assert dict(missing(report["classes"]["skipped"])) == SKIPPED[kind]
    wanted = program(version).counts
    rows = {
        (row["class"], row["method"], row["descriptor"]): row for row in report["methods"] if row["class"] != "Driver"
    }
    wrong = {}
    for key in rows.keys() | wanted.keys():
        row, counts = rows.get(key), wanted.get(key)
        if row is None or counts is None:
            wrong[key] = (row, counts)
        elif "total_ns" in row:
            if (row["calls"], row["completed"], row["exceptions"]) != counts:
                wrong[key] = (row, counts)
        elif row["calls"] != counts[0]:
            wrong[key] = (row, counts)
    # methods that javac adds to records, enums and lambdas have no line for a comment
    wrong = {key: value for key, value in wrong.items() if value[1] is not None or not key[0].startswith("Modern")}
    assert not wrong, "\n".join(f"{key}: {value}" for key, value in wrong.items())


def test_a_cramped_constant_pool_gets_fewer_probes(woven: Callable[[int, str], Result]) -> None:
    rows = [row for row in woven(17, "both").report["classes"]["skipped"] if row["class"].startswith("Pool")]
    assert {row["reason"] for row in rows} == {CRAMPED}
    said = {(row["class"], row["method"], row["detail"].partition(":")[0]) for row in rows}
    less, counted, none = "its allocations are not counted", "not timed, only counted", "not counted"
    expected = {("Pool65515", method, less) for method in ("one", "two")}
    expected |= {
        (name, method, counted) for name in ("Pool65520", "Pool65525", "Pool65526") for method in ("run", "one", "two")
    }
    expected |= {("Pool65527", "run", counted), ("Pool65527", "one", counted), ("Pool65527", "two", none)}
    expected |= {("Pool65528", "run", counted), ("Pool65528", "one", none), ("Pool65528", "two", none)}
    expected |= {(f"Pool{count}", "", f"{count} constants") for count in (65529, 65530, 65534, 65535)}
    assert said == expected


GIVEN_UP = re.compile(r"\s([\w.$<>]+::[\w$<>]+) .*?(COMPILE SKIPPED: [\w -]+|made not compilable|not compilable)")
COMPILED = re.compile(r"^ *\d+ +\d+ [ %sbn!]+\d? +([\w.$<>]+::[\w$<>]+) ", re.M)


C1, C2 = "-XX:TieredStopAtLevel=1", "-XX:-TieredCompilation"


@pytest.mark.parametrize(
    ("version", "compiler"),
    [(17, C2), (25, C1), pytest.param(17, C1, marks=pytest.mark.slow), pytest.param(25, C2, marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("kind", [pytest.param("both", marks=pytest.mark.slow), *INSIDE])
def test_what_was_compiled_still_is(
    find_jvm: Callable[[int], Jvm],
    program: Callable[[int], Program],
    tmp_path: Path,
    version: int,
    compiler: str,
    kind: str,
) -> None:
    apart = [
        "-XX:CompileCommand=quiet",
        *(f"-XX:CompileCommand=dontinline,{name}::*" for name in ("Monitors", "Jsr", "OldFinally")),
    ]
    options = (compiler, "-Xbatch", "-XX:+PrintCompilation", "-XX:CompileThreshold=300", *apart)
    line = program(version).line(find_jvm(version), "locks", 12000, options)
    theirs, ours = execute(line).stdout, run_afresh(kind, tmp_path, line).stdout
    names = set((program(version).folder / "locks").read_text().split())

    def of_ours(found: set[str]) -> set[str]:
        return {name for name in found if re.split(r"[.:$]", name)[0] in names}

    assert {text for name, text in GIVEN_UP.findall(ours) if of_ours({name})} <= {
        text for name, text in GIVEN_UP.findall(theirs) if of_ours({name})
    }
    given_up = of_ours({name for name, _ in GIVEN_UP.findall(theirs)})
    assert of_ours({name for name, _ in GIVEN_UP.findall(ours)}) <= given_up
    locked = {"Monitors::kotlin", "Monitors::two", "Monitors::both", "Monitors::early", "Jsr::locked"}
    assert locked <= of_ours(set(COMPILED.findall(theirs)))
    assert locked <= of_ours(set(COMPILED.findall(ours)))


MEASURES = (
    "time **::*",
    "time **::* sample 1/10",
    "time **::* tree",
    "profile **::*",
    "count **::*",
    "alloc * in **",
    "cover **",
    "cover ** hits exact",
    "watch **::*",
    "watch **::* when arg0 == 3 show this, args, stack 4",
)


def skips(data: bytes, *rules: str) -> set[tuple[str, ...]]:
    """(method, descriptor, reason, why) of what was left out."""
    skipped = (record for record in weave(data, load([], rules), False).table if isinstance(record, SkipRecord))
    return {(one.method, one.descriptor, one.reason, one.detail.rpartition(": ")[2]) for one in skipped}


@pytest.mark.parametrize("name", [path.stem for path in sorted((HERE / "asm").glob("*.asm"))])
def test_no_measure_loses_anything_by_another(name: str) -> None:
    """Subroutines, monitors, constructors: each pair of measures, and all of them."""
    for one in assemble((HERE / "asm" / f"{name}.asm").read_text()):
        alone = {rule: skips(one.data, rule) for rule in MEASURES}
        pairs = combinations(MEASURES, 2) if len(one.data) < 1 << 14 else ()
        for rules in [*pairs, MEASURES]:
            assert skips(one.data, *rules) <= set().union(*(alone[rule] for rule in rules)), (one.name, rules)


def test_nothing_is_inserted_on_the_edge_of_a_jsr() -> None:
    jsr = assemble((HERE / "asm" / "jsr.asm").read_text())[0]
    cf = ClassFile.parse(jsr.data)
    edges = []
    for method in cf.methods:
        code = Code.parse(jsr.data, method.code_at, cf.pool)
        scan = code.scan()
        for pc in [*scan.jumps16, *scan.jumps32]:
            if code.code[pc] in (0xA8, 0xC9):
                edges.append(code.code[pc])
                with pytest.raises(Unsupported, match="jsr"):
                    splice(
                        code,
                        Edit([Insertion(scan.targets(pc)[0], b"\0", EDGE, source=pc)]),
                        cf.pool,
                        Context.from_method(cf, method),
                    )
    assert set(edges) == {0xA8, 0xC9}


def test_modules_and_packages_are_left_alone(program: Callable[[int], Program]) -> None:
    rules = RuleSet(parse_text("time **::*\nalloc * in **\ncount **+::@** *", "x"))
    files = sorted((program(17).folder / "module").rglob("*-info.class"))
    assert [path.name for path in files] == ["module-info.class", "package-info.class"]
    for path in files:
        woven = weave(path.read_bytes(), rules, False)
        assert woven.data is None
        assert ClassFile.parse(path.read_bytes()).methods == []

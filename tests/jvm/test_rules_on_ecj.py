"""Rules of a file, with parameters and definitions, on Eclipse's compiler: its own log says how many problems and class
files there are, of which kind, in which source and line."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.conftest import Jvm, Result, classhook_command, execute, need_jar, report_of
from tests.jvm.test_contexts import by_context

pytestmark = pytest.mark.every_jvm

SOURCES = 24
TOO_LARGE = 5  # the source with a method that is too large for the JVM
MANY = 2
MAIN = "org.eclipse.jdt.internal.compiler.batch.Main"
ABORTED = "org.eclipse.jdt.internal.compiler.problem.AbortMethod"
OPTIONS = ["-17", "-proc:none", "-warn:unusedImport", "-proceedOnError"]

DEFINITIONS = """let ecj = org.eclipse.jdt.internal.compiler
let record = ${ecj}.CompilationResult::record(*, *, boolean)
let many = 100
count ${record} by newProblem.id as "by kind"
"""
RULES = """use definitions.rules
count ${record} below ${ecj}.ast.CompilationUnitDeclaration::generateCode
count ${record} below ${ecj}.ast.CompilationUnitDeclaration::resolve()
count ${record} when newProblem.severity % 2 == 1 && newProblem instanceof ${ecj}.problem.DefaultProblem
count ${ecj}.problem.DefaultProblem::<init> when message ~ "*cannot be resolved*" && stringArguments[0] == "nosuch"
value ${ecj}.problem.DefaultProblem::<init> of line when severity % 2 == 1
value ${ecj}.problem.DefaultProblem::<init> of line by id
watch ${ecj}.problem.DefaultProblem::<init> when id in {16777235, 536870975} show message, line as "shown"
watch writes ${ecj}.CompilationResult.problemCount when value == ${many} show old, value, object.unitIndex as "many"
count writes ${ecj}.CompilationResult.problem{Count,sMap,List} in ${ecj}.CompilationResult::record
count ${ecj}.problem.ProblemHandler::createProblem
context ${ecj}.Compiler::process when i % 2 == 0 as "even"
count ${ecj}.problem.DefaultProblem{Factory,}::getLocalizedMessage(int, int, ..) by result top 30
count ${ecj}.ast.{Abstract,}MethodDeclaration::abort by exception
count ${ecj}.problem.ProblemHandler::handle(int, *[], int, ..) by outcome
time from ${ecj}.parser.Parser::dietParse to ${ecj}.parser.Parser::getMethodBodies by result, unit
count catches ${ecj}.problem.AbortMethod in ${ecj}.ast.AbstractMethodDeclaration
alloc java.lang.String[] in ${ecj}.problem.ProblemReporter::unusedImport when length == 1
value ${ecj}.util.Util::writeToDisk of classFile.headerOffset as "headers"
value ${ecj}.util.Util::writeToDisk of classFile.contentsOffset as "contents"
time ${ecj}.util.Util::writeToDisk when relativeFileName ~ "*$Inner.class" && exception == null
"""


def source(number: int) -> str:
    """Problems that each kind of source has."""
    numbers = ", ".join(str(40_000 + one) for one in range(9_000))
    lines = [
        (True, "package shop;"),
        (number % 3 == 0, "import java.util.List;"),
        (True, f"class F{number} {{ interface Inner {{ int of(int n); }}"),
        (number % 2 == 0, "    int missing() { return nosuch; }"),
        (number % 4 == 0, '    int wrong() { return "text"; }'),
        (True, f"    Inner times() {{ return n -> n * {number}; }}"),
        (number == TOO_LARGE, f"    static int[] large() {{ return new int[] {{{numbers}}}; }}"),
        (True, "}"),
    ]
    return "".join(f"{text}\n" for wanted, text in lines if wanted)


@dataclass(frozen=True)
class Compiled:
    """A run of the compiler: our report, the sources, the problems in the compiler's log, and the class files."""

    result: Result
    sources: list[Path]
    problems: list[dict[str, str]]
    files: list[Path]

    def of(self, **attributes: str) -> int:
        return sum(attributes.items() <= problem.items() for problem in self.problems)

    def keys(self, method: str) -> dict[str, int]:
        return {row["key"]: row["calls"] for row in self.result.report["keys"] if row["method"] == method}

    def rows(self, section: str, **values: Any) -> list[dict[str, Any]]:
        return [row for row in self.result.report[section] if values.items() <= row.items()]


@pytest.fixture(scope="module")
def ecj(jvm: Jvm, tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    jar, folder = need_jar("eclipse-jdt-core.jar"), tmp_path_factory.mktemp("ecj")
    (folder / "definitions.rules").write_text(DEFINITIONS)
    (folder / "ecj.rules").write_text(RULES)
    sources = [folder / f"F{number:02}.java" for number in range(SOURCES)]
    for number, path in enumerate(sources):
        path.write_text(source(number))
    ours = ["run", "--quiet", "-r", folder / "ecj.rules", "-D", f"many={MANY}", "-o", folder / "data", "--"]
    line = [jvm.java, "-Xverify:all", "-cp", jar, MAIN, *OPTIONS, "-log", folder / "log.xml", "-d", folder / "out"]
    result = execute([*classhook_command(), *ours, *line, *sources])
    assert result.status == 255, result.stderr
    result.data, result.report = folder / "data", report_of(folder / "data")
    log = (folder / "log.xml").read_text()
    problems = [
        {**problem.attrib, "source": of.attrib["path"], "message": problem.find("message").attrib["value"]}  # type: ignore[union-attr]
        for of in ElementTree.fromstring(log[log.index("<compiler") :]).iter("source")
        for problem in of.iter("problem")
    ]
    return Compiled(result, sources, problems, sorted((folder / "out").rglob("*.class")))


def test_the_sources_have_these_problems(ecj: Compiled) -> None:
    kinds = Counter(problem["id"] for problem in ecj.problems)
    assert kinds.keys() == {"UnresolvedVariable", "ReturnTypeMismatch", "UnusedImport", "BytecodeExceeds64KLimit"}
    assert len(ecj.files) == 2 * SOURCES


def test_problems_by_their_kind_and_place(ecj: Compiled) -> None:
    assert ecj.keys("record") == {
        **Counter(problem["problemID"] for problem in ecj.problems),
        "when newProblem.severity % 2 == 1 && newProblem instanceof "
        "org.eclipse.jdt.internal.compiler.problem.DefaultProblem": ecj.of(severity="ERROR"),
        "below org.eclipse.jdt.internal.compiler.ast.CompilationUnitDeclaration::generateCode": 1,
        "below org.eclipse.jdt.internal.compiler.ast.CompilationUnitDeclaration::resolve()": len(ecj.problems) - 1,
    }
    assert {row["name"] for row in ecj.rows("keys", method="record", kind="counted_by_key")} >= {"by kind"}
    (chosen,) = ecj.keys("<init>").values()
    assert chosen == ecj.of(id="UnresolvedVariable")


def test_lines_of_the_problems(ecj: Compiled) -> None:
    rows = {row["key"]: (row["count"], row["sum"]) for row in ecj.rows("values", of="line")}
    lines = [(problem["problemID"], problem["severity"], int(problem["line"])) for problem in ecj.problems]
    errors = [line for _, severity, line in lines if severity == "ERROR"]
    assert rows == {
        "": (len(lines), sum(line for *_, line in lines)),
        "when severity % 2 == 1": (len(errors), sum(errors)),
        **{
            kind: (len(of), sum(of))
            for kind in {kind for kind, *_ in lines}
            for of in [[line for one, _, line in lines if one == kind]]
        },
    }


def test_problems_that_are_shown(ecj: Compiled) -> None:
    shown = [(row["fields"]["message"], row["fields"]["line"]) for row in ecj.rows("calls", name="shown")]
    assert sorted(shown) == sorted(
        (problem["message"], int(problem["line"]))
        for problem in ecj.problems
        if problem["id"] in ("ReturnTypeMismatch", "BytecodeExceeds64KLimit")
    )


def test_sources_with_many_problems(ecj: Compiled) -> None:
    by_source = Counter(problem["source"] for problem in ecj.problems)
    many = [number for number, path in enumerate(ecj.sources) if by_source[str(path)] >= MANY]
    shown = [row["values"] for row in ecj.rows("executions", name="many")]
    assert sorted(row["object.unitIndex"] for row in shown) == many
    assert {(row["old"], row["value"]) for row in shown} == {(MANY - 1, MANY)}
    written = Counter({row["field"]: row["accesses"] for row in ecj.rows("accesses")})
    assert written["problemCount"] == len(ecj.problems)
    assert written["problemsMap"] == len(by_source)


def test_a_context_for_every_second_source(ecj: Compiled) -> None:
    (context,) = ecj.result.report["contexts"]
    assert (context["context"], context["entered"]) == ("even", SOURCES // 2)
    even = set(map(str, ecj.sources[::2]))
    assert ecj.result.data is not None
    assert by_context(ecj.result.data)["even"]["createProblem"] == sum(one["source"] in even for one in ecj.problems)


def test_results_and_ends(ecj: Compiled) -> None:
    assert ecj.keys("getLocalizedMessage") == Counter(problem["message"] for problem in ecj.problems)
    assert ecj.keys("abort") == {ABORTED: 1}
    assert ecj.keys("handle") == {"returned": len(ecj.problems) - 1, ABORTED: 1}


def test_from_the_outline_to_the_bodies(ecj: Compiled) -> None:
    assert ecj.keys("getMethodBodies") == {
        "from org.eclipse.jdt.internal.compiler.parser.Parser::dietParse by result": SOURCES
    }


def test_the_method_that_is_too_large(ecj: Compiled) -> None:
    assert [row["count"] for row in ecj.rows("exceptions")] == [1]


def test_arguments_of_messages_are_allocated(ecj: Compiled) -> None:
    chosen = [row["count"] for row in ecj.rows("allocations") if "when" in row["type"]]
    assert chosen == [ecj.of(id="UnusedImport")]


def test_what_is_written(ecj: Compiled) -> None:
    sums = {row["name"]: (row["count"], row["sum"]) for row in ecj.rows("values", method="writeToDisk")}
    assert {count for count, _ in sums.values()} == {len(ecj.files)}
    assert sum(total for _, total in sums.values()) == sum(path.stat().st_size for path in ecj.files)
    (inner,) = ecj.keys("writeToDisk").values()
    assert inner == SOURCES

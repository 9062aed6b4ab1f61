"""Uses of reports of coverage: thresholds, changed lines, several versions of a class, and input that is
not as it should be."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from classhook.classfile.code import Code
from classhook.classfile.reader import ClassFile
from classhook.coverage.execfile import read
from classhook.coverage.placement import BLOCKS, ENTRY, EXACT, FULL, STARTS
from classhook.coverage.placing import place
from classhook.measures.cover.reader_classes import Covered
from classhook.reports.forms import COVERAGE, forms
from tests import compiling, schema
from tests.browser import Look
from tests.conftest import ENVIRONMENT, PATIENCE, FindJvm, Jvm, classhook_command, execute
from tests.coverage.conftest import SOURCES, Compile, class_files
from tests.coverage.reporting import ReportCommand, as_covered, classhook, git, ran, report

__all__ = ["classhook", "ran", "report"]

Ran = Callable[[list[Covered]], None]
BEFORE = """package shop;

public class Till {
    static int price(int count) {
        if (count > 10) {
            return count * 9;
        }
        return count * 10;
    }

    public static void main(String[] args) {
        System.out.println(price(3));
    }
}
"""
AFTER = BEFORE.replace(
    "        return count * 10;\n",
    """        if (count < 0) {
            System.out.println("refund");
            // said once
            System.out.println("sorry");
        }
        return count * 10;
""",
).replace("price(3)", "price(4)")


@pytest.fixture(scope="module")
def shop(jdk: Jvm, agent: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with two commits; target: the classes of the second, shop.exec: JaCoCo's data of its run; old: the
    first one's classes."""
    folder = tmp_path_factory.mktemp("shop")
    file = folder / "app" / "src" / "main" / "java" / "shop" / "Till.java"
    file.parent.mkdir(parents=True)
    git(folder, "init", "-q")
    for text, classes in ((BEFORE, "old"), (AFTER, "target")):
        file.write_text(text)
        compiling.javac(jdk.tool("javac"), "-g", "-d", folder / classes, file)
        git(folder, "add", "app")
        git(folder, "commit", "-qm", classes)
    line = [jdk.java, f"-javaagent:{agent}=destfile={folder / 'shop.exec'}", "-cp", folder / "target", "shop.Till"]
    assert execute(line).status == 0
    return folder


@pytest.fixture(scope="module")
def data_directory(shop: Path, jdk: Jvm) -> Path:
    """A data directory of a run without a rule for coverage."""
    line: list[str | Path] = [
        sys.executable,
        "-m",
        "classhook.cli",
        "run",
        "--quiet",
        "--no-cache",
        "-o",
        shop / "data",
    ]
    line += ["-e", "count shop.Till::price", "--", jdk.java, "-cp", shop / "target", "shop.Till"]
    subprocess.run(line, check=True, env=ENVIRONMENT, capture_output=True, cwd=SOURCES.parents[2])
    return shop / "data"


@pytest.fixture(autouse=True)
def in_the_repository(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shop)


def test_a_threshold_that_is_met(report: ReportCommand) -> None:
    said = report("-f", "csv", "--classes", "target", "shop.exec", "--fail-under", "lines=40,Methods=50")
    assert (said.status, said.err) == (0, "")


def test_thresholds_that_are_missed_say_by_how_much(report: ReportCommand) -> None:
    said = report(
        "-f",
        "csv",
        "--classes",
        "target",
        "shop.exec",
        "--fail-under",
        "line=90,branch=75,class=100,new=50",
        "--changes",
        "HEAD~1",
    )
    assert said.status == 1
    assert said.out.startswith("GROUP,")  # the report is written in any case
    # lines: 3 (class), 6, 9, 11 missed; 5, 8, 13, 17, 18 covered
    assert (
        "line coverage is 55.56 %, 34.44 points below the required 90 %: 5 of 9, 4 more lines must be covered"
        in said.err
    )
    assert (
        "branch coverage is 50.00 %, 25.00 points below the required 75 %: 2 of 4, 1 more branch must be covered"
        in said.err
    )
    assert "class coverage" not in said.err
    assert "coverage of changed lines" not in said.err  # 8, 17 of 8, 9, 11, 17


def test_changed_lines_count_by_themselves(report: ReportCommand) -> None:
    said = report("--classes", "target", "shop.exec", "--fail-under", "new=60", "--changes", "HEAD~1...HEAD")
    assert said.status == 1
    assert (
        "coverage of changed lines is 50.00 %, 10.00 points below the required 60 %: 2 of 4, 1 more line must be"
        " covered" in said.err
    )
    assert "Changed lines (HEAD~1...HEAD): 50.0 % 2/4 covered\n  app/src/main/java/shop/Till.java: 9, 11\n" in said.out


@pytest.mark.parametrize("width", [480, 1400])
def test_a_page_says_which_changes_it_is_about(report: ReportCommand, look: Look, shop: Path, width: int) -> None:
    assert (
        report(
            "-f",
            "html",
            "--classes",
            "target",
            "shop.exec",
            "--changes",
            "HEAD~1...HEAD",
            "--title",
            "the shop",
            "-o",
            "x.html",
        ).status
        == 0
    )
    title, sums = look(
        shop / "x.html", "return [document.title, document.querySelector('.sums').textContent];", width=width
    )
    assert title == "Coverage: the shop"
    assert "changed lines of HEAD~1...HEAD 50.0 % 2 of 4" in sums


def test_annotations_of_changed_lines(report: ReportCommand) -> None:
    out = report("-f", "github", "--classes", "target", "shop.exec", "--changes", "HEAD~1").out.splitlines()
    assert out == [
        (
            "::warning file=app/src/main/java/shop/Till.java,line=9,endLine=11,title=Not covered by tests::"
            "Lines 9 to 11 were changed, and no test covers them"
        ),
        (
            "::notice file=app/src/main/java/shop/Till.java,line=8,endLine=8,title=Partly covered by tests::if (count <"
            " 0): never true"
        ),
        "2 of 4 changed lines with code covered (50 %)",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--fail-under", "linse=80"],
            (
                "--fail-under: 'linse=80' is not NAME=PERCENT; did you mean line? The names are instruction, branch,"
                " line, complexity, method, class"
            ),
        ),
        (["--fail-under", "line"], "'line' is not NAME=PERCENT"),
        (["--fail-under", "line=nan"], "'line=nan' is not NAME=PERCENT"),
        (["--fail-under", "line=101"], "'line=101' is not NAME=PERCENT"),
        (["--fail-under", "new=80"], "name the commits, such as --changes"),
        (["-f", "github"], "name the commits, such as --changes"),
        (["--changes", "--output=x"], "expected one argument"),
        (["--changes=--output=x"], "give commits as for git diff"),
        (["--changes", "nonsense...HEAD"], "git says: fatal: bad revision 'nonsense...HEAD'"),
        (["--sources", "nowhere"], "cannot read sources from nowhere: No such file or directory"),
        (["--sources", "shop.exec"], "cannot read sources from shop.exec: File is not a zip file"),
        (["--classes", "nowhere"], "cannot read classes from nowhere: No such file or directory"),
        (["--classes", "shop.exec"], "cannot read classes from shop.exec: File is not a zip file"),
        (["-f", "html", "-o", "/proc/nowhere/x.html"], "cannot write /proc/nowhere/x.html"),
        (["-f", "tree"], "argument -f/--format: 'tree' is not a format; there are circleci, cobertura, "),
    ],
)
def test_arguments_that_make_no_sense(arguments: list[str], message: str, report: ReportCommand) -> None:
    said = report("shop.exec", "--classes", "target", *arguments)
    assert said.status == 2
    assert message in said.err
    assert said.err.count("\n") <= 60


def test_jacocos_data_needs_classes(report: ReportCommand) -> None:
    said = report("-f", "html", "shop.exec")
    assert (said.status, "name those that ran with --classes" in said.err) == (2, True)


def test_a_torn_file_is_said_and_the_others_are_read(report: ReportCommand, shop: Path) -> None:
    Path("torn.exec").write_bytes((shop / "shop.exec").read_bytes()[:-3])
    said = report("--classes", "target", "shop.exec", "torn.exec")
    assert said.status == 1
    assert re.search(r"torn.exec: the file ends, or is damaged, at byte \d+; it is not in the report", said.err)
    assert "5/9" in said.out


def test_data_without_coverage_says_which_rule_is_needed(
    report: ReportCommand, classhook: ReportCommand, data_directory: Path
) -> None:
    for arguments in (["-f", "jacoco-xml"], ["--fail-under", "line=1"]):
        said = report(data_directory, *arguments)
        assert said.status == 1
        assert (
            "no coverage was recorded. A rule such as 'cover com.acme.**' records it: classhook run -e 'cover"
            " com.acme.**'" in said.err
        )
    assert report(data_directory).status == 1
    assert classhook("report", data_directory).status == 0


def test_an_empty_directory(report: ReportCommand, tmp_path: Path) -> None:
    said = report("-f", "html", tmp_path)
    assert (said.status, "no data files" in said.err) == (2, True)


def test_text_and_json_have_coverage_beside_the_rest(
    report: ReportCommand, classhook: ReportCommand, data_directory: Path, shop: Path, ran: Ran
) -> None:
    ran(as_covered(shop / "target", (shop / "shop.exec").read_bytes()))
    source = r"^shop/Till.java +55.5 % 5/9 +50.0 % 2/4  3, 6, 9, 11$"
    both, alone = classhook("report", data_directory), report(data_directory)
    assert (both.err, alone.err) == ("", "")
    assert "price(int)" in both.out
    assert "price(int)" not in alone.out
    assert re.search(source, both.out, re.MULTILINE)
    assert re.search(source, alone.out, re.MULTILINE)
    both_rows, rows = (
        json.loads(run("-f", "json", data_directory).out) for run in (partial(classhook, "report"), report)
    )
    for content in (both_rows, rows):
        schema.check(content)
        (row,) = content["source_files"]
        assert (row["source"], row["missed_lines"], row["line_covered"]) == ("shop/Till.java", [3, 6, 9, 11], 5)
        assert row["missed_branches"] == [
            {"line": 5, "text": "if (count > 10): never true"},
            {"line": 8, "text": "if (count < 0): never true"},
        ]
        assert len(content["processes"]) == 1
    assert (len(both_rows["methods"]), rows["methods"]) == (1, [])
    assert '<sessioninfo id="' in report("-f", "jacoco-xml", data_directory).out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["-f", "lcov"], "'lcov' is a format of another command; use: classhook coverage -f lcov"),
        (["shop.exec"], "shop.exec: JaCoCo's data is of coverage only; use: classhook coverage shop.exec"),
    ],
)
def test_what_is_of_coverage_only_has_its_own_command(words: list[str], told: str, classhook: ReportCommand) -> None:
    done = classhook("report", *words)
    assert (done.status, done.out) == (2, "")
    assert told in done.err


def test_counted_hits_are_in_lcov_and_cobertura(
    report: ReportCommand, data_directory: Path, shop: Path, ran: Ran
) -> None:
    (one,) = as_covered(shop / "target", (shop / "shop.exec").read_bytes())
    one.hits = [7 if hit else 0 for hit in one.hits]
    one.counts = True
    ran([one])
    assert "DA:8,7" in report("-f", "lcov", data_directory).out
    assert '<line number="8" hits="7"' in report("-f", "cobertura", data_directory).out


def test_two_versions_of_a_class_are_kept_apart(
    report: ReportCommand, data_directory: Path, shop: Path, ran: Ran
) -> None:
    (new,) = as_covered(shop / "target", (shop / "shop.exec").read_bytes())
    data = (shop / "old" / "shop" / "Till.class").read_bytes()
    old = Covered("shop.Till", data, FULL, {}, bytes(_probe_count(data)), False)
    for some in ([new, old], [old, new]):
        ran(some)
        said = report(data_directory)
        assert (
            "1 class (shop.Till) is recorded in several versions; the one that ran most counts, the others are shown"
            " separately" in said.err
        )
        assert re.search(r"^Coverage: .* line 55.5 %", said.out, re.MULTILINE)
        assert "shop/Till (another version)" in said.out
    assert "line 0.0 %" in report(data_directory, "--classes", "old").out  # the one that was built counts
    assert report(data_directory, "-f", "jacoco-xml").out.count("<class ") == 1
    ran([new, Covered("shop.Till", data, FULL, {}, b"\1" * _probe_count(data), False)])
    assert report(data_directory, "-f", "jacoco-exec", "-o", "both.exec").status == 0
    assert len(read(Path("both.exec").read_bytes()).classes) == 2


def _probe_count(data: bytes, level: int = FULL) -> int:
    cf = ClassFile.parse(data)
    return sum(place(Code(data, method.code_at, cf.pool), level).count for method in cf.methods if method.code_at)


@pytest.mark.parametrize("level", [FULL, EXACT, BLOCKS, STARTS, ENTRY])
@pytest.mark.parametrize("counts", [False, True])
def test_all_formats_take_what_all_kinds_of_probes_tell(
    level: int, counts: bool, report: ReportCommand, data_directory: Path, ran: Ran, compile_java: Compile
) -> None:
    some = []
    for data in class_files(compile_java("missed", "javac17")):
        hits = [1 + i % 3 if i % 5 else 0 for i in range(_probe_count(data, level))]
        name = ClassFile.parse(data).name.replace("/", ".")
        some.append(Covered(name, data, level, {}, hits if counts else bytes(map(bool, hits)), counts))
    ran(some)
    for form in sorted(forms(COVERAGE).keys() - {"circleci", "testwise"}):  # which has nothing without tests
        said = report(data_directory, "-f", form, "--changes", "HEAD~1", "--strict", "-o", f"out.{form}")
        assert (said.status, said.err) == (0, ""), form


def test_classes_that_were_never_loaded(
    report: ReportCommand, data_directory: Path, shop: Path, ran: Ran, compile_java: Compile
) -> None:
    ran(as_covered(shop / "target", (shop / "shop.exec").read_bytes()))
    said = report(
        data_directory, "-f", "csv", "--classes", compile_java("missed", "javac17"), "--classes", shop / "target"
    )
    assert [row.split(",")[2] for row in said.out.splitlines()[1:]] == ["Missed", "Missed.Colour", "Till"]
    assert said.err == ""


def test_only_needs_classes(report: ReportCommand, data_directory: Path) -> None:
    said = report(data_directory, "-f", "csv", "--only")
    assert (said.status, "--only counts only the classes in --classes" in said.err) == (2, True)


def test_what_is_not_among_the_classes_does_not_count(
    report: ReportCommand, data_directory: Path, shop: Path, ran: Ran, compile_java: Compile
) -> None:
    """A rule for a package also takes its tests, and what is generated in it at run time."""
    ran(as_covered(shop / "target", (shop / "shop.exec").read_bytes()))
    said = report(data_directory, "-f", "csv", "--only", "--classes", compile_java("missed", "javac17"))
    assert [row.split(",")[2] for row in said.out.splitlines()[1:]] == ["Missed", "Missed.Colour"]
    assert "none of the classes that ran is in --classes, and --only counts no others" in said.err
    said = report(
        data_directory,
        "-f",
        "csv",
        "--only",
        "--classes",
        compile_java("missed", "javac17"),
        "--classes",
        shop / "target",
    )
    assert "shop,Till," in said.out
    assert "left out" not in said.err


def test_a_store_that_lacks_a_class(report: ReportCommand, data_directory: Path, ran: Ran) -> None:
    ran([Covered("shop.Till", None, FULL, {}, b"\1", False)])
    said = report(data_directory)
    assert said.status == 1
    assert "1 class (shop.Till) is not among the class files of the data directory" in said.err


@pytest.mark.parametrize("damage", ["hits", "class"])
def test_a_damaged_class_is_left_out(
    damage: str, report: ReportCommand, data_directory: Path, shop: Path, ran: Ran
) -> None:
    (one,) = as_covered(shop / "target", (shop / "shop.exec").read_bytes())
    if damage == "hits":
        one.hits = bytes(one.hits)[:-1]
    else:
        assert one.data is not None
        one.data = one.data[:200]
    ran([one])
    said = report(data_directory)
    assert said.status == 1
    assert "shop.Till is left out: " in said.err


def test_sources_that_do_not_match_are_said(report: ReportCommand, shop: Path, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "Till.java").write_text("package shop;\n")
    said = report("-f", "html", "--classes", "target", "--sources", tmp_path, "shop.exec")
    assert said.status == 0
    assert "1 source file (shop/Till.java) is not what was compiled" in said.err
    shutil.rmtree(tmp_path / "shop")
    assert (
        "1 source file (shop/Till.java) is not found"
        in report("-f", "html", "--classes", "target", "--sources", tmp_path, "shop.exec").err
    )


@pytest.mark.parametrize("name", ["csv", "html", "jacoco-xml", "lcov"])
def test_what_chooses_methods_is_refused(name: str, report: ReportCommand, shop: Path) -> None:
    said = report("-f", name, "--filter", "shop", "--classes", shop / "target", shop / "shop.exec")
    assert (said.status, said.out) == (2, "")
    assert f"classhook: --filter: -f {name} always shows all coverage" in said.err


@pytest.mark.parametrize("pattern", ["shop.*::price", "till::pri", "shop.Till::price(int)"])
def test_filter_leaves_the_methods_that_match(pattern: str, report: ReportCommand, shop: Path) -> None:
    asked = ["--filter", pattern, "--classes", "target", "shop.exec"]
    text = report(*asked)
    assert (text.status, text.err) == (0, "")
    assert "Coverage of the methods that match: instruction" in text.out
    assert "line 50.0 %" in text.out
    (row,) = json.loads(report("-f", "json", *asked).out)["source_files"]
    # neither the constructor, 3, nor main, 17 and 18
    assert (row["source"], row["line_missed"], row["line_covered"], row["missed_lines"]) == (
        "shop/Till.java",
        3,
        3,
        [6, 9, 11],
    )
    assert [one["line"] for one in row["missed_branches"]] == [5, 8]
    assert (row["method_missed"], row["method_covered"], row["class_covered"]) == (0, 1, 1)
    assert report(*asked, "--fail-under", "method=100").status == 0
    assert report("--classes", "target", "shop.exec", "--fail-under", "method=100").status == 1


def test_a_filter_that_matches_nothing_is_said(report: ReportCommand, shop: Path) -> None:
    said = report("--filter", "Cart", "--classes", "target", "shop.exec")
    assert "Coverage of the methods that match: none\n" in said.out
    assert "--filter Cart: no covered class has a method that matches" in said.err
    assert (
        json.loads(report("-f", "json", "--filter", "Cart", "--classes", "target", "shop.exec").out)["source_files"]
        == []
    )


@pytest.mark.parametrize("mixed", [False, True])
def test_data_with_and_without_hits_are_told(
    mixed: bool, report: ReportCommand, data_directory: Path, shop: Path, compile_java: Compile, ran: Ran
) -> None:
    found = as_covered(shop / "target", (shop / "shop.exec").read_bytes())
    data = (compile_java("hits", "javac17") / "Hits.class").read_bytes()
    ran([*found, Covered("Hits", data, FULL, {}, [2] * _probe_count(data), mixed)])
    said = report(data_directory, "-f", "lcov")
    assert ("some data was recorded without `hits`" in said.err) is mixed


TOOL = """\
package p;
public class Tool {
    public static int twice(int n) {
        return 2 * n;
    }
    static int never(int n) {
        return n;
    }
}
"""
TEST = (
    "package p;\npublic class ToolTest {\n    public static void main(String[] args) {\n       "
    " System.out.println(Tool.twice(2));\n    }\n}\n"
)


def test_the_programs_own_classes_count_and_lines_that_never_ran_are_unknown(find_jvm: FindJvm, tmp_path: Path) -> None:
    """Without options, in a folder with the layout of Maven."""

    def done(*line: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            list(map(str, line)), cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, env=ENVIRONMENT
        )

    jvm = find_jvm(17)
    idle = "package p;\nclass Idle { int idle() { return 1; } }\n"
    for text, name, kind, to in (
        (TOOL, "Tool", "main", "classes"),
        (idle, "Idle", "main", "classes"),
        (TEST, "ToolTest", "test", "test-classes"),
    ):
        source = tmp_path / f"src/{kind}/java/p/{name}.java"
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(text)
        assert done(jvm.tool("javac"), "-g", "-cp", "target/classes", "-d", f"target/{to}", source).returncode == 0
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b")
    for words in (("init", "-q"), ("add", "src"), ("commit", "-qm", "one")):
        assert done(*git, *words).returncode == 0
    ran = done(
        *classhook_command(),
        "run",
        "--quiet",
        "-e",
        "cover p.*",
        "--",
        jvm.java,
        "-cp",
        "target/classes:target/test-classes",
        "p.ToolTest",
    )
    assert ran.returncode == 0, ran.stderr
    shown = done(*classhook_command(), "coverage", "--all")
    assert "ToolTest" not in shown.stdout
    assert "p/Idle.java" in shown.stdout, "which was never loaded"
    changed = tmp_path / "src/main/java/p/Tool.java"
    os.utime(changed)
    changes = [*classhook_command(), "coverage", "--changes", "HEAD", "--fail-under", "new=90"]
    assert done(*changes).returncode == 0, "as a fresh checkout"
    changed.write_text(TOOL.replace("return n;", "n++;\n        return n;"))
    said = done(*changes)
    assert (
        said.returncode,
        "1 source file (src/main/java/p/Tool.java) is not the version that ran" in said.stderr,
    ) == (1, True), said.stderr
    shutil.rmtree(tmp_path / "target")
    assert "ToolTest" in done(*classhook_command(), "coverage", "--all").stdout, (
        "where nothing is built, all that ran counts"
    )

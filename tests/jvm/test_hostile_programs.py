"""Programs that attack the agent or misuse woven classes: none crashes the JVM, and nothing is counted where it does
not belong."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from classhook.classfile.reader import ClassFile
from classhook.probes import probe_table
from classhook.store.woven_ahead import MAGIC
from tests.conftest import ENVIRONMENT, PATIENCE, Compiled, Jvm, Run, classhook_command, execute, report_of, run_line

pytestmark = pytest.mark.any_jvm


@pytest.fixture(scope="session")
def classes(compiled: Compiled) -> Path:
    return compiled("hostile")


@pytest.mark.parametrize(
    "rules",
    [["count **::*"], ["time **::*", "alloc * in **"], ["time **::* sample 1/3"], ["profile **::*"], ["cover **"]],
    ids=["count", "time", "sample", "profile", "cover"],
)
def test_the_tracker_takes_any_argument(jvm: Jvm, classes: Path, tmp_path: Path, rules: list[str]) -> None:
    """The program calls the tracker itself; it does not matter which counts this falsifies."""
    result = execute(run_line(rules, tmp_path / "data", [jvm.java, "-cp", classes, "Arguments", "30"]))
    assert (result.status, result.stdout, result.stderr) == (0, "true\n", "")


def woven(classes: Path, out: Path, rule: str) -> Path:
    done = execute([*classhook_command(), "weave", "--quiet", "-e", rule, classes, "-o", out])
    assert "Traceback" not in done.stderr
    return out


def without_trailer(data: bytes) -> bytes:
    """The class as rewritten by a tool that drops the unknown last attribute, which is classhook's."""
    assert data.endswith(MAGIC)
    *_, (_, start, end) = ClassFile.parse(data).attributes()
    assert end == len(data)
    # an attribute without meaning keeps attributes_count right
    return data[: start + 2] + (0).to_bytes(4, "big")


@pytest.mark.parametrize(
    "rule",
    ["count Hideable::*", "time Hideable::*", "alloc * in Hideable", "time Hideable::* sample 1/2", "cover Hideable"],
)
@pytest.mark.parametrize("how", ["hidden", "changed"])
def test_probes_that_nobody_numbered_count_nowhere(
    jvm: Jvm, classes: Path, tmp_path: Path, run: Run, rule: str, how: str
) -> None:
    """The first counters belong to another class, whose counts must be right."""
    ahead = woven(classes, tmp_path / "woven", rule)
    if how == "changed":
        path = ahead / "Hideable.class"
        path.write_bytes(without_trailer(path.read_bytes()) if path.read_bytes().endswith(MAGIC) else path.read_bytes())
    result = run(["count Crafted::*"], jvm.java, "-cp", ahead, "Crafted")
    assert (result.status, result.stdout, result.stderr) == (0, "1\n", "")
    assert {row["method"]: row["calls"] for row in result.report["methods"]} == {"main": 1, "own": 1}
    if not rule.startswith("alloc"):
        (skipped,) = result.report["classes"]["skipped"]
        assert skipped["class"].startswith("Hideable")
        assert skipped["reason"] == "probes-not-numbered"


def test_a_class_woven_by_another_version_is_left_alone(jvm: Jvm, classes: Path, tmp_path: Path, run: Run) -> None:
    ahead = woven(classes, tmp_path / "woven", "count Sizes::main")
    path = ahead / "Sizes.class"
    head = probe_table.HEAD.encode()
    assert head in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(head, head[:-1] + b"0"))
    result = run(["count Maker::*"], jvm.java, "-cp", ahead, "Sizes")
    assert (result.status, result.stderr) == (0, "")
    assert ("Sizes", "woven-by-other-version") in {
        (row["class"], row["reason"]) for row in result.report["classes"]["skipped"]
    }
    assert {row["class"] for row in result.report["methods"]} == {"Maker"}


def test_sizes_are_those_of_the_loaders_own_classes(jvm: Jvm, classes: Path, run: Run) -> None:
    result = run(["alloc * in Maker", "alloc * in Sizes::main"], jvm.java, "-cp", classes, "Sizes")
    assert (result.status, result.stderr) == (0, "")
    (maker,) = [row for row in result.report["allocations"] if row["class"] == "Maker"]
    small, large, name = (
        (16, 72, 16) if jvm.version >= 27 else (16, 80, 24)
    )  # with a header of 8 bytes (JDK 27) or 12, padded to 8
    assert (maker["count"], maker["bytes"]) == (20, 10 * small + 10 * large)
    (kanji,) = [row for row in result.report["allocations"] if row["type"] == "𠮷野"]
    assert (kanji["count"], kanji["bytes"]) == (3, 3 * name)


@pytest.mark.parametrize("what", ["cache", "data"])
def test_a_file_of_ours_that_is_cut_off_does_not_end_the_program(
    jvm: Jvm, classes: Path, tmp_path: Path, what: str
) -> None:
    line = [
        *run_line(["time Growing*::*", "alloc * in Growing"], tmp_path / "data", [jvm.java, "-cp", classes, "Growing"])
    ]
    line[line.index("--") : line.index("--")] = ["--cache", tmp_path / "cache"]
    first = execute(line, stdin="\n")
    assert (first.status, first.stdout, first.stderr) == (0, "ready\n3000\n", "")
    with subprocess.Popen(
        line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        (pack,) = (tmp_path / "cache").glob("*.pack")
        links = [path for path in (tmp_path / "data").glob("*.classhook") if path.is_symlink()]
        for path in [pack] if what == "cache" else links:
            os.truncate(path, 0)
        out, err = process.communicate("\n", timeout=PATIENCE)
    assert (process.returncode, out) == (0, "3000\n")
    assert "SIGBUS" not in err
    for line_of in err.splitlines():
        assert re.match("classhook: ", line_of), err


def test_a_limit_of_address_space(jvm: Jvm, classes: Path, tmp_path: Path) -> None:
    """The JVM gets the address space it needs, and everything that fits in the rest is counted."""
    java = [
        jvm.java,
        "-Xmx64m",
        "-XX:ReservedCodeCacheSize=32m",
        "-XX:CompressedClassSpaceSize=32m",
        "-XX:+UseSerialGC",
        "-cp",
        classes,
    ]
    words = run_line(["time Crowded::*"], tmp_path / "data", [*java, "Crowded", "100", "2"])
    result = execute(["bash", "-c", 'ulimit -v 3000000; exec "$@"', "bash", *words])
    assert (result.status, result.stdout, result.stderr) == (0, "done\n", "")
    report = report_of(tmp_path / "data")
    assert {row["method"]: row["completed"] for row in report["methods"]}["step"] == 100


def test_where_nothing_can_be_counted_that_is_said_once_and_no_data_are_left(
    jvm: Jvm, classes: Path, tmp_path: Path
) -> None:
    words = run_line(["time Crowded::*"], tmp_path / "data", [jvm.java, "-version"])
    words.remove("--quiet")
    result = execute(["bash", "-c", 'ulimit -f 10; exec "$@"', "bash", *words])
    assert "no JVM was instrumented" in result.stderr
    assert "killed" not in result.stderr


@pytest.mark.parametrize("rule", ["count", "time"])
def test_threads_that_hardly_run_take_no_memory(jvm: Jvm, classes: Path, tmp_path: Path, rule: str) -> None:
    """1,500 threads at once; the woven JDK classes alone would need 3 million counters of 8 bytes."""
    rules = [f"{rule} jdk:**::*", f"{rule} **::*"]
    java = f"{jvm.java} -Xmx256m -XX:+UseSerialGC -cp {classes} Crowded 1500 0"
    result = execute(run_line(rules, tmp_path / "data", ["bash", "-c", f"{java}; du -kL {tmp_path}/data/*.classhook"]))
    assert result.stdout.startswith("done\n")
    assert int(result.stdout.split()[1]) < 100_000
    report = report_of(tmp_path / "data")
    assert {row["method"]: row["calls"] for row in report["methods"] if row["class"] == "Crowded"}["step"] == 1500
    assert report["processes"][0]["notes"] == []

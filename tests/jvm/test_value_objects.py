"""Value objects (JEP 401), which have no identity: what is measured of them, and what cannot be (java/preview28/)."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import (
    ENVIRONMENT,
    JAVA_SOURCES,
    FindJvm,
    Jvm,
    Result,
    Run,
    Words,
    classhook_command,
    execute,
    run_line,
)
from tests.extensions import needs

PREVIEW = ("--enable-preview", "-Xverify:all")
LAYOUTS = [
    (),
    ("-XX:+UseZGC",),
    ("-XX:ObjectAlignmentInBytes=16",),
    ("-XX:-UseCompressedOops",),
    ("-XX:-UseCompactObjectHeaders",),
    ("-XX:+UnlockDiagnosticVMOptions", "-XX:-UseArrayFlattening"),
    ("-Xint",),
]
SCRIPT = """
from classhook.agent import Agent
agent = Agent()
def outcome(ask):
    try: return ask()
    except RuntimeError as e: return f"RuntimeError: {e}"
"""


@pytest.fixture(scope="module")
def jdk(find_jvm: FindJvm) -> Jvm:
    return find_jvm(28)


@pytest.fixture(scope="module")
def classes(jdk: Jvm, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("values")
    sources = [JAVA_SOURCES / "preview28" / f"{name}.java" for name in ("ValueArrays", "Values")]
    line = [jdk.tool("javac"), "-g", "--release", "28", "--enable-preview", "-d", folder, *sources]
    done = subprocess.run(line, capture_output=True, text=True, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    return folder


def handled(jdk: Jvm, classes: Path, folder: Path, script: str, *rules: str) -> Result:
    """Runs the program Values with a script of handlers, and with rules."""
    file = folder / "handlers.py"
    file.write_text(SCRIPT + script)
    given = [word for rule in rules for word in ("-e", rule)]
    own: Words = ["--quiet", "--no-cache", "--agent", file, *given, "-o", folder / "data"]
    result = execute([*classhook_command(), "run", *own, "--", jdk.java, *PREVIEW, "-cp", classes, "Values"])
    assert result.status == 0, result.stderr
    assert "done\n" in result.stdout
    return result


# ---- alloc


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda options: "".join(options[-1:]).replace("-XX:", "") or "plain")
def test_arrays_have_the_bytes_that_the_jvm_counts(jdk: Jvm, classes: Path, run: Run, layout: tuple[str, ...]) -> None:
    program: Words = [*PREVIEW, *layout, "-cp", classes, "ValueArrays"]
    bare = execute([jdk.java, "-Xint", *program, "sizes"])
    assert bare.status == 0, bare.stderr
    sizes = {name: int(size) for name, size in re.findall(r"^oracle (\w+) (\d+)$", bare.stdout, re.M)}
    assert len(sizes) == 13

    result = run("alloc * in ValueArrays", jdk.java, *program)
    assert result.status == 0, result.stderr
    bytes_of: Counter[str] = Counter()
    for site in result.report["allocations"]:
        bytes_of[site["method"]] += site["bytes"]
    assert {name: bytes_of[name] for name in sizes} == sizes


FLAT = "value class Element { int x; Element(int x) { this.x = x; super(); } }"
WIDE = "value class Element { long x, y; Element(long x) { this.x = x; this.y = x; super(); } }"
HOST = (
    "public class Host { static Object sink; public static void fill() { for (int i = 0; i < 10; i++) sink = new"
    " Element[100]; } }"
)
MAIN = """
import java.net.*;
import java.nio.file.*;

public class Main {
    public static void main(String[] folders) throws Exception {
        for (String folder : folders)
            new URLClassLoader(new URL[] {Path.of(folder).toUri().toURL()}).loadClass("Host").getMethod("fill").invoke(null);
    }
}
"""


def test_arrays_of_classes_with_the_same_name_may_differ(jdk: Jvm, tmp_path: Path, run: Run) -> None:
    """Copies of a class share their counters, unless what they allocate may differ by loader."""
    for folder, sources in (("flat", (HOST, FLAT)), ("wide", (HOST, WIDE)), ("main", (MAIN,))):
        (tmp_path / folder).mkdir()
        for text in sources:
            name = text.partition("class ")[2].split()[0]
            (tmp_path / folder / f"{name}.java").write_text(text)
        line = [jdk.tool("javac"), "--release", "28", "--enable-preview", *(tmp_path / folder).glob("*.java")]
        done = subprocess.run(line, capture_output=True, text=True, env=ENVIRONMENT)
        assert done.returncode == 0, done.stderr
    result = run(
        "alloc * in Host", jdk.java, *PREVIEW, "-cp", tmp_path / "main", "Main", tmp_path / "flat", tmp_path / "wide"
    )
    assert result.status == 0, result.stderr
    flat, wide = 16 + 100 * 8, 16 + 100 * 4
    assert sum(site["bytes"] for site in result.report["allocations"]) == 10 * (flat + wide)


def test_value_objects_are_allocated_and_not_said_to_be_dead(jdk: Jvm, classes: Path, run: Run) -> None:
    result = run("alloc * in Values::keep every 0 live", jdk.java, *PREVIEW, "-cp", classes, "Values")
    found: dict[str, dict[str, Any]] = {row["type"]: row for row in result.report["objects"] if row["method"] == "keep"}
    point, identity = found["Values$Point"], found["Values$Identity"]
    assert (point["count"], point["bytes"]) == (1000, 24000)
    assert (point["live_count"], point["live_bytes"], point["sampled_live"]) == (None, None, None)
    assert (identity["live_count"], identity["live_bytes"]) == (1000, 16000)
    text = execute([*classhook_command(), "report", result.data, "--top", "0"]).stdout
    assert re.search(r"^ +- +- +- .*Values\$Point", text, re.M)
    assert re.search(
        r"^of value objects, .* allocated, it is unknown which are live \(`-`\): they have no identity$", text, re.M
    )


@needs("hprof")
def test_hprof_says_that_value_objects_have_no_live_ones(jdk: Jvm, classes: Path, tmp_path: Path) -> None:
    file = tmp_path / "sites.txt"
    line: Words = [
        *classhook_command(),
        "hprof",
        f"heap=sites,file={file}",
        "--",
        jdk.java,
        *PREVIEW,
        "-cp",
        classes,
        "Values",
    ]
    done = execute(line)
    assert done.status == 0, done.stderr
    assert re.search(r"of value objects, .* allocated, it is unknown which are live", done.stderr)
    assert re.search(r" 0 +0 +24000 +1000 \d+ Values\$Point$", file.read_text(), re.M)


# ---- handlers


def test_equal_value_objects_are_the_same_in_handlers(jdk: Jvm, classes: Path, tmp_path: Path) -> None:
    result = handled(
        jdk,
        classes,
        tmp_path,
        """
@agent.on.method_entry("Values::take", sync=True, args=True)
def take(e):
    a, b, c = e.args
    print("equal", a == b, a != b, a == c, hash(a) == hash(b), hash(a) == hash(c), str(a))
    print("kept", a.keep() == b, len({a, b, c}))
""",
    )
    assert re.findall(r"^equal (.*)$", result.stdout, re.M) == [
        "True False False True False Point[x=1, y=2]",
        "True False False True False 2026-01-02",
        "True False False True False 1000",
        "False True False False False Identity[x=1]",
    ]
    assert re.findall(r"^kept (.*)$", result.stdout, re.M) == ["True 2"] * 3 + ["False 3"]


def test_what_needs_identity_says_so(jdk: Jvm, classes: Path, tmp_path: Path) -> None:
    result = handled(
        jdk,
        classes,
        tmp_path,
        """
@agent.on.method_entry("Values::take", sync=True, args=True)
def take(e):
    print("tag", outcome(lambda: e.args[0].tag("x") > 0), e.args[0].tagged, e.args[0].tag(None))
@agent.on.object_alloc("Values$Point", every="1", sync=True)
def made(e): print("made", e.this, e.bytes, e.stack(1)[0].partition("(")[0])
@agent.on.method_entry("Values::end", sync=True)
def end(e):
    print("listed", outcome(lambda: agent.objects("Values$Point")))
    print("others", len(outcome(lambda: agent.objects("Values*"))))
    print("counted", [row.objects for row in agent.histogram("Values$Point")][0] >= 1000)
""",
    )
    refused = "RuntimeError: a value object cannot be tagged: it has no identity None None"
    assert re.findall(r"^tag (.*)$", result.stdout, re.M) == [refused] * 3 + ["True x None"]
    assert result.stdout.count("made None 24 Values.keep") in (1000, 1001)  # the JVM makes one for the class
    assert re.findall(r"^listed (.*)$", result.stdout, re.M) == [
        "RuntimeError: value objects cannot be listed: they have no identity; agent.histogram counts them"
    ]
    assert int(re.findall(r"^others (.*)$", result.stdout, re.M)[0]) >= 1000
    assert re.findall(r"^counted (.*)$", result.stdout, re.M) == ["True"]
    text = execute([*classhook_command(), "report", tmp_path / "data"]).stdout
    assert "agent.objects left out value objects: they have no identity, and cannot be listed" in text


# ---- conditions, contexts, JVMPI


def test_a_condition_compares_what_is_in_value_objects(jdk: Jvm, classes: Path, run: Run) -> None:
    """Two lists of 100,000 links are too long for the stack: they are not the same, and the program does not see the
    error."""
    rules = [
        "watch Values::take when arg0 == arg1",
        "watch Values::compare when arg0 == arg1",
        "count java.lang.runtime.**::*",
    ]
    result = run(rules, jdk.java, *PREVIEW, "-cp", classes, "Values")
    assert (result.status, result.stdout) == (0, "done\n"), result.stderr
    calls = Counter(row["method"] for row in result.report["calls"])
    assert calls == {"take": 3, "compare": 1}


def test_a_task_that_is_a_value_object_runs_in_no_context_and_the_report_says_so(
    jdk: Jvm, classes: Path, tmp_path: Path
) -> None:
    rules = ["context Values::request by arg1", "count Values::work"]
    done = execute(run_line(rules, tmp_path, [jdk.java, *PREVIEW, "-cp", classes, "Values"]))
    assert (done.status, done.stdout) == (0, "done\n"), done.stderr
    text = execute([*classhook_command(), "report", tmp_path]).stdout
    assert "note: tasks that are value objects run in no context: they have no identity" in text
    assert "20  100.0%  Values.work(int)" in text
    within = [
        execute([*classhook_command(), "report", "--context", f"Values.request [{i}]", tmp_path]).stdout for i in (0, 1)
    ]
    assert ["5  100.0%  Values.work(int)" in text for text in within] == [
        True,
        True,
    ]  # the tasks that executor.submit made


@needs("jvmpi")
def test_value_objects_have_no_ids_in_jvmpi(jdk: Jvm, classes: Path, tmp_path: Path) -> None:
    result = handled(
        jdk,
        classes,
        tmp_path,
        """
from classhook import jvmpi
ids = {True: 0, False: 0}
def notify(event):
    if event.event_type == jvmpi.EVENT_OBJECT_ALLOC:
        ids[event.u.obj_alloc.obj_id == 0] += 1
    elif event.event_type == jvmpi.EVENT_JVM_SHUT_DOWN:
        print("ids", ids[True] >= 1000, ids[False] >= 1000)
jvmpi.NotifyEvent = notify
for event_type in jvmpi.EVENT_OBJECT_ALLOC, jvmpi.EVENT_JVM_SHUT_DOWN, jvmpi.EVENT_JNI_WEAK_GLOBALREF_ALLOC:
    assert jvmpi.EnableEvent(event_type, None) == jvmpi.SUCCESS
""",
    )
    assert "ids True True" in result.stdout

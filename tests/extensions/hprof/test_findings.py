"""The findings of docs/questions/hprof-findings.md in H2 and ecj, found again: the allocation site, the contended
lock, the hot method."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.conftest import ENVIRONMENT, PATIENCE, FindJvm, classhook_command, execute, need_jar
from tests.extensions.hprof.reader import Text, read

ROOT = Path(__file__).parents[3]
CLIENTS = ROOT / "docs" / "examples" / "orders" / "Clients.java"


def profiled(options: str, folder: Path, *command: str | Path) -> Text:
    file = folder / "out.txt"
    done = execute([*classhook_command(), "hprof", f"{options},file={file}", "--", *command])
    assert done.status == 0, done.stderr
    return read(file.read_text())


def greatest_site(found: Text) -> tuple[str, str, float]:
    """The method and type of most bytes that the program's classes allocated, by whatever stacks; and their share of
    all."""
    sums: dict[tuple[str, str], int] = {}
    own = set()
    for *_, allocated, _, trace, name in found.tables["SITES"]:
        site = found.methods(trace)[0], name
        sums[site] = sums.get(site, 0) + int(allocated)
        if not found.frames[int(trace)][0][0].startswith(("java.", "jdk.")):
            own.add(site)
    most = max(own, key=sums.__getitem__)
    return *most, sums[most] / sum(sums.values())


def test_h2(find_jvm: FindJvm, tmp_path: Path) -> None:
    jar, jvm = need_jar("h2.jar"), find_jvm(17)
    line = [jvm.tool("javac"), "-d", tmp_path, CLIENTS]
    subprocess.run(line, check=True, capture_output=True, timeout=PATIENCE, env=ENVIRONMENT)
    found = profiled(
        "cpu=samples,heap=sites,monitor=y", tmp_path, jvm.java, "-cp", f"{jar}:{tmp_path}", "orders.Clients", "2000"
    )
    method, name, share = greatest_site(found)
    assert (method, name) == ("toElement", "java.util.AbstractMap$SimpleImmutableEntry")
    assert share > 0.3
    assert "org.h2.mvstore.db.MVTable" in {row[5] for row in found.tables["MONITOR TIME"]}
    assert sum(
        int(row[3])
        for row in found.tables["CPU SAMPLES"]
        if any(method == "queryWithoutCache" for method in found.methods(row[4]))
    )
    assert {"client-0", "client-3"} <= set(found.threads.values())


def test_ecj(find_jvm: FindJvm, tmp_path: Path) -> None:
    jar, jvm = need_jar("eclipse-jdt-core.jar"), find_jvm(17)
    sources = sorted((ROOT / "tools" / "demo" / "java").glob("*.java"))
    compiler = [
        "-cp",
        jar,
        "org.eclipse.jdt.internal.compiler.batch.Main",
        "-17",
        "-nowarn",
        "-proc:none",
        "-repeat",
        "5",
        "-d",
        tmp_path / "out",
    ]
    found = profiled("heap=sites", tmp_path, jvm.java, *compiler, *sources)
    method, name, _ = greatest_site(found)
    assert (method, name) == ("utf8At", "char[]")

"""Allocation counts match the comments in the sources, bytes match the JVM's own accounting per thread
(java/allocations/)."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tests.conftest import JAVA_SOURCES, Compiled, FindJvm, Run, Words, execute

VIRTUAL = "-Dthread=virtual"
LAYOUTS = [
    (17, ()),
    (21, ()),
    (25, ()),
    (17, ("-Xint",)),
    (17, ("-XX:TieredStopAtLevel=1",)),
    (17, ("-XX:-UseCompressedClassPointers",)),
    (25, ("-XX:-UseCompressedClassPointers",)),
    (17, ("-XX:ObjectAlignmentInBytes=16",)),
    (25, ("-XX:ObjectAlignmentInBytes=16",)),
    (17, ("-XX:-UseCompressedOops",)),
    (25, ("-XX:-UseCompressedOops",)),
    (25, ("-XX:+UseZGC",)),
    (21, (VIRTUAL,)),
    (25, (VIRTUAL,)),
    (25, (VIRTUAL, "-Xint")),
    (25, ("-XX:+UseCompactObjectHeaders",)),
    (25, ("-XX:+UseCompactObjectHeaders", "-XX:ObjectAlignmentInBytes=16")),
]

#: On another JVM, or compiled in another way, the others have these layouts, too.
REPEATED = [
    (21, ()),
    (17, ("-XX:TieredStopAtLevel=1",)),
    (25, ("-XX:-UseCompressedClassPointers",)),
    (25, ("-XX:ObjectAlignmentInBytes=16",)),
    (17, ("-XX:-UseCompressedOops",)),
    (25, (VIRTUAL,)),
    (25, (VIRTUAL, "-Xint")),
]


def expected_sites() -> Counter[tuple[int, str]]:
    """(line, type) -> count, from the comments."""
    found: Counter[tuple[int, str]] = Counter()
    for number, line in enumerate((JAVA_SOURCES / "allocations" / "Sites.java").read_text().splitlines(), 1):
        if comment := re.search(r"// allocates (.*)$", line):
            for text in comment[1].split(","):
                count, type_name = text.split()
                found[number, type_name] += int(count)
    assert len(found) > 40
    return found


def name_of(parameter: int | tuple[str, ...]) -> str:
    return f"jdk{parameter}" if isinstance(parameter, int) else "".join(parameter).replace("-XX:", "") or "plain"


CASES = [pytest.param(*layout, marks=pytest.mark.slow if layout in REPEATED else ()) for layout in LAYOUTS]


@pytest.mark.parametrize(("version", "options"), CASES, ids=name_of)
def test_counts_and_bytes(
    find_jvm: FindJvm, compiled: Compiled, run: Run, version: int, options: tuple[str, ...]
) -> None:
    java, classes = find_jvm(version).java, compiled("allocations")
    collector = [] if "-XX:+UseZGC" in options else ["-XX:+UseSerialGC"]
    program: Words = [*collector, *options, "-cp", classes, "allocations.Main"]
    bare = execute([java, "-Xint", *program, "sizes"])
    assert bare.status == 0, bare.stderr
    sizes = {name: int(size) for name, size in re.findall(r"^oracle (\w+) (\d+)$", bare.stdout, re.M)}
    assert len(sizes) == 20

    program[-1] = "allocations.Virtually" if VIRTUAL in options else program[-1]
    result = run(["alloc * in **", "alloc java.lang.Integer in java.lang.Integer::valueOf"], java, *program)
    assert result.status == 0, result.stderr
    sites = [site for site in result.report["allocations"] if site["class"].startswith("allocations.Sites")]
    counts: Counter[tuple[int, str]] = Counter()
    for site in sites:
        counts[site["line"], site["type"]] += site["count"]
    assert counts == expected_sites()

    bytes_of: Counter[str] = Counter()
    for site in sites:
        bytes_of[site["method"]] += site["bytes"]
    del bytes_of["<clinit>"], sizes["others"]
    boxes = sizes.pop("boxes")
    assert bytes_of == sizes

    # other code in the JVM may box, too
    (integers,) = [site for site in result.report["allocations"] if site["class"] == "java.lang.Integer"]
    assert integers["count"] >= 5000
    assert integers["bytes"] == integers["count"] * boxes // 5000


@pytest.mark.core
def test_only_the_types_asked_for(find_jvm: FindJvm, compiled: Compiled, run: Run) -> None:
    java, classes = find_jvm(17).java, compiled("allocations")
    result = run(
        "alloc int[], allocations.Sites$Point in allocations.Sites::*", java, "-cp", classes, "allocations.Main"
    )
    wanted = {
        site: count for site, count in expected_sites().items() if site[1] in ("int[]", "allocations.Sites$Point")
    }
    assert {(site["line"], site["type"]): site["count"] for site in result.report["allocations"]} == wanted
    assert result.report["methods"] == []

"""Reads expected counts from comments in Java sources and finds their methods with javap.

1. javap lists each method with its line numbers; a method begins at its first one.
2. A comment `// calls 10 exceptions 3` at the end of a method's first line belongs to the first method of that name
   that begins at or after that line in the same file. A comment with a name, such as `// lambda calls 2`, belongs to
   the method of that name on that line.
3. Every method in the report must have a comment, and vice versa.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

Key = tuple[str, str, str]  # class, method, descriptor

COMMENT = re.compile(r"//\s*(.*\bcalls \d.*)$")
ONE = re.compile(
    r"^(?:(?P<bridge>bridge) )?(?:(?P<name>[\w<>$]+) )?"
    r"calls (?P<calls>\d+)(?: completed (?P<completed>\d+))?(?: exceptions (?P<exceptions>\d+))?$"
)
DECLARED = re.compile(r"(\w+)\s*\(")


@dataclass(frozen=True)
class Counts:
    calls: int
    completed: int
    exceptions: int


@dataclass(frozen=True)
class Method:
    key: Key
    bridge: bool
    line: int


def methods_of(javap: Path, classes: Path) -> dict[str, list[Method]]:
    """The methods that have code, by source file."""
    files = sorted(classes.rglob("*.class"))
    out = subprocess.run([javap, "-p", "-v", *files], capture_output=True, text=True, check=True, timeout=120).stdout
    found: dict[str, list[Method]] = {}
    for text in out.split("\nClassfile "):
        source = re.search(r'^SourceFile: "(.*)"', text, re.M)
        name = re.search(r"^  this_class: #\d+\s+// \"?([^\s\"]+)", text, re.M)
        assert source, text[:500]
        assert name, text[:500]
        class_name = name[1].replace("/", ".")
        for part in text.split("\n\n"):
            if not (lines := re.search(r"LineNumberTable:\n\s+line (\d+):", part)):
                continue
            header = re.search(r"^  (.*);\n    descriptor: (\S+)\n    flags: (.*)$", part, re.M)
            assert header, part
            declared = re.search(r"([\w.$]+)\(", header[1])
            method = "<clinit>" if declared is None else "<init>" if declared[1] == class_name else declared[1]
            all_lines = [int(n) for n in re.findall(r"^\s+line (\d+):", part, re.M)]
            first = int(lines[1]) if method == "<init>" else min(all_lines)
            found.setdefault(source[1], []).append(
                Method((class_name, method, header[2]), "ACC_BRIDGE" in header[3], first)
            )
    return found


def expectations(sources: Path, classes: Path, javap: Path) -> dict[str, dict[Key, Counts]]:
    """The comments' expectations, by source file."""
    methods = methods_of(javap, classes)
    found: dict[str, dict[Key, Counts]] = {}
    for source in sorted(sources.glob("*.java")):
        expected = found[source.name] = {}
        for number, line in enumerate(source.read_text().splitlines(), 1):
            comment = COMMENT.search(line)
            if not comment:
                continue
            for text in comment[1].split(";"):
                one = ONE.match(text.strip())
                assert one, f"{source.name}:{number}: cannot read {text!r}"
                key = owner(methods[source.name], line[: comment.start()], number, one, expected)
                assert key, f"{source.name}:{number}: no method for {text!r}"
                assert key not in expected, f"{source.name}:{number}: a second comment for {key}"
                calls = int(one["calls"])
                expected[key] = Counts(calls, int(one["completed"] or calls), int(one["exceptions"] or 0))
    return found


def owner(methods: list[Method], code: str, number: int, one: re.Match[str], known: dict[Key, Counts]) -> Key | None:
    """The method that a comment belongs to; if several are on one line, the first without a comment."""
    name = one["name"]
    if name:
        here = [m for m in methods if m.line == number and m.bridge == bool(one["bridge"])]
        keys = [m.key for m in here if m.key[1] == name or (name == "lambda" and m.key[1].startswith("lambda$"))]
        return next((key for key in keys if key not in known), None)
    declared = DECLARED.search(code) or re.search(
        r"(\w+) {$", code.rstrip()
    )  # a record's compact constructor has no parentheses
    assert declared, f"line {number}: no method's declaration"
    after = [m for m in methods if m.line >= number and not m.bridge and simple_name(m.key) == declared[1]]
    return min(after, key=lambda m: m.line).key if after else None


def simple_name(key: Key) -> str:
    return re.split(r"[.$]", key[0])[-1] if key[1] == "<init>" else key[1]

"""``python -m classhook.native.building.analysis``: GCC's -fanalyzer, and its warnings, over all C files.

1. Each file is compiled for its findings alone, two at a time. That takes minutes of CPU time, so the findings of a
   file are kept in build/analysis.json, by what the preprocessor makes of the file, the flags and the compiler.
2. A finding that is wrong stands in FALSE with the reason. One that stands there and is no longer found is an error,
   too.
3. Exit status: 0, no findings; 1, findings; 2, something is missing.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from classhook.native.building import build, embed, header
from classhook.native.building.flags import C_FLAGS, STRICT
from classhook.native.building.prerequisites import Missing, compiler, jdk_home

KEPT = build.HERE.parent / "build" / "analysis.json"
ANALYSIS = ("-fanalyzer", "-fdiagnostics-plain-output", "-fdiagnostics-path-format=none")
#: The functions that interpreter.c declares are defined in what cffi generates behind it.
EMBEDDING = ("-Dstatic=", "-Wno-missing-prototypes", "-Wno-redundant-decls")
Place = tuple[str, str, str]

LEAK = "-Wanalyzer-malloc-leak"
NULL = "-Wanalyzer-null-dereference"
KEPT_THERE = "it is kept in what a pointer leads to, of which the analyzer loses track"
KEPT_BY_THREAD = "the thread keeps it, and frees it when it ends"
#: (file, function, warning) -> why it is wrong.
FALSE: dict[Place, str] = {
    ("base/table.h", "ch_table_grow", LEAK): "the old places are freed, and the table has the new ones",
    ("classes/class_loaders.c", "wait_for", LEAK): KEPT_THERE,
    ("classes/name_sets.c", "ch_names_number", LEAK): KEPT_THERE,
    ("sampling/inlined_code.c", "add_lines", LEAK): KEPT_THERE,
    ("sampling/native_symbols.c", "look_into", LEAK): KEPT_THERE,
    ("events/name_numbers.c", "add", LEAK): KEPT_THERE,
    ("embedded/object_graphs.c", "add_parts", LEAK): KEPT_THERE,
    ("live/held_rules.c", "hold_of", LEAK): KEPT_THERE,
    ("watch/collections.c", "known_of", NULL): "the head of the list is looked at before",
    ("watch/keys.c", "Java_java_lang_ClasshookTracker_key", LEAK): KEPT_BY_THREAD,
    ("watch/keys.c", "Java_java_lang_ClasshookTracker_keyPart", LEAK): KEPT_BY_THREAD,
}


@dataclass(frozen=True, order=True)
class Finding:
    file: str
    function: str
    line: int
    text: str
    option: str

    @property
    def place(self) -> Place:
        return self.file, self.function, self.option


def units(scratch: Path) -> dict[Path, list[str]]:
    """Each C file with its flags."""
    home = jdk_home()
    java = [str(home / "include"), str(home / "include" / "linux")]
    strict = [compiler(), *(flag for flag in C_FLAGS if flag != "-Werror"), *STRICT, *ANALYSIS, '-DCH_BUILD_ID="x"']
    agent = [*strict, *build.agent_includes(scratch, java)]
    python = [*agent, f"-isystem{sysconfig.get_paths()['include']}"]
    macros = [f'-D{name}="{value}"' for name, value in build.python_macros().items()]
    found = {path: agent for path in build.agent_sources()}
    found |= dict.fromkeys(embed.sources(), python)
    found |= {path: strict for path in sorted(header.HEAP.parent.glob("*.c"))}
    found[embed.ENTRY] = [*python, *macros, *EMBEDDING]
    return found


def findings_in(text: str) -> list[Finding]:
    """The findings in the compiler's output."""
    function, found = "", []
    for line in text.splitlines():
        if inside := re.match(r".*: In function '(\w+)", line):
            function = inside[1]
        elif line.endswith("At top level:"):
            function = ""
        elif told := re.match(r"(.+?):(\d+):\d+: (?:warning|error): (.*?)(?: \[(-W[^\]]*)\])?$", line):
            file = os.path.relpath(told[1], build.HERE)
            found.append(Finding(file, function, int(told[2]), told[3], (told[4] or "").replace("-Werror=", "-W")))
    return found


def key_of(path: Path, line: list[str], version: str) -> str:
    """The key of all inputs that decide the findings."""
    made = subprocess.run([*line, "-E", path], capture_output=True).stdout
    flags = [flag for flag in line if not flag.startswith("-I")]
    return hashlib.sha256(re.sub(rb'"/[^"]*/', b'"', made) + repr((str(path), flags, version)).encode()).hexdigest()


def analyse(line: list[str], path: Path) -> str:
    """The compiler's output for the file."""
    done = subprocess.run(
        [*line, "-c", path, "-o", os.devnull], capture_output=True, text=True, env=os.environ | {"LC_ALL": "C"}
    )
    if done.returncode:
        raise Missing(f"{path} does not compile: {done.stderr.strip()[-500:]}")
    return done.stderr


def all_findings() -> set[Finding]:
    """The findings of all files; the output for unchanged ones is kept."""
    try:
        known: dict[str, str] = json.loads(KEPT.read_text())
    except (OSError, ValueError):
        known = {}
    version = subprocess.run([compiler(), "--version"], capture_output=True, text=True).stdout
    kept: dict[str, str] = {}

    def one(path: Path, line: list[str]) -> None:
        key = key_of(path, line, version)
        kept[key] = known[key] if key in known else analyse(line, path)

    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(2) as pool:
        try:
            for waiting in [pool.submit(one, path, line) for path, line in units(Path(name)).items()]:
                waiting.result()
        finally:
            KEPT.parent.mkdir(exist_ok=True)
            KEPT.write_text(json.dumps(kept))
    return {finding for text in kept.values() for finding in findings_in(text)}


def main() -> int:
    try:
        found = all_findings()
    except Missing as missing:
        print(f"classhook: {missing}", file=sys.stderr)
        return 2
    wrong = sorted(finding for finding in found if finding.place not in FALSE)
    for finding in wrong:
        print(
            f"native/{finding.file}:{finding.line}: {finding.text} [{finding.option}] in"
            f" {finding.function or 'no function'}"
        )
    gone = sorted(FALSE.keys() - {finding.place for finding in found})
    for file, function, option in gone:
        print(f"native/building/analysis.py: {option} in {function} of {file} is not found any more")
    return 1 if wrong or gone else 0


if __name__ == "__main__":
    sys.exit(main())

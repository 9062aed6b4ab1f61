"""Runs tests of a JDK's source by jtreg, its own harness, and returns their verdicts.

1. The tests' native parts are compiled once: each lib*.c and lib*.cpp of the folders that are run, and what they share.
2. The agent is an option of all JVMs that run tests. Tests of HotSpot pass it on to JVMs that they start, to most of
   them; those of the JDK, of which some are scripts of the shell, do so if it is in the environment.
3. Runs with and without the agent share a folder of work, so that what one compiled is not compiled again.
4. The verdict of a test is the line that jtreg prints for it. What the JDK's own lists of problems name does not run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tools.compare.fetching import Failed, tool
from tools.corpus.machines import Machine

HOTSPOT, JDK = "hotspot/jtreg", "jdk"  # folders of the source's tests with a TEST.ROOT
AT_ONCE = 2  # tests, and compilers
PATIENCE = 4  # the factor by which tests may take longer than they say
VERDICT = re.compile(r"^(Passed|FAILED|Error)[:.] (\S+)", re.M)
FOUND = re.compile(r"Tests found: ([\d,]+)")
SHARED = ("native", "jni", "jvmti", "jvmti/agent_common", "jvmti/aod", "aod")  # headers in vmTestbase/nsk/share
SHARING = "vmTestbase"
DEFINED = ("__STDC_FORMAT_MACROS", "__STDC_LIMIT_MACROS", "__STDC_CONSTANT_MACROS")


@dataclass(frozen=True, slots=True)
class Jtreg:
    """jtreg with a JVM and a folder of its own; `tests` is the source's folder `test`."""

    program: str
    tests: Path
    jvm: Machine
    folder: Path

    @classmethod
    def found(cls, tests: Path, jvm: Machine, folder: Path) -> Jtreg:
        """Raises Failed if the machine has no jtreg."""
        program = shutil.which("jtreg")
        if program is None:
            raise Failed("jtreg is missing: `apt-get install jtreg7` installs it on Debian")
        return cls(program, tests, jvm, folder)

    @property
    def home(self) -> Path:
        return self.jvm.java.resolve().parent.parent

    def natives(self, suite: str) -> Path:
        """The folder of the tests' libraries."""
        return self.folder / "native" / str(self.jvm.release) / suite

    def build(self, suite: str, tests: Iterable[str]) -> None:
        """Compiles the libraries of tests that are not yet compiled. Raises Failed."""
        to = self.natives(suite)
        to.mkdir(parents=True, exist_ok=True)
        places = [self.tests / suite / one.partition("#")[0] for one in tests]
        if any(one.startswith(SHARING) for one in tests):
            places += [self.tests / suite / SHARING / one for one in ("nsk/share", "vm/share")]
        sources = {
            source.stem: source
            for place in [self.tests / "lib", *(one.parent if one.is_file() else one for one in places)]
            for source in sorted(place.rglob("lib*.c*"))
            if source.suffix in (".c", ".cpp")
        }
        with ThreadPoolExecutor(AT_ONCE) as several:
            for _ in several.map(lambda source: self._library(source, to / f"{source.stem}.so"), sources.values()):
                pass

    def _library(self, source: Path, library: Path) -> None:
        if library.exists():
            return
        base = self.tests / "hotspot/jtreg/vmTestbase"
        headers = [
            *(self.home / "include" / one for one in ("", "linux")),
            *(base / "nsk/share" / one for one in SHARED),
            base / "vm/share",
            *(self.tests / "lib" / one for one in ("native", "jdk/test/lib/jvmti")),
        ]
        part = library.with_suffix(".part")
        compiler = "gcc" if source.suffix == ".c" else "g++"
        words = [*(f"-D{one}" for one in DEFINED), *(f"-I{one}" for one in headers)]
        tool(compiler, "-w", "-shared", "-fPIC", *words, source, "-o", part)
        part.rename(library)

    def count(self, suite: str, tests: Iterable[str]) -> int:
        """Counts the tests of folders and files, those that no run would take included."""
        work = self.folder / "list"
        line = [self.program, f"-jdk:{self.home}", "-listtests", f"-workDir:{work}", f"-reportDir:{work}"]
        found = FOUND.search(tool(*line, *(self.tests / suite / test for test in tests)))
        return int(found[1].replace(",", "")) if found else 0

    def _with(self, suite: str, option: str) -> list[str]:
        """jtreg's options for an option of the JVMs."""
        if suite == HOTSPOT:
            return [f"-javaoption:{option}"]
        (file := self.folder / "options").write_text(f"{option}\n")  # commas would part it in jtreg's own option
        return [f"-e:JDK_JAVA_OPTIONS=@{file}"]

    def verdicts(self, suite: str, tests: Sequence[str], option: str | None = None) -> dict[str, str]:
        """Test -> `Passed`, `FAILED` or `Error`, with the folder of its suite before its name; `option` of all
        JVMs. Raises Failed if jtreg itself did."""
        work = self.folder / "work" / str(self.jvm.release) / suite
        work.mkdir(parents=True, exist_ok=True)
        line = [
            *(self.program, "-agentvm", "-automatic", "-ignore:quiet", "-noreport", "-retain:none", "-verbose:summary"),
            f"-concurrency:{AT_ONCE}",
            f"-timeoutFactor:{PATIENCE}",
            f"-nativepath:{self.natives(suite)}",
            f"-exclude:{self.tests / suite / 'ProblemList.txt'}",
            f"-jdk:{self.home}",
            *(self._with(suite, option) if option else []),
            *(f"-workDir:{work}", *(str(self.tests / suite / test) for test in tests)),
        ]
        environment = {name: value for name, value in os.environ.items() if name != "JAVA_TOOL_OPTIONS"}
        done = subprocess.run(
            line, capture_output=True, text=True, errors="replace", cwd=work, env=environment | {"LC_ALL": "C.UTF-8"}
        )
        found = {f"{suite}/{test}": verdict for verdict, test in VERDICT.findall(done.stdout)}
        if not found:
            raise Failed(f"jtreg ran no test: status {done.returncode}\n{(done.stdout + done.stderr)[-2000:]}")
        return found

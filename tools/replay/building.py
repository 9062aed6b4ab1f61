"""Compiles a library and its tests by javac, and runs the tests by JUnit's launcher: much faster than by Maven."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ENVIRONMENT, run_line
from tools.compare.fetching import Failed, Fetcher, tool
from tools.compare.libraries import CONSOLE, JUNIT_JAR, Workshop, java_sources
from tools.mutants.libraries import JAVA, QUICK
from tools.mutants.worker import Outcome, Worker
from tools.replay.projects import Project

RELEASE = 17
#: Folders of sources below `src`, as Maven has it, and as libraries had it before; resources lie beside them, too.
MAIN, TESTS = ("main/java", "java"), ("test/java", "test")
PATIENCE = 3600.0  # seconds of CPU time for all tests


@dataclass(frozen=True, slots=True)
class Built:
    """Folders of classes."""

    main: Path
    tests: Path

    @property
    def roots(self) -> list[Path]:
        return [self.main, self.tests]


@dataclass(frozen=True, slots=True)
class Builder:
    """`tree`: the files of a commit."""

    project: Project
    fetcher: Fetcher
    tree: Path

    @property
    def module(self) -> Path:
        return self.tree / self.project.inner

    def needs(self) -> list[Path]:
        """The jars that the tests need, without their JUnit Platform."""
        if self.project.needs:
            return [self.fetcher.jar(one) for one in (CONSOLE, *self.project.needs)]
        others = [path for path in self.fetcher.needs(self.module / "pom.xml") if not JUNIT_JAR.match(path.name)]
        return [self.fetcher.jar(CONSOLE), *others]

    def disable(self) -> None:
        """Has JUnit skip the tests that would end the run."""
        for file in (self.module / "src" / "test" / "java").rglob("*.java") if self.project.disabled else ():
            text = before = file.read_text(errors="surrogateescape")
            for name in self.project.disabled:
                text = text.replace(f"void {name}(", f"@org.junit.jupiter.api.Disabled void {name}(")
            if text != before:
                file.write_text(text, errors="surrogateescape")

    def compile(self, to: Path) -> Built:
        """Compiles the library and its tests. Raises Failed."""
        made = Built(to / "classes", to / "tests")
        needs, source = self.needs(), self.module / "src"
        for folder, names, more in ((made.main, MAIN, []), (made.tests, TESTS, [made.main])):
            shutil.rmtree(folder, ignore_errors=True)
            java = next((path for name in names if (path := source / name).exists()), None)
            if java is None:
                raise Failed(f"{source} has neither {' nor '.join(names)}")
            sources = [
                *java_sources(java, *self.project.without),
                *self._templates(java.with_name("java-templates"), to),
            ]
            self._javac(folder, sources, [*more, *needs], *self.project.options)
            shutil.copytree(java, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.java"))
            if (resources := java.with_name("resources")).exists():
                shutil.copytree(resources, folder, dirs_exist_ok=True)
        return made

    @staticmethod
    def _javac(to: Path, sources: Sequence[Path], needs: Sequence[Path], *options: str) -> None:
        to.mkdir(parents=True)
        (arguments := to.with_suffix(".files")).write_text("\n".join(f'"{source}"' for source in sources))
        words = ("-J-XX:TieredStopAtLevel=1", "-proc:none", "-nowarn", "-g", "-Xmaxerrs", "5", *options)
        path = os.pathsep.join(map(str, needs))
        tool(Workshop.jdk(RELEASE) / "javac", *words, "-cp", path, "-d", to, f"@{arguments}")

    @staticmethod
    def _templates(folder: Path, to: Path) -> list[Path]:
        """Sources into which the build writes the version."""
        found = []
        for file in java_sources(folder):
            made = to / "templates" / file.relative_to(folder)
            made.parent.mkdir(parents=True, exist_ok=True)
            made.write_text(file.read_text().replace("${project.version}", "1"))
            found.append(made)
        return found

    def line(self, built: Built, driver: Path) -> list[str | Path]:
        """The command that runs all tests as often as it is told to (tools/mutants/java/Mutants.java)."""
        needs = self.needs()
        if not driver.exists():
            self._javac(driver, [JAVA], needs)
        before, _ = Workshop(self.fetcher, self.tree).console(RELEASE)
        path = os.pathsep.join(map(str, [driver, *needs]))
        return [Workshop.jdk(RELEASE) / "java", *QUICK, *before, path, "Mutants", *built.roots]

    def record(self, built: Built, driver: Path, data: Path) -> None:
        """Runs all tests with `classhook run --tests`. Raises Failed."""
        shutil.rmtree(data, ignore_errors=True)
        rules = [f"count {self.project.package}.**::*", "tests"]
        line = run_line(rules, data, self.line(built, driver))
        done = subprocess.run(
            list(map(str, line)), input=b"-\t-\n", capture_output=True, cwd=self.module, env=ENVIRONMENT
        )
        if not done.stdout.endswith(b"\n.\n"):
            said = done.stderr.decode(errors="replace")[-2000:]
            raise Failed(f"the tests cannot be recorded: status {done.returncode}\n{said}")

    def run(self, built: Built, driver: Path) -> Outcome:
        """Runs all tests in a JVM of their own, without classhook. Raises Failed."""
        worker = Worker(self.line(built, driver), self.module, PATIENCE)
        try:
            outcome = worker.run()
        finally:
            worker.stop()
        if outcome.died or outcome.hung:
            raise Failed(f"a run of all tests did not end: {', '.join(sorted(outcome.failed)[:3]) or 'no test ran'}")
        return outcome

"""The libraries: where they come from, how they are compiled, and the command that runs their tests.

1. Java libraries are compiled from their sources by each compiler; their tests once, by javac, as only the library is
   measured.
2. JUnit's console runs the tests; it is the first on the class path, so other JUnits are left out.
3. Some come compiled: those whose build makes sources.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from tests import peers
from tests.conftest import release_of
from tests.coverage.conftest import SOURCES
from tools.beside.programs import REPEATABLE
from tools.compare.fetching import Failed, Fetcher, tool

HERE = Path(__file__).parent
OPENED = ("java.lang", "java.util", "java.time", "java.lang.reflect", "java.util.stream")  # what tests look into
CONSOLE = peers.Artifact("org.junit.platform", "junit-platform-console-standalone", "1.14.0")
KOTLINC = peers.Artifact("org.jetbrains.kotlin", "kotlin-compiler-embeddable", "2.2.20")
KOTLINC_CLASS = "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler"
SCALA = peers.Artifact("org.scala-lang", "scala-library", "2.13.16")
SCALAC = peers.Artifact("org.scala-lang", "scala3-compiler_3", "3.7.3")
GROOVY = peers.Artifact("org.apache.groovy", "groovy", "5.0.1")
OLDEST = ("--release", "17")  # what uses the library of JDK 17, and runs on that
LANG = peers.Artifact("org.apache.commons", "commons-lang3", "3.20.0")
COLLECTIONS = peers.Artifact("org.apache.commons", "commons-collections4", "4.5.0")
TRINO = peers.Artifact("io.trino", "trino-main", "478")
CATS = peers.Artifact("org.typelevel", "cats-kernel-laws_2.13", "2.9.0")
JUNIT = (peers.Artifact("org.assertj", "assertj-core", "3.27.3"), peers.Artifact("io.airlift", "testing", "369"))
JUNIT_JAR = re.compile(r"(junit-jupiter|junit-platform|junit-vintage|opentest4j|apiguardian)[\w-]*-\d")


@dataclass(frozen=True)
class Built:
    """`classes`: a folder or jar with what is measured; `packages`: which names these have, in the form of rules;
    `words`: the JVM's arguments."""

    classes: Path
    packages: tuple[str, ...]
    words: tuple[str | Path, ...]
    release: int = 17
    folder: Path | None = None


@dataclass(frozen=True)
class Workshop:
    """Builds in a folder."""

    fetcher: Fetcher
    scratch: Path

    def inner(self, name: str) -> Workshop:
        """The same in an empty folder in this one."""
        folder = self.scratch / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return Workshop(self.fetcher, folder)

    @staticmethod
    def jdk(release: int) -> Path:
        """The `bin` of a JDK. Raises Failed."""
        named = os.environ.get(f"CLASSHOOK_TEST_JAVA_{release}")
        for java in [Path(named)] if named else sorted(Path("/usr/lib/jvm").glob("*/bin/java")):
            if (java.parent / "javac").exists() and release_of(java) == release:
                return java.parent
        raise Failed(f"no JDK {release}: name one in CLASSHOOK_TEST_JAVA_{release}")

    def java(self, compiler: str, to: Path, sources: Iterable[Path], needs: Iterable[Path], *options: str) -> Path:
        """Compiles Java."""
        line: list[str | Path] = (
            [self.jdk(25) / "java", "-jar", self.fetcher.jar(peers.ECJ), "-nowarn", *(() if options else OLDEST)]
            if compiler == "ecj"
            else [self.jdk(int(compiler.removeprefix("javac"))) / "javac", "-nowarn", "-Xmaxerrs", "5"]
        )
        arguments = to.with_suffix(".files")
        to.mkdir(parents=True)
        arguments.write_text("\n".join(f'"{source}"' for source in sources))
        path = os.pathsep.join(map(str, needs)) or "."
        tool(*line, "-proc:none", "-encoding", "UTF-8", "-g", *options, "-cp", path, "-d", to, f"@{arguments}")
        return to

    def kotlin(self, to: Path, sources: Iterable[Path], needs: Iterable[Path]) -> Path:
        """Compiles Kotlin."""
        compiler = os.pathsep.join(map(str, self.fetcher.class_path(KOTLINC)))
        path = os.pathsep.join(map(str, needs))
        line: list[str | Path] = [
            self.jdk(17) / "java",
            "-Xmx2g",
            "-cp",
            compiler,
            KOTLINC_CLASS,
            "-no-stdlib",
            "-no-reflect",
            "-nowarn",
        ]
        tool(*line, "-cp", path, "-d", to, *sources)
        return to

    def console(self, release: int) -> tuple[list[str | Path], list[str]]:
        """The words of the command that runs JUnit, before and behind the class path."""
        opens = [f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in OPENED]
        said = ["org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner", "--details=summary"]
        return [
            *opens,
            "-Duser.language=en",
            "-Duser.country=US",
            "-Duser.timezone=UTC",
            "-Dfile.encoding=UTF-8",
            "-cp",
        ], said

    def junit(
        self, release: int, classes: Path, tests: Path, needs: Iterable[Path], *more: str
    ) -> tuple[str | Path, ...]:
        before, behind = self.console(release)
        others = [path for path in needs if not JUNIT_JAR.match(path.name)]
        path = os.pathsep.join(map(str, [classes, tests, self.fetcher.jar(CONSOLE), *others]))
        return *before, path, *behind, *(more or ["--scan-classpath", str(tests)])


def java_sources(root: Path, *without: str) -> list[Path]:
    """Java sources below a folder, but for modules, packages' descriptions, and those of other releases."""
    left_out = ("module-info.java", "package-info.java")
    found = sorted(root.rglob("*.java"))
    return [
        one
        for one in found
        if one.name not in left_out and "META-INF" not in one.parts and not any(word in str(one) for word in without)
    ]


def resources(source: Path, to: Path) -> None:
    """Copies what is not source code."""
    if source.exists():
        shutil.copytree(source, to, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.java", "META-INF", "*.kt"))


def of_maven(
    shop: Workshop, compiler: str, artifact: peers.Artifact, package: str, *options: str, without: tuple[str, ...] = ()
) -> Built:
    """A library whose sources and tests are on Maven Central; `options`: of the compilers; `without`: parts of paths of
    tests to leave out."""
    main, tests = (
        shop.fetcher.unpacked(peers.Artifact(artifact.group, artifact.name, artifact.version, one))
        for one in ("sources", "test-sources")
    )
    needs = shop.fetcher.needs(shop.fetcher.pom(artifact))
    return _built(shop, compiler, artifact.name, [main], [tests], needs, package, None, *options, without=without)


def of_debian(shop: Workshop, compiler: str, package: str, inner: str, java_package: str) -> Built:
    """A library of Debian, in Maven's layout."""
    root = shop.fetcher.debian(package) / inner
    needs = shop.fetcher.needs(root / "pom.xml")
    main = [root / "src" / "main" / name for name in ("java", "resources")]
    templates = root / "src" / "main" / "java-templates"
    if templates.exists():
        filled = shop.scratch / f"{package}-{compiler}-templates"
        shutil.copytree(templates, filled)
        for file in filled.rglob("*.java"):
            file.write_text(file.read_text().replace("${project.version}", "1"))
        main.append(filled)
    return _built(
        shop,
        compiler,
        package,
        main,
        [root / "src" / "test" / name for name in ("java", "resources")],
        needs,
        java_package,
        root,
    )


def _built(
    shop: Workshop,
    compiler: str,
    name: str,
    main: list[Path],
    tests: list[Path],
    needs: list[Path],
    package: str,
    folder: Path | None,
    *options: str,
    without: tuple[str, ...] = (),
) -> Built:
    release = 25 if compiler == "javac25" else 17
    needs = [*needs, shop.fetcher.jar(CONSOLE)]
    classes = shop.java(
        compiler,
        shop.scratch / f"{name}-{compiler}",
        [one for root in main for one in java_sources(root)],
        needs,
        *options,
    )
    test_classes = shop.scratch / f"{name}-{compiler}-tests"
    sources = [one for root in tests for one in java_sources(root, *without)]
    shop.java("javac17" if release == 17 else "javac25", test_classes, sources, [classes, *needs], *options)
    for root, to in [*((one, classes) for one in main), *((one, test_classes) for one in tests)]:
        resources(root, to)
    return Built(classes, (package,), shop.junit(release, classes, test_classes, needs), release, folder)


# ---- one by one


def lang(shop: Workshop, compiler: str) -> Built:
    return of_maven(shop, compiler, LANG, "org.apache.commons.lang3")


def collections(shop: Workshop, compiler: str) -> Built:
    """With JDK 21's library it cannot be compiled: its lists and maps have methods of sequenced collections with other
    types."""
    return of_maven(shop, compiler, COLLECTIONS, "org.apache.commons.collections4", *OLDEST)


def jsoup(shop: Workshop, compiler: str) -> Built:
    return of_debian(shop, compiler, "jsoup", ".", "org.jsoup")


def gson(shop: Workshop, compiler: str) -> Built:
    return of_debian(shop, compiler, "libgoogle-gson-java", "gson", "com.google.gson")


Compile = Callable[[Path, list[Path], list[Path]], Path]


def targets(
    shop: Workshop, compiler: str, sources: Callable[[Path], list[Path]], needs: list[Path], build: Compile
) -> Built:
    """JaCoCo's own targets, as programs."""
    root = shop.fetcher.debian("jacoco")
    stubs = shop.java(
        "javac17", shop.scratch / f"stubs-{compiler}", root.rglob("org/jacoco/core/test/validation/targets/*.java"), []
    )
    driver = shop.java("javac17", shop.scratch / f"driver-{compiler}", [HERE / "java" / "Targets.java"], [])
    classes = build(shop.scratch / f"targets-{compiler}", sources(root), [stubs, *needs])
    path = os.pathsep.join(map(str, [classes, stubs, driver, *needs]))
    return Built(
        classes, ("org.jacoco.core.test.validation",), ("-ea:org.jacoco...", "-cp", path, "Targets", classes), 25
    )


def java_targets(shop: Workshop, compiler: str) -> Built:
    newest = 16 if compiler == "javac17" else 21

    def sources(root: Path) -> list[Path]:
        found = []
        for folder in sorted(root.glob("org.jacoco.core.test.validation.java*")):
            if int(folder.name.rpartition("java")[2]) <= newest:
                found += sorted(folder.rglob("targets/*.java"))
        return found

    options = ("-21",) if compiler == "ecj" else ()
    return targets(
        shop, compiler, sources, [], lambda to, files, needs: shop.java(compiler, to, files, needs, *options)
    )


def kotlin_targets(shop: Workshop, compiler: str) -> Built:
    needs = shop.fetcher.class_path(peers.KOTLIN, peers.COROUTINES)
    return targets(shop, compiler, lambda root: sorted(root.rglob("targets/*.kt")), needs, shop.kotlin)


def groovy_targets(shop: Workshop, compiler: str) -> Built:
    needs = shop.fetcher.class_path(GROOVY)

    def build(to: Path, files: list[Path], needs: list[Path]) -> Path:
        path = os.pathsep.join(map(str, needs))
        tool(
            shop.jdk(17) / "java",
            "-cp",
            path,
            "org.codehaus.groovy.tools.FileSystemCompiler",
            "--classpath",
            path,
            "-d",
            to,
            *files,
        )
        return to

    return targets(shop, compiler, lambda root: sorted(root.rglob("targets/*.groovy")), needs, build)


def scala(shop: Workshop, to: Path, files: list[Path], needs: list[Path]) -> Path:
    """Compiles Scala 3; its compiler is among what the program needs."""
    path = os.pathsep.join(map(str, needs))
    to.mkdir()
    tool(shop.jdk(17) / "java", "-cp", path, "dotty.tools.dotc.Main", "-classpath", path, "-d", to, *files)
    return to


def scala_targets(shop: Workshop, compiler: str) -> Built:
    needs = shop.fetcher.class_path(SCALAC)
    return targets(
        shop,
        compiler,
        lambda root: sorted(root.rglob("targets/*.scala")),
        needs,
        lambda to, files, needs: scala(shop, to, files, needs),
    )


def coroutines(shop: Workshop, compiler: str) -> Built:
    """A program with coroutines, and the library."""
    needs = shop.fetcher.class_path(peers.KOTLIN, peers.COROUTINES)
    classes = shop.kotlin(shop.scratch / "coroutines", [HERE / "kotlin" / "Coroutines.kt"], needs)
    for jar in needs:
        if jar.name.startswith(peers.COROUTINES.name):
            shutil.unpack_archive(jar, classes, "zip")
            shutil.rmtree(classes / "META-INF")
            (classes / "DebugProbesKt.bin").unlink()  # a class file for debuggers, which takes another one's name
    return Built(classes, ("",), ("-cp", os.pathsep.join(map(str, [classes, *needs])), "CoroutinesKt"))


def trino(shop: Workshop, compiler: str) -> Built:
    """Tests of expressions, with records, sealed types and pattern switches throughout."""
    needs = shop.fetcher.class_path(TRINO, *JUNIT)
    tests = shop.fetcher.jar(peers.Artifact(TRINO.group, TRINO.name, TRINO.version, "tests"))
    classes = shop.fetcher.jar(TRINO)
    words = shop.junit(
        25, classes, tests, needs, "--scan-classpath", str(tests), "--include-package", "io.trino.sql.ir"
    )
    return Built(classes, ("io.trino",), words, 25)


def laws(shop: Workshop, compiler: str) -> Built:
    """Laws that come as a library, checked for the types of Scala's own; they are measured as well."""
    needs = shop.fetcher.class_path(CATS, SCALA, SCALAC)
    classes = scala(shop, shop.scratch / "laws", [HERE / "scala" / "Laws.scala"], needs)
    for jar in needs:
        if jar.name.startswith("cats-kernel"):
            shutil.unpack_archive(jar, classes, "zip")
            shutil.rmtree(classes / "META-INF")
    return Built(classes, ("",), ("-cp", os.pathsep.join(map(str, [classes, *needs])), "laws"))


def ecj(shop: Workshop, compiler: str) -> Built:
    """It compiles what the tests of coverage have, always in the same way."""
    jar = shop.fetcher.jar(peers.ECJ)
    sources = sorted(
        path for folder in ("shapes", "shapes21", "missed", "strict") for path in (SOURCES / folder).glob("*.java")
    )
    options = ("-21", "-warn:all", "-proc:none", "-d", shop.scratch / "ecj-out")
    return Built(
        jar,
        ("org.eclipse",),
        (*REPEATABLE, "-cp", jar, "org.eclipse.jdt.internal.compiler.batch.Main", *options, *sources),
        25,
    )


def hsqldb(shop: Workshop, compiler: str) -> Built:
    """Class files with subroutines (jsr)."""
    jar = shop.fetcher.jar(peers.SUBROUTINES)
    driver = shop.java("javac17", shop.scratch / "sql", [HERE / "java" / "Sql.java"], [])
    return Built(jar, ("org.hsqldb",), ("-cp", f"{jar}{os.pathsep}{driver}", "Sql"))


@dataclass(frozen=True)
class Library:
    """`tests`: what runs."""

    title: str
    tests: str
    build: Callable[[Workshop, str], Built]
    compilers: tuple[str, ...]


JAVA = ("javac17", "javac25", "ecj")
LIBRARIES = {
    "lang": Library(f"commons-lang {LANG.version}", "its JUnit tests", lang, JAVA),
    "collections": Library(f"commons-collections {COLLECTIONS.version}", "its JUnit tests", collections, JAVA),
    "jsoup": Library("jsoup 1.15.3", "its JUnit tests", jsoup, JAVA),
    "gson": Library("gson 2.10", "its JUnit tests", gson, JAVA),
    "trino": Library(f"trino-main {TRINO.version}", "JUnit tests of its expressions", trino, ("as published",)),
    "laws": Library(f"cats-kernel {CATS.version} and its laws", "ScalaCheck", laws, ("scalac",)),
    "coroutines": Library(
        f"kotlinx-coroutines {peers.COROUTINES.version} and a program", "the program", coroutines, ("kotlinc",)
    ),
    "ecj": Library(f"ecj {peers.ECJ.version}", "it compiles five files", ecj, ("as published",)),
    "hsqldb": Library(f"HSQLDB {peers.SUBROUTINES.version}", "SQL statements", hsqldb, ("as published",)),
    "targets": Library("JaCoCo's targets for Java", "each of them", java_targets, JAVA),
    "kotlin-targets": Library("JaCoCo's targets for Kotlin", "each of them", kotlin_targets, ("kotlinc",)),
    "groovy-targets": Library("JaCoCo's targets for Groovy", "each of them", groovy_targets, ("groovyc",)),
    "scala-targets": Library("JaCoCo's targets for Scala", "each of them", scala_targets, ("scalac",)),
}

"""Compiles JaCoCo's targets: a folder of class files for each compiler and its options."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests import peers
from tools.compare.fetching import Failed, tool
from tools.compare.libraries import GROOVY, KOTLINC, KOTLINC_CLASS, SCALAC, Workshop, scala

VALIDATION = "org.jacoco.core.test.validation"
KOTLINX = "org.jetbrains.kotlinx"
#: Libraries that Kotlin's targets need: the name in JaCoCo's description, and that for the JVM.
NEEDED = (
    ("kotlinx-coroutines-core", "kotlinx-coroutines-core-jvm"),
    ("kotlinx-serialization-core-jvm", "kotlinx-serialization-core-jvm"),
)
SERIALIZES = "1.9"  # from this version, the plugin for serialization is in the registry in the form that we need
#: Older compilers of Kotlin, each with libraries in place of those that JaCoCo names, where it cannot read these.
OLDER: dict[str, tuple[peers.Artifact, ...]] = {
    KOTLINC.version: (),
    "2.1.21": (),
    "2.0.21": (),
    "1.9.25": (),
    "1.6.21": (),
    "1.4.32": (peers.Artifact(KOTLINX, "kotlinx-coroutines-core-jvm", "1.4.3"),),
    "1.3.72": (peers.OLD_COROUTINES,),
}
PREVIEW = 27  # the folder whose targets use what is a preview until then
Compile = Callable[["Sources", Workshop, Path, list[Path]], list[Path]]


@dataclass(frozen=True)
class Sources:
    """JaCoCo's repository, and where its targets' own needs are compiled."""

    root: Path
    stubs: Path

    def targets(self, *languages: str) -> Iterator[tuple[str, Path]]:
        """The sources of folders such as `java8`, by names such as `java8/LambdaTarget`."""
        for language in languages:
            for file in sorted(self.root.glob(f"{VALIDATION}.{language}/src/**/targets/*Target.*")):
                yield f"{language}/{file.stem}", file

    def java(self, newest: int) -> list[str]:
        """The folders of Java up to a release."""
        releases = sorted(int(one.name.rpartition("java")[2]) for one in self.root.glob(f"{VALIDATION}.java[0-9]*"))
        return [f"java{release}" for release in releases if release <= newest]

    def version(self, language: str, word: str) -> str:
        """A version that the description of a folder names, of a property or an artifact."""
        text = (self.root / f"{VALIDATION}.{language}" / "pom.xml").read_text()
        pattern = rf"<{re.escape(word)}>([^<]+)<|<artifactId>{re.escape(word)}</artifactId>\s*<version>([^<]+)<"
        found = re.search(pattern, text)
        assert found, f"no version of {word} in JaCoCo's folder for {language}"
        return found[1] or found[2]


@dataclass(frozen=True)
class Build:
    """`title`: the compiler and its options; `release`: the oldest JVM that runs what it makes; `compile` returns what
    the class files need; `options`: of the JVM; `as_jacoco`: JaCoCo's own build has this compiler, so that comments
    hold."""

    title: str
    languages: tuple[str, ...]
    release: int
    compile: Compile
    options: tuple[str, ...] = ()
    as_jacoco: bool = True


def javac(compiler: str, release: int, languages: Sequence[str], *options: str) -> Build:
    words = ("--release", str(release), *options) if compiler != "ecj" else (f"-{release}", *options)

    def compile(sources: Sources, shop: Workshop, to: Path, files: list[Path]) -> list[Path]:
        shop.java(compiler, to, files, [sources.stubs], *words)
        return []

    title = " ".join([compiler.replace("javac", "javac "), f"--release {release}", *options])
    return Build(title, tuple(languages), release, compile, options)


def kotlinc(version: str, target: str, release: int, *libraries: peers.Artifact, as_jacoco: bool = False) -> Build:
    """Older compilers do not know all of the language: what they reject is left out. `libraries`: in place of those
    that JaCoCo's description names."""

    def compile(sources: Sources, shop: Workshop, to: Path, files: list[Path]) -> list[Path]:
        named = [peers.Artifact(KOTLINX, name, sources.version("kotlin", known)) for known, name in NEEDED]
        stdlib = peers.Artifact(KOTLINC.group, "kotlin-stdlib", version)
        needs = shop.fetcher.class_path(stdlib, *(libraries or named))
        compiler = shop.fetcher.class_path(peers.Artifact(KOTLINC.group, KOTLINC.name, version))
        options = ["-no-stdlib", "-no-reflect", "-nowarn", "-Xskip-metadata-version-check", "-jvm-target", target]
        if version >= SERIALIZES:
            plugin = peers.Artifact(KOTLINC.group, "kotlin-serialization-compiler-plugin-embeddable", version)
            options.append(f"-Xplugin={shop.fetcher.jar(plugin)}")
        else:
            files = [file for file in files if not file.name.startswith("KotlinSerializable")]
        opens = ["--add-opens=java.base/java.util=ALL-UNNAMED", "--add-opens=java.base/java.lang=ALL-UNNAMED"]
        run = (shop.jdk(17) / "java", "-Xmx2g", *opens, "-cp", path(compiler), KOTLINC_CLASS)
        line = (*run, *options, "-cp", path([sources.stubs, *needs]), "-d", to)
        while (done := subprocess.run([*line, *files], capture_output=True, text=True, errors="replace")).returncode:
            known = [file for file in files if f"/{file.name}:" not in done.stderr]
            if len(known) == len(files):
                raise Failed(done.stderr[-2000:])
            files = known
        return needs

    return Build(f"kotlinc {version} -jvm-target {target}", ("kotlin",), release, compile, as_jacoco=as_jacoco)


def groovyc(artifact: peers.Artifact, as_jacoco: bool) -> Build:
    def compile(sources: Sources, shop: Workshop, to: Path, files: list[Path]) -> list[Path]:
        needs = shop.fetcher.class_path(artifact)
        words = ("org.codehaus.groovy.tools.FileSystemCompiler", "--classpath", path([sources.stubs, *needs]))
        tool(shop.jdk(17) / "java", "-cp", path(needs), *words, "-d", to, *files)
        return needs

    return Build(f"groovyc {artifact.version}", ("groovy",), 17, compile, as_jacoco=as_jacoco)


def scala2(version: str) -> Build:
    def compile(sources: Sources, shop: Workshop, to: Path, files: list[Path]) -> list[Path]:
        needs = shop.fetcher.class_path(peers.Artifact("org.scala-lang", "scala-compiler", version))
        to.mkdir()
        words = ("scala.tools.nsc.Main", "-nowarn", "-classpath", path([sources.stubs, *needs]))
        tool(shop.jdk(17) / "java", "-cp", path(needs), *words, "-d", to, *files)
        return needs

    return Build(f"scalac {version}", ("scala",), 17, compile)


def scala3() -> Build:
    def compile(sources: Sources, shop: Workshop, to: Path, files: list[Path]) -> list[Path]:
        needs = shop.fetcher.class_path(SCALAC)
        scala(shop, to, files, [sources.stubs, *needs])
        return needs

    return Build(f"scalac {SCALAC.version}", ("scala",), 17, compile, as_jacoco=False)


def builds(sources: Sources, short: bool) -> list[Build]:
    """All; the short form has what the newest javac makes of the targets for Java."""
    newest = javac("javac25", 25, sources.java(PREVIEW - 1))
    if short:
        return [newest]
    kotlin = sources.version("kotlin", "kotlin.version")
    return [
        javac("javac17", 7, sources.java(7)),
        *[javac("javac25", release, sources.java(release)) for release in (8, 11, 17, 21)],
        newest,
        javac("javac25", 25, [f"java{PREVIEW}"], "--enable-preview"),
        *[javac("ecj", release, sources.java(release)) for release in (8, 17)],
        kotlinc(kotlin, "1.8", 17, as_jacoco=True),
        kotlinc(kotlin, "25", 25, as_jacoco=True),
        *[kotlinc(version, "1.8", 17, *libraries) for version, libraries in OLDER.items()],
        groovyc(peers.Artifact("org.codehaus.groovy", "groovy", sources.version("groovy", "groovy.version")), True),
        groovyc(GROOVY, False),
        scala2(sources.version("scala", "scala.version")),
        scala3(),
    ]


def path(parts: Iterable[Path]) -> str:
    return os.pathsep.join(map(str, parts))

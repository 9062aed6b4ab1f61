"""The programs, and the loaders that their classes come from.

Hello, which is in java/hello and needs java/words, is built four times: as a plain program, as an executable jar of
Spring Boot, as a web application for Tomcat, as two bundles for Felix. Its methods' counts are always the same. A
larger program, ecj, is compared with its own counts.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests import jars, peers
from tools.bench.common import peer, tool
from tools.bench.figures import BenchError

JAVA = Path(__file__).parent / "java"
DEMO = Path(__file__).parent.parent / "demo" / "java"
WORKERS, STEPS, REFUSED = 4, 4000, 400

#: `Class::method` -> calls, wherever Hello runs.
HELLO = {
    "hello.Hello::text": 1,
    "hello.Hello::line": WORKERS,
    "hello.Worker::<init>": WORKERS,
    "hello.Worker::run": WORKERS,
    "hello.Worker::toString": WORKERS,
    "hello.Worker::step": STEPS,
    "hello.Worker$Item::<init>": STEPS - REFUSED,
    "hello.Worker$Item::word": STEPS - REFUSED + WORKERS,
    "words.Words::word": STEPS - REFUSED,
    "words.Words::<clinit>": 1,
}
#: (class, method, type) -> objects.
OBJECTS = {
    ("hello.Worker", "step", "hello.Worker$Item"): STEPS - REFUSED,
    ("hello.Worker", "step", "java.lang.IllegalStateException"): REFUSED,
}
#: ecj in one thread, and all objects with the same hash code: otherwise identity hash codes vary, and what ecj does
#: depends on them.
REPEATABLE = ("-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2", "-Djdt.compiler.useSingleThread=true")
#: Tomcat logs without timestamps, and may look for leaks.
TOMCAT_OPTIONS = (
    "-Djava.util.logging.SimpleFormatter.format=%4$s: %5$s%6$s%n",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "--add-opens=java.rmi/sun.rmi.transport=ALL-UNNAMED",
)


@dataclass(frozen=True, slots=True)
class Program:
    """`words`: the arguments after java and its options; `calls`: the methods' counts; `objects`: their allocations.

    Without `calls`, the expected counts are those with classhook's agent alone, of the classes below `package`.
    """

    title: str
    words: tuple[str, ...]
    calls: dict[str, int] | None = None
    package: str = ""


@dataclass(frozen=True, slots=True)
class Workshop:
    """Builds programs in a folder with a JDK's javac."""

    javac: str
    folder: Path

    def classes(self, name: str, *class_path: Path) -> Path:
        """The classes of a folder of java/, compiled once."""
        out = self.folder / "classes" / name
        if out.exists():
            return out
        path = os.pathsep.join(map(str, class_path)) or "."
        tool(
            self.javac,
            "--release",
            "17",
            "-nowarn",
            "-g",
            "-cp",
            path,
            "-d",
            out,
            *sorted((JAVA / name).glob("*.java")),
        )
        return out

    def jar(self, name: str, manifest: str, *parts: tuple[str, Path], stored: tuple[str, ...] = ()) -> Path:
        """A jar of folders' files (or a file), each part under a prefix; entries whose names end in one of `stored` are
        not compressed."""
        path = self.folder / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
            out.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n" + manifest)
            for prefix in dict.fromkeys(prefix for prefix, _ in parts if prefix):
                out.writestr(prefix, "")  # Spring's loader looks for it
            for prefix, source in parts:
                for file in sorted(source.rglob("*")) if source.is_dir() else [source]:
                    if file.is_file():
                        entry = prefix + (file.relative_to(source).as_posix() if source.is_dir() else file.name)
                        out.write(file, entry, zipfile.ZIP_STORED if entry.endswith(stored) else None)
        return path

    # ---- the programs

    def hello(self) -> Program:
        words = self.classes("words")
        class_path = [self.classes("hello", words), words, self.aspects()]
        return Program("Hello", ("-cp", os.pathsep.join(map(str, class_path)), "hello.Hello"), HELLO)

    def spring(self) -> Program:
        words = self.classes("words")
        unpacked = self.folder / "spring-loader"
        with zipfile.ZipFile(peer(peers.SPRING_LOADER)) as loader:
            loader.extractall(
                unpacked, [entry for entry in loader.namelist() if not entry.startswith("META-INF/MANIFEST")]
            )
        manifest = (
            "Main-Class: org.springframework.boot.loader.launch.JarLauncher\nStart-Class: hello.Hello\n"
            "Spring-Boot-Classes: BOOT-INF/classes/\nSpring-Boot-Lib: BOOT-INF/lib/\n"
        )
        fat = self.jar(
            "spring.jar",
            manifest,
            ("", unpacked),
            ("BOOT-INF/classes/", self.classes("hello", words)),
            ("BOOT-INF/classes/", self.aspects()),
            ("BOOT-INF/lib/", self.jar("words.jar", "", ("", words))),
            stored=("words.jar",),
        )
        return Program(f"Spring Boot's loader {peers.SPRING_LOADER.version}", ("-jar", str(fat)), HELLO)

    def tomcat(self) -> Program:
        words = self.classes("words")
        hello = self.classes("hello", words)
        libraries = [peer(peers.TOMCAT), peer(peers.ANNOTATIONS)]
        webapp, base = self.folder / "webapp", self.folder / "tomcat"
        (webapp / "WEB-INF" / "lib").mkdir(parents=True, exist_ok=True)
        base.mkdir(exist_ok=True)
        self.jar("webapp/WEB-INF/lib/words.jar", "", ("", words))
        self.jar("webapp/WEB-INF/lib/hello.jar", "", ("", hello), ("", self.classes("visit", hello, *libraries)))
        class_path = [self.classes("site", *libraries), *libraries, self.aspects()]
        line = (*TOMCAT_OPTIONS, "-cp", os.pathsep.join(map(str, class_path)), "site.Site", str(base), str(webapp))
        return Program(f"Tomcat {peers.TOMCAT.version}", line, {**HELLO, "visit.Visit::doGet": 1, "site.Site::main": 1})

    def felix(self) -> Program:
        words, framework = self.classes("words"), peer(peers.FELIX)
        hello = self.classes("hello", words)
        named = "Bundle-ManifestVersion: 2\nBundle-SymbolicName: {0}\nBundle-Version: 1\n"
        exporting = self.jar("exporting.jar", named.format("words") + "Export-Package: words\n", ("", words))
        importing = self.jar(
            "importing.jar",
            named.format("hello") + "Import-Package: words,org.osgi.framework\nBundle-Activator: start.Start\n",
            ("", hello),
            ("", self.classes("start", hello, framework)),
        )
        class_path = [self.classes("bundles", framework), framework, self.aspects()]
        line = (
            "-cp",
            os.pathsep.join(map(str, class_path)),
            "bundles.Bundles",
            str(self.folder / "felix"),
            str(importing),
            str(exporting),
        )
        return Program(f"Felix {peers.FELIX.version}", line, {**HELLO, "start.Start::start": 1, "start.Start::stop": 1})

    def ecj(self) -> Program:
        path = jars.find("eclipse-jdt-core.jar")
        if path is None:
            raise BenchError("eclipse-jdt-core.jar is not there; `python -m tests.jars FOLDER` brings it")
        options = ("-17", "-warn:all", "-proc:none", "-d", str(self.folder / "ecj-out"))
        sources = map(str, sorted(DEMO.glob("*.java")))
        line = ("-cp", str(path), "org.eclipse.jdt.internal.compiler.batch.Main", *options, *sources)
        return Program("ecj", (*REPEATABLE, *line), package="org.eclipse.jdt.")

    def aspects(self) -> Path:
        """The aspects that AspectJ finds on the class path; unused without AspectJ."""
        out = self.classes("aspects", peer(peers.ASPECTJ))
        (out / "META-INF").mkdir(exist_ok=True)
        (out / "META-INF" / "aop.xml").write_text((JAVA / "aspects" / "aop.xml").read_text())
        return out


#: By name; each is built when it is wanted.
PROGRAMS: dict[str, Callable[[Workshop], Program]] = {
    "hello": Workshop.hello,
    "ecj": Workshop.ecj,
    "spring": Workshop.spring,
    "tomcat": Workshop.tomcat,
    "felix": Workshop.felix,
}

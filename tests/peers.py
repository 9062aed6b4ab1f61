"""Fetches the tools that classhook is compared with or run beside, from Maven's local repository, Maven Central, or by
mvn."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path

CENTRAL = "https://repo.maven.apache.org/maven2/"
LOCAL = Path.home() / ".m2" / "repository"


class Missing(Exception):
    """A peer could not be fetched; the text says what was tried."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """A jar of Maven Central; `inner`: the file in it that is meant."""

    group: str
    name: str
    version: str
    classifier: str = ""
    inner: str = ""

    @property
    def path(self) -> str:
        """The path in a repository."""
        file = "-".join(filter(None, (self.name, self.version, self.classifier)))
        return f"{self.group.replace('.', '/')}/{self.name}/{self.version}/{file}.jar"

    @property
    def coordinates(self) -> str:
        """The coordinates for mvn."""
        return ":".join(filter(None, (self.group, self.name, self.version, "jar", self.classifier)))


def artifacts(*coordinates: str) -> tuple[Artifact, ...]:
    """By `group:name:version`."""
    return tuple(Artifact(*one.split(":")) for one in coordinates)


JACOCO = Artifact("org.jacoco", "org.jacoco.agent", "0.8.16", inner="jacocoagent.jar")
ASM = Artifact("org.ow2.asm", "asm", "9.8")

# other agents and loaders, each in its newest version (tools/beside)
OPENTELEMETRY = Artifact("io.opentelemetry.javaagent", "opentelemetry-javaagent", "2.33.1")
OPENTELEMETRY_API = tuple(
    Artifact("io.opentelemetry", f"opentelemetry-{one}", "1.64.0") for one in ("api", "context", "common")
)
OPENTELEMETRY_ANNOTATIONS = (
    Artifact("io.opentelemetry.instrumentation", "opentelemetry-instrumentation-annotations", "2.33.1"),
    *OPENTELEMETRY_API,
)
OPENTELEMETRY_SDK = (
    *OPENTELEMETRY_API,
    *[Artifact("io.opentelemetry", f"opentelemetry-sdk-{one}", "1.64.0") for one in ("common", "trace")],
)
ELASTIC = Artifact("co.elastic.apm", "elastic-apm-agent", "1.55.1")
DATADOG = Artifact("com.datadoghq", "dd-java-agent", "1.68.1")
ASPECTJ = Artifact("org.aspectj", "aspectjweaver", "1.9.27")
SPRING_LOADER = Artifact("org.springframework.boot", "spring-boot-loader", "4.1.1")
TOMCAT = Artifact("org.apache.tomcat.embed", "tomcat-embed-core", "11.0.27")
SPRING_WEB = Artifact("org.springframework.boot", "spring-boot-starter-web", "4.1.1")
ANNOTATIONS = Artifact("jakarta.annotation", "jakarta.annotation-api", "3.0.0")  # required by Tomcat
BYTEMAN = Artifact("org.jboss.byteman", "byteman", "4.0.27")
BTRACE = tuple(Artifact("io.btrace", name, "2.2.6") for name in ("btrace-agent", "btrace-boot"))
ASYNC_PROFILER = Artifact("tools.profiler", "async-profiler", "4.6")
LUAJ = Artifact("org.luaj", "luaj-jse", "3.0.1")
CLOSURE = Artifact("com.google.javascript", "closure-compiler", "v20240317")
KIEKER = Artifact("net.kieker-monitoring", "kieker", "2.0.2", "bytebuddy")
JCOMMANDER = Artifact("org.jcommander", "jcommander", "3.0")  # required by MooBench
FELIX = Artifact("org.apache.felix", "org.apache.felix.framework", "7.0.5")

# the oracle of coverage, with what it needs; compilers, and classes that they made (tests/coverage)
JACOCO_CORE = Artifact("org.jacoco", "org.jacoco.core", "0.8.16")
JACOCO_NEEDS = tuple(Artifact("org.ow2.asm", name, "9.11.1") for name in ("asm", "asm-commons", "asm-tree"))
JACOCO_CLI = tuple(
    [Artifact("org.jacoco", f"org.jacoco.{name}", "0.8.16") for name in ("cli", "report", "core")]
    + [Artifact("args4j", "args4j", "2.0.28")]
)
JUNIT_CONSOLE = Artifact("org.junit.platform", "junit-platform-console-standalone", "1.13.4")
ECJ = Artifact("org.eclipse.jdt", "ecj", "3.43.0")
KOTLIN = Artifact("org.jetbrains.kotlin", "kotlin-stdlib", "2.2.20")
COROUTINES = Artifact("org.jetbrains.kotlinx", "kotlinx-coroutines-core-jvm", "1.10.2")
OLD_COROUTINES = Artifact("org.jetbrains.kotlinx", "kotlinx-coroutines-core", "1.3.9")
SERIALIZATION = Artifact("org.jetbrains.kotlinx", "kotlinx-serialization-json-jvm", "1.9.0")
COMPOSE = Artifact("org.jetbrains.compose.material", "material-desktop", "1.7.3")
GROOVY_JSON = Artifact("org.apache.groovy", "groovy-json", "5.0.1")
SCALA_XML = Artifact("org.scala-lang.modules", "scala-xml_3", "2.3.0")
HPROF_HEAP = (  # another reader of heap dumps, VisualVM's in origin, with what it needs (tests/extensions/heap)
    Artifact("org.gridkit.jvmtool", "hprof-heap", "0.16"),
    Artifact("org.gridkit.gzrand", "gzrand", "0.2"),
)
NETBEANS_PROFILER = Artifact(
    "org.netbeans.modules", "org-netbeans-lib-profiler", "RELEASE190"
)  # the reader of NetBeans and VisualVM
MISSION_CONTROL = artifacts(  # its reader of recordings, and its rules
    *(f"org.openjdk.jmc:{name}:9.1.1" for name in ("common", "flightrecorder", "flightrecorder.rules")),
    "org.openjdk.jmc:flightrecorder.rules.jdk:9.1.1",
    "org.owasp.encoder:encoder:1.2.3",
    "org.lz4:lz4-java:1.8.0",
)
HPROF_SLURP = "0.10.0"  # a reader in Rust
# test frameworks (tests/events/test_known_tests.py)
JUNIT_CONSOLES = {
    version: Artifact("org.junit.platform", "junit-platform-console-standalone", version)
    for version in ("1.8.2", "1.13.4", "6.0.0")
}
JUNIT4 = (Artifact("junit", "junit", "4.13.2"), Artifact("org.hamcrest", "hamcrest-core", "1.3"))
TESTNG = (
    Artifact("org.testng", "testng", "7.10.2"),
    Artifact("org.slf4j", "slf4j-api", "2.0.16"),
    Artifact("com.beust", "jcommander", "1.82"),
)
OLD_TESTNG = (Artifact("org.testng", "testng", "6.14.3"), Artifact("com.beust", "jcommander", "1.72"))
JQWIK = tuple(Artifact("net.jqwik", name, "1.9.2") for name in ("jqwik-api", "jqwik-engine"))
SUREFIRE = artifacts(
    "org.apache.maven.surefire:surefire-api:3.5.3", "org.apache.maven.surefire:surefire-logger-api:3.5.3"
)
OLD_JUNIT4 = (Artifact("junit", "junit", "4.8.2"),)
SCALATEST = artifacts(
    "org.scalatest:scalatest-core_2.13:3.2.19",
    "org.scalatest:scalatest-funsuite_2.13:3.2.19",
    "org.scalatest:scalatest-compatible:3.2.19",
    "org.scalactic:scalactic_2.13:3.2.19",
    "org.scala-lang:scala-library:2.13.16",
    "org.scala-lang.modules:scala-xml_2.13:2.1.0",
)
SPOCK = artifacts(
    "org.spockframework:spock-core:2.4-groovy-4.0",
    "org.apache.groovy:groovy:4.0.29",
    "io.leangen.geantyref:geantyref:1.3.16",
    "org.hamcrest:hamcrest:3.0",
)
CUCUMBER = artifacts(
    *[
        f"io.cucumber:cucumber-{one}:7.34.8"
        for one in ("junit-platform-engine", "java", "core", "gherkin", "gherkin-messages", "plugin")
    ],
    *[f"io.cucumber:{one}:7.34.8" for one in ("datatable", "docstring")],
    *[
        f"io.cucumber:{one}"
        for one in (
            "gherkin:36.1.0",
            "messages:30.1.0",
            "messages-ndjson:0.3.6",
            "query:14.7.0",
            "tag-expressions:8.1.0",
        )
    ],
    *[
        f"io.cucumber:{one}"
        for one in ("cucumber-expressions:18.1.0", "ci-environment:12.0.0", "pretty-formatter:2.4.1")
    ],
)
COROUTINES_OF_KOTEST = [
    f"org.jetbrains.kotlinx:kotlinx-coroutines-{one}:1.10.2" for one in ("core-jvm", "jdk8", "test-jvm", "debug")
]
KOTEST = artifacts(
    *[
        f"io.kotest:kotest-{one}-jvm:6.2.4"
        for one in ("runner-junit5", "runner-junit-platform", "framework-engine", "extensions", "common")
    ],
    *[f"io.kotest:kotest-assertions-{one}-jvm:6.2.4" for one in ("core", "shared")],
    *COROUTINES_OF_KOTEST,
    "io.github.classgraph:classgraph:4.8.186",
    "io.github.java-diff-utils:java-diff-utils:4.16",
    "org.jetbrains.kotlin:kotlin-stdlib:2.2.21",
    "org.jetbrains.kotlin:kotlin-reflect:2.2.21",
)
KOTLIN_COMPILER = artifacts(
    "org.jetbrains.kotlin:kotlin-compiler-embeddable:2.2.20",
    "org.jetbrains.kotlin:kotlin-stdlib:2.2.20",
    "org.jetbrains:annotations:23.0.0",
    "org.jetbrains.kotlin:kotlin-script-runtime:2.2.20",
    "org.jetbrains.kotlin:kotlin-reflect:1.6.10",
    "org.jetbrains.kotlin:kotlin-daemon-embeddable:2.2.20",
    "org.jetbrains.kotlinx:kotlinx-coroutines-core-jvm:1.8.0",
)
SCALA_3_COMPILER = artifacts(
    *[
        f"org.scala-lang:{one}:3.7.3"
        for one in ("scala3-compiler_3", "scala3-library_3", "scala3-interfaces", "tasty-core_3")
    ],
    "org.scala-lang:scala-library:2.13.16",
    "org.scala-lang.modules:scala-asm:9.8.0-scala-1",
    *[f"org.scala-sbt:{one}:1.10.7" for one in ("compiler-interface", "util-interface")],
)
SCALA_2_COMPILER = artifacts(
    *[f"org.scala-lang:scala-{one}:2.13.16" for one in ("compiler", "reflect", "library")], "org.jline:jline:3.27.1"
)
CLOJURE = artifacts(
    "org.clojure:clojure:1.12.3", "org.clojure:spec.alpha:0.5.238", "org.clojure:core.specs.alpha:0.4.74"
)
SUBROUTINES = Artifact("hsqldb", "hsqldb", "1.8.0.10")  # its class files have jsr

# JDBC drivers, each in its newest version (tests/jvm/test_jdbc_rules.py)
JDBC_DRIVERS = (
    Artifact("org.postgresql", "postgresql", "42.7.14"),
    Artifact("com.mysql", "mysql-connector-j", "26.10.0"),
    Artifact("org.mariadb.jdbc", "mariadb-java-client", "4.0.0"),
    Artifact("org.xerial", "sqlite-jdbc", "3.54.1.0"),
    Artifact("com.microsoft.sqlserver", "mssql-jdbc", "13.6.2.jre11"),
    Artifact("com.h2database", "h2", "2.5.252"),
    Artifact("org.hsqldb", "hsqldb", "2.7.4"),
    Artifact("org.apache.derby", "derby", "10.17.1.0"),
    Artifact("com.oracle.database.jdbc", "ojdbc11", "23.26.4.0.0"),
)
DERBY_NEEDS = Artifact("org.apache.derby", "derbyshared", "10.17.1.0")
CSV_JDBC = Artifact("net.sourceforge.csvjdbc", "csvjdbc", "1.0.46")
HIKARI = artifacts("com.zaxxer:HikariCP:7.1.0", "org.slf4j:slf4j-api:2.0.20")

# libraries of the other stock rules, each in its newest version (tests/jvm/test_stock_rules.py)
APACHE_HTTP_4 = artifacts(
    "org.apache.httpcomponents:httpclient:4.5.14",
    "org.apache.httpcomponents:httpcore:4.4.16",
    "commons-logging:commons-logging:1.3.5",
)
APACHE_HTTP_5 = artifacts(
    "org.apache.httpcomponents.client5:httpclient5:5.6.5",
    *[f"org.apache.httpcomponents.core5:{one}:5.4.4" for one in ("httpcore5", "httpcore5-h2")],
    "org.slf4j:slf4j-api:2.0.20",
)
OKHTTP = artifacts(
    "com.squareup.okhttp3:okhttp-jvm:5.5.1",
    "com.squareup.okio:okio-jvm:3.18.2",
    "org.jetbrains.kotlin:kotlin-stdlib:2.4.21",
)
JACKSON_2 = artifacts(
    *[f"com.fasterxml.jackson.core:{one}:2.23.0" for one in ("jackson-databind", "jackson-core")],
    "com.fasterxml.jackson.core:jackson-annotations:2.23",
)
JACKSON_3 = artifacts(
    *[f"tools.jackson.core:{one}:3.3.0" for one in ("jackson-databind", "jackson-core")],
    "com.fasterxml.jackson.core:jackson-annotations:2.23",
)
GSON = artifacts("com.google.code.gson:gson:2.15.0")
LOGBACK = artifacts(
    *[f"ch.qos.logback:{one}:1.6.6" for one in ("logback-classic", "logback-core")], "org.slf4j:slf4j-api:2.0.20"
)
LOG4J = artifacts(*[f"org.apache.logging.log4j:{one}:2.26.1" for one in ("log4j-core", "log4j-api")])
NETTY = artifacts(
    *[
        f"io.netty:netty-{one}:4.2.17.Final"
        for one in ("buffer", "codec-base", "common", "handler", "resolver", "transport")
    ],
    *[
        f"io.netty:netty-{one}:4.2.17.Final"
        for one in ("transport-native-unix-common", "codec-http", "codec-compression")
    ],
)
JEDIS = artifacts(
    "redis.clients:jedis:8.0.2",
    "redis.clients.authentication:redis-authx-core:0.1.1-beta2",
    "org.apache.commons:commons-pool2:2.13.1",
    "com.google.code.gson:gson:2.15.0",
    "org.json:json:20260719",
    "org.slf4j:slf4j-api:2.0.20",
)
LETTUCE = artifacts(
    "io.lettuce:lettuce-core:7.7.0.RELEASE",
    "redis.clients.authentication:redis-authx-core:0.1.1-beta2",
    "io.projectreactor:reactor-core:3.8.7",
    "org.reactivestreams:reactive-streams:1.0.4",
    "org.slf4j:slf4j-api:2.0.20",
    *[f"io.netty:netty-{one}:4.2.17.Final" for one in ("resolver-dns", "codec-dns")],
)
JPA = artifacts("jakarta.persistence:jakarta.persistence-api:3.2.0", "com.h2database:h2:2.5.252")
HIBERNATE = artifacts(
    "org.hibernate.orm:hibernate-core:7.4.15.Final",
    "org.hibernate.models:hibernate-models:1.1.2",
    "org.jboss.logging:jboss-logging:3.6.3.Final",
    "net.bytebuddy:byte-buddy:1.18.14",
    "org.antlr:antlr4-runtime:4.13.2",
    "com.fasterxml:classmate:1.7.1",
    "jakarta.transaction:jakarta.transaction-api:2.0.1",
    "jakarta.inject:jakarta.inject-api:2.0.1",
    "jakarta.xml.bind:jakarta.xml.bind-api:4.0.4",
    "jakarta.activation:jakarta.activation-api:2.1.4",
    "org.glassfish.jaxb:jaxb-runtime:4.0.7",
    "org.glassfish.jaxb:jaxb-core:4.0.7",
    "org.glassfish.jaxb:txw2:4.0.7",
    "com.sun.istack:istack-commons-runtime:4.1.2",
    "org.eclipse.angus:angus-activation:2.0.3",
)
ECLIPSELINK = artifacts(
    *[f"org.eclipse.persistence:org.eclipse.persistence.{one}:5.0.0" for one in ("core", "jpa", "jpa.jpql")],
    *[f"org.ow2.asm:{one}:9.9.1" for one in ("asm", "asm-commons", "asm-tree")],
)
TOMCAT_EMBEDDED = (TOMCAT, ANNOTATIONS)
JETTY = artifacts(
    "org.eclipse.jetty.ee10:jetty-ee10-servlet:12.1.14",
    "jakarta.servlet:jakarta.servlet-api:6.0.0",
    *[f"org.eclipse.jetty:jetty-{one}:12.1.14" for one in ("http", "io", "security", "server", "session", "util")],
    "org.slf4j:slf4j-api:2.0.20",
)
GRPC = artifacts(
    *[f"io.grpc:grpc-{one}:1.85.1" for one in ("api", "context", "core", "inprocess", "stub", "util")],
    "com.google.guava:guava:33.6.0-android",
    "com.google.guava:failureaccess:1.0.3",
    "io.perfmark:perfmark-api:0.27.0",
)
SPRING_FLUX = Artifact("org.springframework.boot", "spring-boot-starter-webflux", "4.1.1")
SPRING_TEST = Artifact("org.springframework", "spring-test", "7.0.9")
SPRING_CONTEXT = Artifact("org.springframework", "spring-context", "7.0.9")
SPRING_TX = Artifact("org.springframework", "spring-tx", "7.0.9")
KAFKA_CLIENTS = Artifact("org.apache.kafka", "kafka-clients", "4.4.0")
KAFKA = Artifact("org.apache.kafka", "kafka_2.13", "4.4.0")


def fetch(artifact: Artifact, folder: Path) -> Path:
    """The artifact's jar, kept in `folder` once fetched. Raises Missing."""
    jar = _fetched(artifact, folder)
    if not artifact.inner:
        return jar
    inner = folder / f"{jar.stem}-{artifact.inner}"
    if not inner.exists():
        folder.mkdir(parents=True, exist_ok=True)
        part = inner.with_suffix(f".{os.getpid()}")
        with zipfile.ZipFile(jar) as packed:
            part.write_bytes(packed.read(artifact.inner))
        part.rename(inner)
    return inner


POM = """<project><modelVersion>4.0.0</modelVersion><groupId>fetched</groupId><artifactId>fetched</artifactId><version>1</version>
<dependencies><dependency><groupId>{0.group}</groupId><artifactId>{0.name}</artifactId><version>{0.version}</version></dependency></dependencies>
</project>"""


def fetch_all(artifact: Artifact, folder: Path) -> list[Path]:
    """The artifact's jar and those that it needs at run time, by mvn, kept in `folder` once fetched. Raises Missing."""
    jars = folder / f"{artifact.name}-{artifact.version}"
    if not jars.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            (Path(scratch) / "pom.xml").write_text(POM.format(artifact))
            options = [f"-DoutputDirectory={scratch}/jars", "-DincludeScope=runtime"]
            line = ["mvn", "-q", "-B", "-f", f"{scratch}/pom.xml", "dependency:copy-dependencies", *options]
            try:
                subprocess.run(line, check=True, capture_output=True, timeout=300)
            except (OSError, subprocess.SubprocessError):
                raise Missing(f"{artifact.coordinates} is not to be had by mvn") from None
            shutil.rmtree(jars, ignore_errors=True)
            (Path(scratch) / "jars").rename(jars)
    return sorted(jars.glob("*.jar"))


def hprof_slurp(folder: Path) -> Path:
    """The program, kept in `folder` once cargo has built it, which takes minutes. Raises Missing."""
    name = "hprof-slurp"
    built = folder / "bin" / name
    if found := shutil.which(name) or (str(built) if built.exists() else None):
        return Path(found)
    cargo = shutil.which("cargo") or str(Path.home() / ".cargo" / "bin" / "cargo")
    line = [cargo, "install", "--quiet", "--locked", "--version", HPROF_SLURP, "--root", folder, name]
    try:
        subprocess.run(line, check=True, capture_output=True, timeout=900)
    except (OSError, subprocess.SubprocessError):
        raise Missing(f"{name} {HPROF_SLURP} is not to be had: neither in PATH nor by cargo") from None
    return built


def _fetched(artifact: Artifact, folder: Path) -> Path:
    local = LOCAL / artifact.path
    jar = folder / local.name
    if jar.exists():
        return jar
    if local.exists():
        return local
    folder.mkdir(parents=True, exist_ok=True)
    part = jar.with_suffix(f".{os.getpid()}")  # a partial download must not be taken for the jar
    try:
        try:
            with urllib.request.urlopen(CENTRAL + artifact.path, timeout=60) as answer:
                part.write_bytes(answer.read())
        except (urllib.error.URLError, OSError):
            _fetch_by_maven(artifact, folder / f"m2.{os.getpid()}", part)
        part.rename(jar)
    finally:
        part.unlink(missing_ok=True)
    return jar


def _fetch_by_maven(artifact: Artifact, repository: Path, to: Path) -> None:
    """For machines where only Maven is configured for network access."""
    line = ["mvn", "-q", f"-Dmaven.repo.local={repository}", "dependency:get", f"-Dartifact={artifact.coordinates}"]
    try:
        subprocess.run(line, check=True, capture_output=True, timeout=200)
        shutil.copy(repository / artifact.path, to)
    except (OSError, subprocess.SubprocessError):
        raise Missing(f"{artifact.coordinates} is not to be had: neither from Maven Central nor by mvn") from None
    finally:
        shutil.rmtree(repository, ignore_errors=True)

"""The projects whose order-dependent tests are tried, with what they need to be built.

Their own build files name versions of Java and of plugins that are long gone, so javac compiles them here.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from tests import peers
from tools.compare.fetching import Fetcher, tool

JUNIT4 = peers.Artifact("junit", "junit", "4.13.2")


@dataclass(frozen=True)
class Project:
    """`repository`: `owner/name` of GitHub; `module`: folder; `package`: of its classes; `needs`: artifacts of Maven;
    `exports`: packages of the JDK that are opened."""

    repository: str
    commit: str
    module: str
    package: str
    needs: tuple[peers.Artifact, ...] = ()
    folders: tuple[str, ...] = ("src/main/java",)
    tests: str = "src/test/java"
    without: tuple[str, ...] = ()
    release: str = "8"


@dataclass(frozen=True)
class Built:
    """`roots`: of classes; `path`: all of the class path; `folder`: where tests run."""

    project: Project
    roots: tuple[Path, Path]
    path: str
    folder: Path


def artifacts(*texts: str) -> tuple[peers.Artifact, ...]:
    """`group:name:version`, one in a word."""
    return tuple(peers.Artifact(*one.split(":")) for text in texts for one in text.split())


PROJECTS = {
    "marine-api": Project(
        "ktuukkan/marine-api",
        "af0003847db9ba822f67d4f1dceb8de3fe63250a",
        ".",
        "net.sf.marineapi",
        artifacts("com.neuronrobotics:nrjavaserial:3.14.0"),
    ),
    "http-request": Project(
        "kevinsawicki/http-request",
        "2d62a3e9da726942a93cf16b6e91c0187e6c0136",
        "lib",
        "com.github.kevinsawicki.http",
        artifacts(
            "org.eclipse.jetty:jetty-server:8.1.9.v20130131 org.eclipse.jetty:jetty-servlet:8.1.9.v20130131"
            " org.eclipse.jetty:jetty-servlets:8.1.9.v20130131"
        ),
    ),
    "aismessages": Project(
        "tbsalling/aismessages",
        "7b0c4c708b6bb9a6da3d5737bcad1857ade8a931",
        ".",
        "dk.tbsalling",
        artifacts("org.jmock:jmock-junit4:2.8.4"),
    ),
    "openpojo": Project(
        "OpenPojo/openpojo",
        "9badbcc4593e797accfed5e51bec9f2b843f0f67",
        ".",
        "com.openpojo",
        artifacts(
            "log4j:log4j:1.2.17 org.slf4j:slf4j-api:1.7.25 org.slf4j:slf4j-log4j12:1.7.25 org.testng:testng:6.8"
            " org.hamcrest:hamcrest-all:1.3 org.ow2.asm:asm:9.7"
        ),
    ),
    "wdtk-util": Project(
        "Wikidata/Wikidata-Toolkit",
        "20de6f7f12319f54eb962ff6e8357b3f5695d54d",
        "wdtk-util",
        "org.wikidata.wdtk.util",
        artifacts(
            "org.apache.commons:commons-compress:1.18 org.apache.commons:commons-lang3:3.9 org.slf4j:slf4j-api:1.7.25 org.mockito:mockito-core:4.11.0"
        ),
    ),
    "jsoniter": Project(
        "json-iterator/java",
        "6925cf4c19d313504b416f58a349a36bf563e0e1",
        ".",
        "com.jsoniter",
        artifacts(
            "org.javassist:javassist:3.29.2-GA com.fasterxml.jackson.core:jackson-annotations:2.9.5"
            " com.fasterxml.jackson.core:jackson-databind:2.9.5 com.google.code.gson:gson:2.8.3"
            " org.openjdk.jmh:jmh-core:1.20"
        ),
    ),
    "visualee": Project(
        "Thomas-S-B/visualee",
        "88732d9dbe5031dad9c9f85a4c4b35e5f1551f95",
        ".",
        "de.strullerbaumann.visualee",
        artifacts(
            "org.apache.maven:maven-plugin-api:3.3.9 org.apache.maven:maven-core:3.3.9 org.glassfish:javax.json:1.0.4"
        ),
    ),
    "light-4j-metrics": Project(
        "networknt/light-4j",
        "fcded1683dcbd41a968e221494778aa6b71e7428",
        "metrics",
        "io.dropwizard.metrics",
        artifacts(
            *(f"com.networknt:{one}:2.0.21" for one in ("config", "handler", "utility", "server", "audit", "client")),
            "com.networknt:mask:2.0.21 io.undertow:undertow-core:2.1.3.Final ch.qos.logback:logback-classic:1.2.3",
            "com.fasterxml.jackson.core:jackson-databind:2.10.4 org.hdrhistogram:HdrHistogram:2.1.10",
            "com.google.code.findbugs:jsr305:3.0.2 org.mockito:mockito-core:3.12.4 org.assertj:assertj-core:3.24.2",
            "commons-codec:commons-codec:1.14 org.owasp.encoder:encoder:1.2.2",
        ),
        release="11",
    ),
    "light-4j-config": Project(
        "networknt/light-4j",
        "fcded1683dcbd41a968e221494778aa6b71e7428",
        "config",
        "com.networknt.config",
        artifacts(
            "com.fasterxml.jackson.core:jackson-databind:2.10.4 org.slf4j:slf4j-api:1.7.25 org.yaml:snakeyaml:1.26",
            "com.fasterxml.jackson.datatype:jackson-datatype-jsr310:2.10.4 org.owasp.encoder:encoder:1.2.2",
            "com.networknt:decryptor:2.0.21 ch.qos.logback:logback-classic:1.2.3",
        ),
        release="11",
    ),
    "sentinel-core": Project(
        "alibaba/Sentinel",
        "7e2fa454fa0546c04142a268454faabac79370d0",
        "sentinel-core",
        "com.alibaba.csp.sentinel",
        artifacts(
            "org.mockito:mockito-core:3.12.4 org.awaitility:awaitility:3.1.5 org.hamcrest:java-hamcrest:2.0.0.0",
            "org.powermock:powermock-module-junit4:2.0.9 org.powermock:powermock-api-mockito2:2.0.9",
        ),
    ),
}


def build(name: str, repositories: Path, fetcher: Fetcher) -> Built:
    """Builds a project once. Raises Failed."""
    project = PROJECTS[name]
    top = fetcher.folder / "victims" / name
    own = repositories / project.repository.replace("/", "+") / "repo"
    if not (top / "source").exists():
        source = top / "part"
        shutil.rmtree(source, ignore_errors=True)
        tool("git", "clone", "--quiet", "--no-checkout", own / ".git" if (own / ".git").exists() else own, source)
        sources = os.path.normpath(os.path.join(project.module, "src"))  # the clone may lack large files elsewhere
        tool("git", "-C", source, "checkout", "--quiet", project.commit, "--", sources)
        source.rename(top / "source")
    folder = top / "source" / project.module
    console = fetcher.jar(peers.JUNIT_CONSOLES["1.13.4"])
    path = [*fetcher.class_path(JUNIT4, *project.needs), console]
    classes, tests = top / "classes", top / "test-classes"
    for to, sources, more in (
        (classes, project.folders, []),
        (tests, (project.tests,), [classes]),
    ):
        if to.exists():
            continue
        part = to.with_suffix(".part")
        for one in sources:
            resources = folder / one.replace("/java", "/resources")
            if resources.exists():
                tool("cp", "-r", f"{resources}/.", _made(part))
            tool("cp", "-r", f"{folder / one}/.", _made(part))
        files = [
            str(file)
            for one in sources
            for file in sorted((folder / one).rglob("*.java"))
            if not any(text in str(file) for text in project.without)
        ]
        listed = top / "files"
        listed.write_text("\n".join(files))
        joined = os.pathsep.join(map(str, [*more, *path]))
        tool(
            "javac",
            "-nowarn",
            "-proc:none",
            "-g",
            "-encoding",
            "UTF-8",
            "-source",
            project.release,
            "-target",
            project.release,
            "-cp",
            joined,
            "-d",
            part,
            f"@{listed}",
        )
        part.rename(to)
    driver = top / "driver"
    tool("javac", "-d", driver, "-cp", console, Path(__file__).parent / "java" / "Ordered.java")
    return Built(project, (classes, tests), os.pathsep.join(map(str, [driver, tests, classes, *path])), folder)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder

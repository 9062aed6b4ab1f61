"""The libraries whose history is replayed: as they are now, and as they were when the bugs of Defects4J were mended."""

from __future__ import annotations

from dataclasses import dataclass

from tests import peers


@dataclass(frozen=True, slots=True)
class Project:
    """A library in Maven's layout. `inner`: the folder of the module in the repository; `package`: which classes are
    counted; `without`: parts of the paths of sources to leave out; `disabled`: methods of tests that end the whole run;
    `options`: of javac; `needs`: the jars that the tests need, empty if the pom.xml lists them; `defects4j`:
    the library's name there."""

    owner: str
    name: str
    package: str
    inner: str = "."
    without: tuple[str, ...] = ()
    disabled: tuple[str, ...] = ()
    options: tuple[str, ...] = ("-encoding", "UTF-8")
    needs: tuple[peers.Artifact, ...] = ()
    defects4j: str = ""

    def path(self, below: str) -> str:
        """A path of the module, in the repository."""
        return below if self.inner == "." else f"{self.inner}/{below}"


PROJECTS = {
    one.name: one
    for one in (
        Project("apache", "commons-cli", "org.apache.commons.cli"),
        Project("apache", "commons-csv", "org.apache.commons.csv", without=("Benchmark", "PerformanceTest")),
        Project(
            "apache",
            "commons-text",
            "org.apache.commons.text",
            without=("jmh/",),
            disabled=("testOutOfMemoryError",),  # JUnit ends after such an error
        ),
        Project("apache", "commons-lang", "org.apache.commons.lang3", without=("jmh/", "Benchmark")),
        Project("apache", "commons-collections", "org.apache.commons.collections4", without=("jmh/",)),
        Project("google", "gson", "com.google.gson", inner="gson"),
        Project("jhy", "jsoup", "org.jsoup"),
    )
}

JUNIT = (*peers.JUNIT4, peers.Artifact("junit-addons", "junit-addons", "1.4"))
#: javac's options for old versions. Some have methods that collide with those of JDK 8.
OLD, OLDER = ("-encoding", "ISO-8859-1", "--release", "8"), ("-encoding", "ISO-8859-1", "--release", "7")
JETTY = peers.artifacts(
    "org.eclipse.jetty.aggregate:jetty-all:9.2.28.v20190418", "javax.servlet:javax.servlet-api:3.1.0"
)
MOCKS = peers.artifacts("org.easymock:easymock:3.1", "commons-io:commons-io:2.4", "org.mockito:mockito-all:1.10.19")
#: The libraries of Defects4J whose old versions compile here.
BEFORE = {
    one.name: one
    for one in (
        Project(
            "apache",
            "commons-cli",
            "org.apache.commons.cli*",
            options=OLD,
            needs=(*JUNIT, *peers.artifacts("commons-lang:commons-lang:2.6", "jdepend:jdepend:2.9.1")),
            defects4j="Cli",
        ),
        Project(
            "apache",
            "commons-csv",
            "org.apache.commons.csv",
            without=("Benchmark", "PerformanceTest"),
            options=OLD,
            needs=(
                *JUNIT,
                *MOCKS,
                *peers.artifacts("com.h2database:h2:1.4.197", "org.apache.commons:commons-lang3:3.8"),
            ),
            defects4j="Csv",
        ),
        Project(
            "apache",
            "commons-codec",
            "org.apache.commons.codec",
            options=OLD,
            needs=(*JUNIT, *peers.artifacts("org.apache.commons:commons-lang3:3.8")),
            defects4j="Codec",
        ),
        Project(
            "apache",
            "commons-collections",
            "org.apache.commons.collections*",
            options=OLDER,
            needs=(*JUNIT, *MOCKS),
            defects4j="Collections",
        ),
        Project(
            "apache",
            "commons-lang",
            "org.apache.commons.lang*",
            without=("/lang/enum/", "/lang/enums/", "lang3/reflect/TypeUtilsTest"),
            options=OLDER,
            needs=(*JUNIT, *MOCKS),
            defects4j="Lang",
        ),
        Project("google", "gson", "com.google.gson", inner="gson", options=OLD, needs=JUNIT, defects4j="Gson"),
        Project(
            "jhy",
            "jsoup",
            "org.jsoup",
            options=("-encoding", "UTF-8", "--release", "8"),
            needs=(*JUNIT, *JETTY, *peers.artifacts("com.google.code.gson:gson:2.3")),
            defects4j="Jsoup",
        ),
    )
}

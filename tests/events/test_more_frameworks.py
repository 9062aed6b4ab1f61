"""`classhook run --tests` with ScalaTest, Spock, Cucumber and Kotest: small suites in their own languages, where that
does not take long."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests import jars, peers
from tests.conftest import Jvm, classhook_command, execute, long_build
from tests.coverage.conftest import PEERS, peer
from tests.coverage.test_builds import ABSENT
from tests.events.known_tests import CONSOLE, RULE, SUITES, Suite, calls, listed, run_tests, statuses

#: Gradle's jars, and Debian's packages that have them.
GRADLE = {
    "gradle-testing-base.jar": "libgradle-plugins-java",
    "gradle-base-services.jar": "libgradle-core-java",
    "gradle-logging.jar": "libgradle-core-java",
}
SCALATEST = "org.scalatest.tools.Runner"


def parents(data: Path) -> dict[str, str | None]:
    """By test: its container."""
    return {test["context"]: test["parent"] for test in listed(data) if test["kind"] == "test"}


CART = {
    "suite.CartSuite": 1100,
    "suite.CartSuite::one": 11,
    "suite.CartSuite::fails (no)": 13,
    "suite.CartSuite::cancels": 14,
    "suite.CartSuite::is pending": 15,
    "suite.CartSuite::numbered 1": 16,
    "suite.CartSuite::numbered 2": 17,
}


@pytest.mark.any_jvm
def test_scalatest(jvm: Jvm, suite: Suite, tmp_path: Path) -> None:
    """A suite as Scala's compiler makes it."""
    jars = [peer(one) for one in peers.SCALATEST]
    classes = suite("scalatest", jars)
    done = run_tests(jvm, tmp_path, [*jars, classes], SCALATEST, "-R", classes, "-oW", "-s", "suite.CartSuite")
    assert "succeeded 3, failed 1, canceled 1, ignored 1, pending 1" in done.stdout  # ScalaTest's own numbers
    assert "7 tests: 3 passed, 1 failed, 2 aborted, 1 skipped" in done.stderr
    assert calls(tmp_path) == CART
    assert statuses(listed(tmp_path)) == {
        "failed": {"fails (no)"},
        "aborted": {"cancels", "is pending"},
        "skipped": {"is ignored"},
    }


def test_scalatest_in_parallel(jvm: Jvm, suite: Suite, tmp_path: Path) -> None:
    """PoolSuite's tests are asynchronous, and end on other threads than they began on. A Runner without -P does not
    wait for them."""
    jars = [peer(one) for one in peers.SCALATEST]
    classes = suite("scalatest", jars)
    done = run_tests(jvm, tmp_path, [*jars, classes], SCALATEST, "-R", classes, "-oW", "-P4", options=["-Xcheck:jni"])
    assert "WARNING" not in done.stdout + done.stderr
    assert "succeeded 5, failed 2, canceled 1, ignored 1, pending 1" in done.stdout
    assert calls(tmp_path) == {**CART, "suite.PoolSuite": 2000, **{f"suite.PoolSuite::pool {n}": n for n in (1, 2, 3)}}
    assert statuses(listed(tmp_path))["failed"] == {"fails (no)", "pool 3"}
    assert all(parent == context.partition("::")[0] for context, parent in parents(tmp_path).items())


@pytest.mark.any_jvm
@pytest.mark.parametrize("runner", ["junit.textui.TestRunner", "org.junit.runner.JUnitCore"])
def test_junit_3(runner: str, jvm: Jvm, suite: Suite, tmp_path: Path) -> None:
    """By its own runner, and by JUnit 4."""
    jars = [peer(one) for one in peers.JUNIT4]
    classes = suite("junit3", jars)
    done = run_tests(jvm, tmp_path, [*jars, classes], runner, "suite.ThreeTest")
    assert "Tests run: 3,  Failures: 2" in done.stdout or "Tests run: 3,  Failures: 1,  Errors: 1" in done.stdout
    assert "3 tests: 1 passed, 2 failed" in done.stderr
    assert calls(tmp_path) == {
        ("suite.ThreeTest (discovery)" if "JUnitCore" in runner else None): 3000,
        "suite.ThreeTest::testOne": 11,
        "suite.ThreeTest::testFails": 13,
        "suite.ThreeTest::testThrows": 14,
    }
    assert statuses(listed(tmp_path)) == {"failed": {"testFails", "testThrows"}}


@pytest.mark.any_jvm
def test_surefires_listener(jvm: Jvm, suite: Suite, tmp_path: Path) -> None:
    """It tells of tests of a framework that is not known, and of JUnit's, which have their own hooks."""
    jars = [peer(one) for one in (*peers.SUREFIRE, *peers.JUNIT4)]
    done = run_tests(jvm, tmp_path, [*jars, suite("surefire", jars)], "suite.Provider")
    assert "5 tests: 2 passed, 1 failed, 1 aborted, 1 skipped" in done.stderr
    assert calls(tmp_path) == {
        "suite.PlainTest::testOne": 100,
        "suite.PlainTest::testFails": 200,
        "suite.Provider$Known::known": 7,
    }
    assert statuses(listed(tmp_path)) == {
        "failed": {"testFails"},
        "aborted": {"testAborts"},
        "skipped": {"testSkipped"},
    }
    assert {test["method"] for test in listed(tmp_path) if test["source"] == "Surefire"} == {
        "testOne",
        "testFails",
        "testAborts",
        "testSkipped",
    }


@pytest.mark.any_jvm
def test_gradles_worker(jvm: Jvm, suite: Suite, tmp_path: Path) -> None:
    """Gradle's classes in the JVM that runs tests tell of tests of an unknown framework, and of JUnit's, which have
    their own hooks."""
    junit = [peer(one) for one in peers.JUNIT4]
    found = [jars.find(name) or PEERS / name for name in GRADLE]
    if missing := [
        path.name for path in found if not path.exists() and not jars.fetch(GRADLE[path.name], path.name, PEERS)
    ]:
        pytest.skip(f"{', '.join(missing)}: not to be had (Debian's {GRADLE[missing[0]]})")
    parts = [*found, *junit]
    done = run_tests(jvm, tmp_path, [*parts, suite("gradle", parts)], "suite.Worker")
    assert "4 tests: 2 passed, 1 failed, 1 skipped" in done.stderr
    assert calls(tmp_path) == {
        None: 1000,
        "suite.Mine::one": 11,
        "suite.Mine::fails": 13,
        "suite.Worker$Known::known": 7,
    }
    assert statuses(listed(tmp_path)) == {"failed": {"fails"}, "skipped": {"skipped"}}


POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion> <groupId>com.acme</groupId> <artifactId>acme</artifactId> <version>1</version>
  <properties> <maven.compiler.release>17</maven.compiler.release> </properties>
  <dependencies>
    <dependency> <groupId>junit</groupId> <artifactId>junit</artifactId> <version>3.8.2</version> </dependency>
  </dependencies>
  <build> <plugins>
    <plugin> <artifactId>maven-compiler-plugin</artifactId> <version>3.14.0</version> </plugin>
    <plugin> <artifactId>maven-surefire-plugin</artifactId> <version>RELEASE</version> </plugin>
  </plugins> </build>
</project>
"""


@long_build
@pytest.mark.parametrize("release", ["2.22.2", "3.5.3"])
def test_maven_without_a_framework(release: str, tmp_path: Path) -> None:
    """Surefire runs JUnit 3's tests, and classes of no framework."""
    if shutil.which("mvn") is None:
        pytest.skip("no mvn in PATH")
    sources, data = tmp_path / "src" / "test" / "java" / "suite", tmp_path / "data"
    sources.mkdir(parents=True)
    for file in (SUITES / "surefire" / "PlainTest.java", SUITES / "junit3" / "ThreeTest.java"):
        shutil.copy(file, sources)
    (tmp_path / "pom.xml").write_text(POM.replace("RELEASE", release))
    done = execute(
        [
            *classhook_command(),
            "run",
            "--tests",
            "-e",
            RULE,
            "-o",
            data,
            "--",
            "mvn",
            "-B",
            "-q",
            "-f",
            tmp_path,
            "test",
        ]
    )
    if ABSENT.search(done.stdout):
        pytest.skip(f"mvn cannot fetch what the build needs: {done.stdout[:300]}")
    assert "5 tests: 2 passed, 3 failed" in done.stderr
    assert {test["context"]: test["source"] for test in listed(data)} == {
        **{f"suite.PlainTest::{name}": "Surefire" for name in ("testOne", "testFails")},
        **{f"suite.ThreeTest::{name}": "JUnit 3" for name in ("testOne", "testFails", "testThrows")},
    }


@pytest.mark.any_jvm
def test_spock(jvm: Jvm, suite: Suite, tmp_path: Path) -> None:
    console, *jars = [peer(one) for one in (peers.JUNIT_CONSOLES["1.13.4"], *peers.SPOCK)]
    classes = suite("spock", [console, *jars], [console, *jars])
    run_tests(jvm, tmp_path, [console, *jars, classes], *CONSOLE, "--scan-classpath", classes)
    names = {"one thing": 11, "fails": 13, "aborts": 14, "sum of 5 [0]": 15, "sum of 6 [1]": 16}
    assert calls(tmp_path) == {"suite.CartTest": 1000, **{f"suite.CartTest::{name}": n for name, n in names.items()}}
    assert statuses(listed(tmp_path)) == {"failed": {"fails"}, "aborted": {"aborts"}, "skipped": {"skipped"}}
    of = parents(tmp_path)
    assert of.keys() == {f"suite.CartTest::{name}" for name in (*names, "skipped")}
    assert of["suite.CartTest::one thing"] == "suite.CartTest"
    assert of["suite.CartTest::sum of 5 [0]"] == "suite.CartTest::sum of #a"


@pytest.mark.any_jvm
def test_cucumber(jvm: Jvm, suite: Suite, tmp_path: Path) -> None:
    jars = [peer(one) for one in (peers.JUNIT_CONSOLES["1.13.4"], *peers.CUCUMBER)]
    classes = suite("cucumber", jars)
    words = ["--select-resource=cart.feature", "--config=cucumber.glue=suite"]
    run_tests(jvm, tmp_path, [*jars, classes], *CONSOLE, *words)
    many = "Cart > several > Examples"
    names = {"Cart > one thing": 11, "Cart > fails": 13, f"{many} > Example #1.1": 15, f"{many} > Example #1.2": 16}
    assert calls(tmp_path) == {None: 1000, **names}  # @BeforeAll of Cucumber is for all features
    assert statuses(listed(tmp_path)) == {"failed": {"Cart > fails"}}
    assert parents(tmp_path) == {
        "Cart > one thing": "Cart",
        "Cart > fails": "Cart",
        f"{many} > Example #1.1": many,
        f"{many} > Example #1.2": many,
    }


@pytest.mark.any_jvm
@long_build
def test_kotest(jvm: Jvm, suite: Suite, tmp_path: Path) -> None:
    jars = [peer(one) for one in (peers.JUNIT_CONSOLES["1.13.4"], *peers.KOTEST)]
    classes = suite("kotest", jars, [peer(one) for one in peers.KOTLIN_COMPILER])
    run_tests(jvm, tmp_path, [*jars, classes], *CONSOLE, "--scan-classpath", classes)
    names = {"one thing": 1, "fails": 3, "group/within": 4, "later": 55}
    assert calls(tmp_path) == {"suite.CartTest": 1000, **{f"suite.CartTest::{name}": n for name, n in names.items()}}
    assert statuses(listed(tmp_path)) == {"failed": {"fails"}, "skipped": {"skipped"}}
    of = parents(tmp_path)
    assert of["suite.CartTest::group/within"] == "suite.CartTest > group"
    assert of["suite.CartTest::one thing"] == "suite.CartTest"

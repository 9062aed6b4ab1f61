"""A change of code that JUnit calls to find the tests of a class selects these tests, and those that use a class which
this code initialised."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests import compiling, peers
from tests.cli.conftest import Classhook
from tests.coverage.conftest import peer

SOURCES = {
    "Config": "class Config { static final int[] VALUE = make(); static int[] make() { return new int[] {1}; } }",
    "Own": "class Own { static int make() { return 2; } }",
    "OldTest": """public class OldTest extends junit.framework.TestCase {
        final int seen = Config.VALUE[0], own = Own.make();
        public void testSeen() { assertEquals(3, seen + own); }
    }""",
    "BrokenTest": """public class BrokenTest extends junit.framework.TestCase {
        static final int N = Integer.parseInt("none");
        public void testNever() {}
    }""",
    "NewTest": """class NewTest {
        @org.junit.jupiter.api.Test void sees() { org.junit.jupiter.api.Assertions.assertEquals(1, Config.VALUE[0]); }
        @org.junit.jupiter.api.Test void sleeps() {}
    }""",
    # as Surefire, which finds out first which classes have tests
    "Main": """import org.junit.platform.launcher.core.*; import org.junit.platform.engine.discovery.DiscoverySelectors;
    class Main {
        public static void main(String[] names) {
            var request = LauncherDiscoveryRequestBuilder.request();
            for (String name : names) request.selectors(DiscoverySelectors.selectClass(name));
            LauncherFactory.create().discover(request.build());
            LauncherFactory.create().execute(request.build());
        }
    }""",
}


@pytest.fixture(scope="module")
def jars() -> list[Path]:
    return [peer(peers.JUNIT_CONSOLE), *map(peer, peers.JUNIT4)]


def compiled(folder: Path, jars: list[Path], **instead: str) -> Path:
    classes = folder / "classes"
    for name, text in (SOURCES | instead).items():
        (folder / f"{name}.java").write_text(text)
    compiling.javac("javac", "-cp", os.pathsep.join(map(str, jars)), "-d", classes, *sorted(folder.glob("*.java")))
    return classes


def test_code_that_runs_at_discovery(tmp_path: Path, jars: list[Path], classhook: Classhook) -> None:
    classes = compiled(tmp_path, jars)
    path = os.pathsep.join(map(str, [classes, *jars]))
    java = ["java", "-cp", path, "Main", "BrokenTest", "OldTest", "NewTest"]
    done = classhook("run", "--tests", "-e", "count *::*", "-o", tmp_path / "data", "--", *java)
    assert "4 tests: 3 passed, 1 failed" in done.err
    classhook("select", "--record", "--data", tmp_path / "data", "--classes", classes)

    def selected(name: str, before: str, after: str) -> set[str]:
        compiled(tmp_path, jars, **{name: SOURCES[name].replace(before, after)})
        said = classhook("select", "--data", tmp_path / "data", "--classes", classes, "-f", "json").out
        names = {one["name"] for one in json.loads(said)["tests"]}
        return {name for name in names if not name.startswith("BrokenTest")}  # it failed, so it is always selected

    assert selected("Own", "return 2", "return 3") == {"OldTest#testSeen"}
    assert selected("Config", "{1}", "{4}") == {"OldTest#testSeen", "NewTest#sees"}
    assert selected("OldTest", "seen = Config", "seen = 1 + Config") == {"OldTest#testSeen"}

"""The scripts of docs/examples/agents do what they say, and are short."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import peers
from tests.conftest import ENVIRONMENT, PATIENCE, Jvm, Result, classhook_command, execute, need_jar
from tests.events.conftest import said

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples" / "agents"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))
CONSOLE = peers.Artifact("org.junit.platform", "junit-platform-console-standalone", "1.13.4")

Example = Callable[..., Result]


@pytest.fixture
def example(jvm: Jvm, classes: Path, tmp_path: Path) -> Example:
    """Runs a program with a script: its name, the program's words; more of the class path, options of the JVM,
    variables."""

    def run(
        name: str, *words: str | Path, path: tuple[Path, ...] = (), options: tuple[str, ...] = (), **variables: str
    ) -> Result:
        own = [
            "--quiet",
            "--agent",
            f"{EXAMPLES / name.partition('=')[0]}.py" + name[len(name.partition("=")[0]) :],
            "-o",
            tmp_path / "data",
            "--no-cache",
        ]
        whole = ":".join(map(str, (classes, *path)))
        line = [*classhook_command(), "run", *own, "--", jvm.java, *options, "-cp", whole, *words]
        result = execute(line, env={**ENVIRONMENT, **variables})
        assert (result.status, result.stderr) == (0, "")
        return result

    return run


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_it_is_short(script: Path) -> None:
    assert len(script.read_text().splitlines()) < 40


def test_class_loads(example: Example) -> None:
    result = example("class_loads", "Shop", "4")
    assert said(result, "loaded")[:2] == [
        "Shop (Shop.java): 7 methods, 2 fields",
        "Shop$Order (Shop.java): 2 methods, 4 fields",
    ]
    assert re.search(r"^\d classes by \S+AppClassLoader$", result.stdout, re.MULTILINE)


def test_slow_sql(example: Example) -> None:
    result = example("slow_sql", "Library", "jdbc:h2:mem:", path=(need_jar("h2.jar"),), SLOW="100ms")
    assert said(result, "books") == ["30"]
    found = [line.partition(" ms: ")[2] for line in said(result, "slow:")]
    assert found[-2:] == [
        "call nap(150) | Library.nap(Library.java:23)",
        "call nap(120) | Library.main(Library.java:35)",
    ]


def test_n_plus_one(example: Example) -> None:
    result = example("n_plus_one", "Library", "jdbc:h2:mem:", path=(need_jar("h2.jar"),))
    assert said(result, "N+1:") == ["select title from book where author = ? | Library.booksOf(Library.java:14)"]


def test_lock_holders(example: Example) -> None:
    result = example("lock_holders", "Locks")
    assert re.search(r"^\d\d+ ms: Locks\$Ledger, held by keeper, wanted at Locks\S+$", result.stdout, re.MULTILINE), (
        result.stdout
    )


@pytest.mark.parametrize(
    ("fault", "constant", "expected"),
    [
        ("Shop::place", "False", "hello w\u00f6rld 0 0 5"),
        ("Shop::depth", "-7", "hello w\u00f6rld 3 1 -7"),
        ("Shop::greet", "None", "null 3 1 5"),
    ],
)
def test_fault(example: Example, fault: str, constant: str, expected: str) -> None:
    assert expected in example("fault", "Shop", "4", FAULT=fault, CONSTANT=constant).stdout


def test_leaks(example: Example) -> None:
    result = example("leaks", "Sessions", "3000")
    assert said(result, "open") == ["1000"]
    found = said(result, "leak?")
    assert re.search(r"of byte\[\]: Sessions\$Session.<init>\(Sessions.java:\d+\) < Sessions.open", found[0]), (
        result.stdout
    )


def test_metrics(example: Example, tmp_path: Path) -> None:
    example("metrics", "Shop", "8", ORDERS="Shop::place", METRICS=str(tmp_path / "app.prom"))
    text = (tmp_path / "app.prom").read_text()
    assert 'orders_total{result="placed"} 6\norders_total{result="refused"} 2\n' in text
    assert re.search(
        r"^orders_seconds_total 0\.\d+\n# TYPE heap_bytes gauge\nheap_bytes \d+\n# EOF\n\Z", text, re.MULTILINE
    )
    parser = pytest.importorskip("prometheus_client.openmetrics.parser")
    assert {family.name for family in parser.text_string_to_metric_families(text)} == {
        "orders",
        "orders_seconds",
        "heap_bytes",
    }


def test_call_counts(example: Example) -> None:
    result = example("call_counts=Shop::place,Shop::depth(..)", "Shop", "1234")
    assert re.findall(r"^ +([\d,]+) (Shop\S+)$", result.stdout, re.MULTILINE) == [
        ("1,234", "Shop::place"),
        ("6", "Shop::depth(..)"),
    ]


OWN = """
public class Mine {
    static int depth, most;
    public static void enter(Object self, String method, int number) { most = Math.max(most, ++depth); }
    public static void exit(String method, int number) { if (--depth == 0) System.out.println("deepest " + most + " " + method); }
}
"""


def test_own_calls(example: Example, jvm: Jvm, tmp_path: Path) -> None:
    (tmp_path / "Mine.java").write_text(OWN)
    for words in (["javac", "Mine.java"], ["jar", "cf", "mine.jar", "Mine.class"]):
        subprocess.run(
            [jvm.java.parent / words[0], *words[1:]],
            check=True,
            capture_output=True,
            timeout=PATIENCE,
            env=ENVIRONMENT,
            cwd=tmp_path,
        )
    result = example(f"own_calls=jar={tmp_path / 'mine.jar'},class=Mine,methods=Shop::depth", "Shop", "4")
    assert said(result, "deepest") == ["6 depth"]


def test_junit_listener(example: Example, jvm: Jvm, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    try:
        console = peers.fetch(CONSOLE, pytestconfig.cache.mkdir("peers"))
    except peers.Missing as missing:
        pytest.skip(str(missing))
    (tmp_path / "SumsTest.java").write_text("""
import org.junit.jupiter.api.Test;
import static org.junit.jupiter.api.Assertions.assertEquals;
class SumsTest {
    @Test void adds() { assertEquals(2, 1 + 1); }
    @Test void slow() throws Exception { Thread.sleep(50); assertEquals(4, 2 + 2); }
    @Test void equal() { assertEquals(1, Integer.signum(7)); }
}
""")
    line = [jvm.java.parent / "javac", "-cp", console, "-d", tmp_path, tmp_path / "SumsTest.java"]
    subprocess.run(line, check=True, capture_output=True, timeout=PATIENCE, env=ENVIRONMENT)
    console_main = "org.junit.platform.console.ConsoleLauncher"
    words = [
        *jvm.sets_final_fields,
        console_main,
        "execute",
        "--disable-banner",
        "--details=none",
        "--select-class=SumsTest",
    ]
    result = example("junit_listener", *words, path=(tmp_path, console))
    assert sorted(line.split()[0] for line in said(result, "ok")) == [
        "SumsTest::adds",
        "SumsTest::equal",
        "SumsTest::slow",
    ]
    assert re.search(r"^3 tests, 0 failed; the slowest: SumsTest::slow \(\d+ ms\)$", result.stdout, re.MULTILINE), (
        result.stdout
    )

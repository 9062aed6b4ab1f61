"""Programs in Kotlin, Scala, Groovy, Clojure and Java, made by the languages' own compilers: reports and rules have the
names of the sources."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import peers
from tests.conftest import FindJvm, Jvm, Result, Run, classhook_command, execute
from tests.coverage.conftest import peer, tool
from tests.extensions import needs

SOURCES = Path(__file__).parent / "languages"


@dataclass(frozen=True)
class Language:
    """A program. `source`: a file, or a folder of them; `needs`: what it runs with; `compiler`: jars, main class and
    options, nothing if `main` reads the source; `shown`: rows of the report with their calls; `raw`: what some of them
    are called in the JVM; `filters`: by which some are found."""

    source: str
    main: tuple[str, ...]
    shown: dict[str, int]
    raw: tuple[str, ...]
    filters: dict[str, int]
    rules: dict[str, set[str]]
    needs: tuple[peers.Artifact, ...] = ()
    compiler: tuple[peers.Artifact, ...] = ()
    words: tuple[str, ...] = ()
    uses_class_path: bool = True


SCALA = {
    "lambda in shop.Orders.place (Orders.scala:25)": 2,
    "shop.Orders.work(int)": 8,
    "shop.Orders.inner(int) (local)": 2,
    "shop.Cart.+=(int)": 1,
    "shop.Cart.limit_=(int)": 1,
    "shop.Cart.valid_?()": 1,
    "shop.Cents.doubled()": 1,
    "default 1 of shop.Cart.discount()": 1,
    "lazy shop.Cart.name()": 1,
}
SCALA_RAW = (
    "shop.Orders$.work(int)",
    "shop.Cart.$plus$eq(int)",
    "shop.Cents$.doubled$extension(int)",
    "shop.Cart.discount$default$1()",
)
SCALA_RULES = {
    "shop.Orders::work": {"work"},
    "shop.Cart::`+=`": {"$plus$eq"},
    "shop.Cart::limit_=": {"limit_$eq"},
    "shop.Cart::$plus$eq": {"$plus$eq"},
    "shop.Cents::doubled()": {"doubled$extension"},
}
JAVA = Language(
    "Orders.java",
    ("shop.Orders",),
    {
        "lambda in shop.Orders.place (Orders.java:17)": 2,
        "lambda in shop.Orders.main (Orders.java:22)": 1,
        "lambda in shop.Orders.main (Orders.java:23)": 1,
        "shop.Orders.f$default(int)": 1,
        "shop.Orders.place(List)": 1,
    },
    ("shop.Orders.lambda$place$0(String)", "shop.Orders.f$default(int)"),
    {"Orders::place": 1, "lambda in": 3, "lambda$": 3},
    {"shop.Orders::place": {"place"}, "shop.Orders::f": set()},
)
KOTLIN = Language(
    "Orders.kt",
    ("shop.OrdersKt",),
    {
        "shop.work(int)": 12,
        "shop.total(List, int) with defaults": 1,
        "shop.Orders.place(String, int)": 2,
        "shop.Orders.place(String, int) with defaults": 1,
        "shop.Orders.charge(int)": 1,
        "shop.Orders.audit()": 1,
        "shop.Orders.create()": 1,
        "shop.Orders.has a long name()": 1,
        "shop.Price.doubled()": 1,
        "suspend shop.Orders.ship(int)": 1,
        "lambda in shop.Orders.each (Orders.kt:39)": 2,
        "lambda in shop.Orders.names (Orders.kt:29)": 1,
        "coroutine in shop.main (Orders.kt:57)": 1,
    },
    (
        "shop.OrdersKt.work(int)",
        "shop.Orders.place$default(Orders, String, int, int, Object)",
        "shop.Orders$Companion.create()",
        "shop.Orders.audit$main()",
        "shop.Price.doubled-impl(int)",
        "shop.Orders.ship(int, Continuation)",
    ),
    {
        "shop.Orders::place": 2,
        "shop::work": 1,
        "shop.Orders::create": 1,
        "Orders.charge(int)": 1,
        "audit$main": 1,
        "suspend ": 1,
    },
    {
        "shop.Orders::place": {"place", "place$default"},
        "shop.Orders::place$default": {"place$default"},
        "shop.Orders::place(java.lang.String, int)": {"place", "place$default"},
        "shop.Orders::charge": {"charge-Uzfk154"},
        "shop.Orders::audit": {"audit$main"},
        "shop.Orders::create": {"create"},
        "shop.Orders::ship(int)": {"ship"},
        "shop.Orders::`has a long name`": {"has a long name"},
        "shop.Price::doubled": {"doubled-impl"},
        "shop::total": {"total", "total$default"},
        "shop.OrdersKt::work": {"work"},
    },
    needs=(peers.KOTLIN,),
    compiler=peers.KOTLIN_COMPILER,
    words=("org.jetbrains.kotlin.cli.jvm.K2JVMCompiler", "-no-stdlib", "-no-reflect", "-nowarn"),
)
SCALA_3 = Language(
    "Orders.scala",
    ("shop.Orders",),
    SCALA,
    (*SCALA_RAW, "shop.Orders$.place$$anonfun$1(String)"),
    {"shop.Orders::place": 1, "Cart.+=": 1, "$plus$eq": 1},
    SCALA_RULES,
    needs=(peers.SCALA_3_COMPILER[1], peers.SCALA_3_COMPILER[4]),
    compiler=peers.SCALA_3_COMPILER,
    words=("dotty.tools.dotc.Main",),
)
SCALA_2 = Language(
    "Orders.scala",
    ("shop.Orders",),
    SCALA | {"lambda in shop.Orders.place (Orders.scala:24), boxed": 2},
    (*SCALA_RAW, "shop.Orders$.$anonfun$place$1(String)"),
    {"shop.Orders::place": 1, "Cart.+=": 1},
    SCALA_RULES,
    needs=(peers.SCALA_2_COMPILER[2],),
    compiler=peers.SCALA_2_COMPILER,
    words=("scala.tools.nsc.Main",),
)
GROOVY = Language(
    "Orders.groovy",
    ("shop.Orders",),
    {
        "closure in shop.Orders.each (Orders.groovy:18)": 2,
        "shop.Orders.work(int)": 5,
        "shop.Orders.place(String, int)": 2,
    },
    ("shop.Orders$_each_closure1.doCall(Object)", "shop.Priced$Trait$Helper.price(Priced)"),
    {"closure in": 1, "shop.Priced::price": 1},
    {"shop.Priced::price": {"price"}, "shop.Orders::each": {"each"}},
    needs=(peers.SPOCK[1],),
    compiler=(peers.SPOCK[1],),
    words=("org.codehaus.groovy.tools.FileSystemCompiler",),
)
CLOJURE = Language(
    "orders.clj",
    ("clojure.main", str(SOURCES / "orders.clj")),
    {
        "shop.orders/work(Object) [orders$work.invokeStatic]": 4,
        "shop.orders/work(Object) [orders$work.invoke]": 4,
        "shop.orders/place-order!(Object, Object) [orders$place_order_BANG_.invokeStatic]": 2,
        "shop.orders/valid?(Object) [orders$valid_QMARK_.invokeStatic]": 1,
        "fn in shop.orders/each-item (orders.clj:12)": 2,
    },
    ("shop.orders$work.invokeStatic(Object)", "shop.orders$valid_QMARK_.invoke(Object)"),
    {"shop.orders::work": 2, "orders/place-order!": 4, "place_order": 6},
    {
        "shop.orders::work": {"invokeStatic"},
        "shop.orders::place-order*": {"invokeStatic"},
        "shop.orders::`valid?`": {"invokeStatic"},
        "shop.orders$work::invoke": {"invoke"},
    },
    needs=peers.CLOJURE,
)
RELEASE = "17"  # of Java, for which javac of any JDK compiles
INLINED = Language("inlined", ("shop.BusyKt",), {}, (), {}, {}, KOTLIN.needs, KOTLIN.compiler, KOTLIN.words)
WAITS, ANSWERED, MARKET = [
    Language(
        f"{name}.kt",
        (f"shop.{name}Kt",),
        {},
        (),
        {},
        {},
        (*KOTLIN.needs, peers.COROUTINES),
        KOTLIN.compiler,
        KOTLIN.words,
    )
    for name in ("Waits", "Answered", "Market")
]
EACH_OF = {"java": JAVA, "kotlin": KOTLIN, "scala3": SCALA_3, "scala2": SCALA_2, "groovy": GROOVY, "clojure": CLOJURE}
LANGUAGES = {**EACH_OF, "inlined": INLINED, "waits": WAITS, "answered": ANSWERED, "market": MARKET}
EACH = [pytest.param(name, marks=pytest.mark.slow) if name == "scala2" else name for name in EACH_OF]


def path_of(parts: tuple[Path, ...] | list[Path]) -> str:
    return os.pathsep.join(map(str, parts))


def class_path(name: str, jdk: Jvm, cache: Path) -> str:
    """The program's, which is compiled once and kept until its source changes."""
    one = LANGUAGES[name]
    needs, source = [peer(jar) for jar in one.needs], SOURCES / one.source
    texts = b"".join(file.read_bytes() for file in ([source] if source.is_file() else sorted(source.iterdir())))
    digest = hashlib.sha256(texts + repr((one.compiler, RELEASE)).encode()).hexdigest()[:16]
    classes = cache / f"{name}-{digest}"
    if not classes.exists():
        made = cache / f"{name}-{digest}.{os.getpid()}"
        made.mkdir(parents=True)
        if name == "java":
            tool(jdk.tool("javac"), "--release", RELEASE, "-g", "-d", made, source)
        elif one.compiler:
            path = path_of([peer(jar) for jar in one.compiler])
            tool(
                jdk.java,
                "-XX:TieredStopAtLevel=1",
                "-cp",
                path,
                *one.words,
                "-classpath",
                path_of(needs),
                "-d",
                made,
                source,
            )
        if classes.exists():  # another process was quicker
            shutil.rmtree(made)
        else:
            made.rename(classes)
    return path_of([classes, *needs])


def counted(name: str, rules: list[str], find_jvm: FindJvm, run: Run, config: pytest.Config) -> Result:
    jdk = find_jvm(17)
    path = class_path(name, jdk, config.cache.mkdir("languages"))
    done = run(rules, jdk.java, "-cp", path, *LANGUAGES[name].main)
    assert done.status == 0, done.stderr
    return done


def rows_of(text: str) -> dict[str, int]:
    """By label: the calls."""
    found = {}
    for line in text.partition("\ncalls ")[2].partition("\n\n")[0].splitlines()[1:]:
        calls, _, label = line.split(maxsplit=2)
        assert label not in found, "two methods look the same"
        found[label] = int(calls.replace(",", ""))
    return found


@pytest.mark.parametrize("name", EACH)
def test_reports_have_the_names_of_the_source(
    name: str, find_jvm: FindJvm, run: Run, pytestconfig: pytest.Config
) -> None:
    one = LANGUAGES[name]
    done = counted(name, ["count shop.**::*"], find_jvm, run, pytestconfig)
    report = [*classhook_command(), "report", done.data, "--wide", "--top", "0"]
    shown, raw = (rows_of(execute([*report, *more]).stdout) for more in ([], ["--raw"]))
    assert one.shown.items() <= shown.items()
    assert set(one.raw) <= raw.keys()
    assert sorted(shown.values()) == sorted(raw.values())
    methods = [row for row in done.report["methods"] if row["calls"]]
    assert len(methods) == len(shown)
    for row in methods:  # the JVM's name is the key
        assert any(label.startswith(f"{row['class']}.{row['method']}(") for label in raw)
        if row["readable"] is not None:
            assert any(label.startswith(row["readable"].partition("(")[0]) for label in shown)
    for pattern, number in one.filters.items():
        assert len(rows_of(execute([*report, "--filter", pattern]).stdout)) == number, pattern


@pytest.mark.parametrize("name", EACH)
def test_rules_name_methods_as_the_source_does(
    name: str, find_jvm: FindJvm, run: Run, pytestconfig: pytest.Config
) -> None:
    """Each by its own rule, so that what the agent asks for by names of classes is enough. The JVM's names still mean
    the same."""
    one = LANGUAGES[name]
    done = counted(name, [f"count {target}" for target in one.rules], find_jvm, run, pytestconfig)
    matched = {rule["rule"]: rule["matched_methods"] for rule in done.report["rules"]}
    for target, methods in one.rules.items():
        alone = [row for row in done.report["methods"] if row["rule"] == f"count {target}"]
        assert {row["method"] for row in alone} <= methods
        assert matched[f"count {target}"] >= len(methods), target
    assert {row["method"] for row in done.report["methods"]} == set().union(*one.rules.values())


def test_mistakes_are_answered_with_the_names_of_the_source(find_jvm: FindJvm, pytestconfig: pytest.Config) -> None:
    classes = class_path("kotlin", find_jvm(17), pytestconfig.cache.mkdir("languages")).partition(os.pathsep)[0]
    rules = {
        "shop.Orders::chrge": "shop.Orders::charge",
        "shop.Price::doubld": "shop.Price::doubled",
        "shop::totl": "shop::total",
    }
    done = execute(
        [*classhook_command(), "check", *[word for rule in rules for word in ("-e", f"count {rule}")], classes]
    )
    assert done.status == 1
    assert [line.partition("nearest: ")[2] for line in done.stdout.splitlines() if "nearest" in line] == list(
        rules.values()
    )
    right = execute([*classhook_command(), "check", "-v", "-e", "count shop::total", classes])
    assert "shop.total(List, int) with defaults" in right.stdout


@needs("hprof")
def test_samples_tell_inline_functions_apart(find_jvm: FindJvm, run: Run, pytestconfig: pytest.Config) -> None:
    """Two inline functions use 300 ms of CPU time each, in lambdas of `main`: one of a class that is loaded, one of a
    class that is not."""
    done = counted("inlined", ["cpu every 2ms lines"], find_jvm, run, pytestconfig)
    own = {(row["class"], row["method"]): row["cpu_self_ns"] for row in done.report["cpu"]}
    for method in (("shop.BusyKt", "spun"), ("shop.HashedKt", "[inline]")):
        assert 200e6 < own[method] < 400e6, own
    assert sum(ns for (_, method), ns in own.items() if "main" in method) < 100e6, own
    report = [*classhook_command(), "report", done.data]
    assert "  inline code of shop.Hashed.kt\n" in execute([*report, "--wide"]).stdout
    assert re.search(
        # where both lambdas of `main` are on stacks, the JVM's name tells them apart
        r";lambda_in_shop.main(_\[BusyKt.main\S*\])?;inline_code_of_shop.Hashed.kt \d+$",
        execute([*report, "-f", "collapsed"]).stdout,
        re.MULTILINE,
    )
    execute([*report, "-f", "hprof-ascii", "-o", f"{done.data}.txt"])
    traces = Path(f"{done.data}.txt").read_text()
    for inlined in (
        r"shop.BusyKt.spun\(Busy.kt:(8|9|10|11)\)",
        r"shop.HashedKt.\[inline\]\(Hashed.kt:[67]\)",
    ):  # and where they are called
        assert re.search(rf"\t{inlined}\n\tshop.BusyKt.main\S*\(Busy.kt:27\)\n", traces), traces[:4000]

"""Stock rules with the newest libraries: how often small programs do what the rules count, by key, once whatever it
passes through."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from classhook.rules.parse import load
from tests import compiling, peers
from tests.conftest import FindJvm, Jvm, Result, Run, classhook_command, execute, releases

SOURCES = Path(__file__).parent / "java" / "libraries"

#: A rule's name -> key -> calls.
Counts = dict[str, dict[str, int]]


def jackson(version: int, package: str) -> Counts:
    order = f"UseJackson{version}$Order"
    return {
        f"Jackson {version} read": {order: 3, "java.util.Map": 1, f"{package}.databind.JsonNode": 1},
        f"Jackson {version} write": {order: 3, "java.util.ImmutableCollections$Map1": 1},
    }


def logged(warning: str) -> dict[str, int]:
    return {"INFO, shop.Orders": 3, f"{warning}, shop.Orders": 1, "INFO, shop.Stock": 1}


POOLS: Counts = {
    "tasks run by thread pools": {
        "UseExecutors$Told": 5,
        "java.util.concurrent.FutureTask": 7,
        "java.util.concurrent.CompletableFuture$AsyncSupply": 2,
        "java.util.concurrent.CompletableFuture$UniApply": 2,
        "java.util.concurrent.ScheduledThreadPoolExecutor$ScheduledFutureTask": 1,
    },
    "submitted tasks": {"java.util.concurrent.Executors$RunnableAdapter": 4, "UseExecutors$Asked": 4},
    "submitted runnables": {"UseExecutors$Submitted": 4},
    "CompletableFuture async": {"UseExecutors$Supplied": 4},
    "CompletableFuture async stages": {"UseExecutors$Applied": 4},
    "fork/join tasks": {"UseExecutors$Sum": 15},
}
JDK_HTTP: Counts = {
    "java.net.http": {"localhost, GET": 5, "localhost, POST": 1},
    "java.net.http send": {"localhost, GET": 3, "localhost, POST": 1},
    "HttpURLConnection": {"localhost, GET": 3},  # one is the redirect's
}
APACHE_4: Counts = {"HttpClient 4": {"localhost, GET": 4, "null, GET": 1, "localhost, POST": 1}}
APACHE_5: Counts = {
    "HttpClient 5": {"localhost, GET": 5, "localhost, POST": 1},
    "HttpClient 5 async": {"localhost, GET": 2},
}

JEDIS: Counts = {
    "Jedis": {"SET": 4, "GET": 3, "MULTI": 1, "EXEC": 1, "HELLO": 1, "CLIENT": 2},
    "Jedis, waited for": {"SET": 2, "GET": 2},
}
LETTUCE: Counts = {"Lettuce": {"SET": 4, "GET": 3}, "Lettuce, waited for": {"SET": 2, "GET": 2}}
STORED: Counts = {
    **{f"JPA {what}": {"UseJpa$Order": n} for what, n in (("persist", 2), ("merge", 1), ("remove", 1))},
    "JPA query": {"select o from Purchase o where o.id <= ?": 2, "update Purchase o set o.state = ? where o.id = ?": 1},
}
HIBERNATE: Counts = {
    **STORED,
    "JPA find": {"UseJpa$Order": 5, "UseJpa$Line": 3},  # 1 and 3 of them by the merge
    "JPA native query": {"select ?": 1},
    "JPA entities loaded": {"Purchase": 6, "UseJpa$Line": 12},
}
ECLIPSELINK: Counts = {
    **STORED,
    "JPA find": {"UseJpa$Order": 4},
    "JPA query made": {**STORED["JPA query"], "select ?": 1},
    "JPA query": {
        f"org.eclipse.persistence.queries.{kind}Query": n
        for kind, n in (("ReadAll", 2), ("UpdateAll", 1), ("DataRead", 1))
    },
}

SERVED: Counts = {"servlets": {"Shop$Orders": 4, "Shop$Parts": 3}, "filters": {"Shop$Guard": 6}}
BY_STATUS = {"shop.Orders/Place, OK": 3, "shop.Orders/Place, INVALID_ARGUMENT": 1, "shop.Orders/List, OK": 2}
GRPC: Counts = {
    **{f"gRPC {what}": {"shop.Orders/Place": 4, "shop.Orders/List": 2} for what in ("served", "made")},
    **{f"gRPC {what}, by status": BY_STATUS for what in ("served", "made")},
    "gRPC handlers": {"shop.Orders/Place": 8, "shop.Orders/List": 4},  # a message, and the end
    "gRPC waited for": {"shop.Orders/Place": 3},
}
SPRING: Counts = {
    "Spring routes": {"/orders/{id}": 4, "/orders": 2},
    "Spring handlers": {
        f"UseSpring$Orders#{method}": n
        for method, n in (("get(long)", 4), ("make(String)", 2), ("failed(IllegalArgumentException)", 1))
    },
    **{
        f"Spring {what}": {f"UseSpring$Stock, {name}": 2}
        for what, name in (("transactions", "take"), ("events", "taken"), ("asynchronous methods", "later"))
    },
    "Spring caches": {"UseSpring$Stock, named": 3},
    "Spring jobs": {"UseSpring$Stock, job": 1},
}
WEB_FLUX: Counts = {"WebFlux routes": {"/orders/{id}": 3}, "WebFlux handlers": {"UseWebFlux$Orders#get(long)": 3}}

#: Stock rule, program, its libraries, what it does.
PROGRAMS: list[tuple[str, str, tuple[peers.Artifact, ...], Counts]] = [
    ("json", "UseJackson2", peers.JACKSON_2, jackson(2, "com.fasterxml.jackson")),
    ("json", "UseJackson3", peers.JACKSON_3, jackson(3, "tools.jackson")),
    (
        "json",
        "UseGson",
        peers.GSON,
        {"Gson read": {"UseGson$Order": 3}, "Gson write": {"UseGson$Order": 3, "com.google.gson.JsonObject": 1}},
    ),
    ("logging", "UseLogback", peers.LOGBACK, {"Logback": logged("WARN")}),
    ("logging", "UseLog4j %m%n", peers.LOG4J, {"Log4j": logged("WARN")}),
    ("logging", "UseLog4j %L %m%n", peers.LOG4J, {"Log4j": logged("WARN")}),
    ("http", "UseApache4", peers.APACHE_HTTP_4, APACHE_4),
    ("http", "UseApache5", peers.APACHE_HTTP_5, APACHE_5),
    ("redis", "UseJedis", peers.JEDIS, JEDIS),
    ("redis", "UseLettuce", (*peers.LETTUCE, *peers.NETTY), LETTUCE),
    ("jpa", "UseJpa org.hibernate.jpa.HibernatePersistenceProvider", (*peers.JPA, *peers.HIBERNATE), HIBERNATE),
    ("jpa", "UseJpa org.eclipse.persistence.jpa.PersistenceProvider", (*peers.JPA, *peers.ECLIPSELINK), ECLIPSELINK),
    ("servlet", "UseTomcat", peers.TOMCAT_EMBEDDED, SERVED),
    ("grpc", "UseGrpc", peers.GRPC, GRPC),
    ("http", "UseOkHttp", peers.OKHTTP, {"OkHttp": {"localhost, GET": 6, "localhost, POST": 1}}),
]
OF_THE_JDK: list[tuple[str, str, Counts]] = [
    ("http", "UseJdkHttp", JDK_HTTP),
    ("executors", "UseExecutors", POOLS),
    ("logging", "UseJul", {"java.util.logging": logged("WARNING")}),
]


@pytest.mark.parametrize(
    ("rules", "program", "libraries", "expected"),
    [
        *(pytest.param(*one, id=one[1]) for one in PROGRAMS),
        pytest.param("servlet", "UseJetty", peers.JETTY, SERVED, id="UseJetty", marks=pytest.mark.slow),
    ],
)
def test_a_program_with_libraries(
    rules: str,
    program: str,
    libraries: tuple[peers.Artifact, ...],
    expected: Counts,
    find_jvm: FindJvm,
    run: Run,
    pytestconfig: pytest.Config,
    tmp_path: Path,
) -> None:
    kept = pytestconfig.cache.mkdir("peers")
    try:
        jars = [peers.fetch(one, kept) for one in libraries]
    except peers.Missing as missing:
        pytest.skip(str(missing))
    assert counted(rules, program, find_jvm(17), jars, tmp_path, run) == expected


@pytest.mark.parametrize("version", releases(17, 25))
@pytest.mark.parametrize(("rules", "program", "expected"), OF_THE_JDK, ids=[one[1] for one in OF_THE_JDK])
def test_a_program_with_the_jdk(
    rules: str, program: str, expected: Counts, version: int, find_jvm: FindJvm, run: Run, tmp_path: Path
) -> None:
    assert counted(rules, program, find_jvm(version), [], tmp_path, run) == expected


def test_a_jdbc_driver_that_no_rule_names(
    find_jvm: FindJvm, run: Run, pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    try:
        jar = peers.fetch(peers.CSV_JDBC, pytestconfig.cache.mkdir("peers"))
    except peers.Missing as missing:
        pytest.skip(str(missing))
    assert counted("jdbc", f"UseCsv {tmp_path}", find_jvm(17), [jar], tmp_path, run) == {
        "SQL of other drivers": {"select * from parts where id = ?": 3},
        "prepared SQL of other drivers": {"org.relique.jdbc.csv.CsvPreparedStatement": 2},
    }


def test_netty(find_jvm: FindJvm, run: Run, pytestconfig: pytest.Config, tmp_path: Path) -> None:
    try:
        jars = [peers.fetch(one, pytestconfig.cache.mkdir("peers")) for one in peers.NETTY]
    except peers.Missing as missing:
        pytest.skip(str(missing))
    ran = ended("netty", "UseNetty", find_jvm(17), jars, tmp_path, run)
    counts = {(row["name"], row["key"].rpartition(".")[2]): row["calls"] for row in ran.report["keys"]}
    read = {
        "UseNetty$Echo": 10,
        "FixedLengthFrameDecoder": 10,
        "ServerBootstrap$ServerBootstrapAcceptor": 2,
        "DefaultChannelPipeline$HeadContext": 12,
    }
    assert {key: n for (name, key), n in counts.items() if name == "Netty handlers, read"} == read
    assert counts["Netty tasks", "UseNetty$Task"] == 2
    assert counts["Netty submitted tasks", "UseNetty$Task"] == 3
    assert {key: n for (name, key), n in counts.items() if name == "Netty channels"} == {
        "NioSocketChannel": 2,
        "NioServerSocketChannel": 1,
    }
    moved = {row["name"]: row["sum"] for row in ran.report["values"]}
    assert moved["Netty bytes written"] == 100
    assert 98 <= moved["Netty bytes read"] <= 100, "the ends of connections are -1, if they are noticed in time"


@pytest.mark.parametrize(
    ("program", "starter", "expected"),
    [
        ("UseSpring", peers.SPRING_WEB, SPRING),
        pytest.param("UseWebFlux", peers.SPRING_FLUX, WEB_FLUX, marks=pytest.mark.slow),
    ],
)
def test_spring(
    program: str,
    starter: peers.Artifact,
    expected: Counts,
    find_jvm: FindJvm,
    run: Run,
    pytestconfig: pytest.Config,
    tmp_path: Path,
) -> None:
    kept = pytestconfig.cache.mkdir("peers")
    try:
        jars = [*peers.fetch_all(starter, kept), peers.fetch(peers.SPRING_TX, kept)]
    except peers.Missing as missing:
        pytest.skip(str(missing))
    counts = counted("spring", program, find_jvm(17), jars, tmp_path, run)
    beans = counts.pop("Spring beans made")
    assert beans["stock" if program == "UseSpring" else f"{program}$Orders"] == 1
    assert counts == expected


def test_what_kafka_has(pytestconfig: pytest.Config) -> None:
    try:
        jar = peers.fetch(peers.KAFKA_CLIENTS, pytestconfig.cache.mkdir("peers"))
    except peers.Missing as missing:
        pytest.skip(str(missing))
    done = execute([*classhook_command(), "check", "-v", "-r", "kafka", jar])
    assert done.status == 0, done.stdout
    for method in (
        "KafkaProducer.doSend(",
        "CompletedFetch.fetchRecords(",
        "KafkaConsumer.poll(",
        "KafkaConsumer.commitSync(",
    ):
        assert method in done.stdout


@pytest.mark.slow  # a broker takes ten seconds
def test_kafka(find_jvm: FindJvm, run: Run, pytestconfig: pytest.Config, tmp_path: Path) -> None:
    try:
        jars = peers.fetch_all(peers.KAFKA, pytestconfig.cache.mkdir("peers"))
    except peers.Missing as missing:
        pytest.skip(str(missing))
    ran = ended("kafka", f"UseKafka {tmp_path / 'log'}", find_jvm(17), jars, tmp_path, run)
    assert {row["key"]: row["calls"] for row in ran.report["keys"]} == {"orders": 5, "parts": 3}
    received = {row["key"]: row["sum"] for row in ran.report["values"]}
    assert received == {"orders": 10, "parts": 6}, "by the classic protocol, and by the new one"


def counted(rules: str, program: str, jvm: Jvm, jars: list[Path], folder: Path, run: Run) -> Counts:
    """Runs a program with stock rules; returns the calls that each rule counts by key."""
    found: dict[str, Counter[str]] = {}
    for row in ended(rules, program, jvm, jars, folder, run).report["keys"]:
        assert not row["others"]
        found.setdefault(row["name"], Counter())[row["key"]] += row["calls"]
    return {rule: dict(calls) for rule, calls in found.items()}


def ended(rules: str, program: str, jvm: Jvm, jars: list[Path], folder: Path, run: Run, *more: str) -> Result:
    """Runs a program with stock rules, and more of them."""
    name, _, argument = program.partition(" ")
    path = ":".join(map(str, [folder, *jars]))
    words = ["--release", "17", "-nowarn", "-Xlint:-options", "-d", folder, "-cp", path, "-sourcepath", SOURCES]
    compiling.javac(jvm.tool("javac"), *words, SOURCES / f"{name}.java")
    texts = [rule.text for rule in load([rules]).rules]
    ran = run([*texts, *more], jvm.java, "-cp", path, name, *filter(None, [argument]))
    assert ran.status == 0, ran.stderr
    return ran

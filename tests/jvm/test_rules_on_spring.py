"""Rules of a file, beside stock rules and faults of a script, on a service of Spring Boot with two controllers: its
client knows what it asked and what was answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests import compiling, peers
from tests.conftest import FindJvm, Jvm, Result, classhook_command, execute, report_of
from tests.jvm.test_contexts import by_context

pytestmark = pytest.mark.every_jvm

PROGRAM = Path(__file__).parent / "java" / "libraries" / "UseControllers.java"
LINE = next(number for number, line in enumerate(PROGRAM.read_text().splitlines(), 1) if line.endswith("// taken"))
UNKNOWN, CONFLICT = "UseControllers$Unknown", "java.lang.IllegalStateException"

RULES = """use endpoints
let web = org.springframework.web
let shop = UseControllers
let long = 100s
count ${shop}$Stock::take
count ${web}.method.support.InvocableHandlerMethod::doInvoke by exception
count ${web}.servlet.mvc.method.annotation.ServletInvocableHandlerMethod::invokeAndHandle by this.method.name
count ${web}.servlet.DispatcherServlet::processHandlerException when ex instanceof ${shop}$Unknown
count catches java.lang.Exception in ${web}.servlet.DispatcherServlet::doDispatch
count catches java.lang.reflect.InvocationTargetException in ${web}.method.support.InvocableHandlerMethod
count org.apache.coyote.http11.Http11OutputBuffer::sendStatus by status
count ${shop}$Orders::find by outcome
time ${shop}$Orders::find when id > 50 && rush as "rushed"
time ${shop}$Orders::find over ${long} as "long"
count ${shop}$Orders::{find,shipped} when id in {12, 13, 14} && thread ~ "http-*" as "three"
time from ${shop}$Orders::find to ${shop}$Orders::shipped by id
watch ${shop}$Orders::find when exception.message ~ "no order *" show id, exception.message, stack 1 as "unknown"
watch ${shop}$Mail::send when id > 40 show to, id, result mask to as "late"
value ${shop}$Stock::take of count by name
value ${shop}$Stock::take of result when name == "item-3" && count > 2
count ${shop}$Stock::take below ${shop}$Parts::part
count ${shop}$Stock::reserve by name, count
count ${shop}$Parts::part by result.name
watch ${shop}:${line} when left < 20 show name, left first 1000 as "few"
watch writes ${shop}$Stock.taken when value < 7 || old < 7 show old, value as "first"
count writes ${shop}$Stock.taken
time calls ${shop}$Mail::send, ${shop}$Stock::reserve in ${shop}$*
alloc byte[] in ${shop}$Parts::picture when length >= 1000
time ${web}.servlet.DispatcherServlet::doDispatch slowest 1
"""
SCRIPT = f"""from classhook.agent import Agent

agent = Agent()
agent.insert.throws("UseControllers$Stock::reserve", "{CONFLICT}", message="none left", when="count > 4")
agent.insert.delays("UseControllers$Mail::send", 700, when="id == 12")
agent.insert.returns("UseControllers$Mail::send", False, when='to ~ "*@example.org"')
"""


@dataclass(frozen=True)
class Request:
    """A request and its answer, as the client printed them."""

    method: str
    path: str
    status: int
    ms: int
    text: str

    @property
    def number(self) -> int:
        return int(self.path.partition("?")[0].split("/")[2])


@dataclass(frozen=True)
class Served:
    result: Result
    requests: list[Request]

    def asked(self, *begins: str, which: Callable[[Request], bool] = lambda _: True) -> list[Request]:
        return [one for one in self.requests if f"{one.method} {one.path}".startswith(begins) and which(one)]

    def keys(self, method: str, **values: Any) -> dict[str, int]:
        rows = [row for row in self.result.report["keys"] if {"method": method, **values}.items() <= row.items()]
        return {row["key"]: row["calls"] for row in rows}

    def shown(self, name: str, section: str = "calls") -> list[dict[str, Any]]:
        return [row for row in self.result.report[section] if row["name"] == name]


@pytest.fixture(scope="module")
def spring(
    jvm: Jvm, find_jvm: FindJvm, pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Served:
    try:
        jars = peers.fetch_all(peers.SPRING_WEB, pytestconfig.cache.mkdir("peers"))
    except peers.Missing as missing:
        pytest.skip(str(missing))
    libraries, folder = ":".join(map(str, jars)), tmp_path_factory.mktemp("spring")
    words = ["--release", "17", "-g", "-nowarn", "-Xlint:-options", "-cp", libraries]
    classes = compiling.classes(find_jvm(17).tool("javac"), *words, PROGRAM)
    (folder / "service.rules").write_text(RULES)
    (folder / "faults.py").write_text(SCRIPT)
    given = ["-r", folder / "service.rules", "-D", "long=600ms", "-D", f"line={LINE}", "--agent", folder / "faults.py"]
    quick = "-XX:TieredStopAtLevel=1"  # the start takes half the time
    line = [jvm.java, "-Xverify:all", quick, "-cp", f"{classes}:{libraries}", "UseControllers"]
    result = execute([*classhook_command(), "run", "--quiet", *given, "-o", folder / "data", "--", *line])
    assert result.status == 0, result.stderr
    result.data, result.report = folder / "data", report_of(folder / "data")
    asked = [line.split(" ", 4) for line in result.stdout.splitlines()]
    return Served(result, [Request(one[0], one[1], int(one[2]), int(one[3]), one[4]) for one in asked])


def test_faults_of_the_script_reach_the_client(spring: Served) -> None:
    statuses = Counter(one.status for one in spring.asked("GET /orders"))
    many = [id for id in range(1, 61) if id % 7 > 4 and id % 10]
    assert statuses == {200: 54 - len(many), 404: 6, 409: len(many)}
    assert {one.text for one in spring.asked("GET /orders", which=lambda one: one.status == 409)} == {"none left"}
    posts = spring.asked("POST")
    assert [one.number for one in posts if one.text == "not sent"] == list(range(8, 61, 8))
    assert [one.number for one in posts if one.ms >= 700] == [12]


def test_requests_by_their_handler_and_end(spring: Served) -> None:
    failed = Counter(one.status for one in spring.asked("GET /orders", which=lambda one: one.status != 200))
    statuses = Counter(one.status for one in spring.requests)
    assert spring.keys("doInvoke") == {
        UNKNOWN: failed[404],
        CONFLICT: failed[409],
        "null": len(spring.requests),  # those that failed have a handler of the exception
    }
    assert spring.keys("invokeAndHandle") == {
        "find": 60,
        "shipped": 15,
        "part": 20,
        "picture": 12,
        "unknown": failed[404],
        "conflict": failed[409],
    }
    assert spring.keys("processHandlerException") == {f"when ex instanceof {UNKNOWN}": failed[404]}
    assert spring.keys("sendStatus") == {str(status): n for status, n in statuses.items()}
    caught = Counter({row["method"]: row["count"] for row in spring.result.report["exceptions"]})
    assert caught == {"doDispatch": failed.total(), "doInvoke": failed.total()}
    assert spring.keys("find", by="outcome") == {"returned": 60 - failed.total(), UNKNOWN: 6, CONFLICT: failed[409]}


def test_requests_that_conditions_choose(spring: Served) -> None:
    rushed = spring.asked("GET /orders", which=lambda one: one.number > 50 and "rush" in one.path)
    chosen = {row["name"]: row["calls"] for row in spring.result.report["keys"] if row["method"] == "find"}
    assert chosen["rushed"] == len(rushed)
    assert (chosen["long"], min(one.ms for one in spring.asked("GET /orders/33")) >= 700) == (1, True)
    assert chosen["three"] == 3
    assert spring.keys("shipped", name="three") == {'when id in {12, 13, 14} && thread ~ "http-*"': 1}


def test_from_an_order_to_its_shipping(spring: Served) -> None:
    (calls,) = spring.keys("shipped", kind="chosen_by_key").values()
    assert calls == len(spring.asked("POST"))


def test_calls_that_are_shown(spring: Served) -> None:
    unknown = [(row["fields"]["id"], row["fields"]["exception.message"]) for row in spring.shown("unknown")]
    assert unknown == [(one.number, f"no order {one.number}") for one in spring.requests if one.status == 404]
    late = [(row["fields"]["to"], row["fields"]["id"], row["result"]) for row in spring.shown("late")]
    assert late == [
        ({"masked": True}, one.number, True) for one in spring.asked("POST") if one.number > 40 and one.text == "sent"
    ]


def test_calls_that_faults_answer_are_seen_where_they_are_called(spring: Served) -> None:
    sites = {row["called_method"]: row for row in spring.result.report["call_sites"]}
    assert sites["send"]["calls"] == len(spring.asked("POST"))
    assert sites["send"]["max_ns"] >= 700e6
    assert sites["reserve"]["calls"] == len(taken(spring))
    assert sites["reserve"]["exceptions"] == len(spring.asked("GET /orders", which=lambda one: one.status == 409))


def taken(spring: Served) -> list[tuple[str, int]]:
    """Lists the items that the requests take, in turn, each with its number."""
    orders = [(f"item-{one.number % 5}", one.number % 7) for one in spring.asked("GET /orders") if one.status != 404]
    return orders + [(f"item-{i % 4}", 1) for i in range(20)]


def test_numbers_of_what_is_taken(spring: Served) -> None:
    took = taken(spring)
    rows = {(row["of"], row["key"]): (row["count"], row["sum"]) for row in spring.result.report["values"]}
    names = Counter(name for name, _ in took)
    sums = {name: sum(count for one, count in took if one == name) for name in names}
    left = [
        (name, count, 100 - sum(count for _, count in took[:i])) for i, (name, count) in enumerate(took) if count <= 4
    ]
    chosen = [number for name, count, number in left if name == "item-3" and count > 2]
    assert rows == {
        ("result", ""): (len(left), sum(number for *_, number in left)),
        ("result", 'when name == "item-3" && count > 2'): (len(chosen), sum(chosen)),
        **{("count", name): (names[name], sums[name]) for name in names},
    }
    assert spring.keys("take") == {"below UseControllers$Parts::part": 20}
    assert spring.keys("reserve") == Counter(f"{name}, {count}" for name, count, _ in left)
    assert spring.keys("part") == {f"item-{i}": 5 for i in range(4)}


def test_lines_and_fields(spring: Served) -> None:
    took = taken(spring)
    total, few, first = 0, [], []
    for name, count in took:
        left = 100 - total
        if left < 20:
            few.append((name, left))
        if total < 7:
            first.append((total, total + count))
        total += count
    shown = [row["values"] for row in spring.shown("few", "executions")]
    assert [(row["name"], row["left"]) for row in shown] == few
    shown = [row["values"] for row in spring.shown("first", "executions")]
    assert [(row["old"], row["value"]) for row in shown] == first
    assert [row["accesses"] for row in spring.result.report["accesses"]] == [len(took)]


def test_large_pictures(spring: Served) -> None:
    assert [row["count"] for row in spring.result.report["allocations"]] == [2]


def test_each_endpoint_is_a_context(spring: Served) -> None:
    entered = {row["context"]: row["entered"] for row in spring.result.report["contexts"] if row["context"]}
    assert {name: n for name, n in entered.items() if name.startswith("UseControllers")} == {
        "UseControllers$Orders.find": 60,
        "UseControllers$Orders.shipped": 15,
        "UseControllers$Parts.part": 20,
        "UseControllers$Parts.picture": 12,
    }
    assert spring.result.data is not None
    taken = {context: of["take"] for context, of in by_context(spring.result.data).items() if "take" in of}
    assert taken == {"UseControllers$Orders.find": 54, "UseControllers$Parts.part": 20}

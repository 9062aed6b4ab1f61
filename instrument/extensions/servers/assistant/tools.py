"""The tools: each turns its arguments into the command line that answers the question. Their names, parameters and
docstrings are what assistants see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from classhook.api.recording import DEFAULT_DATA
from classhook.base.errors import UsageError

LONGEST = 600.0  # seconds that a tool may measure
MOST_CALLS = 100  # that `watch` shows
#: Seconds beyond those that it measures, for a command that attaches.
SLACK = 60.0


class Asked(NamedTuple):
    """A command line. `seconds`: how long it may take, if not as long as others; `more`: how a person sees all."""

    line: list[str]
    seconds: float | None = None
    more: str = ""


#: The meanings of parameters, by name.
PARAMETERS = {
    "data": "the directory or file with the recorded data",
    "pattern": "a pattern as in rules (`com.acme.**::*`), or a part of a name",
    "sort": "a heading of the table, such as self, total, calls, thrown, p99, bytes, count",
    "by": "`test`, `context` or `thread`: also shows each table by these, if they were recorded",
    "top": "rows of each table",
    "name": "a class or method: `Orders::place`, `com.acme.Orders`, or a part of a name",
    "place": "`Orders.java:21`, or `com.acme.Orders::place`",
    "changes": "a commit of git, or BASE..HEAD; empty: what changed since the tests were recorded",
    "jvm": "the process id, main class or jar of a running JVM",
    "file": "a heap dump, or the process id of a running JVM, which is dumped for this and stands still meanwhile",
    "class_name": "a class whose objects should be explained: the ways to them from the roots; empty: none",
    "stock_names": "names of stock rules to measure by, beside `rules`: endpoints, jdbc, http, spring, ...",
    "rules": (
        "rules, each a statement such as `time com.acme.**::*` or `count java.sql.Statement::execute* by sql(arg0)`"
    ),
    "rule": (
        "a target and a condition: `com.acme.Orders::place when arg0 > 100 show arg0, result`, or a line:"
        " `com.acme.Orders:123 show total`"
    ),
    "seconds": f"how long to measure, at most {LONGEST:.0f}",
    "calls": f"end after so many calls, at most {MOST_CALLS}",
    "classes": "jars, directories or class files",
    "class_file": "a class file",
    "stock": "the name of stock rules, such as jdbc; empty: lists all",
}


def list_jvms() -> Asked:
    """JVMs on this machine: process id, user, version, uptime, command; and where their data is."""
    return Asked(["ps"])


def costs(data: str = DEFAULT_DATA, sort: str = "", pattern: str = "", by: str = "", top: int = 15) -> Asked:
    """Shows which methods, allocations, locks, keys or threads cost most, in recorded data. There is a table
    for each kind of thing that was measured; `sort=bytes` for allocations."""
    chosen = [*_option("--sort", sort), *_option("--filter", pattern), *_option("--by", by)]
    return Asked(
        ["report", _word(data), "--wide", "--top", str(max(1, top)), *chosen], more="`--top` or `--filter` choose rows"
    )


def method(name: str, data: str = DEFAULT_DATA) -> Asked:
    """All that was recorded about a method or class: its figures, its callers and callees, its coverage."""
    return Asked(["report", _word(data), _name(name), "--wide"])


def call_tree(data: str = DEFAULT_DATA, pattern: str = "") -> Asked:
    """Shows where time goes, as a tree of calls from the outermost method, with the CPU time of each path. For data of
    `profile`, `cpu` or `time ... tree`."""
    return Asked(
        ["report", _word(data), "-f", "tree", *_option("--filter", pattern)],
        more="`--cut 5%` leaves out small branches",
    )


def coverage(classes: Sequence[str] = (), data: str = DEFAULT_DATA, pattern: str = "", changes: str = "") -> Asked:
    """Shows which code ran, by source file; with `changes`, how much of the changed lines. For data of `cover`
    rules."""
    chosen = [*each("--classes", classes), *_option("--filter", pattern), *_option("--changes", changes)]
    return Asked(["coverage", _word(data), *chosen])


def which_tests_ran(place: str, data: str = DEFAULT_DATA) -> Asked:
    """Shows which tests ran a line or a method. For data of `classhook run --tests -e 'cover ...'`."""
    return Asked(["coverage", _word(data), "--ran", _word(place)])


def which_tests_to_run(changes: str = "", classes: Sequence[str] = (), data: str = DEFAULT_DATA) -> Asked:
    """Shows which tests a change may alter, and why. The tests must have been recorded (`classhook select --record`),
    and the program must be compiled."""
    return Asked(
        ["select", "--data", _word(data), "--why", *_option("--changes", changes), *each("--classes", classes)]
    )


def check_rules(rules: Sequence[str], classes: Sequence[str] = ()) -> Asked:
    """Checks whether rules are right, and which classes and methods they match."""
    return Asked(
        ["check", "--quiet", "-v", *each("-e", rules), *map(_word, classes)], more="a narrower rule matches less"
    )


def explain_weaving(class_file: str, rules: Sequence[str]) -> Asked:
    """Shows what rules change in a class: its probes, and why a method has none."""
    return Asked(["check", "--quiet", "-v", *each("-e", rules), _word(class_file)])


def stock_rules(stock: str = "") -> Asked:
    """Rules that come with classhook for JDBC, servlets, Spring and others: their names, or one of their files."""
    return Asked(["rules", *([_word(stock)] if stock else [])])


def diagnose(jvm: str, seconds: float = 30, rules: Sequence[str] = ()) -> Asked:
    """Says in one page what costs a running service: measures it for some seconds, and shows its endpoints with their
    times, where these go, SQL and N+1, outbound HTTP, locks and their holders, what allocates, CPU time. Begin with it
    if something is slow. `rules` may add endpoints: `context com.acme.Api::*`."""
    wanted = _within(seconds)
    line = ["diagnose", _word(jvm), "--for", f"{wanted:g}s", "--quiet", *each("-e", rules)]
    return Asked(line, seconds=wanted + SLACK)


def measure(jvm: str, rules: Sequence[str] = (), stock_names: Sequence[str] = (), seconds: float = 15) -> Asked:
    """Attaches to a running JVM, measures for some seconds by these rules, detaches, and reports. The program goes on;
    it stops for some ms while its classes are changed."""
    wanted = _within(seconds)
    line = [
        "attach",
        _word(jvm),
        *each("-r", [_stock(name) for name in stock_names]),
        *each("-e", rules),
        "--for",
        f"{wanted:g}s",
        "--quiet",
    ]
    return Asked(line, seconds=wanted + SLACK)


def watch_calls(jvm: str, rule: str, seconds: float = 15, calls: int = 20) -> Asked:
    """Single calls of a method, or executions of a line, in a running JVM, with arguments, results and fields. Ends
    after so many calls or seconds."""
    wanted = _within(seconds)
    text = f"watch {rule.strip().removeprefix('watch ')} first {min(max(1, calls), MOST_CALLS)}"
    return Asked(["attach", _word(jvm), "-e", text, "--for", f"{wanted:g}s", "--quiet"], seconds=wanted + SLACK)


def threads(jvm: str) -> Asked:
    """A dump of a running JVM's threads: their stacks, states, monitors and locks."""
    return Asked(["ctl", _word(jvm), "jcmd", "Thread.print", "-l"], more="`deadlocks` shows those that wait for ever")


def deadlocks(jvm: str) -> Asked:
    """Threads of a running JVM that wait for each other, with their stacks; or that there are none."""
    return Asked(["ctl", _word(jvm), "deadlocks"])


def heap_histogram(jvm: str) -> Asked:
    """Objects and bytes of each class in a running JVM, of objects that are alive."""
    return Asked(["ctl", _word(jvm), "heap", "histogram"])


def leak_suspects(file: str, class_name: str = "") -> Asked:
    """Shows what fills a heap: the objects that retain most, each with the way to it from a root by the names of
    fields, then the histogram. The heap is that of a dump or of a running JVM."""
    views = ["--path", _word(class_name)] if class_name else []
    return Asked(
        ["heap", _word(file), "--show", "suspects,histogram", "--top", "15", *views], seconds=LONGEST, more="`--top`"
    )


#: The tools that only read recorded data, or look.
READ_ONLY: tuple[Callable[..., Asked], ...] = (
    list_jvms,
    costs,
    method,
    call_tree,
    coverage,
    which_tests_ran,
    which_tests_to_run,
    check_rules,
    explain_weaving,
    stock_rules,
)
#: The tools that ask a running JVM, or change its classes for a while.
ATTACHING: tuple[Callable[..., Asked], ...] = (
    diagnose,
    measure,
    watch_calls,
    threads,
    deadlocks,
    heap_histogram,
    leak_suspects,
)


def _option(name: str, value: str) -> list[str]:
    return [name, _word(value)] if value else []


def each(name: str, values: Sequence[str]) -> list[str]:
    """An option for each value. Raises UsageError."""
    return [word for value in values for word in (name, _word(value))]


def _word(text: str) -> str:
    """An argument that cannot be taken for an option. Raises UsageError."""
    if not text or text.startswith("-") or "\0" in text:
        raise UsageError(f"{text!r} is no name, path or process id")
    return text


def _name(text: str) -> str:
    """The name of a class or method, which cannot be taken for data."""
    if "/" in text:
        raise UsageError(f"{text!r} is no name of a class or method")
    return _word(text)


def _stock(text: str) -> str:
    """The name of stock rules, and of no file."""
    if not text.isidentifier():
        raise UsageError(f"{text!r} is no name of stock rules")
    return text


def _within(seconds: float) -> float:
    if not 0 < seconds <= LONGEST:
        raise UsageError(f"{seconds:g} seconds: from 1 to {LONGEST:.0f}")
    return seconds

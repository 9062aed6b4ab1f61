"""HPROF's options, as `-agentlib:hprof=` took them, and the rules that measure what they ask for.

1. OPTIONS holds all of them; a value is one of a few words, a number, or a text.
2. The options become rules (`rules`), with remarks on those without effect (`remarks`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from classhook.base.errors import UsageError

MOST_DEPTH = 256
YES_NO = ("y", "n")
SITES_EVERY = "4KB"


class Option(NamedTuple):
    """`values`: the words that it takes; empty for what `check` takes, which raises ValueError for what it does not,
    and which `form` shows. `ignored`: why it has no effect; empty if it has one."""

    name: str
    values: tuple[str, ...]
    about: str
    default: str
    form: str = ""
    check: Callable[[str], object] = str
    ignored: str = ""

    @property
    def written(self) -> str:
        return f"{self.name}={'|'.join(self.values) or self.form}"


def _depth(text: str) -> int:
    return _between(int(text), 1, MOST_DEPTH)


def _interval(text: str) -> int:
    return _between(int(text), 1, 1000)


def _between(number: int, least: int, most: int) -> int:
    if not least <= number <= most:
        raise ValueError(f"from {least} to {most}")
    return number


def _cutoff(text: str) -> float:
    number = float(text)
    if not 0 <= number <= 1:
        raise ValueError("from 0 to 1")
    return number


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host:
        raise ValueError("HOST:PORT")
    return host, _between(int(port), 1, 65535)


def _text(text: str) -> str:
    if not text:
        raise ValueError("a name")
    return text


OPTIONS = (
    Option("heap", ("dump", "sites", "all"), "heap profiling", "all"),
    Option("cpu", ("samples", "times", "old"), "CPU usage", "off"),
    Option("monitor", YES_NO, "monitor contention", "n"),
    Option("format", ("a", "b"), "text (a) or binary output (b)", "a"),
    Option("file", (), "write data to file", "java.hprof[.txt]", "<file>", _text),
    Option("net", (), "send data over a socket", "off", "<host>:<port>", _address),
    Option("depth", (), "stack trace depth", "4", "<size>", _depth),
    Option("interval", (), "sample interval in ms", "10", "<ms>", _interval),
    Option("cutoff", (), "output cutoff point", "0.0001", "<value>", _cutoff),
    Option("lineno", YES_NO, "line number in traces?", "y"),
    Option("thread", YES_NO, "thread in traces?", "n"),
    Option("doe", YES_NO, "dump on exit?", "y"),
    Option("msa", YES_NO, "CPU time in cpu=times?", "n"),
    Option("force", YES_NO, "force output to <file>", "y"),
    Option("verbose", YES_NO, "print messages about dumps", "y"),
    Option("gc_okay", YES_NO, "collect garbage while profiling", "y", ignored="the garbage collector is never held up"),
    Option("jdk", YES_NO, "cpu=times also of the JDK?", "n"),
    Option("exact", YES_NO, "look at each object (slow)?", "n"),
)
BY_NAME = {option.name: option for option in OPTIONS}


def words() -> list[str]:
    """The words that the shell offers: each option with each of its values, or up to its value."""
    return ["help", *(f"{one.name}={value}" for one in OPTIONS for value in one.values or ("",))]


HEAD = """\
hprof usage: classhook hprof help | [<option>=<value>,...] -- java ...

"""
TAIL = """
Examples
--------
  classhook hprof cpu=samples,interval=5,depth=8 -- java -jar app.jar
  classhook hprof cpu=times,file=times.txt -- java -cp classes com.acme.Main
  classhook hprof heap=sites,monitor=y -- java -jar app.jar

cpu=times measures the methods of the program's own classes. The time of a JDK method counts for the method that
called it; with jdk=y, JDK methods are measured, too. With msa=y, the times are CPU time, estimated from one sample in
each interval.
heap=sites counts the objects that the program's own classes allocate. Objects that the JDK's classes allocate, and live
objects, are estimated from samples; with exact=y, every object is looked at, as HPROF did.
heap=dump is HotSpot's own dump, with the traces that allocated the objects; classhook heap shows what is in it.
HPROF did not have the options jdk and exact.
"""


def table() -> str:
    """The text of `help`."""
    rows = [
        ("Option Name and Value", "Description", "Default"),
        *((option.written, option.about, option.default) for option in OPTIONS),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    rows.insert(1, tuple("-" * width for width in widths))  # type: ignore[arg-type]
    return (
        HEAD
        + "".join(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() + "\n"
            for row in rows
        )
        + TAIL
    )


@dataclass(slots=True)
class Settings:
    """The values of the options. `given`: those that were written; `own_rules`: what is measured follows from them."""

    given: dict[str, str]
    own_rules: bool = True

    def __getitem__(self, name: str) -> str:
        return self.given.get(name, BY_NAME[name].default)

    def absolute(self) -> Settings:
        """The same, whatever the working directory will be."""
        return Settings({**self.given, "file": str(Path(self.file).absolute())})

    def written(self) -> str:
        """The options in the form that `parse` reads."""
        return ",".join(f"{name}={value}" for name, value in self.given.items())

    def yes(self, name: str) -> bool:
        return self[name] == "y"

    @property
    def depth(self) -> int:
        return _depth(self["depth"])

    @property
    def cutoff(self) -> float:
        return _cutoff(self["cutoff"])

    @property
    def binary(self) -> bool:
        return self["format"] == "b"

    @property
    def file(self) -> str:
        return self.given.get("file") or ("java.hprof" if self.binary else "java.hprof.txt")

    @property
    def address(self) -> tuple[str, int] | None:
        return _address(self.given["net"]) if "net" in self.given else None

    @property
    def heap(self) -> str:
        """The value of `heap`; without any other profile HPROF took that of the heap."""
        other = "cpu" in self.given or self.yes("monitor")
        return self.given.get("heap", "" if other else "all")

    @property
    def heap_dump(self) -> str:
        """The file for a dump of the heap, on request and, unless doe=n, at the end; empty for none."""
        if self.heap not in ("dump", "all"):
            return ""
        return self.file.removesuffix(".txt").removesuffix(".hprof") + ".heap.hprof"

    @property
    def tables(self) -> frozenset[str]:
        """The tables of a profile that are in the file, even if empty."""
        wanted = {
            "samples": self["cpu"] == "samples",
            "times": self["cpu"] == "times",
            "sites": self.heap in ("sites", "all"),
            "monitors": self.yes("monitor"),
        }
        return frozenset(name for name, is_wanted in wanted.items() if is_wanted and self.own_rules)

    def rules(self) -> list[str]:
        """The rules that measure it."""
        threads = " threads" * self.yes("thread")
        samples = f"cpu every {_interval(self['interval'])}ms"
        found = []
        if self["cpu"] == "samples":
            found.append(f"{samples} depth {max(self.depth, 64)}{' lines' * self.yes('lineno')}{threads}")
        if self["cpu"] in ("times", "old"):
            found.append(f"time **::*{', jdk:**::*' * self.yes('jdk')} tree{threads}")
        if self["cpu"] == "times" and self.yes("msa"):
            found.append(f"{samples} lines{threads}")  # with lines, since stacks are kept then
        if self.heap:
            found.append(
                f"alloc * in ** live stack {self.depth} every {0 if self.yes('exact') else SITES_EVERY}{threads}"
            )
        if self.yes("monitor"):
            found.append(f"locks stack {self.depth} parks{threads}")
        return found

    def remarks(self) -> Iterator[str]:
        """Remarks on options without effect."""
        for name in self.given:
            if BY_NAME[name].ignored:
                yield f"{name}={self.given[name]} has no effect: {BY_NAME[name].ignored}"
        if self.heap_dump and self.yes("doe") and not self.binary:
            yield f"the heap will also be written in HotSpot's format, to {self.heap_dump}; `classhook heap` shows it"
        if self.binary and self.yes("monitor"):
            yield "the binary format has no record for monitors; use format=a"


def parse(text: str) -> Settings:
    """The settings of `name=value,...`. Raises UsageError."""
    given: dict[str, str] = {}
    for one in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = one.partition("=")
        option = BY_NAME.get(name)
        if option is None or not equals:
            raise UsageError(f"{one}: not an option of HPROF; `classhook hprof help` lists them")
        try:
            if option.values and value not in option.values:
                raise ValueError(" or ".join(option.values))
            option.check(value)
        except ValueError as error:
            expected = str(error) if not str(error).startswith(("invalid", "could not")) else option.form
            raise UsageError(f"{one}: {name} takes {expected}") from None
        given[name] = value
    return Settings(given)

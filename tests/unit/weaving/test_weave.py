"""The weaver as a pure function: always the same bytes, and a table that matches them."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from classhook import cli
from classhook.ahead import jars, seal
from classhook.ahead.archive import Files
from classhook.base.errors import UsageError
from classhook.classfile.code import Code
from classhook.classfile.dump import dump
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.reader import ClassFile
from classhook.measures import BY_KIND, MEASURES
from classhook.native._slots import CH_UNNUMBERED
from classhook.probes import probe_table, reasons
from classhook.probes.measure import Timeout
from classhook.probes.records import (
    ClassRecord,
    ProbeRecord,
    RuleRecord,
    RuleTextRecord,
    SiteRecord,
    SkipRecord,
    UnmatchedRecord,
)
from classhook.rules.compiled import dumps, loads
from classhook.rules.parse import load
from classhook.weaving import agent_calls
from classhook.weaving.class_weaver import Woven
from classhook.weaving.plan import match
from classhook.weaving.weave import MAX_CLASS, ClassTooLarge, weave
from tests import compiling
from tests.unit.classfile.support import Builder

SOURCE = """
package w;

public class Woven {
    static int plain(int n) { return n + 1; }
    static Object make(int n) { return new Object[n][3]; }
    static byte[] bytes() { return new byte[8]; }
    String name() { return new String("x") + new int[1][2][3].length; }
    native void nothing();
    static void big() { %s }
}
"""
RULES = ["time w.Woven::plain", "count w.Woven::*", "alloc * in w.Woven"]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("weave")
    (folder / "Woven.java").write_text(SOURCE % "plain(0);" * 1)
    compiling.javac("javac", "--release", "17", "-d", str(folder), str(folder / "Woven.java"))
    return (folder / "w" / "Woven.class").read_bytes()


def woven(data: bytes, *rules: str) -> Woven:
    return weave(data, load([], rules or RULES), False)


def numbers_of(woven: Woven) -> dict[tuple[str, int], str]:
    """(method, slot) -> the tracker's method that is called with it, according to the dump."""
    assert woven.data is not None
    found = {}
    method = ""
    lines = dump(woven.data).splitlines()
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if line.startswith("method "):
            method = line.split()[-1].partition("(")[0]
        elif (number := re.fullmatch(r" +ldc(?:_w)? (\d+)", line)) and (
            call := re.search(r"ClasshookTracker\.(\w+):", after)
        ):
            found[method, int(number[1])] = call[1]
    return found


def probes(result: Woven) -> list[ProbeRecord]:
    return [record for record in result.table if isinstance(record, ProbeRecord)]


def methods_of(result: Woven) -> list[str]:
    """The methods that are timed or counted."""
    return [probe.method for probe in probes(result) if probe.kind in ("time", "time-sample", "count")]


def test_the_table_says_what_the_bytes_do(data: bytes) -> None:
    result = woven(data)
    said = {}
    arrays = ["array1", "array2", "array4", "array8", "arrayRef", "arrays"]
    for probe in probes(result):
        said[probe.method, probe.slot] = {
            "time": ["enter"],
            "count": ["count"],
            "object": ["allocated"],
            "array": arrays,
        }[probe.kind]
    found = {(method, number - CH_UNNUMBERED): call for (method, number), call in numbers_of(result).items()}
    assert found.keys() == said.keys()
    assert all(call in said[key] for key, call in found.items())
    slots = sorted(slot for _, slot in said)
    assert slots[0] == 0
    assert result.slots == sum(BY_KIND[probe.kind].kinds[probe.kind] for probe in probes(result))


def test_the_table_names_class_rules_and_sites(data: bytes) -> None:
    table = woven(data).table
    assert table[0] == ClassRecord("w.Woven", "Woven.java")
    assert [record for record in table if isinstance(record, RuleRecord)] == [
        RuleRecord(0, 1),
        RuleRecord(1, 6),
        RuleRecord(2, 3),
    ]
    assert methods_of(woven(data)) == ["<init>", "plain", "make", "bytes", "name", "big"]
    assert [record.type for record in table if isinstance(record, SiteRecord)] == [
        "java.lang.Object[][]",
        "byte[]",
        "java.lang.String",
        "int[][][]",
    ]


def test_a_rule_matches_sites_that_an_earlier_rule_has(data: bytes) -> None:
    result = woven(data, "alloc ** in w.Woven", "alloc byte[] in w.Woven", "alloc java.util.* in w.Woven")
    assert {probe.rule for probe in probes(result)} == {0}
    assert [record for record in result.table if isinstance(record, RuleRecord)] == [
        RuleRecord(0, 3),
        RuleRecord(1, 1),
        RuleRecord(2, 0),
    ]


def test_the_numbers_lie_where_it_is_said(data: bytes) -> None:
    result = woven(data)
    assert result.data is not None
    for slot in range(result.slots):
        at = result.integers_at + 5 * slot
        assert result.data[at - 1] == 3, "CONSTANT_Integer"
        assert int.from_bytes(result.data[at : at + 4], "big") == CH_UNNUMBERED + slot


def test_the_same_always(data: bytes) -> None:
    rules = load([], RULES)
    one, other = weave(data, rules, False), weave(data, loads(dumps(rules)), False)
    assert (one.data, one.table, one.slots, one.integers_at) == (
        other.data,
        other.table,
        other.slots,
        other.integers_at,
    )


METHODS = ("plain", "make", "bytes", "name", "big")


@pytest.mark.parametrize("pace", ["", " sample 1/9"], ids=["plain", "sampled"])
def test_our_handler_covers_no_return(data: bytes, pace: str) -> None:
    """At a return the activation has already ended, and C2 crashes if a handler covers the return of Object.<init>."""
    bytes_of_woven = woven(data, f"time w.Woven::*{pace}").data or b""
    cf = ClassFile.parse(bytes_of_woven)
    codes = {
        method.name: Code.parse(bytes_of_woven, method.code_at, cf.pool) for method in cf.methods if method.code_at
    }
    assert [name for name, code in codes.items() if code.exception_table] == list(METHODS)
    for code in codes.values():
        for start, end, *_ in code.exception_table:
            assert not [pc for pc in code.scan().returns if start <= pc < end]


def test_what_matches_nothing_is_left(data: bytes) -> None:
    result = woven(data, "time w.Other::*")
    assert (result.matched, result.data, result.table, result.slots) == (False, None, [], 0)
    result = woven(data, "time w.Woven::nothing")
    assert (result.matched, result.data) == (True, None)
    assert UnmatchedRecord(0, "plain", "(I)I", "") in result.table


def test_a_method_is_left_and_said_so(data: bytes) -> None:
    bad = bytearray(data)
    (method,) = [m for m in ClassFile.parse(data).methods if m.name == "plain"]
    bad[method.code_at + 14] = 0xFE  # no opcode
    result = woven(bytes(bad), "time w.Woven::*")
    (skip,) = [record for record in result.table if isinstance(record, SkipRecord)]
    assert (skip.method, skip.descriptor, skip.reason) == ("plain", "(I)I", reasons.MALFORMED)
    assert methods_of(result) == ["<init>", "make", "bytes", "name", "big"]


def test_what_a_measure_cannot_plan_is_no_defect() -> None:
    """The frames of the method grow so large that only `watch`, which asks for the locals, meets them while it
    plans."""
    builder = Builder(major=52)
    frame = b"\xff\x00\x00" + (60000).to_bytes(2, "big") + bytes(60000) + b"\x00\x00"
    frames = (60).to_bytes(2, "big") + frame * 60
    lines = b"\x00\x01\x00\x00\x00\x05"
    code = bytes(60) + b"\xb1"
    builder.method(
        b"large", b"()V", code, max_locals=60000, attributes=((b"StackMapTable", frames), (b"LineNumberTable", lines))
    )
    builder.method(b"small", b"()V", b"\xb1", attributes=((b"LineNumberTable", lines),))
    result = woven(builder.build(), "watch T:5")
    (skip,) = [record for record in result.table if isinstance(record, SkipRecord)]
    assert (skip.method, skip.reason) == ("large", reasons.UNSUPPORTED)
    assert skip.detail == "no `watch line`: frames with too many locals"
    assert result.data is not None


def test_time_may_run_out(data: bytes) -> None:
    def never() -> None:
        raise Timeout("now")

    with pytest.raises(Timeout):
        weave(data, load([], RULES), False, never)


def test_time_may_run_out_while_rules_are_matched(data: bytes) -> None:
    methods = 0

    def count() -> None:
        nonlocal methods
        methods += 1
        if methods == 6:
            raise Timeout("now")

    with pytest.raises(Timeout):
        weave(data, load([], ["alloc no.such.Type in w.Woven"]), False, count)


def test_a_measure_that_takes_long_costs_no_other(data: bytes) -> None:
    def check_time(share: float = 1.0) -> None:
        if share < 1:
            raise Timeout("half of it")

    result = weave(data, load([], [*RULES, "watch w.Woven:5-8"]), False, check_time)
    skips = {(record.reason, record.detail) for record in result.table if isinstance(record, SkipRecord)}
    assert skips == {(reasons.TIMEOUT, "no `watch line`: half of it")}
    assert numbers_of(result).keys() == numbers_of(woven(data)).keys()


def test_a_method_is_analysed_once_for_all_its_lines(data: bytes) -> None:
    plan = match(ClassFile.parse(data), "w.Woven", load([], ["watch w.Woven:5", "watch w.Woven:5 show arg0"]), False)
    assert plan is not None
    details = [probe.detail for one in plan.methods for probe in one.probes]
    assert len(details) == 2
    assert details[0].scope.method is details[1].scope.method  # type: ignore[union-attr]


def test_a_class_that_is_too_large_is_left_unread() -> None:
    data = b"no class" * (MAX_CLASS // 8) + b"!"
    with pytest.raises(ClassTooLarge, match="8388609 bytes"):
        woven(data)
    ((name, _, _, reason, detail),) = jars.weave_class("w/Large.class", data, load([], RULES), "").skipped
    assert (name, reason) == ("w/Large.class", reasons.CLASS_TOO_LARGE)
    assert "8388609 bytes" in detail


def test_what_is_no_class_is_refused() -> None:
    for data in (b"", b"\xca\xfe\xba\xbe", b"hello"):
        with pytest.raises(ClassFormatError):
            woven(data)


@pytest.mark.parametrize("descriptor", [b"(X)V", b"(Ljava/lang/String", b"", b"([)V", b"I", b"La;)Lb;"])
@pytest.mark.parametrize("rule", ["count T::*", "watch T::*", "count T::* by arg0"])
def test_a_descriptor_that_is_none(descriptor: bytes, rule: str) -> None:
    builder = Builder(major=52)
    builder.method(b"m", descriptor, b"\xb1", max_locals=2)
    with pytest.raises(ClassFormatError, match="descriptor"):
        woven(builder.build(), rule)


# ---- the hook's interface


@pytest.fixture
def hooked() -> None:
    assert agent_calls.load(dumps(load([], RULES)).encode(), 10.0) == 1


def fail(*_: object, **__: object) -> None:
    raise KeyError("a defect")


@pytest.mark.usefixtures("hooked")
def test_a_defect_of_ours_becomes_a_reason(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_calls, "weave", fail)
    result = agent_calls.transform(b"w/Woven", data, False)
    assert result.status == agent_calls.SKIPPED
    named, skip = probe_table.decode(result.meta)
    assert named == ClassRecord("w.Woven", "")
    assert isinstance(skip, SkipRecord)
    assert (skip.method, skip.descriptor, skip.reason) == ("", "", reasons.INTERNAL)
    assert re.fullmatch(r"KeyError: 'a defect' \(test_weave\.py:\d+\)", skip.detail)


@pytest.mark.parametrize("at", ["plan", "insert", "record"])
@pytest.mark.parametrize(
    ("word", "left"),
    [
        ("watch", {"time", "object", "cover"}),
        ("alloc", {"time", "watch", "cover"}),
        ("cover", {"time", "object", "watch"}),
        ("time", {"object", "watch", "cover"}),
    ],
)
def test_a_defect_of_one_measure_costs_no_other(
    data: bytes, monkeypatch: pytest.MonkeyPatch, word: str, left: set[str], at: str
) -> None:
    monkeypatch.setattr(MEASURES[word], at, fail)
    result = woven(data, "time w.Woven::name", "alloc * in w.Woven::name", "cover w.Woven::name", "watch w.Woven::name")
    assert {probe.kind for probe in probes(result)} - {"array", "count"} == left
    (skip,) = [record for record in result.table if isinstance(record, SkipRecord)]
    assert (skip.method, skip.reason) == ("name", reasons.INTERNAL)
    assert re.fullmatch(r".+: KeyError: 'a defect' \(test_weave\.py:\d+\)", skip.detail)
    assert word != "time" or at == "plan" or skip.detail.startswith("not timed, only counted: ")


def test_a_defect_of_ours_does_not_end_a_command(
    data: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "Woven.class").write_bytes(data)
    monkeypatch.setattr(jars, "weave", fail)
    assert cli.main(["check", "-e", "time w.Woven::*", str(tmp_path / "Woven.class")]) == 1
    assert "internal-error: KeyError: 'a defect'" in capsys.readouterr().out


@pytest.mark.usefixtures("hooked")
def test_a_class_that_takes_too_long(data: bytes) -> None:
    assert agent_calls.load(dumps(load([], RULES)).encode(), 0.0) == 1
    result = agent_calls.transform(b"w/Woven", data, False)
    assert result.status == agent_calls.SKIPPED
    assert [record.reason for record in probe_table.decode(result.meta) if isinstance(record, SkipRecord)] == [
        reasons.TIMEOUT
    ]
    assert not result.lasting


@pytest.mark.usefixtures("hooked")
def test_names_that_are_no_text(data: bytes) -> None:
    result = agent_calls.transform(b"w/\xff\xfe", data[:-20], False)
    assert result.status == agent_calls.SKIPPED
    assert isinstance(next(probe_table.decode(result.meta)), ClassRecord)


def test_rules_that_the_jvm_cannot_use(capsys: pytest.CaptureFixture[str]) -> None:
    for text in (b"\xff", b"time a::b", b"classhook-rules 9 1\n"):
        assert agent_calls.load(text, 1.0) == 0
        assert "classhook: " in capsys.readouterr().err


def test_rule_text_that_the_jvm_compiles() -> None:
    compiled = agent_calls.compile_rules(b"rules", b"count a.B::c\n")
    assert isinstance(compiled, bytes)
    assert [rule.text for rule in loads(compiled.decode()).rules] == ["count a.B::c"]
    refused = agent_calls.compile_rules(b"rules", b"count a.B:c\n")
    assert isinstance(refused, str)
    assert "rules:1:10" in refused
    assert isinstance(agent_calls.compile_rules(b"/nowhere/\xff", b"\xff"), str)


# ---- ahead of time


def test_sealed_classes_end_with_their_table(data: bytes) -> None:
    rules = load([], RULES)
    done = jars.weave_class("w/Woven.class", data, rules, "")
    assert done.data is not None
    assert done.data.endswith(seal.MAGIC)
    at, slots, length = (int.from_bytes(done.data[-20 + 4 * n : -16 + 4 * n], "big") for n in range(3))
    table = list(probe_table.decode(done.data[-20 - length : -20]))
    assert table[0] == ClassRecord("w.Woven", "Woven.java")
    assert [record.text for record in table if isinstance(record, RuleTextRecord)] == RULES
    assert done.methods == [(record.rule, record.methods) for record in table if isinstance(record, RuleRecord)]
    for slot in range(slots):
        assert done.data[at + 5 * slot - 1] == 3
    assert ClassFile.parse(done.data).name == "w/Woven"
    dump(done.data)


def test_sealing_leaves_other_files(data: bytes, tmp_path: Path) -> None:
    rules = load([], RULES)
    files = {"a.txt": data, "module-info.class": b"", "w/Woven.class": b"no class"}
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    assert [(entry.name, done) for entry, done in jars.woven_entries(Files(tmp_path), rules)] == [
        (name, None) for name in files
    ]
    once = jars.weave_class("w/Woven.class", data, rules, "").data
    assert once is not None
    assert jars.weave_class("w/Woven.class", once, rules, "") == jars.Done(already=True)


def test_a_jar_is_the_same_whichever_processes_weave_it(
    data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "in.jar"
    with zipfile.ZipFile(source, "w") as jar:
        for i in range(20):
            method = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)[i % 3]
            jar.writestr(f"{i}/Woven.class", data, method)
            jar.writestr(f"{i}/\u00fc.txt", b"text" * i, method)
    written = []
    for processes in (1, 2, 3):
        monkeypatch.setattr(jars, "BATCH", 64 if processes == 1 else 3)
        monkeypatch.setattr("classhook.base.processes.processors", lambda processes=processes: processes)
        outcome = jars.Outcome()
        jars.write_output(
            source, tmp_path / f"{processes}.jar", jars.woven_entries(Files(source), load([], RULES)), outcome
        )
        assert (outcome.classes, outcome.woven, outcome.copied) == (20, 20, 20)
        written.append((tmp_path / f"{processes}.jar").read_bytes())
    assert written == [written[0]] * 3
    with zipfile.ZipFile(tmp_path / "1.jar") as jar:
        assert jar.testzip() is None
        assert [(one.filename, one.compress_type) for one in jar.filelist] == [
            (one.filename, one.compress_type) for one in zipfile.ZipFile(source).filelist
        ]
        assert {jar.read(f"{i}/Woven.class") for i in range(20)} == {
            jars.weave_class("", data, load([], RULES), "").data
        }


def test_what_a_process_cannot_read_is_said_as_in_one(
    data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "in.jar"
    with zipfile.ZipFile(source, "w") as jar:
        for i in range(20):
            jar.writestr(f"{i}/Woven.class", data)
    damaged = bytearray(source.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    source.write_bytes(damaged)
    said = []
    for batch in (64, 2):
        monkeypatch.setattr(jars, "BATCH", batch)
        with pytest.raises(UsageError) as raised:
            jars.write_output(
                source, tmp_path / "out.jar", jars.woven_entries(Files(source), load([], RULES)), jars.Outcome()
            )
        said.append(str(raised.value))
        assert not (tmp_path / "out.jar").exists()
    assert "the jar is damaged" in said[0]
    assert said == [said[0]] * 2

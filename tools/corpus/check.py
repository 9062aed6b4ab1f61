"""The checks of each class without a JVM.

1. Read and written again, it has the same bytes, and so have its methods, parsed and assembled again. Frames that a
   compiler wrote in a longer form may become shorter; then classfile.dump shows the same.
2. It is woven by `time` and `alloc`, and by `count`. classfile.dump before and after differs only in what was inserted.
   Woven by `cover`, control goes the same ways, and each has its probes (tools/corpus/flows.py). It is woven by
   all measures at once, too; no measure may fail.
3. A second reader, jawa, finds the same instructions in the class woven by `time` and `alloc`, and exactly the calls of
   the tracker that are in the probe table. So it does in the class woven by `time calls`.
"""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import dataclass, field

from jawa.cf import ClassFile as SecondReader

import classhook.measures.every  # noqa: F401  # registers the words of rules
from classhook.classfile.code import Code
from classhook.classfile.dump import dump
from classhook.classfile.insertions import Edit
from classhook.classfile.reader import ClassFile
from classhook.classfile.splice import Context, splice
from classhook.classfile.write import rebuild
from classhook.probes import reasons
from classhook.probes.records import ProbeRecord, SkipRecord
from classhook.rules.errors import RuleError
from classhook.rules.parse import load
from classhook.rules.ruleset import RuleSet
from classhook.weaving.class_weaver import VIRTUAL_THREAD, Woven
from classhook.weaving.weave import weave
from tools.corpus import flows
from tools.corpus.corpora import OneClass
from tools.corpus.normal import Difference, compare

ALL = [
    "time {}::* tree",
    "time calls **::* in {}",
    "alloc * in {} live",
    "cover {} hits exact",
    "watch {}::* show this, args, result, exception first 1",
]
#: Rules about other places than a method's entry and exit, and counts by key.
STATEMENTS = [
    "time {}::* by thread",
    "count {}::* below java.lang.Thread::run",
    "count {}::* by arg0",
    "count throws * in {}",
    "count catches * in {}",
    "value {}::* of result",
    "value {}::* of arg0 by thread",
    "watch {}::* when arg0 == null || this == null first 1",
    "count {}::* by this.name.text",
    "value {}::* of arg0.items.size",
    'watch {}::* when this.next.state == "NEW" && arg0.name.length > 3 || result.id == 5 && result.size < 2.5 first 1',
]
#: Rules that name their class, so that each class has its own: it is woven without a JVM.
OF_ONE_CLASS = [
    "count {}:1-65535",
    "count writes {}.*",
    "count reads {}.*",
    "watch writes {}.* when value != 0 show old, value first 1",
    "watch writes {}.* when value == null && old != null show object first 1",
    "watch {}:1-65535 when this != null first 1",
    "time {}::*",
    "time calls **::* in {}",
]
NAMED = "named"
#: The weavings: name -> rules.
WEAVINGS = {
    "time": ["time jdk:**::*", "time **::*", "alloc * in jdk:**", "alloc * in **"],
    "count": ["count jdk:**::*", "count **::*"],
    "calls": ["time calls **::* in jdk:**", "time calls **::* in **"],
    "cover": ["cover jdk:**", "cover **"],
    "all": [rule.format(where) for where in ("jdk:**", "**") for rule in ALL],
    "statements": [rule.format(where) for where in ("jdk:**", "**") for rule in STATEMENTS],
}
#: By kind of probe: the calls that it makes, if it does not enter the method in a record.
EXPECTED = {
    "count": "count",
    "profile": "count",
    "object": "allocations",
    "array": "allocations",
}
Skip = tuple[str, str, str, str, str]  # class, method, descriptor, reason, detail


@dataclass(slots=True)
class Checked:
    """A checked class. `woven`: the bytes by weaving, None if not woven; `problems`: what is wrong."""

    path: str
    methods: int = 0  # with code
    woven_methods: Counter[str] = field(default_factory=Counter)  # by weaving
    unread: bool = False  # by jawa
    reencoded: int = 0  # methods whose frames became shorter without any change
    woven: dict[str, bytes | None] = field(default_factory=dict)
    skipped: dict[str, list[Skip]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def rule_sets() -> dict[str, RuleSet]:
    return {name: load([], texts) for name, texts in WEAVINGS.items()}


def check(one: OneClass, rules: dict[str, RuleSet]) -> Checked:
    """Does all the checks; never raises, whatever the class does."""
    found = Checked(one.path)
    try:
        _check_unchanged(one.data, found)
        before = dump(one.data)
        for name, rule_set in rules.items():
            woven = weave(one.data, rule_set, one.in_jdk, support=name in ("time", "all", "statements"))
            found.woven[name] = woven.data
            found.skipped[name] = skips(woven)
            found.problems += [f"{name}: {skip}" for skip in found.skipped[name] if skip[3] == reasons.INTERNAL]
            found.woven_methods[name] = len(
                {(record.method, record.descriptor) for record in woven.table if isinstance(record, ProbeRecord)}
            )
            if woven.data is not None:
                _check_woven(one.data, woven, before, name, found)
        if not one.in_jdk:
            _weave_by_name(one, found)
    except Exception as error:  # any exception is a finding
        found.problems.append(f"{type(error).__name__}: {error}")
    return found


def _weave_by_name(one: OneClass, found: Checked) -> None:
    try:
        rules = load([], [rule.format(one.name) for rule in OF_ONE_CLASS])
    except RuleError:  # rules cannot write the name: that of package-info
        return
    woven = weave(one.data, rules, False, support=True)
    found.woven[NAMED] = woven.data
    found.problems += [f"{NAMED}: {skip}" for skip in skips(woven) if skip[3] == reasons.INTERNAL]


def skips(woven: Woven) -> list[Skip]:
    """The methods that were skipped, by the probe table."""
    return [
        (woven.name, one.method, one.descriptor, one.reason, one.detail)
        for one in woven.table
        if isinstance(one, SkipRecord)
    ]


def _check_unchanged(data: bytes, found: Checked) -> None:
    cf = ClassFile.parse(data)
    if rebuild(cf, {}) != data:
        found.problems.append("not the same bytes when read and written")
    replaced = {}
    for method in cf.methods:
        if method.code_at:
            found.methods += 1
            code = Code(data, method.code_at, cf.pool)
            replaced[method.code_at] = splice(code, Edit([]), cf.pool, Context.from_method(cf, method))
            found.reencoded += replaced[method.code_at] != data[method.code_at : method.code_end]
    if found.reencoded and dump(rebuild(cf, replaced)) != dump(data):
        found.problems.append("not the same when taken apart and assembled")


def _check_woven(data: bytes, woven: Woven, before: str, weaving: str, found: Checked) -> None:
    assert woven.data is not None
    if weaving in ("all", "statements"):
        return
    if weaving == "calls":
        found.problems += wrong_calls(woven)
        return
    if weaving == "cover":
        try:
            flows.compare(data, woven)
        except Difference as difference:
            found.problems.append(f"cover: {difference}")
        return
    expected = Counter({"enter": 0, "count": 0, "allocations": 0})
    for record in woven.table:
        if isinstance(record, ProbeRecord):
            expected[EXPECTED.get(record.kind, "enter")] += 1
    try:
        calls = compare(before, dump(woven.data))
    except Difference as difference:
        found.problems.append(f"{weaving}: {difference}")
        return
    counts = [("the dump", calls)]
    if weaving == "time":
        try:
            counts.append(("jawa", tracker_calls(woven.data)))
        except Unread:
            found.unread = True
    for who, counted in counts:
        support = counted["mounted"] + counted["unmounting"]
        if support and woven.name != VIRTUAL_THREAD:
            found.problems.append(f"{weaving}: {support} calls that only virtual threads need")
        told = {
            "enter": sum(counted[name] for name in ("enter", "enterTree", "due")),
            "count": counted["count"],
        }
        told["allocations"] = sum(count for name, count in counted.items() if name.startswith(("allocated", "array")))
        if told != expected:
            found.problems.append(f"{weaving}: by {who} {told} calls, by the probe table {dict(expected)}")


def wrong_calls(woven: Woven) -> list[str]:
    """Problems of a class that has other probes of call sites than its table says; none, if jawa cannot read it."""
    assert woven.data is not None
    kinds = Counter(record.kind for record in woven.table if isinstance(record, ProbeRecord))
    expected = {"enter": kinds["call-time"], "exit": kinds["call-time"], "count": kinds["call-untimed"]}
    try:
        calls = tracker_calls(woven.data)
    except Unread:
        return []
    told = {name: calls[name] for name in expected}
    return [f"calls: by jawa {told} calls, by the probe table {expected}"] if told != expected else []


class Unread(Exception):
    """jawa cannot read this class file: constants of Java 9 and later (JVMS 4.4.11, 4.4.12, condy)."""


def tracker_calls(data: bytes) -> Counter[str]:
    """Counts the calls of each of the tracker's methods, according to jawa. Raises Unread and jawa's exceptions."""
    own = ClassFile.parse(data)
    try:
        cf = SecondReader(io.BytesIO(data))
    except (IndexError, TypeError):
        if any(own.pool.tag(index) in (17, 19, 20) for index in range(own.pool.count)):
            raise Unread from None
        raise
    calls: Counter[str] = Counter()
    for method, other in zip(own.methods, cf.methods, strict=True):
        if not method.code_at:
            continue
        code = Code(data, method.code_at, own.pool)
        pcs = []
        for instruction in other.code.disassemble():
            pcs.append(instruction.pos)
            if instruction.mnemonic == "invokestatic":
                target = cf.constants[instruction.operands[0].value]
                if target.class_.name.value == "java/lang/ClasshookTracker":
                    calls[target.name_and_type.name.value.removesuffix("Paced")] += 1
        if pcs != [pc for pc, bound in enumerate(code.scan().bounds) if bound]:
            raise ValueError(f"{method.name} has other instructions for jawa")
    return calls

"""Checks what must hold for any bytes: weaving soon gives a result or ClassFormatError, and classfile can read the
result."""

from __future__ import annotations

import classhook.measures.every  # noqa: F401  # registers the words of rules
from classhook.classfile.code import Code
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.reader import ClassFile
from classhook.measures import BY_KIND
from classhook.native._slots import CH_UNNUMBERED
from classhook.probes import probe_table
from classhook.probes.records import ClassRecord, CoverRecord, ProbeRecord
from classhook.rules.parse import parse_text
from classhook.rules.ruleset import RuleSet
from classhook.weaving.weave import weave

TEXTS = (
    "time **::*",
    "count **::*",
    "cover **",
    "cover ** exact hits\ntime **::*\nalloc * in **",
    "cover **\ntime **::* sample 1/9",
    "time **::*\nalloc * in **",
    "time **::* sample 1/9\nalloc * in **",
    "alloc byte[], int[], java.util.*, **.*a*[] in **",
    "count **::@** *\ntime @Deprecated **::*\ncount java.lang.Object+::*",
    "time public **a**b**::*a*b*(.., int, **)\ncount **::<*>\nalloc * in **::*e*",
    "time hostile.T::missing\ncount jdk:**::*",
    "time **::* tree",
)
RULE_SETS = tuple(RuleSet(parse_text(text, "fuzz")) for text in TEXTS)


def check(data: bytes, rules: RuleSet, in_jdk: bool = False) -> bool:
    """Weaves and returns whether the class was woven; raises AssertionError, or any unexpected exception of the
    weaver."""
    try:
        woven = weave(data, rules, in_jdk, support=in_jdk)
    except ClassFormatError:
        return False
    table = list(probe_table.decode(probe_table.encode(woven.table)))
    assert table == woven.table
    assert not woven.matched or isinstance(table[0], ClassRecord)
    if woven.data is None:
        return False
    cf = ClassFile.parse(woven.data)
    old = ClassFile.parse(data)
    heads = [[(m.access_flags, m.name_index, m.descriptor_index) for m in each.methods] for each in (cf, old)]
    assert heads[0] == heads[1]
    assert woven.data[:8] == data[:8]
    assert woven.data[10 : cf.pool.end_at].startswith(data[10 : old.pool.end_at])
    assert woven.slots == 0 or woven.integers_at + 5 * woven.slots - 1 <= cf.pool.end_at
    for i in range(woven.slots):
        assert woven.data[woven.integers_at + 5 * i - 1 :][:5] == b"\3" + (CH_UNNUMBERED + i).to_bytes(4, "big")
    probes = [record for record in table if isinstance(record, ProbeRecord)]
    slots = [
        one.slot + k
        for one in probes
        for k in range(one.probes if isinstance(one, CoverRecord) else BY_KIND[one.kind].kinds[one.kind])
    ]
    assert sorted(slots) == list(range(len(slots)))
    assert len(slots) <= woven.slots
    for method, before in zip(cf.methods, old.methods, strict=True):
        if method.code_at and woven.data[method.code_at : method.code_end] != data[before.code_at : before.code_end]:
            code = Code.parse(woven.data, method.code_at, cf.pool)
            code.scan()
            assert len(code.code) <= 65535
    return True

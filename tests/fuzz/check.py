"""What must hold for any bytes: weaving gives a result or ClassFormatError, soon, and classfile can read the result."""

from __future__ import annotations

from classfile.code import Code
from classfile.errors import ClassFormatError
from classfile.reader import ClassFile
from instrument.measures import BY_LETTER
from instrument.weaving import probe_table
from instrument.weaving.weave import weave
from native._slots import CH_UNNUMBERED
from rules.parse import parse_text
from rules.ruleset import RuleSet

TEXTS = (
    "time **::*",
    "count **::*",
    "cover **",
    "cover ** exact hits\ntime **::*\nalloc * in **",
    "cover **\ntime **::* budget 5%",
    "time **::*\nalloc * in **",
    "time **::* budget 5%\nalloc * in **",
    "alloc byte[], int[], java.util.*, **.*a*[] in **",
    "count **::@** *\ntime @Deprecated **::*\ncount java.lang.Object+::*",
    "time public **a**b**::*a*b*(.., int, **)\ncount **::<*>\nalloc * in **::*e*",
    "time hostile.T::missing\ncount jdk:**::*",
    "time **::* tree",
)
RULE_SETS = tuple(RuleSet(parse_text(text, "fuzz")) for text in TEXTS)


def check(data: bytes, rules: RuleSet, in_jdk: bool = False) -> bool:
    """Weaves and returns whether the class was woven; raises AssertionError, or any unexpected exception of the weaver."""
    try:
        woven = weave(data, rules, in_jdk, support=in_jdk)
    except ClassFormatError:
        return False
    lines = list(probe_table.decode(probe_table.encode(woven.table)))
    assert not woven.matched or lines[0][0] == "C"
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
    slots = [int(line[1]) + k for line in lines if line[0] == "P" for k in range(BY_LETTER[line[2][0]].letters[line[2][0]] or int(line[6]))]
    assert sorted(slots) == list(range(len(slots)))
    assert len(slots) <= woven.slots
    for method, before in zip(cf.methods, old.methods, strict=True):
        if method.code_at and woven.data[method.code_at : method.code_end] != data[before.code_at : before.code_end]:
            code = Code.parse(woven.data, method.code_at, cf.pool)
            code.scan()
            assert len(code.code) <= 65535
    return True

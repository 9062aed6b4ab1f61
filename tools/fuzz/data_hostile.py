"""Data files of about 1 MB made to be slow or large to report: each makes one table, or one product of two, as large as
possible."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from struct import pack

import classhook.measures.every  # noqa: F401  # registers the measures that rules name
from classhook.native._layout import ffi
from classhook.probes import probe_table
from classhook.rules.compiled import dumps
from classhook.rules.ruleset import RuleSet
from classhook.rules.syntax import ClassPattern, MethodPattern, Rule, Target
from classhook.store.layout import lib
from tools.fuzz.data_layout import packed, places, poke, written

LIMIT = 1 << 19  # bytes of one text
MANY = 10_000
RECORD_AT = lib.CH_UNIT


def lines(one: str, most: int = LIMIT) -> bytes:
    """Repeats a line as often as there is room for it; `%` becomes the line's number."""
    made: list[str] = []
    size = 0
    while size < most:
        made.append(one.replace("%", str(len(made))))
        size += len(made[-1]) + 1
    return "\n".join(made).encode()


def table(body: bytes, name: str = "a.B") -> bytes:
    return f"{probe_table.HEAD}\nclass\t{name}\t\n".encode() + body


def rules(names: list[str], text: str = "") -> bytes:
    """Compiled rules, one for each class."""
    made = [
        Rule("count", text or f"count {name}::m", "-", 1, None, (Target(ClassPattern(name), MethodPattern("m")),))
        for name in names
    ]
    return dumps(RuleSet(made)).encode()


def blocks(n: int, slots: bytes) -> Iterator[tuple[int, int, int, bytes]]:
    return ((lib.CH_SLOTS, block, 0, slots) for block in range(n))


ONE_RULE = (lib.CH_META_RULES, 0, 0, rules(["a.B"]))


def record() -> bytes:
    """A record whose octaves are all the same one, which follows it."""
    made = ffi.new("struct ch_record *", {"calls": 1, "completed": 1, "total": 9})
    made.octaves = [16] * lib.CH_OCTAVES
    return bytes(RECORD_AT) + bytes(ffi.buffer(made)).ljust(15 * 64, b"\0") + pack("=32Q", *range(1, 33))


def methods_of_one_slot(path: Path) -> None:
    """All methods have the slot that all threads timed, with a histogram of all octaves."""
    made = [
        (kind, block, 0, data)
        for block in range(400)
        for kind, data in ((lib.CH_SLOTS, pack("=Q", RECORD_AT)), (lib.CH_RECORDS, record()))
    ]
    written(path, made, 8, [ONE_RULE, (lib.CH_META_CLASS, 0, 8, table(lines("probe\ttime\t0\t0\tm%\t()V")))])


def methods_of_one_record(path: Path) -> None:
    text = lines("probe\ttime\t%\t0\tm%\t()V")
    n = text.count(b"\n") + 1
    made = [(lib.CH_SLOTS, 0, 0, pack("=Q", RECORD_AT) * n), (lib.CH_RECORDS, 0, 0, record())]
    written(path, made, n, [ONE_RULE, (lib.CH_META_CLASS, 0, n, table(text))])


def records_of_one_octave(path: Path) -> None:
    one = ffi.new("struct ch_record *", {"calls": 1, "completed": 1})
    size = -(-ffi.sizeof("struct ch_record") // lib.CH_UNIT) * lib.CH_UNIT
    one.octaves = [1] * lib.CH_OCTAVES
    records = bytes(64) + pack("=32Q", *range(1, 33)) + bytes(ffi.buffer(one)).ljust(size, b"\0") * 5000
    table_ = table("\n".join(f"probe\ttime\t{i}\t0\tm{i}\t()V" for i in range(5000)).encode())
    made = [
        (lib.CH_SLOTS, 0, 0, pack("=5000Q", *(320 + size * i for i in range(5000)))),
        (lib.CH_RECORDS, 0, 0, records),
    ]
    written(path, made, 5000, [ONE_RULE, (lib.CH_META_CLASS, 0, 5000, table_)])


def methods_times_blocks(path: Path) -> None:
    """Each thread has touched the first page only."""
    text = lines("probe\tcount\t%\t0\tm%\t()V")
    written(
        path,
        blocks(MANY // 2, pack("=8Q", *range(8))),
        1 << 20,
        [ONE_RULE, (lib.CH_META_CLASS, 0, text.count(b"\n") + 1, table(text))],
    )


def classes_times_blocks(path: Path) -> None:
    classes = [(lib.CH_META_CLASS, 8 * i, 8, table(b"probe\ttime\t0\t0\tm\t()V", f"a.B{i}")) for i in range(MANY)]
    written(path, blocks(MANY // 2, pack("=8Q", *range(8))), 1 << 20, [ONE_RULE, *classes])


def classes_of_one_slot(path: Path) -> None:
    classes = [(lib.CH_META_CLASS, 0, 8, table(b"probe\ttime\t0\t0\tm\t()V", f"a.B{i}")) for i in range(MANY)]
    written(path, blocks(MANY // 2, pack("=8Q", *range(8))), 8, [ONE_RULE, *classes])


def regions_of_the_same_bytes(path: Path) -> None:
    size = 1 << 20
    written(path, [(lib.CH_RECORDS, block, 0, b"x" * (64 if block else size)) for block in range(MANY // 10)], 0, [])
    (_, whole), *others = [(at, entry) for at, entry in places(path).directory if entry.kind == lib.CH_RECORDS]
    for at, entry in others:
        poke(path, at, packed(entry._replace(offset=whole.offset, bytes=size)))


def many_pieces(path: Path) -> None:
    """Pieces of one region, in the wrong order."""
    made = [
        (kind, 0, 128 * (MANY // 2 - i), pack("=8Q", *range(8)))
        for i in range(MANY // 2)
        for kind in (lib.CH_SLOTS, lib.CH_RECORDS)
    ]
    text = lines("probe\ttime\t%\t0\tm%\t()V")
    written(path, made, 64 * MANY // 8, [ONE_RULE, (lib.CH_META_CLASS, 0, text.count(b"\n") + 1, table(text))])


def pieces_of_a_description(path: Path) -> None:
    """Each piece is followed by a hole."""
    made = [(lib.CH_META, 0, 128 * (i + 1), pack("=4I48x", 48, lib.CH_META_NOTE, 0, 0)) for i in range(MANY)]
    written(path, made, 0, [(lib.CH_META_NOTE, 0, 0, b"x" * 40)], meta_used=1 << 40)


def long_name_times_methods(path: Path) -> None:
    text = lines("probe\tcount\t%\t0\tm%\t()V")
    n = text.count(b"\n") + 1
    written(
        path,
        [(lib.CH_SLOTS, 0, 0, b"\1\0\0\0\0\0\0\0" * n)],
        n,
        [ONE_RULE, (lib.CH_META_CLASS, 0, n, table(text, "a" * LIMIT))],
    )


def long_rule_times_methods(path: Path) -> None:
    text = lines("probe\tcount\t%\t0\tm%\t()V")
    n = text.count(b"\n") + 1
    rule = (lib.CH_META_RULES, 0, 0, rules(["a.B"], "count " + "a" * LIMIT))
    written(path, [(lib.CH_SLOTS, 0, 0, b"\1\0\0\0\0\0\0\0" * n)], n, [rule, (lib.CH_META_CLASS, 0, n, table(text))])


def rules_times_names(path: Path) -> None:
    """None of the rules matches."""
    names = [f"com.acme.shop.Orders{i}" for i in range(MANY)]
    wanted = rules([f"com.amce.shop.Orders{i}" for i in range(MANY // 2)])
    written(path, [], 0, [(lib.CH_META_RULES, 0, 0, wanted), (lib.CH_META_NAMES, 0, 0, "\n".join(names).encode())])


def rules_times_skips(path: Path) -> None:
    skipped = [(lib.CH_META_SKIP, 0, 0, table(b"skip\t\t\tx\ty", f"a.B{i}")) for i in range(MANY)]
    written(path, [], 0, [(lib.CH_META_RULES, 0, 0, rules([f"b.C{i}" for i in range(MANY // 2)])), *skipped])


def rules_times_missed_methods(path: Path) -> None:
    missed = (lib.CH_META_CLASS, 0, 0, table(lines("unmatched\t0\tn%\t()V\t")))
    written(
        path, [], 0, [(lib.CH_META_RULES, 0, 0, rules(["a.B"] * 1 + [f"a.B{i}" for i in range(MANY // 2)])), missed]
    )


def rules_over_and_over(path: Path) -> None:
    one = rules([f"b.C{i}" for i in range(1000)])
    written(path, [], 0, [(lib.CH_META_RULES, 0, 0, one)] * (LIMIT // len(one)))


def long_names_alike(path: Path) -> None:
    """A rule and a class whose names are almost the same."""
    name = "".join(chr(0x4E00 + i * i * 7 % 211) for i in range(60000))
    texts = [
        (lib.CH_META_RULES, 0, 0, rules([name + "x"])),
        (lib.CH_META_NAMES, 0, 0, "\n".join(name[i:] for i in range(10)).encode()),
    ]
    written(path, [], 0, texts)


def spaces(path: Path) -> None:
    text = "\n".join(f"probe\tcount\t{i}\t0\tm{' ' * 60000}m\t()V" for i in range(17)).encode()
    written(
        path, [(lib.CH_SLOTS, 0, 0, b"\1\0\0\0\0\0\0\0" * 17)], 17, [ONE_RULE, (lib.CH_META_CLASS, 0, 17, table(text))]
    )


def wide_rows(path: Path) -> None:
    """One row makes the table wide for all rows."""
    text = lines("probe\tcount\t%\t0\tm%\t()V")
    n = text.count(b"\n") + 2
    text += f"\nprobe\tcount\t{n - 1}\t0\t{'m' * 90000}\t()V".encode()
    written(
        path, [(lib.CH_SLOTS, 0, 0, b"\1\0\0\0\0\0\0\0" * n)], n, [ONE_RULE, (lib.CH_META_CLASS, 0, n, table(text))]
    )


def long_numbers(path: Path) -> None:
    text = b"\n".join([b"rule\t0\t" + b"9" * 4300] * 200 + [b"probe\tcount\t" + b"9" * 4300 + b"\t0\tm\t()V"] * 20)
    written(path, [], 0, [ONE_RULE, (lib.CH_META_CLASS, 0, 0, table(text))])


def targets_of_a_rule(path: Path) -> None:
    target = Target(ClassPattern("a.B"), MethodPattern("m"))
    one = Rule("count", "count a.B::m", "-", 1, None, (target,) * (4 * LIMIT // 12))
    written(path, [], 0, [(lib.CH_META_RULES, 0, 0, dumps(RuleSet([one])).encode())])


def long_pattern(path: Path) -> None:
    """A pattern full of wildcards, compared with long names."""
    pattern = rules(["**" + "a*" * 150_000 + "b"], "count x::m")
    skipped = [(lib.CH_META_SKIP, 0, 0, table(b"skip\t\t\tx\ty", f"{'a' * 1990}{i}")) for i in range(200)]
    written(path, [], 0, [(lib.CH_META_RULES, 0, 0, pattern), *skipped])


def classes_in_turned_order(path: Path) -> None:
    n = 20 * MANY
    classes = [(lib.CH_META_CLASS, n - i, 1, table(b"")) for i in range(n)]
    written(path, [], n + 1, [ONE_RULE, *classes])


HOSTILE: tuple[Callable[[Path], None], ...] = (
    methods_of_one_slot,
    methods_of_one_record,
    records_of_one_octave,
    methods_times_blocks,
    classes_times_blocks,
    classes_of_one_slot,
    regions_of_the_same_bytes,
    many_pieces,
    pieces_of_a_description,
    long_name_times_methods,
    long_rule_times_methods,
    rules_times_names,
    rules_times_skips,
    rules_times_missed_methods,
    rules_over_and_over,
    long_names_alike,
    spaces,
    wide_rows,
    long_numbers,
    targets_of_a_rule,
    long_pattern,
    classes_in_turned_order,
)

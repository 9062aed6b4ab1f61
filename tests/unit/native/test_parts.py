"""Parts of the agent that need no JVM, called from Python: globs, hashes, class names, supertypes, copies, the cache's
file."""

from __future__ import annotations

import json
import random
import re
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from cffi import FFI
from hypothesis import given, settings
from hypothesis import strategies as st

from classhook.classfile.reader import ClassFile
from classhook.model import moments
from classhook.model.snapshot import Process
from classhook.model.time_histogram import middle_of
from classhook.native.building import build
from classhook.rules.compiled import dumps
from classhook.rules.parse import parse_text
from classhook.rules.patterns import compile_glob
from classhook.rules.ruleset import RuleSet
from classhook.store.layout import lib
from classhook.store.reading import read_file
from tests.unit.classfile.support import Builder, jdk_classes
from tests.unit.native.conftest import Objects
from tests.unit.native.declarations import declarations

#: Headers that declare what the tests call.
HEADERS = (
    "classes/classes.h",
    "live/live.h",
    "moments/moments.h",
    "table/rules_text.h",
    "timing/timing.h",
    "watch/sql_text.h",
    "weaver/weaver.h",
)
NONE = 0xFFFFFFFF
ffi = FFI()


@pytest.fixture(scope="module")
def agent(agent_objects: Objects, includes: list[str], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """All of the agent's code, with its internal functions exported."""
    target = tmp_path_factory.mktemp("agent") / "agent.so"
    objects = [file for _, file in agent_objects]
    line = [build.compiler(), *build.C_FLAGS, "-shared", *objects, "-o", target, *build.LIBRARIES]
    subprocess.run(line, check=True)
    named = re.findall(r"\bch_\w+", Path(__file__).read_text())
    ffi.cdef(declarations(HEADERS, [*build.C_FLAGS, *includes], named) + "void free(void *);")
    return ffi.dlopen(str(target))


def no_error() -> Any:
    return ffi.new("struct ch_error *")


# ---- compiled rules


def test_rules_that_ask_for_the_same_sampler_share_one_that_serves_them_all(agent: Any) -> None:
    rules = [
        "alloc byte[] every 4KB stack 2",
        "alloc * live stack 9",
        "cpu every 20ms",
        "cpu every 30ms lines",
        "locks over 5ms",
        "locks parks",
    ]
    text = ffi.new("char[]", dumps(RuleSet(parse_text("\n".join(rules), "here"))).encode())
    reader, line = ffi.new("struct ch_rules_text *", agent.ch_rules_text_of(text)), ffi.new("struct ch_rules_line *")
    while agent.ch_rules_next(reader, line):
        pass
    assert not reader.damaged
    objects, cpu, locks = reader.samplers.objects, reader.samplers.cpu, reader.samplers.locks
    assert (objects.every_bytes, objects.frames, objects.live, objects.threads) == (4096, 9, True, False)
    assert (cpu.period_us, cpu.frames, cpu.lines, cpu.threads) == (20000, 1024, True, False)
    assert (locks.over_us, locks.parks) == (0, True)
    assert not reader.samplers.trees.threads


# ---- SQL texts

SQL = {
    "select 1": "select ?",
    "select * from t where a = 'it''s' and b=-5.5e-3 and c in (1,2 , 3)": (
        "select * from t where a = ? and b=? and c in (?, …)"
    ),
    "select a -1, t2.c1 from t2 where x = N'é' or y = X'0f' or z = 0xFF": (
        "select a -?, t2.c1 from t2 where x = ? or y = ? or z = ?"
    ),
    r"select E'it\'s' || 'a\' from t": "select ? || ? from t",
    "insert into t (a, b) values (?, ?), (?,?), ( ?, 'x')": "insert into t (a, b) values (?, …), …",
    "insert into t (a) values (1), (2)": "insert into t (a) values (?), …",
    "values (1, now()), (2, now()), (3, 4)": "values (?, now()), …, (?, …)",
    "select f(1), f(2) from t where (a, b) in ((1, 2), (3, 4), (5, 6))": (
        "select f(?), f(?) from t where (a, b) in ((?, …), …)"
    ),
    "select * from t where a = $1 and b in ($2, $3) and c = :name": (
        "select * from t where a = ? and b in (?, …) and c = :name"
    ),
    "select $$it's$$, $q$ $$ $q$, a$1": "select ?, ?, a$1",
    "select /* id 7 */ a -- 'x\n  from t": "select a from t",
    "select /*+ INDEX(t i1) */ 5": "select /*+ INDEX(t i1) */ ?",
    'select "a 1", `b 2`, \'c\' from "x""y"': 'select "a 1", `b 2`, ? from "x""y"',
    "select data ?| array['a','b'], a ?? 'b'": "select data ?| array[?, …], a ?? ?",
    "select array[1, 2, 3], t.a[1]": "select array[?, …], t.a[?]",
    "select q'{it's}', Q'!a!b!', nq'[a's]' || q'(é)' from t where a = 1": "select ?, ?, ? || ? from t where a = ?",
    "select U&'é', u&'b', U&\"n\"": 'select ?, ?, U&"n"',
    "select 0xD.5p-6, 0x1.P+3, $12.50": "select ?, ?, ?",
    "select 'a' \n 'b', X'ab' 'cd' from t": "select ?, ? from t",
    "select a /* x /* secret */ secret */ from t": "select a from t",
    "select a /* x /* y */ from t where b = 'z' /* w */": "select a from t where b = ?",
    "create user bob identified by tiger#1": "create user bob identified by ?",
    'alter user bob IDENTIFIED  BY "Old 1" replace new account unlock': (
        "alter user bob IDENTIFIED BY ? replace ? account unlock"
    ),
    "create user bob identified by values 'hash' profile p": "create user bob identified by values ? profile p",
    "select identified, by_whom from t group by identified order by a": (
        "select identified, by_whom from t group by identified order by a"
    ),
    "  \t select\r\n1  ": "select ?",
    "select 'open": "select ?",
    "select E'a\\": "select ?",
    "": "",
}


def without_literals(agent: Any, text: str, room: int = 1_000) -> str:
    units, to = text.encode("utf-16-le", "surrogatepass"), ffi.new("uint16_t[]", room)
    n = agent.ch_sql_without_literals(
        ffi.from_buffer("uint16_t[]", units) if units else ffi.NULL, len(units) // 2, to, room
    )
    assert n <= room
    return bytes(ffi.buffer(to, 2 * n)).decode("utf-16-le", "surrogatepass")


@pytest.mark.parametrize(("text", "expected"), SQL.items(), ids=range(len(SQL)))
def test_an_sql_text_without_its_literals(agent: Any, text: str, expected: str) -> None:
    assert without_literals(agent, text) == expected
    assert without_literals(agent, expected) == expected, "what has no literals stays"


def test_an_sql_text_that_is_too_long_ends_with_an_ellipsis(agent: Any) -> None:
    assert without_literals(agent, "select " + "a, " * 500 + "b") == ("select " + "a, " * 500)[:999] + "…"
    assert without_literals(agent, "select abcdef", 10) == "select ab…"
    assert without_literals(agent, "select 'abcdefghijklmnop' b", 10) == "select ? b"


sql_pieces = st.lists(
    st.sampled_from(
        [
            "select",
            " ",
            "'",
            '"',
            "(",
            ")",
            ",",
            "?",
            "1",
            "-",
            "--",
            "/*",
            "*/",
            "$",
            "$a$",
            "E'",
            "q'{",
            "}'",
            "\\",
            "\n",
            ".",
            "0x",
            "e+",
            "a",
            "é",
            "…",
        ]
    )
)


@settings(max_examples=1_000)
@given(pieces=sql_pieces, number=st.integers(0, 10**9), room=st.sampled_from([1, 7, 1_000]))
def test_an_sql_text_is_the_same_for_all_numbers(agent: Any, pieces: list[str], number: int, room: int) -> None:
    texts = {without_literals(agent, "".join(pieces).replace("1", str(n)), room) for n in (1, number)}
    quoted = any(
        piece in ('"', "$", "$a$", "e+", "0x", "a", "E'", "é", "…", "select") for piece in pieces
    )  # a number may be a part of a name there
    assert len(texts) == 1 or quoted


# ---- errors, and answers on the control socket


def test_an_error_has_its_reasons_in_lines_and_never_more_than_it_has_room_for(agent: Any) -> None:
    error = no_error()
    assert not agent.ch_fail(error, b"%s", ffi.new("char[]", b"the first"))
    assert not agent.ch_fail(error, b"the second")
    assert ffi.string(error.text) == b"the first\nthe second"
    for _ in range(3):
        agent.ch_fail(error, b"%5000d", ffi.cast("int", 7))
    assert len(ffi.string(error.text)) == ffi.sizeof(error.text) - 1


@pytest.fixture
def reply(agent: Any) -> Iterator[Any]:
    found = ffi.new("struct ch_reply *")
    yield found
    agent.ch_reply_free(found)


def test_a_large_answer_is_whole(agent: Any, reply: Any) -> None:
    long = 'né "\\\t' * 1_000  # longer than any buffer on the way
    lines = [f"{n} {long}" for n in range(5_000)]  # 40 MB
    agent.ch_reply_lines(reply, "\n".join(lines).encode())
    agent.ch_reply_add(reply, b"{")
    agent.ch_reply_field(reply, b"long", long.encode())
    agent.ch_reply_add(reply, b', "%s": %d}\n', ffi.new("char[]", b"x" * 5_000), ffi.cast("int", 1))
    *answer, last = ffi.buffer(reply.text, reply.bytes)[:].decode().splitlines()
    assert reply.bytes > 40 << 20
    assert json.loads(last) == {"long": long, "x" * 5_000: 1}
    assert [json.loads(line)["line"] for line in answer] == lines


def test_an_answer_that_is_too_large_is_an_error_and_stays_one(agent: Any, reply: Any) -> None:
    agent.ch_reply_text(reply, b'{"line": "begun"}\n')
    agent.ch_reply_add(reply, b'{"line": "%*d"', ffi.cast("int", 300 << 20), ffi.cast("int", 1))
    agent.ch_reply_text(reply, b"}\n")
    answer = ffi.buffer(reply.text, reply.bytes)[:].splitlines()
    assert [json.loads(line) for line in answer] == [{"error": "the answer is larger than 256 MB"}]


# ---- globs

pieces = st.lists(st.sampled_from(["a", "b", "ab", ".", "*", "**", "**.", "$"]), min_size=1, max_size=7).map("".join)
globs = pieces.filter(lambda glob: "***" not in glob)
class_names = st.lists(st.sampled_from(["a", "b", "ab", ".", "$"]), min_size=1, max_size=8).map("".join)


@settings(max_examples=1500)
@given(glob=globs, name=class_names)
def test_a_glob_matches_in_c_what_it_matches_in_python(agent: Any, glob: str, name: str) -> None:
    internal = glob.replace(".", "/").encode(), name.replace(".", "/").encode()
    assert agent.ch_glob(*internal) == compile_glob(glob)(name)


# ---- hashes


def siphash(key: tuple[int, int], message: bytes) -> tuple[int, int]:
    """SipHash-1-3 with 128 bits, written from its authors' description."""
    mask = (1 << 64) - 1
    v = [
        key[0] ^ 0x736F6D6570736575,
        key[1] ^ 0x646F72616E646F6D ^ 0xEE,
        key[0] ^ 0x6C7967656E657261,
        key[1] ^ 0x7465646279746573,
    ]

    def turned(x: int, by: int) -> int:
        return (x << by | x >> (64 - by)) & mask

    def sipround() -> None:
        for a, b, by, other in ((0, 1, 13, True), (2, 3, 16, False), (0, 3, 21, False), (2, 1, 17, True)):
            v[a] = (v[a] + v[b]) & mask
            v[b] = turned(v[b], by) ^ v[a]
            if other:
                v[a] = turned(v[a], 32)

    whole = message + bytes(-(len(message) + 1) % 8) + bytes((len(message) & 0xFF,))
    for at in range(0, len(whole), 8):
        word = int.from_bytes(whole[at : at + 8], "little")
        v[3] ^= word
        sipround()
        v[0] ^= word
    found = []
    for which, mark in ((2, 0xEE), (1, 0xDD)):
        v[which] ^= mark
        for _ in range(3):
            sipround()
        found.append(v[0] ^ v[1] ^ v[2] ^ v[3])
    return found[0], found[1]


words = st.integers(0, (1 << 64) - 1)


@given(key=st.tuples(words, words), seed=st.tuples(words, words), data=st.binary(max_size=50))
def test_the_hash_is_siphash(agent: Any, key: tuple[int, int], seed: tuple[int, int], data: bytes) -> None:
    agent.ch_hash_use({"high": key[0], "low": key[1]})
    found = agent.ch_hash({"high": seed[0], "low": seed[1]}, data, len(data))
    message = seed[0].to_bytes(8, "little") + seed[1].to_bytes(8, "little") + data
    assert (found.high, found.low) == siphash(key, message)


# ---- names of classes


def name_of(agent: Any, data: bytes) -> bytes | None:
    found = agent.ch_class_name(data, len(data))
    if found == ffi.NULL:
        return None
    name: bytes = ffi.string(found)
    agent.free(found)
    return name


def test_a_class_says_its_name(agent: Any) -> None:
    for data in jdk_classes():
        assert name_of(agent, data) == ClassFile.parse(data).name.encode()


def test_of_a_class_that_is_cut_off_it_says_the_same_or_nothing(agent: Any) -> None:
    data = Builder().build()
    assert {name_of(agent, data[:n]) for n in range(len(data))} == {None, name_of(agent, data)}


@given(at=st.integers(0, 60), byte=st.integers(0, 255))
def test_of_a_damaged_class_it_says_something_or_nothing(agent: Any, at: int, byte: int) -> None:
    data = bytearray(Builder().build())
    data[at % len(data)] = byte
    name_of(agent, bytes(data))


# ---- supertypes


def supertypes_of(agent: Any, data: bytes) -> list[str] | None:
    found: list[str] = []

    @ffi.callback("bool(void *, const char *)")
    def each(context: Any, name: Any) -> bool:
        found.append(ffi.string(name).decode("utf-8", "replace"))
        return True

    return found if agent.ch_class_supertypes(data, len(data), each, ffi.NULL) else None


def test_a_class_says_its_supertypes(agent: Any) -> None:
    for data in jdk_classes():
        cf = ClassFile.parse(data)
        assert supertypes_of(agent, data) == [*filter(None, [cf.super_name]), *cf.interface_names]


def test_a_damaged_class_says_some_supertypes_or_none(agent: Any) -> None:
    data = Builder().build()
    for n in range(len(data)):
        assert supertypes_of(agent, data[:n]) in (None, supertypes_of(agent, data))
        supertypes_of(agent, data[:n] + b"\xff" + data[n + 1 :])


name_lists = st.lists(st.text("abc/$", min_size=1, max_size=4), max_size=6)


def number_of(agent: Any, names: list[str]) -> int:
    text = "".join(f"{name}\0" for name in sorted(set(names))).encode()
    number: int = agent.ch_names_number(text, len(text))
    return number


@given(name_lists, name_lists)
def test_sets_of_names(agent: Any, one: list[str], other: list[str]) -> None:
    both = agent.ch_names_union(number_of(agent, one), number_of(agent, other))
    assert both == number_of(agent, one + other)
    held = agent.ch_names(both)
    assert ffi.buffer(held.text, held.bytes)[:] == "".join(f"{name}\0" for name in sorted({*one, *other})).encode()


def test_threads_get_the_same_numbers(agent: Any) -> None:
    """cffi releases the GIL, so the calls overlap; `python -m tools.sanitize thread` looks for races here."""
    texts = [b"shared/Name%d\0" % n for n in range(600)]

    def work(_: int) -> list[int]:
        numbers = []
        for n, text in enumerate(texts):
            key = {"high": 0xA5A5A5A5A5A5A5A5, "low": n}  # which no other test has
            numbers.append(agent.ch_names_number(text, len(text)))
            held = agent.ch_names(numbers[-1])
            assert ffi.buffer(held.text, held.bytes)[:] == text
            agent.ch_pending_note(key, 5, True)
            agent.ch_pending_take(key, ffi.new("struct ch_pending *"))
            agent.ch_copies_find(key)
            agent.ch_copies_add(key, n)
        return numbers

    with ThreadPoolExecutor(4) as pool:
        found = [*pool.map(work, range(4))]
    assert all(numbers == found[0] for numbers in found)
    assert len(set(found[0])) == len(texts)


def test_what_was_expected_of_a_class_that_threads_define_at_once(agent: Any) -> None:
    key, found = {"high": 7, "low": 7}, ffi.new("struct ch_pending *", {"expected": 1})
    assert [agent.ch_pending_note(key, expected, True) for expected in (5, 5)] == [5, 5]
    agent.ch_pending_take(key, found)
    assert found.expected == 5
    assert [agent.ch_pending_note(key, expected, True) for expected in (5, 6)] == [5, 6]
    agent.ch_pending_take(key, found)
    assert found.expected == 0, "either may be the class that was defined"
    found.expected = 1
    agent.ch_pending_take(key, found)
    assert found.expected == 1, "it is forgotten"


# ---- classes woven earlier


def test_a_copy_is_dropped_unless_others_have_it(agent: Any) -> None:
    alone, shared = {"high": 1, "low": 99}, {"high": 2, "low": 99}
    agent.ch_copies_add(alone, 1)
    agent.ch_copies_add(shared, 2)
    assert agent.ch_copies_find(shared) == 2
    assert [agent.ch_copies_drop(key) for key in (alone, shared)] == [True, False]
    assert [agent.ch_copies_find(key) for key in (alone, shared)] == [NONE, 2]


@given(st.lists(st.tuples(words, words), unique=True, max_size=40))
def test_copies_are_found_again(agent: Any, keys: list[tuple[int, int]]) -> None:
    before = {key: agent.ch_copies_find(dict(zip(("high", "low"), key, strict=True))) for key in keys}
    for n, (high, low) in enumerate(keys):
        agent.ch_copies_add({"high": high, "low": low}, n)
    assert [agent.ch_copies_find({"high": high, "low": low}) for high, low in keys] == [*range(len(keys))]
    assert set(before.values()) <= {NONE, *range(40)}


def test_the_cache_gives_back_what_it_was_given(agent: Any, tmp_path: Path) -> None:
    """Many records of all sizes, with keys that collide in the table."""
    agent.ch_cache_open(str(tmp_path / "cache").encode(), {"high": 1, "low": 2}, no_error())
    (pack,) = (tmp_path / "cache").glob("*")
    assert pack.stat().st_mode & 0o777 == 0o600
    given_ = {}
    for n in range(700):
        key = {"high": n, "low": 1024 * n}
        body, meta = bytes([n & 0xFF]) * (n * 7), b"C\tn%d\t" % n
        memory = [ffi.from_buffer("unsigned char[]", body), ffi.new("char[]", meta)]
        woven = {
            "status": 1,
            "bytes": memory[0],
            "length": len(body),
            "slots": n,
            "integers": n,
            "meta": memory[1],
            "meta_bytes": len(meta),
        }
        agent.ch_cache_add(key, b"a/B%d" % n, 100 + n, ffi.new("struct ch_woven *", woven), False)
        given_[n] = (key, body, meta)
    out = ffi.new("struct ch_woven *")
    for n, (key, body, meta) in given_.items():
        assert agent.ch_pack_find(key).at
        assert agent.ch_cache_find(key, b"a/B%d" % n, 100 + n, out)
        assert (ffi.buffer(out.bytes, out.length)[:], ffi.buffer(out.meta, out.meta_bytes)[:], out.slots) == (
            body,
            meta,
            n,
        )
        assert not agent.ch_cache_find(key, b"a/B%d" % n, 101 + n, out), "a class of another length"
        assert not agent.ch_cache_find(key, b"a/C%d" % n, 100 + n, out), "a class of another name"
    assert not agent.ch_pack_find({"high": 1, "low": 1}).at


# ---- packs

MOST_BYTES = 256 << 20  # of a pack
LARGEST = MOST_BYTES // 16  # a record must be smaller


@pytest.fixture
def pack(agent: Any, tmp_path: Path) -> Path:
    """An empty pack, which is open."""
    path = tmp_path / "one.pack"
    assert agent.ch_pack_open(str(path).encode(), ffi.new("struct ch_key *"), no_error())
    return path


def add(agent: Any, number: int, record: bytes) -> None:
    entry = ffi.new(
        "struct ch_packed *", {"key": {"high": number, "low": number}, "bytes": len(record)}
    )  # the rest is 0
    agent.ch_pack_add(entry[0], ffi.from_buffer(record), False)


def found(agent: Any, number: int) -> bytes | None:
    """The record with this number; None if there is none, or if it cannot be read."""
    entry = agent.ch_pack_find({"high": number, "low": number})
    record = ffi.new("char[]", entry.bytes)
    return ffi.buffer(record)[:] if entry.at and agent.ch_pack_read(ffi.addressof(entry), record) else None


def opened_again(agent: Any, path: Path) -> Path:
    """The pack, opened as by the next JVM."""
    assert agent.ch_pack_open(str(path).encode(), ffi.new("struct ch_key *"), no_error())
    return path


def test_a_record_is_smaller_than_the_largest(agent: Any, pack: Path) -> None:
    sizes = {10_001: LARGEST - 1, 10_002: LARGEST, 10_003: LARGEST + 1, 10_004: 5}
    for number, size in sizes.items():
        add(agent, number, bytes(size))
    assert {number: len(found(agent, number) or b"") for number in sizes} == sizes | {10_002: 0, 10_003: 0}
    assert pack.stat().st_size < LARGEST + (1 << 20)


def test_a_full_pack_takes_no_more_and_is_replaced_by_the_next(agent: Any, pack: Path) -> None:
    add(agent, 20_001, b"before")
    with pack.open("r+b") as file:  # sparse
        file.truncate(MOST_BYTES - 6000)
    add(agent, 20_002, b"too much")
    assert not agent.ch_pack_is_open()
    assert (found(agent, 20_001), found(agent, 20_002)) == (b"before", None)
    assert pack.stat().st_size == MOST_BYTES - 6000
    opened_again(agent, pack)
    assert agent.ch_pack_is_open()
    assert pack.stat().st_size < 1 << 20
    add(agent, 20_002, b"now")
    assert (found(agent, 20_001), found(agent, 20_002)) == (None, b"now")


def test_of_a_truncated_pack_only_what_is_gone_is_missing(agent: Any, pack: Path) -> None:
    add(agent, 30_001, b"one" * 100)
    size = pack.stat().st_size
    add(agent, 30_002, b"two" * 100)
    with pack.open("r+b") as file:
        file.truncate(size + 10)
    assert (found(agent, 30_001), found(agent, 30_002)) == (b"one" * 100, None)
    opened_again(agent, pack)  # its index leads beyond the end: it is replaced
    assert (found(agent, 30_001), found(agent, 30_002)) == (None, None)
    add(agent, 30_002, b"again")
    assert found(agent, 30_002) == b"again"


@pytest.mark.parametrize("size", [0, 1, 31, 32, 100])
def test_a_pack_without_its_index_starts_afresh(agent: Any, pack: Path, size: int) -> None:
    number = 40_000 + size
    add(agent, number, b"gone")
    with pack.open("r+b") as file:
        file.truncate(size)
    add(agent, number, b"lost")
    assert not agent.ch_pack_is_open()
    opened_again(agent, pack)
    add(agent, number, b"kept")
    assert found(agent, number) == b"kept"


# ---- histograms


@given(st.integers(0, 51).flatmap(lambda bits: st.integers(0, (1 << bits + 1) - 1)))
def test_a_time_is_near_the_middle_of_the_step_that_counts_it(agent: Any, ticks: int) -> None:
    step = ffi.new("uint32_t *")
    octave = agent.ch_octave(ticks, step)
    assert octave < lib.CH_OCTAVES
    assert step[0] < lib.CH_OCTAVE_STEPS
    assert abs(middle_of(octave, step[0]) - ticks) <= ticks / 64


# ---- the data file


def test_the_data_file_holds_what_is_put_into_its_regions(
    agent: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More regions than the first part of the directory has room for; each has a number at both ends, and a hole
    between."""
    monkeypatch.setenv("CLASSHOOK_NO_TMPFS", "1")
    assert agent.ch_store_open(str(tmp_path).encode(), True, no_error())
    regions = [ffi.new("struct ch_region *") for _ in range(1200)]
    size = 1 << 20
    for block, region in enumerate(regions):
        assert agent.ch_region_open(region, lib.CH_RECORDS, block, size, 0)
        assert region.bytes == size
        ffi.buffer(region.base, 8)[:] = block.to_bytes(8, "little")
        ffi.buffer(region.base + size - 8, 8)[:] = (~block & 0xFFFFFFFF).to_bytes(8, "little")
    (path,) = tmp_path.glob("*.classhook")
    assert path.stat().st_blocks * 512 < 40 << 20 < path.stat().st_size
    file = read_file(path)
    assert file.running
    assert file.notes == []
    for block in range(len(regions)):
        region = file.regions[lib.CH_RECORDS, block]
        assert region.whole(0, 8) == block.to_bytes(8, "little")
        assert region.whole(size - 8, 8) == (~block & 0xFFFFFFFF).to_bytes(8, "little")


# ---- moments


def test_the_longest_moments_of_each_kind_are_kept(agent: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLASSHOOK_NO_TMPFS", "1")
    assert agent.ch_store_open(str(tmp_path).encode(), True, no_error())
    agent.ch_moment_table_open()
    (path,) = tmp_path.glob("*.classhook")
    chance, wait = random.Random(7), lib.CH_MOMENT_WAIT
    given = [chance.randrange(1, 50_000) for _ in range(3 * lib.CH_MOMENTS_MOST)]  # many are equal

    def kept(kind: int) -> moments.Moments:
        process = Process(1, "", "", "", 0, 0, "", "", 0, 0, 0, 0)
        moments.add(process, read_file(path), {kind: ("x", lambda raw: moments.Moment("x", raw.began_ns, raw.took_ns))})
        (found,) = moments.MOMENTS.get(process)
        return found

    for number, ns in enumerate(given):
        agent.ch_moment_add(wait, 1000 + number, ns, number, 5)
    agent.ch_moment_add(lib.CH_MOMENT_PAUSE, 3, 9, 0, 0)
    found, longest = kept(wait), sorted(given)[-lib.CH_MOMENTS_MOST :]
    assert (found.count, found.total_ns, found.longest_ns) == (len(given), sum(given), max(given))
    assert sorted(raw.took_ns for raw in found.kept) == longest
    assert all(raw == (given[raw.about], 1000 + raw.about, raw.about + 1, raw.about, 5) for raw in found.kept)
    assert (found.shorter, found.shorter_ns) == (len(given) - lib.CH_MOMENTS_MOST, sum(given) - sum(longest))
    assert [agent.ch_moment_lasts(wait, ns) for ns in (longest[0], longest[0] + 1)] == [False, True]
    assert kept(lib.CH_MOMENT_PAUSE).kept == [(9, 3, 1, 0, 0)]
    causes = [ffi.NULL, b"System.gc()", b"Allocation Failure", b"System.gc()", *(str(i).encode() for i in range(40))]
    assert [agent.ch_moment_cause(text) for text in causes] == [0, 1, 2, 1, *range(3, 33), *[0] * 10]
    measures = ffi.new("struct ch_measure *[]", [ffi.addressof(agent, "ch_measure_moments"), ffi.NULL])
    agent.ch_measures_are(measures)
    agent.ch_measures_anew(ffi.NULL)
    agent.ch_moment_add(wait, 1, 1, 0, 0)
    assert kept(wait).kept == [(1, 1, len(given) + 1, 0, 0)]
    assert kept(wait).count == len(given) + 1


# ---- which program runs

SUREFIRE = "/home/ci/build-17/target/surefire/surefirebooter-20261122140312345_3.jar"
COMMANDS = [
    ("com.acme.Main", "com.acme.Main"),
    (
        "com.acme.Main2 300 --threads=8 -n300",
        "com.acme.Main2 300 --threads=8 -n300",
    ),  # another workload is another program
    ("com.acme.app/com.acme.Main serve", "com.acme.app/com.acme.Main serve"),
    ("/opt/acme/app-1.2.3-SNAPSHOT.jar --port 8080", "app.jar --port 8080"),
    ("app-1.2.4-RC2-exec.jar", "app-exec.jar"),
    ("app-1.0-20261122.140312-4.jar", "app.jar"),
    ("app_v2.1+9f3c2ab.jar", "app.jar"),
    ("spring-core-6.1.0.RELEASE.jar", "spring-core.jar"),
    ("h2-2.2.224.jar -tcp", "h.jar -tcp"),
    ("/opt/my programs/app-1.jar run", "app.jar run"),
    ("17.jar", ".jar"),
    (
        (
            f"{SUREFIRE} /home/ci/build-17/target/surefire 2026-11-22T14-03-12_345-jvmRun1"
            " surefire-20261122140312345_1tmp surefire_0-2026_2tmp"
        ),
        "surefirebooter.jar /home/ci/build-/target/surefire --T--_-jvmRun surefire-_tmp surefire_-_tmp",
    ),
    (
        "/w/target/surefire/surefirebooter7261830495.jar /w/target/surefire surefire123tmp",
        "surefirebooter.jar /w/target/surefire surefiretmp",
    ),
    (
        "worker.org.gradle.process.internal.worker.GradleWorkerMain 'Gradle Test Executor 12'",
        "worker.org.gradle.process.internal.worker.GradleWorkerMain 'Gradle Test Executor '",
    ),
    ("sbt.ForkMain 41233", "sbt.ForkMain "),
    ("org.openjdk.jmh.runner.ForkedMain 127.0.0.1 38217", "org.openjdk.jmh.runner.ForkedMain ... "),
    (
        "junit-platform-console-standalone-1.13.4.jar execute --reports-dir /w/42/reports",
        "junit-platform-console-standalone.jar execute --reports-dir /w//reports",
    ),
    ("p.Main --out=/tmp/tmp.aB3xYz/out /tmp/tmp.q1:/var/tmp/x rest", "p.Main --out=/tmp/ /tmp/:/var/tmp/ rest"),
    ("p.Main --at 2026-11-22T14:03:12.345 --since=1732284192 log-20261122.txt", "p.Main --at # --since=# log-#.txt"),
    ("p.Main 123e4567-e89b-42d3-a456-426614174000 100000000 1.2.3", "p.Main # 100000000 1.2.3"),
    ("", ""),
]


@pytest.mark.parametrize(("command", "program"), COMMANDS, ids=lambda text: text[:40])
def test_a_program_has_the_same_name_in_each_run(agent: Any, command: str, program: str) -> None:
    to = ffi.new("char[1024]")
    agent.ch_program(command.encode(), to, len(to))
    assert ffi.string(to).decode() == program


@given(st.text(max_size=200), st.integers(1, 300))
def test_any_command_has_a_name_that_fits(agent: Any, command: str, room: int) -> None:
    to = ffi.new("char[]", b"\xff" * room)
    agent.ch_program(command.replace("\0", "").encode(), to, room)
    assert b"\0" in bytes(ffi.buffer(to))[:room]

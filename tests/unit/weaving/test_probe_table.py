"""The probe table: what was written is read back by Python and by C, whatever the names; what is damaged is refused;
what is made from the list of records is as it is made now."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from cffi import FFI
from hypothesis import given, settings
from hypothesis import strategies as st

from classhook.measures import BY_KIND
from classhook.native._slots import CH_PROBE_TABLE_FORMAT
from classhook.native.building import build, header
from classhook.native.building.probe_records import c_source, python_source
from classhook.native.building.probe_records import table as listed
from classhook.probes.probe_table import HEAD, decode, encode
from classhook.probes.records import (
    FLAG,
    NUMBER,
    NUMBERS,
    OF_EACH,
    PROBE,
    PROBES,
    RECORDS,
    TEXT,
    ProbeRecord,
    Record,
    SkipRecord,
)
from classhook.rules.escapes import escape, unescape
from tools import probe_page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from classhook.probes.records import Fields

ROOT = Path(__file__).parents[3]
READER = ROOT / "native" / "table"
#: Includes characters that end a field or line, backslashes, NUL, and lone surrogates, which modified UTF-8 may
#: contain.
names = st.text(st.one_of(st.sampled_from("\t\n\r\\tnr\0\x1b\u2028\udc00\ud800é"), st.characters()), max_size=20)
numbers = st.integers(0, 2**31 - 1)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    TEXT: names,
    NUMBER: numbers,
    FLAG: st.booleans(),
    NUMBERS: st.lists(numbers, max_size=3).map(tuple),
}


def fields_of(kind: str) -> list[tuple[str, str]]:
    """The fields of a record with this first word, or of a probe of this kind, and their types."""
    return [*(PROBES if kind in PROBES else RECORDS)[kind].fields]


def further_of(kind: str) -> Fields:
    """The fields of a probe of this kind that follow those of each probe."""
    return PROBES[kind].fields[OF_EACH:] if kind in PROBES else ()


def records_of(kind: str) -> st.SearchStrategy[Record]:
    make: Callable[..., Record] = (PROBES if kind in PROBES else RECORDS)[kind]
    fields = fields_of(kind)
    values = [VALUES[type_] for _, type_ in fields]
    if kind in PROBES:
        values[0] = st.just(kind)
    elif kind == PROBE:
        values[0] = st.sampled_from(["time", "count", "time-tree"])
    elif kind == "original":
        values[0] = st.binary(min_size=32, max_size=32).map(bytes.hex)
    return st.tuples(*values).map(lambda all_: make(*all_))


KINDS = [*RECORDS, *PROBES]
tables = st.lists(st.sampled_from(KINDS).flatmap(records_of), max_size=6)


@settings(max_examples=50)
@given(tables)
def test_a_table_is_read_as_it_was_written(table: list[Record]) -> None:
    assert list(decode(encode(table))) == table


@given(names)
def test_escape_leaves_nothing_that_ends_a_field(name: str) -> None:
    escaped = escape(name)
    assert not {"\t", "\n", "\r"} & set(escaped)
    assert unescape(escaped) == name


def test_the_text_of_a_table() -> None:
    table = [ProbeRecord("time", 3, 0, "a\tb", "()V"), SkipRecord("", "", "why", "x\\y")]
    assert (
        encode(table)
        == b"probe-table\t%d\nprobe\ttime\t3\t0\ta\\tb\t()V\nskip\t\t\twhy\tx\\\\y" % CH_PROBE_TABLE_FORMAT
    )


def test_a_stray_backslash_stays() -> None:
    assert unescape("a\\b\\") == "a\\b\\"
    assert unescape("\\\\t") == "\\t"


DAMAGED = [
    "probe-table\t0",
    "probe-table",
    "",
    "class\ta\t",
    f"{HEAD}\t1",
    f"{HEAD}\n",
    f"{HEAD}\nquestion\t1",
    f"{HEAD}\nclass\ta",
    f"{HEAD}\nclass\ta\tb\tc",
    f"{HEAD}\nalike\t",
    f"{HEAD}\nrule\t0\t",
    f"{HEAD}\nrule\tx\t1",
    f"{HEAD}\nrule\t0\t99999999999999999999",
    f"{HEAD}\nprobe\ttime\t0\t0\tm",
    f"{HEAD}\nprobe\ttime-sample\t0\t0\tm\t()V",
    f"{HEAD}\nprobe\ttime-sample\t0\t0\tm\t()V\t1\t2",
    f"{HEAD}\nprobe\tevent\t0\t0\tm\t()V\t1",
    f"{HEAD}\nprobe\twatch\t0\t0\tm\t()V\tx\t0\t0\t0\t0\t0\t7\t\t\t",
]


@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_table_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        list(decode(text.encode()))


# ---- the reader in C

DECLARATIONS = """
struct ch_probe_table { const char *at, *end; bool damaged; };
struct ch_probe_table ch_probe_table_of(const char *text, size_t bytes);
bool ch_probe_table_next(struct ch_probe_table *t, struct ch_line *out);
bool ch_probe_table_is_valid(const char *text, size_t bytes);
char *ch_text_copy(struct ch_text text);
bool ch_text_number(struct ch_text *list, uint32_t *number);
struct ch_probe_table_writer { char *to; size_t room, bytes; bool full; };
struct ch_probe_table_writer ch_probe_table_begin(char *to, size_t room);
void ch_probe_table_write(struct ch_probe_table_writer *w, const struct ch_line *r);
void free(void *);
void *mmap(void *at, size_t bytes, int protection, int flags, int file, long offset);
int mprotect(void *at, size_t bytes, int protection);
"""


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> tuple[FFI, Any]:
    """The reader alone, as a library."""
    target = tmp_path_factory.mktemp("reader") / "libtable.so"
    made = target.with_name("probe_records.h")
    made.write_text(c_source.header())
    subprocess.run(
        [
            build.compiler(),
            "-std=c11",
            "-D_GNU_SOURCE",
            "-O1",
            "-g",
            "-fPIC",
            "-shared",
            f"-I{target.parent}",
            READER / "probe_table.c",
            "-o",
            target,
        ],
        check=True,
    )
    ffi = FFI()
    (texts,) = re.findall(
        r"struct ch_text \{.*?(?=^struct ch_probe_table \{)", header.text(READER / "probe_table.h"), re.S | re.M
    )
    records = made.read_text().partition("#define")[0].replace("} class;", "} class_;")
    ffi.cdef(texts + records + DECLARATIONS)
    return ffi, ffi.dlopen(str(target))


class AtTheEnd:
    """Texts that end where no memory is: to read further kills the process."""

    PAGES = 64 * 4096

    def __init__(self, ffi: FFI, lib: Any) -> None:
        self.ffi = ffi
        both = lib.mmap(ffi.NULL, self.PAGES + 4096, 3, 0x22, -1, 0)
        assert lib.mprotect(ffi.cast("char *", both) + self.PAGES, 4096, 0) == 0
        self.end = ffi.cast("char *", both) + self.PAGES

    def put(self, text: bytes) -> Any:
        self.ffi.memmove(self.end - len(text), text, len(text))
        return self.end - len(text)


def read_in_c(reader: tuple[FFI, Any], text: bytes) -> list[Any] | None:
    """The records as C reads them; None if the table is damaged."""
    ffi, lib = reader
    table = ffi.new("struct ch_probe_table *", lib.ch_probe_table_of(AtTheEnd(ffi, lib).put(text), len(text)))
    found = [ffi.new("struct ch_line *")]
    while lib.ch_probe_table_next(table, found[-1]):
        found.append(ffi.new("struct ch_line *"))
    return None if table.damaged else found[:-1]


@pytest.mark.parametrize("text", [text for text in DAMAGED if text])
def test_c_refuses_a_damaged_table(reader: tuple[FFI, Any], text: str) -> None:
    assert read_in_c(reader, text.encode()) is None


#: The paths to the fields in C, by the words of records and kinds; the kind of a probe is an enum.
PATHS = {
    record.word: [f"{record.word.replace('-', '_')}.{field.name}" for field in record.fields if field.name != "kind"]
    for record in listed.RECORDS
} | {
    kind.word: [f"probe.{kind.shape.group}.{field.name}" for field in kind.shape.further]
    for kind in listed.KINDS
    if kind.by_agent
}


def at(line: Any, path: str) -> Any:
    for name in path.split("."):
        line = getattr(line, "class_" if name == "class" else name)
    return line


def python_value(reader: tuple[FFI, Any], value: Any, type_: str) -> Any:
    ffi, lib = reader
    if type_ not in (TEXT, NUMBERS):
        return value
    if ffi.typeof(value) is ffi.typeof("struct ch_sha256"):
        return bytes(value.bytes).hex()
    if type_ == TEXT:
        copy = lib.ch_text_copy(value)
        text = unescape(ffi.buffer(value.at, value.bytes)[:].decode("utf-8", "surrogatepass"))
        assert ffi.string(copy) == text.encode("utf-8", "surrogatepass").partition(b"\0")[0]
        lib.free(copy)
        return text
    found, rest, number = [], ffi.new("struct ch_text *", value), ffi.new("uint32_t *")
    while lib.ch_text_number(rest, number):
        found.append(number[0])
    return tuple(found)


@settings(max_examples=40)
@given(data=st.data())
def test_c_reads_what_python_wrote(reader: tuple[FFI, Any], data: st.DataObject) -> None:
    drawn = data.draw(tables)
    found = read_in_c(reader, encode(drawn))
    assert found is not None
    assert len(found) == len(drawn)
    for line, record in zip(found, drawn, strict=True):
        kind, *words = record.words()
        paths, types = PATHS[str(kind)], [type_ for _, type_ in fields_of(str(kind))]
        if kind == PROBE:
            assert isinstance(record, ProbeRecord)
            paths = [*paths, *PATHS.get(record.kind, [])]
            words, types = words[1:], [*types[1:], *[type_ for _, type_ in further_of(record.kind)]]
        for path, word, type_ in zip(paths, words, types, strict=False):
            assert python_value(reader, at(line, path), type_) == word


@given(names, names)
def test_python_reads_what_c_wrote(reader: tuple[FFI, Any], reason: str, detail: str) -> None:
    ffi, lib = reader
    room, kept = ffi.new("char[300]"), [text.encode("utf-8", "surrogatepass") for text in (reason, detail)]
    texts = [ffi.from_buffer("char[]", text) for text in kept]
    skip = ffi.new("struct ch_line *", {"kind": lib.CH_LINE_SKIP})
    skip.skip.reason, skip.skip.detail = ([text, len(one)] for text, one in zip(texts, kept, strict=True))
    writer = ffi.new("struct ch_probe_table_writer *", lib.ch_probe_table_begin(room, 300))
    lib.ch_probe_table_write(writer, skip)
    assert not writer.full
    assert list(decode(ffi.buffer(room, writer.bytes)[:])) == [SkipRecord("", "", reason, detail)]
    small = ffi.new("struct ch_probe_table_writer *", lib.ch_probe_table_begin(room, 20))
    lib.ch_probe_table_write(small, skip)
    assert small.full
    assert list(decode(ffi.buffer(room, small.bytes)[:])) == []


def test_any_damage_ends_in_an_error_and_not_beyond_the_table(reader: tuple[FFI, Any]) -> None:
    ffi, lib = reader
    rnd = Random(7)
    end = AtTheEnd(ffi, lib)
    line = ffi.new("struct ch_line *")
    words = [
        b"",
        b"-1",
        b"99999999999999999999",
        b"\xff",
        b"\\",
        b"\t",
        b"\n",
        b"probe",
        b"watch",
        b"object",
        b"class",
        b"alike",
        HEAD.encode(),
    ]
    examples = [encode([_example(kind) for kind in rnd.sample(KINDS, 6)]) for _ in range(50)]
    for _ in range(5000):
        text = bytearray(rnd.choice(examples))
        for _ in range(rnd.randrange(4)):
            place = rnd.randrange(len(text) + 1)
            text[place : place + rnd.randrange(4)] = rnd.choice([rnd.randbytes(1), *words])
        made = bytes(text[: rnd.randrange(len(text) + 1)] if rnd.randrange(3) == 0 else text)
        table = ffi.new("struct ch_probe_table *", lib.ch_probe_table_of(end.put(made), len(made)))
        read = 0
        while lib.ch_probe_table_next(table, line):
            read += 1
        assert read <= made.count(b"\n")
        assert lib.ch_probe_table_is_valid(end.put(made), len(made)) == (not table.damaged)
        with suppress(ValueError):
            list(decode(made))


def _example(kind: str) -> Record:
    make: Callable[..., Record] = (PROBES if kind in PROBES else RECORDS)[kind]
    values: dict[str, Any] = {TEXT: "a.B", NUMBER: 7, FLAG: True, NUMBERS: (1, 2)}
    given_ = [values[type_] for _, type_ in fields_of(kind)]
    if kind in PROBES or kind == PROBE:
        given_[0] = "time" if kind == PROBE else kind
    return make(*(["0" * 64, 9] if kind == "original" else given_))


# ---- what is made of the list


def test_the_classes_are_made_of_the_list() -> None:
    file = ROOT / "instrument" / build.RECORDS
    assert file.read_text() == python_source.source(), "python -m classhook.native.building"


def test_the_page_is_made_of_the_list() -> None:
    text = probe_page.PAGE.read_text()
    assert text == probe_page.page(), "python -m tools.generated"
    assert f"format {CH_PROBE_TABLE_FORMAT}" in text


def test_the_list_has_the_kinds_of_all_measures() -> None:
    assert {kind.word for kind in listed.KINDS} == BY_KIND.keys()

"""Data files to damage: made up, or of JVMs that have ended, are running or were killed; in one file, in two, in many
pieces."""

from __future__ import annotations

from pathlib import Path
from struct import pack

from classhook.native._layout import ffi
from classhook.probes import probe_table
from classhook.probes.records import ClassRecord, PacedRecord, ProbeRecord, Record, RuleRecord, SiteRecord, SkipRecord
from classhook.rules.compiled import dumps
from classhook.rules.parse import load
from classhook.store.compact import compact
from classhook.store.layout import lib
from classhook.store.opening import second
from classhook.store.reading import read_file
from classhook.store.region import Region
from tools.fuzz.data_layout import NAME, copied, packed, peek, places, poke, written
from tools.fuzz.program import Program

RULES = [
    "time a.Timed::*",
    "time a.Paced::* sample 1/8",
    "alloc * in a.Sites",
    "count a.Counted*::*",
    "count a.Gone::*",
    "cpu",
]
TIMED, PACED, SITES, COUNTED = (
    range(40),
    range(40, 240, lib.CH_PACED_SLOTS),
    range(240, 320, 2),
    range(320, 920),
)  # first slots of their probes
IN_A_CLASS = 200  # counted methods
SAMPLED = 20  # methods
THREADS = 3


def new(folder: Path, name: str) -> Path:
    """The path for the data file of this name: all files have the same name, each in its own folder."""
    (folder / name).mkdir(parents=True)
    return folder / name / NAME


def made_up(folder: Path) -> list[Path]:
    """The same in each run: whole, in two files, in many pieces."""
    whole, in_two, in_many = (
        new(folder, name) for name in ("made-up", "made-up-in-two-files", "made-up-in-many-pieces")
    )
    example(whole)
    in_two_files(whole, in_two)
    in_many_pieces(whole, in_many)
    return [whole, in_two, in_many]


# ---- made up


def example(path: Path) -> None:
    """All kinds of probes and descriptions, and blocks of three threads with values in some slots."""
    classes = [
        table("a.Timed", TIMED, 0, "time"),
        table("a.Paced", PACED, 1, "time-sample"),
        table("a.Sites", SITES, 2, "object"),
    ]
    classes += [
        table(f"a.Counted{first}", range(first, first + IN_A_CLASS), 3, "count") for first in COUNTED[::IN_A_CLASS]
    ]
    skipped = probe_table.encode([ClassRecord("a.Left", ""), SkipRecord("m", "()V", "code-too-large", "70000 bytes")])
    metadata = [
        (lib.CH_META_RULES, 0, 0, dumps(load([], RULES)).encode()),
        *classes,
        (lib.CH_META_SKIP, 0, 0, skipped),
        (lib.CH_META_NAMES, 0, 0, b"a/Timed\na/Gome\n"),
        *((lib.CH_META_METHOD, i, 0, b"La/Timed;\0m%d\0()V\0Timed.java" % i) for i in range(SAMPLED)),
    ]
    sizes = pack(f"={COUNTED.stop}Q", *(16 if slot - 1 in SITES else 0 for slot in range(COUNTED.stop)))
    regions = [(lib.CH_SLOTS, 0, 0, sizes), (lib.CH_CPU_TREE, 0, 0, tree()), (lib.CH_EXACT_TREE, 0, 0, contexts())]
    for block in range(1, THREADS + 1):
        slots = [slot + block for slot in range(COUNTED.stop)]
        records = bytes(64)
        for slot in (*TIMED, *PACED):
            slots[slot] = len(records) if slot % (THREADS + 1) != block else 0
            records += record(slot + 2, slot in TIMED, len(records)) if slots[slot] else b""
        regions += [(lib.CH_SLOTS, block, 0, pack(f"={len(slots)}Q", *slots)), (lib.CH_RECORDS, block, 0, records)]
    written(path, regions, COUNTED.stop, metadata, pid=2)


def table(name: str, slots: range, rule: int, kind: str) -> tuple[int, int, int, bytes]:
    """The description of a class with a probe of this kind at each of these slots."""
    records: list[Record] = [ClassRecord(name, "A.java"), RuleRecord(rule, len(slots))]
    for slot in range(0, len(slots) * slots.step, slots.step):
        match kind:
            case "object":
                records.append(SiteRecord(kind, slot, rule, "m", "()V", slot, slot, (), "a.T"))
            case "time-sample":
                records.append(PacedRecord(kind, slot, rule, f"m{slot}", "(I)V", 8))
            case _:
                records.append(ProbeRecord(kind, slot, rule, f"m{slot}", "(I)V"))
    return lib.CH_META_CLASS, slots.start, len(slots) * slots.step, probe_table.encode(records)


def tree() -> bytes:
    """Paths of sampled methods; each is called by the one whose node has half the number."""
    nodes = [(i // 2, i % SAMPLED, 1000 * i, 2000 * i, 1.0, 4.0) for i in range(4 * SAMPLED)]
    head = ffi.new("struct ch_tree *", {"nodes": len(nodes), "period_ns": 10**7, "samples": len(nodes)})
    return bytes(ffi.buffer(head)) + bytes(ffi.buffer(ffi.new("struct ch_node[]", nodes)))


def contexts() -> bytes:
    """Exact trees of two threads, in a chunk each; a path is one call longer than that of the node before it."""
    nodes = []
    for first in (lib.CH_EXACT_TREE_CHUNK, 2 * lib.CH_EXACT_TREE_CHUNK):
        nodes += [
            (0, lib.CH_ROOT, 3, 5, 0, 0, 1),
            (first, lib.CH_DEEPER, 2, 0, 0, 0, 2),
            (first, TIMED.start, 7, 1000, 0, 0, 2),
        ]
        nodes += [(first + i, slot, 5 * i, 100 * i, 0, 0, i + 1) for i, slot in enumerate(TIMED[:40], 2)]
        nodes += [(0,) * 7] * (-len(nodes) % lib.CH_EXACT_TREE_CHUNK)
    head = bytes(
        ffi.buffer(ffi.new("struct ch_exact_tree_head *", {"nodes": 3 * lib.CH_EXACT_TREE_CHUNK, "refused": 1}))
    )
    return head.ljust(lib.CH_EXACT_TREE_CHUNK * ffi.sizeof("struct ch_exact_node"), b"\0") + bytes(
        ffi.buffer(ffi.new("struct ch_exact_node[]", nodes))
    )


def record(calls: int, counts: bool, at: int) -> bytes:
    """A record at this position, followed by its octave; the calls of a paced method are counted elsewhere."""
    fields = {
        "calls": calls * counts,
        "completed": calls,
        "exceptions": calls % 2,
        "total": 9 * calls,
        "callees": 4 * calls,
        "min": 8,
        "max": 15,
    }
    made = ffi.new("struct ch_record *", fields)
    octave_at = -(-ffi.sizeof("struct ch_record") // lib.CH_UNIT) * lib.CH_UNIT
    made.octaves[3] = (at + octave_at) // lib.CH_UNIT
    return bytes(ffi.buffer(made)).ljust(octave_at, b"\0") + pack("=32Q", calls, *[0] * 31)


# ---- recorded


def recorded(program: Program, folder: Path) -> list[Path]:
    """Files of JVMs that have ended, are running or were killed."""
    data = folder / "data"
    assert program.run(data / "ended").status == 3
    (ended,) = (data / "ended").glob("*.classhook")
    made = [new(folder, name) for name in ("ended", "running", "killed", "together", "in-two-files", "in-many-pieces")]
    copied(ended, made[0])
    process = program.start(data / "waiting", words=("wait",))
    assert process.stdout is not None
    process.stdout.readline()
    (waiting,) = (data / "waiting").glob("*.classhook")
    copied(waiting, made[1])
    process.kill()
    process.communicate()
    copied(waiting, made[2])
    made[3].write_bytes(b"".join(compact(read_file(ended))))
    in_two_files(ended, made[4])
    in_many_pieces(ended, made[5])
    return made


# ---- in other layouts


def in_two_files(source: Path, target: Path) -> None:
    """Moves later blocks to the second file, as when a JVM has used its share of tmpfs."""
    copied(source, target)
    end = 0
    with second(target).open("wb") as more:
        for at, entry in places(source).directory:
            if entry.kind in (lib.CH_SLOTS, lib.CH_RECORDS) and entry.block > 0:
                more.seek(end)
                more.write(peek(source, entry.offset, lib.CH_CHUNK))
                poke(target, at, packed(entry._replace(file=1, offset=end)))
                end += entry.bytes
        more.truncate(end)


def in_many_pieces(source: Path, target: Path) -> None:
    """More pieces than one part of the directory has room for."""
    file = read_file(source)
    for key, region in file.regions.items():
        file.regions[key] = Region(
            (first + at, piece[at : at + 256]) for first, piece in region.pieces for at in range(0, len(piece), 256)
        )
    for block in range(1000, 1000 + lib.CH_ENTRIES):
        file.regions[lib.CH_RECORDS, block] = Region([(0, memoryview(bytes(64)))])
    target.write_bytes(b"".join(compact(file)))

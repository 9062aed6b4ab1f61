"""Reads the coverage of classes: the classes that `cover` rules wove, as they were, and the hits of their probes.

1. The probe table of such a class names its class file in the store of originals (originals.py), and for each method
   its level and its slots.
2. The hits of the methods are put in the order of the class file, as instrument/coverage/analysis.py takes them.
3. Hits of one version of a class from several loaders, processes and runs are united. Where they were woven with other
   levels, the coarsest common one is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from classhook.base.names import shortened
from classhook.classfile.code import Code
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.reader import ClassFile
from classhook.coverage.placement import BLOCKS, ENTRY, EXACT, FULL, OUT, STARTS
from classhook.coverage.placing import place
from classhook.coverage.subroutines import flat
from classhook.measures.cover import COUNTED
from classhook.measures.cover.reader_contexts import ByContext, Places, Told
from classhook.model.slots import MOST_IN_A_CLASS, FreeSlots
from classhook.native._layout import lib
from classhook.probes import probe_table
from classhook.probes.records import ClassRecord, CoverRecord, OriginalRecord
from classhook.store.data_file import DataFile
from classhook.store.originals import FOLDER, Originals

Method = tuple[str, str]  # name and descriptor
#: The levels that are woven, the finest first.
COARSENESS = (EXACT, FULL, BLOCKS, STARTS, ENTRY)
NO_CLASSES: Mapping[str, bytes] = {}


@dataclass(slots=True)
class Covered:
    """One version of a class. The hits are of its methods in the order of the class file, as `analyze` takes them.

    name: with dots
    data: the class file as it came to the agent; None: the store lacks it (a note says so), and hits are in the order
    of the methods woven level: of classhook.coverage.placing levels: by the method's place in the class file, as
    Options.levels, where it is another: too large a method has fewer probes; OUT: no
        rule asks for it, or it could not be woven
    hits: of each probe 1 or 0, or how often it was hit if `counts`
    by_context: by the method's place in the class file, what its probes were hit in contexts, if that was asked for
    """

    name: str
    data: bytes | None
    level: int
    levels: dict[int, int]
    hits: bytes | list[int]
    counts: bool
    by_context: Told = field(default_factory=dict)


@dataclass(slots=True)
class Woven:
    """A class's description in one file. `places`: of the methods whose hits contexts tell apart, the level, first slot
    and number of probes."""

    name: str = ""
    hash: str = ""
    size: int = 0
    methods: dict[Method, tuple[int, bytes | list[int]]] = field(default_factory=dict)  # level and hits
    counts: bool = True
    places: dict[Method, tuple[int, int, int]] = field(default_factory=dict)


def covered(
    files: Iterable[DataFile], known: Mapping[str, bytes] = NO_CLASSES, by_context: ByContext | None = None
) -> list[Covered]:
    """All classes of these files that rules `cover`, in the order of their names; notes of what is missing go to the
    files' notes.

    `known`: class files by their SHA-256 in hex, for those that a store lacks, such as classes woven ahead of time;
    `by_context`: filled with what contexts told apart.
    """
    found: dict[tuple[str, str], Woven] = {}
    folders: dict[tuple[str, str], dict[Path, DataFile]] = {}
    own: set[tuple[str, str]] = set()  # that a session has described itself, and not only an earlier one in its JVM
    originals = Originals()

    def original(one: Woven) -> bytes | None:
        """The original class file, from one of the data directories that name it."""
        of_stores = (originals.find(folder, one.hash) for folder in folders[one.name, one.hash])
        return next((data for data in of_stores if data is not None), known.get(one.hash))

    for file in files:
        free = FreeSlots(file.header.slots_used)
        damaged = 0
        places = Places(file.header.slots_used)
        for kind, first_slot, slots, text in file.descriptions():
            if kind != lib.CH_META_CLASS or not _has_original(text):
                continue
            try:
                one = _read(file, free, first_slot, slots, text)
            except (ValueError, IndexError):
                damaged += 1
                continue
            key = (one.name, one.hash)
            if not file.earlier:
                own.add(key)
            folders.setdefault(key, {}).setdefault(file.path.parent, file)
            for method, (level, first, count) in one.places.items():
                places.add(first, count, (key, method, level))
            for method, (level, hits) in one.methods.items():
                if by_context is not None and method not in one.places:
                    by_context.add_untold(key, method, level, bytes(hits))
            found[key] = _united(found[key], one, original(one)) if key in found else one
        if by_context is not None:
            by_context.add(file, places)
        if damaged:
            file.notes.append(f"{file.path}: {damaged} damaged descriptions were ignored, and with them their coverage")
    classes = []
    missing: dict[Path, tuple[DataFile, list[str]]] = {}
    for key, one in sorted(found.items()):
        data = original(one)
        if data is None and key not in own and not any(any(hits) for _, hits in one.methods.values()):
            continue  # loaded and never linked: no later session has looked at it
        if data is None:
            folder, file = next(iter(folders[key].items()))
            missing.setdefault(folder, (file, []))[1].append(one.name)
        classes.append(_in_order(one, data))
        if by_context is not None and data is not None:
            classes[-1].by_context = _told(by_context, key, one, data)
    for folder, (file, names) in missing.items():
        more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
        file.notes.append(
            f"{folder / FOLDER}: the class file of {names[0]}{more} is missing or damaged, so its coverage is "
            "unknown; give the class file that ran with --classes"
        )
    return classes


def _has_original(text: bytes) -> bool:
    """True if the class has probes of coverage, by its probe table; a damaged table says no."""
    try:
        return any(probe_table.decode(text, ("original",)))
    except ValueError:
        return False


def _read(file: DataFile, free: FreeSlots, first_slot: int, slots: int, text: bytes) -> Woven:
    """Reads a class's probe table. Raises ValueError or IndexError if it is damaged."""
    if slots > MOST_IN_A_CLASS:
        raise ValueError(f"too many slots: {slots}")
    free.take(first_slot, slots)
    own = FreeSlots(slots)
    one = Woven()
    for record in probe_table.decode(text):
        match record:
            case ClassRecord():
                one.name = shortened(record.name)
            case OriginalRecord():
                if len(record.sha256) != 64 or not set(record.sha256) <= set("0123456789abcdef"):
                    raise ValueError(record.sha256)
                one.hash, one.size = record.sha256, record.bytes
            case CoverRecord():
                own.take(record.slot, record.probes)
                counted = record.kind == COUNTED
                one.counts &= counted
                at = first_slot + record.slot
                if counted:
                    one.places[record.method, record.descriptor] = record.level, at, record.probes
                hits = file.sums(at, record.probes) if counted else file.covered(at, record.probes)
                if record.level not in COARSENESS:
                    raise ValueError(record.level)
                one.methods[record.method, record.descriptor] = record.level, hits
    return one


def _united(one: Woven, other: Woven, data: bytes | None) -> Woven:
    """The hits of both."""
    counts = one.counts and other.counts
    united = Woven(one.name, one.hash, one.size, dict(one.methods), counts)
    codes: dict[Method, Code] | None = None
    for method, (level, hits) in other.methods.items():
        if method not in one.methods:
            united.methods[method] = level, hits
            continue
        before_level, before = one.methods[method]
        coarse = max(level, before_level, key=COARSENESS.index)
        if level != before_level:
            coarse = ENTRY if coarse == STARTS else coarse  # its probes are at other places
            codes = _codes(data) if codes is None else codes
            if method in codes:
                hits, before = (
                    coarsened(codes[method], *pair, coarse) for pair in ((hits, level), (before, before_level))
                )
        if len(hits) != len(before):  # damaged, or nothing is known of the class
            united.methods[method] = (coarse, hits) if level == coarse else (before_level, before)
            continue
        both = zip(before, hits, strict=True)
        united.methods[method] = (
            coarse,
            [a + b for a, b in both] if counts else bytes([1 if a or b else 0 for a, b in both]),
        )
    return united


def coarsened(code: Code, hits: bytes | list[int], level: int, coarse: int) -> bytes | list[int]:
    """The hits that the probes of `coarse` would have had, given the hits of those of `level`, among which they are,
    except that of ENTRY."""
    if level == coarse:
        return hits
    fine = place(code, level)
    if len(hits) != fine.count:
        return hits
    if coarse == ENTRY:
        return bytes([1 if any(hits) else 0])
    by_place = dict(zip(zip(fine.kinds, fine.pcs, fine.targets, strict=True), hits, strict=True))
    less = place(code, coarse)
    return [by_place[each] for each in zip(less.kinds, less.pcs, less.targets, strict=True)]


def _told(by_context: ByContext, key: tuple[str, str], one: Woven, data: bytes) -> Told:
    """The contexts' hits in the class, by its methods' places in the class file, with the levels that it has now."""
    found: Told = {}
    methods = ClassFile.parse(data).methods if key in by_context.hits else []
    for number, method in enumerate(methods):
        named = method.name, method.descriptor
        for (level, hits), contexts in by_context.hits[key].get(named, {}).items():
            coarse = one.methods[named][0]
            if level != coarse:
                code = _codes(data).get(named)
                hits = bytes(coarsened(code, hits, level, coarse)) if code is not None else hits
            found.setdefault(number, {}).setdefault(hits, set()).update(contexts)
    return found


def _codes(data: bytes | None) -> dict[Method, Code]:
    if data is None:
        return {}
    try:
        cf = ClassFile.parse(data)
        return {
            (one.name, one.descriptor): flat(Code(data, one.code_at, cf.pool), cf.pool)
            for one in cf.methods
            if one.code_at
        }
    except (ClassFormatError, IndexError, KeyError):
        return {}


def _in_order(one: Woven, data: bytes | None) -> Covered:
    """The class with the hits in the order of the class file."""
    order = list(one.methods)
    if data is not None:
        try:
            order = [
                (method.name, method.descriptor) if method.code_at else ("", "")
                for method in ClassFile.parse(data).methods
            ]
        except (ClassFormatError, IndexError, KeyError):
            data = None
    top = EXACT if any(level == EXACT for level, _ in one.methods.values()) else FULL
    levels: dict[int, int] = {}
    hits: list[int] = []
    for number, method in enumerate(order):
        level, own = one.methods.get(method, (OUT, b""))
        hits += own
        if level != top and method[0]:
            levels[number] = level
    if data is None:
        levels = {}
    return Covered(
        one.name, data, top, levels, hits if one.counts else bytes([1 if hit else 0 for hit in hits]), one.counts
    )

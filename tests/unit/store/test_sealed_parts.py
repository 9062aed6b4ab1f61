"""Sealed parts of data files: each counts once, wherever the process ended; what contexts counted is read in one
pass."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from classhook.model.reading.files import read
from classhook.store.baseline import subtract
from classhook.store.compact import compact
from classhook.store.reading import read_file
from classhook.store.region import Region
from classhook.store.sealed_parts import BlockKey, parts_of
from tests.unit.store.made_files import counting_file, part

CONTEXT = 40


def contexts(n: int, probes: int, each: int) -> dict[str, dict[int, int]]:
    chosen = random.Random(n)
    return {
        f"job [{i}]": {slot: chosen.randrange(1, 1 << 40) for slot in chosen.sample(range(probes), each)}
        for i in range(n)
    }


def written(path: Path, probes: int, made: dict[str, dict[int, int]]) -> Path:
    counting_file(
        path, probes, ((name, sorted(one), [one[slot] for slot in sorted(one)]) for name, one in made.items())
    )
    return path


def test_what_contexts_counted_is_told_apart(tmp_path: Path) -> None:
    made = contexts(50, 3000, 20)
    path = written(tmp_path / "x.classhook", 3000, made)
    snapshot = read([path])
    assert snapshot.complete
    assert snapshot.entered == dict.fromkeys(made, 1)
    assert snapshot.each_context is not None
    found = {
        name: {int(key[1][1:]): row.calls for key, row in one.tables["methods"].items()}
        for name, one in snapshot.each_context()
    }
    assert found == {**made, "": {}}
    sums: dict[int, int] = {}
    for one in made.values():
        for slot, value in one.items():
            sums[slot] = sums.get(slot, 0) + value
    assert {int(key[1][1:]): row.calls for key, row in snapshot.tables["methods"].items() if row.calls} == sums


def test_words_of_contexts(tmp_path: Path) -> None:
    made = contexts(5, 1500, 30)
    file = read_file(written(tmp_path / "x.classhook", 1500, made))
    slots = file.context_slots()
    for name, one in made.items():
        words = file.words(slots[name])
        assert dict(zip(words.slots, words.values, strict=True)) == one
        assert [*words.slots] == sorted(one)
    both = file.words(slots["job [1]"] | slots["job [2]"])
    assert sum(both.values) == sum(made["job [1]"].values()) + sum(made["job [2]"].values())
    assert {key: sum(words.values) for key, words in file.words_by(lambda block: block.context) if key} == {
        min(slots[name]): sum(one.values()) for name, one in made.items()
    }


def test_a_copy_and_an_earlier_state(tmp_path: Path) -> None:
    made = contexts(5, 1500, 30)
    less = {"job [1]": made["job [1]"], "job [2]": dict.fromkeys(made["job [2]"], 1)}
    file, before = (
        read_file(written(tmp_path / name, 1500, one))
        for name, one in (("x.classhook", made), ("y.classhook", {**made, **less}))
    )
    copy = tmp_path / "z.classhook"
    copy.write_bytes(b"".join(compact(file)))
    assert read_file(copy).sums(0, 1500) == file.sums(0, 1500)
    subtract(file, before)
    counted = {name: dict(zip(*file.words(slots), strict=True)) for name, slots in file.context_slots().items() if name}
    assert counted == {
        **{name: {} for name in made},
        "job [2]": {slot: value - 1 for slot, value in made["job [2]"].items()},
    }
    assert sum(file.sums(0, 1500)) == sum(made["job [2]"].values()) - 30


@pytest.mark.parametrize(
    ("keys", "fields", "counts"),
    [
        ({3: BlockKey(seq=4)}, {"from": 3, "from_seq": 4}, False),  # written, but the block counts
        ({3: BlockKey(seq=5)}, {"from": 3, "from_seq": 4}, True),
        ({3: BlockKey(seq=8)}, {"from": 3, "from_seq": 4, "to": 7, "to_seq": 2}, True),  # being put back
        ({3: BlockKey(seq=8), 7: BlockKey(seq=2)}, {"from": 3, "from_seq": 4, "to": 7, "to_seq": 2}, False),
        (
            {3: BlockKey(seq=6)},
            {"from": 3, "from_seq": 4, "to": 3, "to_seq": 6},
            False,
        ),  # in the block that it came from
        ({3: BlockKey(seq=5)}, {"from": 3, "from_seq": 4, "id": 0}, False),  # being written
    ],
)
def test_the_moment_when_a_part_counts(keys: dict[int, BlockKey], fields: dict[str, int], counts: bool) -> None:
    data = (
        part(**{"number": 1, "slots": [7], "values": [9], "lineage": 1, "context": CONTEXT, **fields})
        if "id" not in fields
        else b""
    )
    data = data or part(0, [7], [9], lineage=1, context=CONTEXT)
    found, damaged = parts_of([Region([(0, memoryview(data))])], keys, 100)
    assert [one.slot(7) for one in found] == [9] * counts
    assert not damaged


def test_damaged_parts_are_left_out(tmp_path: Path) -> None:
    keys = {1: BlockKey(seq=100)}
    good = part(5, [1, 2], [3, 4], lineage=2, **{"from": 1})
    for slots in ([2, 1], [2, 2], [1, 100]):
        bad = part(1, slots, [3, 4], lineage=1, **{"from": 1})
        found, damaged = parts_of([Region([(0, memoryview(bad + good))])], keys, 100)
        assert (len(found), damaged) == (1, True)
    found, damaged = parts_of([Region([(0, memoryview(good[:72]))])], keys, 100)
    assert (len(found), damaged) == (0, True), "it is cut off"

"""The hash table of the C code (native/base/table.h) beside Python's, also when memory is refused."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest
from cffi import FFI
from hypothesis import given
from hypothesis import strategies as st

from classhook.native.building import build

SOURCE = """
#include <stdlib.h>
static int refuses;
static void *meagre_calloc(size_t n, size_t size) { return refuses ? NULL : calloc(n, size); }
#define calloc meagre_calloc
#include "base/table.h"

struct entry { uint32_t hash, key; uint64_t value; };
static CH_TABLE(struct entry) table;
static bool same(const void *entry, const void *key) { return ((const struct entry *)entry)->key == *(const uint32_t *)key; }

void begin(void) { ch_table_clear(&table); refuses = 0; }
void refuse(int yes) { refuses = yes; }
uint64_t get(uint32_t hash, uint32_t key) {
    const struct entry *e = ch_table_find(&table, hash, same, &key);
    return e ? e->value : 0;
}
int put(uint32_t hash, uint32_t key, uint64_t value) {
    struct entry *e = ch_table_find(&table, hash, same, &key);
    if (e) e->value = value;
    return e || ch_table_add(&table, hash, &(struct entry){.key = key, .value = value});
}
void drop(uint32_t hash, uint32_t key) {
    struct entry *e = ch_table_find(&table, hash, same, &key);
    if (e) ch_table_remove(&table, e);
}
uint32_t room(void) { return table.table.room; }
uint32_t all(uint32_t *keys) {
    uint32_t n = 0;
    for (struct entry *e = ch_table_next(&table, NULL); e; e = ch_table_next(&table, e)) keys[n++] = e->key;
    return n;
}
"""
DECLARATIONS = """
void begin(void);
void refuse(int yes);
uint64_t get(uint32_t hash, uint32_t key);
int put(uint32_t hash, uint32_t key, uint64_t value);
void drop(uint32_t hash, uint32_t key);
uint32_t room(void);
uint32_t all(uint32_t *keys);
"""
ffi = FFI()
ffi.cdef(DECLARATIONS)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Any:
    scratch = tmp_path_factory.mktemp("table")
    (scratch / "table.c").write_text(SOURCE)
    flags = [flag for flag in build.C_FLAGS if flag not in ("-fvisibility=hidden", "-Wmissing-prototypes")]
    line = [
        build.compiler(),
        *flags,
        "-Werror",
        f"-I{build.HERE}",
        "-shared",
        str(scratch / "table.c"),
        "-o",
        str(scratch / "table.so"),
    ]
    subprocess.run(line, check=True)
    return ffi.dlopen(str(scratch / "table.so"))


def hash_of(key: int) -> int:
    """Few hashes, 0 among them: most keys collide, and some runs go round the end."""
    return (0, 1, 15, 0xFFFFFFFF)[key % 4]


keys = st.integers(0, 60)


@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["put", "put", "drop", "refuse", "give"]), keys, st.integers(1, 1000)), max_size=150
    )
)
def test_it_has_what_was_put(table: Any, steps: list[tuple[str, int, int]]) -> None:
    expected: dict[int, int] = {}
    refused = False
    table.begin()
    for what, key, value in steps:
        if what == "put":
            if table.put(hash_of(key), key, value):
                expected[key] = value
            else:
                assert refused
                assert key not in expected
                assert len(expected) + 1 >= table.room()
        elif what == "drop":
            table.drop(hash_of(key), key)
            expected.pop(key, None)
        else:
            refused = what == "refuse"
            table.refuse(refused)
    found = ffi.new("uint32_t[64]")
    assert sorted(found[0 : table.all(found)]) == sorted(expected)
    assert {key: table.get(hash_of(key), key) for key in expected} == expected
    assert not any(table.get(hash_of(key), key) for key in set(range(61)) - expected.keys())

/* Finds the sub-records of heap dump segments, each of which says its length only within. */
#include "bytes.h"
#include "heap.h"
#include "rising.h"

/* Roots: an id, then maybe another one, then some u4. */
struct root {
    uint8_t known, ids, words;
};

static const struct root ROOTS[256] = {
    [0xff] = {1, 0, 0}, /* ROOT UNKNOWN */
    [0x01] = {1, 1, 0}, /* ROOT JNI GLOBAL: JNI reference */
    [0x02] = {1, 0, 2}, /* ROOT JNI LOCAL: thread, frame */
    [0x03] = {1, 0, 2}, /* ROOT JAVA FRAME: thread, frame */
    [0x04] = {1, 0, 1}, /* ROOT NATIVE STACK: thread */
    [0x05] = {1, 0, 0}, /* ROOT STICKY CLASS */
    [0x06] = {1, 0, 1}, /* ROOT THREAD BLOCK: thread */
    [0x07] = {1, 0, 0}, /* ROOT MONITOR USED */
    [0x08] = {1, 0, 2}, /* ROOT THREAD OBJECT: thread, stack trace */
    /* Android's */
    [0x89] = {1, 0, 0}, /* ROOT INTERNED STRING */
    [0x8a] = {1, 0, 0}, /* ROOT FINALIZING */
    [0x8b] = {1, 0, 0}, /* ROOT DEBUGGER */
    [0x8c] = {1, 0, 0}, /* ROOT REFERENCE CLEANUP */
    [0x8d] = {1, 0, 0}, /* ROOT VM INTERNAL */
    [0x8e] = {1, 0, 2}, /* ROOT JNI MONITOR: thread, frame */
    [0x90] = {1, 0, 0}, /* UNREACHABLE */
};

#define HEAP_DUMP_INFO 0xfe /* Android: u4 and an id, about what follows */

/* The bytes of a value of a basic type, 0 if there is no such type. */
static uint32_t value_size(uint8_t type, uint32_t id_size) {
    static const uint8_t SIZES[12] = {[4] = 1, [5] = 2, [6] = 4, [7] = 8, [8] = 1, [9] = 2, [10] = 4, [11] = 8};
    return type == 2 ? id_size : type < 12 ? SIZES[type] : 0;
}

/* A list in a CLASS DUMP: u2 number, each with `before` bytes, a type, and its value if `valued`. Returns 0 if it is
 * torn. */
static uint64_t list_end(const uint8_t *data, uint64_t at, uint64_t to, uint32_t before, int valued, uint32_t id_size) {
    if (to - at < 2) return 0;
    uint32_t count = be16(data + at);
    at += 2;
    for (uint32_t i = 0; i < count; i++) {
        if (to - at < before + 1) return 0;
        uint32_t size = value_size(data[at + before], id_size);
        at += before + 1;
        if (size == 0 || (valued && to - at < size)) return 0;
        at += valued ? size : 0;
    }
    return at;
}

/* The end of a CLASS DUMP whose id is read. */
static uint64_t class_end(const uint8_t *data, uint64_t at, uint64_t to, uint32_t id_size) {
    uint64_t fixed = 4 + 6 * (uint64_t)id_size + 4; /* trace, superclass, loader, signers, domain, two reserved, size */
    if (to - at < fixed) return 0;
    at = list_end(data, at + fixed, to, 2, 1, id_size); /* constants */
    at = at ? list_end(data, at, to, id_size, 1, id_size) : 0; /* static fields */
    return at ? list_end(data, at, to, id_size, 0, id_size) : 0; /* fields of instances */
}

/* One sub-record; struct ch_records says what it has. */
struct record {
    uint64_t id, of, at;
    uint32_t length;
    uint8_t tag;
};

/* Reads the sub-record at `at`, whose tag is a byte of the file; returns where it ends, 0 if it is torn or unknown. */
static uint64_t read_record(const uint8_t *data, uint64_t at, uint64_t to, uint32_t id_size, struct record *one) {
    uint8_t tag = data[at];
    uint64_t left = to - at - 1;
    const uint8_t *body = data + at + 1;
    if (left < id_size) return 0;
    *one = (struct record){.tag = tag, .id = be_id(body, id_size)};
    if (ROOTS[tag].known) {
        uint64_t size = (uint64_t)id_size * (1 + ROOTS[tag].ids) + 4 * (uint64_t)ROOTS[tag].words;
        if (left < size) return 0;
        one->of = ROOTS[tag].ids ? be_id(body + id_size, id_size) : ROOTS[tag].words ? be32(body + id_size) : 0;
        one->length = ROOTS[tag].words > 1 ? be32(body + id_size + 4) : 0;
        return at + 1 + size;
    }
    if (tag == CH_CLASS_DUMP) {
        one->at = at + 1 + id_size;
        uint64_t end = class_end(data, one->at, to, id_size);
        one->of = end ? be_id(data + one->at + 4, id_size) : 0;
        return end;
    }
    if (tag == CH_INSTANCE_DUMP || tag == CH_OBJECT_ARRAY_DUMP) {
        uint64_t head = 2 * (uint64_t)id_size + 8;
        if (left < head) return 0;
        int array = tag == CH_OBJECT_ARRAY_DUMP;
        one->length = be32(array ? body + id_size + 4 : body + head - 4);
        one->of = be_id(array ? body + id_size + 8 : body + id_size + 4, id_size);
        one->at = at + 1 + head;
        uint64_t size = array ? (uint64_t)one->length * id_size : one->length;
        return left - head < size ? 0 : one->at + size;
    }
    if (tag == CH_PRIMITIVE_ARRAY_DUMP || tag == CH_PRIMITIVE_ARRAY_NODATA) {
        uint64_t head = (uint64_t)id_size + 9;
        if (left < head) return 0;
        one->length = be32(body + id_size + 4);
        one->of = body[id_size + 8];
        one->at = at + 1 + head;
        uint32_t width = value_size((uint8_t)one->of, id_size);
        if (width == 0 || one->of < 4) return 0;
        uint64_t size = tag == CH_PRIMITIVE_ARRAY_DUMP ? (uint64_t)one->length * width : 0;
        return left - head < size ? 0 : one->at + size;
    }
    return 0;
}

/* The end of a HEAP DUMP INFO at `at`: `at` if there is none, 0 if it is torn. */
static uint64_t info_end(const uint8_t *data, uint64_t at, uint64_t to, uint32_t id_size) {
    if (data[at] != HEAP_DUMP_INFO) return at;
    return to - at - 1 < 4 + id_size ? 0 : at + 1 + 4 + id_size;
}

int64_t ch_heap_records(const uint8_t *data, uint64_t from, uint64_t to, uint32_t id_size,
                        const struct ch_records *into, uint64_t capacity, uint64_t *next) {
    uint64_t rows = 0, at = from;
    while (at < to && rows < capacity) {
        *next = at;
        uint64_t after = info_end(data, at, to, id_size);
        if (after != at) {
            if (after == 0) return (int64_t)rows;
            at = after;
            continue;
        }
        struct record one;
        uint64_t end = read_record(data, at, to, id_size, &one);
        if (end == 0) return (int64_t)rows;
        into->tag[rows] = one.tag;
        into->id[rows] = one.id;
        into->of[rows] = one.of;
        into->length[rows] = one.length;
        into->at[rows] = one.at;
        rows++;
        at = end;
    }
    *next = at;
    return (int64_t)rows;
}

uint64_t ch_heap_segment_end(const uint8_t *data, uint64_t from, uint64_t to, uint64_t size, uint32_t id_size) {
    uint64_t at = from;
    while (at < to) {
        uint64_t end = info_end(data, at, size, id_size);
        struct record one;
        if (end == at) end = read_record(data, at, size, id_size, &one);
        if (end == 0) return to;
        at = end;
    }
    return at;
}

void ch_heap_describe(const uint8_t *data, uint32_t id_size, const struct ch_objects *all, const uint32_t *numbers,
                      uint64_t count, const struct ch_records *into) {
    for (uint64_t i = 0; i < count; i++) {
        uint8_t tag = all->tag[numbers[i]];
        uint64_t at = rising_at(all->at, numbers[i]);
        into->tag[i] = tag;
        into->at[i] = at;
        into->id[i] = id_before(data, at, tag, id_size);
        into->of[i] = 0;
        into->length[i] = length_before(data, at, tag, id_size);
        if (tag == CH_INSTANCE_DUMP)
            into->of[i] = be_id(data + at - 4 - id_size, id_size);
        else if (tag == CH_OBJECT_ARRAY_DUMP)
            into->of[i] = be_id(data + at - id_size, id_size);
        else if (tag != CH_CLASS_DUMP)
            into->of[i] = data[at - 1];
    }
}

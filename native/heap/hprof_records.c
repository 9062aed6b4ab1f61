/* Finds the sub-records of heap dump segments, each of which says its length only within. */
#include "bytes.h"
#include "heap.h"

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

/* A list in a CLASS DUMP: u2 number, each with `before` bytes, a type, and its value if `valued`. Returns 0 if it is torn. */
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
    at = list_end(data, at + fixed, to, 2, 1, id_size);                /* constants */
    at = at ? list_end(data, at, to, id_size, 1, id_size) : 0;         /* static fields */
    return at ? list_end(data, at, to, id_size, 0, id_size) : 0;       /* fields of instances */
}

int64_t ch_heap_records(const uint8_t *data, uint64_t from, uint64_t to, uint32_t id_size, const struct ch_records *into, uint64_t capacity,
                        uint64_t *next) {
    uint64_t rows = 0, at = from;
    while (at < to && rows < capacity) {
        *next = at;
        uint8_t tag = data[at];
        uint64_t left = to - at - 1;
        const uint8_t *body = data + at + 1;
        uint64_t of = 0, where = 0, end = 0;
        uint32_t length = 0;
        if (tag == HEAP_DUMP_INFO) {
            if (left < 4 + id_size) return (int64_t)rows;
            at += 1 + 4 + id_size;
            continue;
        }
        if (left < id_size) return (int64_t)rows;
        if (ROOTS[tag].known) {
            uint64_t size = (uint64_t)id_size * (1 + ROOTS[tag].ids) + 4 * (uint64_t)ROOTS[tag].words;
            if (left < size) return (int64_t)rows;
            of = ROOTS[tag].ids ? be_id(body + id_size, id_size) : ROOTS[tag].words ? be32(body + id_size) : 0;
            length = ROOTS[tag].words > 1 ? be32(body + id_size + 4) : 0;
            end = at + 1 + size;
        } else if (tag == CH_CLASS_DUMP) {
            where = at + 1 + id_size;
            end = class_end(data, where, to, id_size);
            if (end == 0) return (int64_t)rows;
            of = be_id(data + where + 4, id_size);
        } else if (tag == CH_INSTANCE_DUMP) {
            uint64_t head = 2 * (uint64_t)id_size + 8;
            if (left < head) return (int64_t)rows;
            of = be_id(body + id_size + 4, id_size);
            length = be32(body + head - 4);
            where = at + 1 + head;
            if (left - head < length) return (int64_t)rows;
            end = where + length;
        } else if (tag == CH_OBJECT_ARRAY_DUMP) {
            uint64_t head = 2 * (uint64_t)id_size + 8;
            if (left < head) return (int64_t)rows;
            length = be32(body + id_size + 4);
            of = be_id(body + id_size + 8, id_size);
            where = at + 1 + head;
            if (left - head < (uint64_t)length * id_size) return (int64_t)rows;
            end = where + (uint64_t)length * id_size;
        } else if (tag == CH_PRIMITIVE_ARRAY_DUMP || tag == CH_PRIMITIVE_ARRAY_NODATA) {
            uint64_t head = (uint64_t)id_size + 9;
            if (left < head) return (int64_t)rows;
            length = be32(body + id_size + 4);
            of = body[id_size + 8];
            uint32_t size = value_size((uint8_t)of, id_size);
            where = at + 1 + head;
            end = where;
            if (size == 0 || of < 4) return (int64_t)rows;
            if (tag == CH_PRIMITIVE_ARRAY_DUMP) {
                if (left - head < (uint64_t)length * size) return (int64_t)rows;
                end = where + (uint64_t)length * size;
            }
        } else {
            return (int64_t)rows;
        }
        into->tag[rows] = tag;
        into->id[rows] = be_id(body, id_size);
        into->of[rows] = of;
        into->length[rows] = length;
        into->at[rows] = where;
        rows++;
        at = end;
    }
    *next = at;
    return (int64_t)rows;
}

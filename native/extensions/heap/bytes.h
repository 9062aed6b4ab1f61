/* Numbers in a dump: big-endian, not aligned. */
#ifndef CH_HEAP_BYTES_H
#define CH_HEAP_BYTES_H

#include <stdint.h>
#include <string.h>

#include "heap.h"

static inline uint16_t be16(const uint8_t *at) { return (uint16_t)(at[0] << 8 | at[1]); }

static inline uint32_t be32(const uint8_t *at) {
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return __builtin_bswap32(value); /* x86-64 and aarch64 are little-endian */
}

static inline uint64_t be64(const uint8_t *at) {
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return __builtin_bswap64(value);
}

static inline uint64_t be_id(const uint8_t *at, uint32_t id_size) { return id_size == 8 ? be64(at) : be32(at); }

/* The id of an object whose contents are at `at`: before them are the id, a trace of 4 bytes, and what the tag says. */
static inline uint64_t id_before(const uint8_t *data, uint64_t at, uint8_t tag, uint32_t id_size) {
    uint32_t more = tag == CH_CLASS_DUMP ? 0 : tag < CH_PRIMITIVE_ARRAY_DUMP ? id_size + 8 : 9;
    return be_id(data + at - more - id_size, id_size);
}

/* The bytes of an instance, the elements of an array, 0 of a class. */
static inline uint32_t length_before(const uint8_t *data, uint64_t at, uint8_t tag, uint32_t id_size) {
    if (tag == CH_CLASS_DUMP) return 0;
    uint32_t more = tag == CH_INSTANCE_DUMP ? 0 : tag == CH_OBJECT_ARRAY_DUMP ? id_size : 1;
    return be32(data + at - more - 4);
}

#endif

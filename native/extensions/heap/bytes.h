/* Numbers in a dump: big-endian, not aligned. */
#ifndef CH_HEAP_BYTES_H
#define CH_HEAP_BYTES_H

#include <stdint.h>
#include <string.h>

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

#endif

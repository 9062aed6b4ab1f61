/* Classes woven ahead of time (instrument/ahead/jars.py): after the class come its table, the offset of the probe
 * numbers, their count, the table's length, and the magic. */
#include "classes.h"
#include <string.h>

static uint32_t number_at(const unsigned char *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

bool ch_find_woven_ahead(const unsigned char *data, uint32_t bytes, struct ch_woven *out) {
    enum {
        TRAILER = 20,
        SMALLEST_CLASS = 24,
        FIRST_VALUE = 11 /* after magic, versions, constant_pool_count and the entry's tag */
    };
    if (bytes < TRAILER + SMALLEST_CLASS || memcmp(data + bytes - 8, "CLSHOOK\n", 8)) return false;
    const unsigned char *at = data + bytes - TRAILER;
    uint32_t first = number_at(at), n = number_at(at + 4), table = number_at(at + 8);
    if (table > bytes - TRAILER || first < FIRST_VALUE || (uint64_t)first + 5 * (uint64_t)n > bytes) return false;
    for (uint32_t i = 0; i < n; i++)
        if (data[first - 1 + 5 * i] != 3) return false; /* CONSTANT_Integer */
    *out = (struct ch_woven){.status = CH_WOVEN,
                             .bytes = (unsigned char *)(uintptr_t)data,
                             .length = bytes,
                             .slots = n,
                             .integers = n,
                             .integers_at = first,
                             .meta = (char *)(uintptr_t)at - table,
                             .meta_bytes = table};
    return true;
}

/* Adds to numbers that never fall. */
#include <string.h>

#include "rising.h"

static void add(struct ch_rising *all, uint64_t value) {
    uint64_t i = all->count++, place = (value >> all->width) + i;
    all->high[place / 64] |= UINT64_C(1) << place % 64;
    if (i % SAMPLED == 0) all->samples[i / SAMPLED] = place;
    if (all->width == 0) return;
    uint64_t at = i * all->width, shift = at % 64, low = value & ((UINT64_C(1) << all->width) - 1);
    all->low[at / 64] |= low << shift;
    if (shift + all->width > 64) all->low[at / 64 + 1] |= low >> 1 >> (63 - shift);
}

void ch_heap_rising_add(struct ch_rising *all, const uint64_t *values, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) add(all, values[i]);
}

void ch_heap_list_starts(const struct ch_lists *lists, struct ch_rising *starts) {
    uint64_t start = 0;
    for (const uint8_t *end; start < lists->used; start = (uint64_t)(end - lists->bytes) + 1) {
        add(starts, start);
        end = memchr(lists->bytes + start, 0, lists->used - start);
    }
}

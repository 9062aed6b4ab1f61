/* Numbers that never fall, in a few bits each (Elias 1974, Fano 1971); heap.h says how they are stored. */
#ifndef CH_HEAP_RISING_H
#define CH_HEAP_RISING_H

#include "heap.h"

enum { SAMPLED = 32 }; /* each of so many has its place in `samples` */

static inline uint64_t low_bits(const struct ch_rising *all, uint64_t i) {
    if (all->width == 0) return 0;
    uint64_t at = i * all->width, shift = at % 64;
    uint64_t bits = all->low[at / 64] >> shift;
    if (shift + all->width > 64) bits |= all->low[at / 64 + 1] << 1 << (63 - shift);
    return bits & ((UINT64_C(1) << all->width) - 1);
}

static inline uint64_t rising_at(const struct ch_rising *all, uint64_t i) {
    uint64_t place = all->samples[i / SAMPLED], word = place / 64, left = i % SAMPLED;
    uint64_t bits = all->high[word] & (UINT64_MAX << place % 64);
    for (uint64_t here; (here = (uint64_t)__builtin_popcountll(bits)) <= left; left -= here) bits = all->high[++word];
    for (; left > 0; left--) bits &= bits - 1;
    place = word * 64 + (uint64_t)__builtin_ctzll(bits);
    return (place - i) << all->width | low_bits(all, i);
}

/* Reads the numbers one after the other. */
struct rising_walk {
    const struct ch_rising *all;
    uint64_t i, word, bits;
};

static inline struct rising_walk rising_from(const struct ch_rising *all, uint64_t i) {
    struct rising_walk walk = {.all = all, .i = i};
    if (i >= all->count) return walk;
    uint64_t place = (rising_at(all, i) >> all->width) + i;
    walk.word = place / 64;
    walk.bits = all->high[walk.word] & (UINT64_MAX << place % 64);
    return walk;
}

static inline uint64_t rising_next(struct rising_walk *walk) {
    while (walk->bits == 0) walk->bits = walk->all->high[++walk->word];
    uint64_t place = walk->word * 64 + (uint64_t)__builtin_ctzll(walk->bits);
    walk->bits &= walk->bits - 1;
    uint64_t low = low_bits(walk->all, walk->i);
    return (place - walk->i++) << walk->all->width | low;
}

#endif

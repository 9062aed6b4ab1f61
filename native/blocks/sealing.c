/* Sealing: what a block counted is put aside in the data file, and the block is empty for others. Later it may be put
 * back into a block.
 *
 * 1. A part has the words of the block that are not zero: those of the slots that there are, and of its records. It is
 *    as if the block lay elsewhere: positions of records stay, and so does what pacing and timing keep there. Only
 *    pages that were ever written to are looked at (written_pages.c).
 * 2. Whether the block or the part counts is switched by one store, of the block's key; what is left behind is cleared
 *    after that. So a file is right whenever the process is killed: see struct ch_block_key in classhook.h.
 * 3. One block is moved at a time, and none while the file is copied (ch_move_begin).
 */
#include "sealing.h"
#include "../base/sorted.h"
#include "../timing/timing_records.h"
#include <stdlib.h>
#include <string.h>

static uint64_t ids;
static uint32_t lineages;

/* Lets the block's content count for this context, or not at all, by one store. */
static void switch_key(struct ch_block_key *key, uint32_t context, uint32_t seq) {
    const struct {
        uint32_t context, seq;
    } both = {context, seq};
    uint64_t word;
    _Static_assert(sizeof both == sizeof word && offsetof(struct ch_block_key, seq) == sizeof context, "one word");
    memcpy(&word, &both, sizeof word);
    ch_store_release((uint64_t *)(void *)key, word);
}

static uint32_t next_even(uint32_t seq) { return (seq | 1) + 1; }

void ch_block_belongs(struct ch_block *b, uint32_t context, uint32_t thread) {
    struct ch_block_key *key = ch_block_key(b);
    key->thread = thread;
    key->lineage = ch_add_relaxed(&lineages, 1) + 1;
    switch_key(key, context, next_even(key->seq));
}

/* ---- words that are not zero */

struct words {
    uint32_t *places, *values;
    size_t n, room;
};
static struct words low, high, records; /* of the block that is moved */

static bool make_room(struct words *w, size_t more) {
    if (w->n + more <= w->room) return true;
    size_t room = w->room ? w->room : 4096;
    while (room < w->n + more) room *= 2;
    uint32_t *places = realloc(w->places, room * sizeof *places);
    if (places) w->places = places;
    uint32_t *values = realloc(w->values, room * sizeof *values);
    if (values) w->values = values;
    if (places && values) w->room = room;
    return places && values;
}

static inline void add(struct words *w, size_t place, uint32_t value) {
    if (!value) return;
    w->places[w->n] = (uint32_t)place;
    w->values[w->n++] = value;
}

enum { AT_ONCE = 8 /* words of 64 bits */ };

static inline bool any(const uint64_t *w) {
    uint64_t all = 0;
    for (int i = 0; i < AT_ONCE; i++) all |= w[i];
    return all;
}

/* Gathers the written ones of `bytes`, a multiple of 64, from `at` on. */
static bool gather(struct ch_written *w, const struct ch_region *r, size_t bytes, bool as_slots) {
    size_t begin = 0, stop = 0;
    for (size_t from = 0; ch_written_next(w, r, from, bytes, &begin, &stop); from = stop)
        for (size_t at = begin; at < stop; at += AT_ONCE * sizeof(uint64_t)) {
            const uint64_t *words = (const uint64_t *)(const void *)(r->base + at);
            if (__builtin_expect(!any(words), 1)) continue;
            size_t n = at / sizeof *words;
            if (!make_room(as_slots ? &low : &records, AT_ONCE * 2) || !make_room(&high, AT_ONCE)) return false;
            for (size_t i = 0; i < AT_ONCE; i++) {
                add(as_slots ? &low : &records, as_slots ? n + i : 2 * (n + i), (uint32_t)words[i]);
                add(as_slots ? &high : &records, as_slots ? n + i : 2 * (n + i) + 1, (uint32_t)(words[i] >> 32));
            }
        }
    return true;
}

static uint8_t *put(uint8_t *to, const struct words *w) {
    memcpy(to, w->places, w->n * sizeof(uint32_t));
    memcpy(to + w->n * sizeof(uint32_t), w->values, w->n * sizeof(uint32_t));
    return to + 2 * w->n * sizeof(uint32_t);
}

static size_t slots_bytes(void) { return (ch_load_relaxed(&ch_slots_taken) * 8 + CH_UNIT - 1) / CH_UNIT * CH_UNIT; }

static struct ch_sealed *write_part(const struct ch_block *b, const struct ch_block_key *key) {
    struct ch_sealed *p = ch_sealed_room(sizeof *p + 2 * (low.n + high.n + records.n) * sizeof(uint32_t));
    if (!p) return NULL;
    ch_store_release(&p->id, 0);
    p->context = key->context;
    p->thread = key->thread;
    p->lineage = key->lineage;
    p->from = b->index;
    p->from_seq = key->seq;
    p->to = p->to_seq = 0;
    p->low = (uint32_t)low.n;
    p->high = (uint32_t)high.n;
    p->records = (uint32_t)records.n;
    p->records_used = (uint32_t)(b->records_used / CH_UNIT);
    put(put(put((uint8_t *)(p + 1), &low), &high), &records);
    ch_store_release(&p->id, ++ids);
    return p;
}

static void clear(struct ch_block *b) {
    uint64_t *slots = (uint64_t *)(void *)b->slots.base;
    for (size_t i = 0; i < low.n; i++) slots[low.places[i]] = 0;
    for (size_t i = 0; i < high.n; i++) slots[high.places[i]] = 0;
    uint64_t *words = (uint64_t *)(void *)b->records.base;
    for (size_t i = 0; i < records.n; i++) words[records.places[i] / 2] = 0;
    if (b->records_used) b->records_used = CH_UNIT;
}

enum ch_sealed_as ch_block_seal(struct ch_block *b, struct ch_sealed **part) {
    enum ch_sealed_as as = CH_NOT_SEALED;
    if (!ch_block_keys.base || ch_header->refused || !ch_move_begin())
        return as; /* refused: pages are in memory, and the file does not know them */
    struct ch_block_key *key = ch_block_key(b);
    low.n = high.n = records.n = 0;
    bool well = ch_files_are_open() && gather(&b->written[0], &b->slots, slots_bytes(), true) &&
                (!b->records.base || gather(&b->written[1], &b->records, b->records_used, false));
    bool empty = well && !(low.n + high.n + records.n);
    *part = well && !empty ? write_part(b, key) : NULL;
    if (empty || *part) {
        as = empty ? CH_SEALED_EMPTY : CH_SEALED_PART;
        switch_key(key, 0, key->seq | 1);
        clear(b);
    }
    ch_move_end();
    return as;
}

/* ---- back into a block */

static void fill(struct ch_block *b, const struct ch_sealed *p) {
    const uint32_t *at = (const uint32_t *)(p + 1);
    uint64_t *slots = (uint64_t *)(void *)b->slots.base;
    uint32_t *words = (uint32_t *)(void *)b->records.base;
    for (uint32_t i = 0; i < p->low; i++) slots[at[i]] = at[p->low + i];
    at += 2 * p->low;
    for (uint32_t i = 0; i < p->high; i++) slots[at[i]] |= (uint64_t)at[p->high + i] << 32;
    at += 2 * p->high;
    for (uint32_t i = 0; i < p->records; i++) words[at[i]] = at[p->records + i];
}

bool ch_block_restore(struct ch_block *b, struct ch_sealed *p) {
    struct ch_block_key *key = ch_block_key(b);
    if (ch_header->refused || (p->records && !ch_records_open(b)) || !ch_move_begin()) return false;
    uint32_t seq = next_even(key->seq), context = p->context;
    switch_key(key, 0, seq - 1);
    key->thread = p->thread;
    key->lineage = p->lineage;
    fill(b, p);
    if (p->records_used) b->records_used = (size_t)p->records_used * CH_UNIT;
    p->to = b->index;
    ch_store_release(&p->to_seq, seq);
    switch_key(key, context, seq);
    ch_sealed_free(p);
    ch_move_end();
    return true;
}

/* ---- looking at parts */

static bool counts(const struct ch_sealed *p) {
    const struct ch_block_key *keys = (const struct ch_block_key *)(const void *)ch_block_keys.base;
    return ch_load_acquire(&p->id) && p->from < CH_MOST_BLOCKS && p->to < CH_MOST_BLOCKS &&
           keys[p->from].seq > p->from_seq && !(p->to_seq && keys[p->to].seq >= p->to_seq);
}

static uint32_t value_at(const uint32_t *places, uint32_t n, uint32_t place) {
    size_t at = ch_first_where(n, i, places[i] >= place);
    return at < n && places[at] == place ? places[n + at] : 0;
}

static uint64_t slot_of(const struct ch_sealed *p, uint32_t slot) {
    const uint32_t *first = (const uint32_t *)(p + 1), *upper = first + 2 * p->low;
    return value_at(first, p->low, slot) | (uint64_t)value_at(upper, p->high, slot) << 32;
}

uint64_t ch_sealed_sum(uint32_t slot) {
    uint64_t sum = 0;
    for (const struct ch_sealed *p = NULL; (p = ch_sealed_after(p));)
        if (counts(p)) sum += slot_of(p, slot);
    return sum;
}

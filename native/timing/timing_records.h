/* A method's records and their histograms, where the probes find them: inline for enter and exit (timing.c). */
#ifndef CLASSHOOK_TIMING_RECORDS_H
#define CLASSHOOK_TIMING_RECORDS_H
#include "../base/clock.h"
#include "shadow_stacks.h"
#include <pthread.h>

/* Guards the shared block's records, and nothing else: a thread has those of its own block for itself. */
extern pthread_mutex_t ch_shared_records;

static inline void ch_records_lock(const struct ch_block *b) {
    if (__builtin_expect(ch_block_is_shared(b), 0)) pthread_mutex_lock(&ch_shared_records);
}

static inline void ch_records_unlock(const struct ch_block *b) {
    if (__builtin_expect(ch_block_is_shared(b), 0)) pthread_mutex_unlock(&ch_shared_records);
}

struct ch_record *ch_record_new(struct ch_block *b, uint64_t *slot);
/* Adds a duration with no cost of timing in it. The caller has the block for itself. */
void ch_duration_add(struct ch_block *b, struct ch_record *r, uint64_t ticks);
/* The same, to a record of this thread. */
void ch_duration_note(uint32_t slot, uint64_t ticks, bool threw);
void ch_histogram_add(struct ch_block *b, struct ch_record *r, uint64_t ticks, uint32_t weight);

/* The record at this position in the block, or NULL. */
static inline struct ch_record *ch_record_at(const struct ch_block *b, uint64_t at) {
    /* not a timed method's slot, or a counting probe wrote to it */
    if (__builtin_expect(!at || at % CH_UNIT || at + sizeof(struct ch_record) > b->records_used, 0)) return NULL;
    return (struct ch_record *)(b->records.base + at);
}

static inline struct ch_record *ch_record_of(struct ch_block *b, uint32_t id) {
    uint64_t *slot = ch_slot(b, id);
    return __builtin_expect(!*slot, 0) ? ch_record_new(b, slot) : ch_record_at(b, *slot);
}

/* Octave 0 is linear below CH_OCTAVE_STEPS; octave n holds [steps << (n-1), steps << n), the last one also everything
 * longer. */
static inline uint32_t ch_octave_of(uint64_t ticks, uint32_t *step) {
    int octave = ticks < CH_OCTAVE_STEPS ? 0 : 59 - __builtin_clzll(ticks);
    if (octave >= CH_OCTAVES) octave = CH_OCTAVES - 1;
    *step = octave ? (ticks >> (octave - 1)) & (CH_OCTAVE_STEPS - 1) : (uint32_t)ticks;
    return (uint32_t)octave;
}

/* The place in the block where the histogram counts this time; 0 where it has no such octave yet. */
static inline uint64_t ch_bin(const struct ch_block *b, const struct ch_record *r, uint64_t ticks) {
    uint32_t step, octave = ch_octave_of(ticks, &step);
    uint64_t at = (uint64_t)r->octaves[octave] * CH_UNIT;
    bool there = at && at + CH_OCTAVE_STEPS * sizeof(uint64_t) <= b->records_used;
    return there ? at + step * sizeof(uint64_t) : 0;
}

/* exit leaves the bin of a time to be counted by the next exit: a store to an address that depends on the clock's
 * reading would hold up what comes after it. The bin's position is in the first word of the block's records, so that
 * readers of the file count it, too; 0: there is none. */
static inline uint64_t *ch_due_bin(const struct ch_block *b) { return (uint64_t *)b->records.base; }

static inline void ch_count_due_bin(const struct ch_block *b) {
    uint64_t *due = ch_due_bin(b);
    if (!due || !*due) return;
    ++*(uint64_t *)(b->records.base + *due);
    *due = 0;
}

/* The time now, if the last probe measures what is before this one: the first thing that this one does. Else 0. */
static inline uint64_t ch_arrival(void) {
    const struct ch_stack *s = ch_self.stack;
    return s && s->fenced ? ch_now() : 0;
}
#endif

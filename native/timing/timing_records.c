/* Records of timed methods and their histograms: those parts that run rarely. */
#include "timing_records.h"
#include "timing_overhead.h"

pthread_mutex_t ch_shared_records = PTHREAD_MUTEX_INITIALIZER;

struct ch_record *ch_record_new(struct ch_block *b, uint64_t *slot) {
    size_t at = ch_record_allocate(b, sizeof(struct ch_record));
    if (at == SIZE_MAX) return NULL;
    struct ch_record *r = (struct ch_record *)(b->records.base + at);
    r->min = UINT64_MAX;
    r->inside = (int32_t)ch_costs.inside;
    r->around = (int32_t)ch_costs.around;
    r->rarely = ch_costs.rarely;
    *slot = at;
    return ch_record_at(b, at);
}

uint32_t ch_octave(uint64_t ticks, uint32_t *step) { return ch_octave_of(ticks, step); }

void ch_histogram_add(struct ch_block *b, struct ch_record *r, uint64_t ticks, uint32_t weight) {
    uint32_t step, octave = ch_octave_of(ticks, &step);
    if (!r->octaves[octave]) {
        size_t at = ch_record_allocate(b, CH_OCTAVE_STEPS * sizeof(uint64_t));
        if (at == SIZE_MAX) return;
        r->octaves[octave] = (uint32_t)(at / CH_UNIT);
    }
    uint64_t to = ch_bin(b, r, ticks);
    if (to) *(uint64_t *)(b->records.base + to) += weight;
}

void ch_duration_add(struct ch_block *b, struct ch_record *r, uint64_t ticks) {
    r->inside = r->around = 0;
    r->calls++;
    r->completed++;
    r->total += ticks;
    if (ticks < r->min) r->min = ticks;
    if (ticks > r->max) r->max = ticks;
    ch_histogram_add(b, r, ticks, 1);
}

void ch_duration_note(uint32_t slot, uint64_t ticks, bool threw) {
    if (!ch_slots_there((jint)slot, 1)) return; /* an unnumbered probe */
    struct ch_block *b = ch_block_for_count();
    ch_records_lock(b);
    struct ch_record *r = ch_record_of(b, slot);
    if (r) {
        ch_duration_add(b, r, ticks);
        r->exceptions += threw;
    }
    ch_records_unlock(b);
}

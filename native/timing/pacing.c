/* Chooses the activations of a method that `sample 1/N` times: one of N, at random.
 *
 * The tracker counts calls, and calls enterDue when the count reaches the number that enterDue set last. A class's
 * probe table says the N of each method.
 */
#include "shadow_stacks.h"
#include "tracker_natives.h"

/* So many calls of a thread are all timed: the first ones are slow, and must not stand for others. */
enum { FIRST = 32 };

static struct ch_region samples; /* N of each method, by its first slot; 0: none */

static uint32_t *sample(uint32_t slot) { return (uint32_t *)samples.base + slot; }

bool ch_pace_start(void) { return ch_region_memory(&samples, ch_room.slots * sizeof(uint32_t)); }

void ch_pace_class(const struct ch_woven_class *woven) {
    struct ch_probe_table t = ch_probe_table_of(woven->table, woven->bytes);
    struct ch_probe p;
    while (ch_probe_table_next_probe(&t, &p))
        if (p.kind == CH_PROBE_TIME_SAMPLE && p.slot < woven->slots)
            *sample(woven->first_slot + p.slot) = p.paced.sample;
}

/* The number of calls until one is timed: random, with mean `n`, so that it cannot be in step with the program. */
static uint64_t gap(struct ch_block *b, uint64_t n) { return n <= 1 ? 1 : 1 + ch_block_random(b, 2 * n - 1); }

/* The number of activations that this one stands for. Sets when the next one is due. */
static uint32_t pace(struct ch_block *b, uint32_t id) {
    uint32_t n = *sample(id);
    uint64_t calls = *ch_slot(b, id + CH_PACED_CALLS), *weight = ch_slot(b, id + CH_PACED_WEIGHT),
             stands_for = *weight ? *weight : 1;
    *weight = calls < FIRST || !n ? 1 : n;
    *ch_slot(b, id + CH_PACED_NEXT) = calls - 1 + gap(b, *weight);
    return (uint32_t)stands_for;
}

/* Called when a paced method is due to be timed; its first call always is, so every method that ran has a time. The
 * tracker has already counted the call in the slot `calls`. The slot after it holds the call count at which the next
 * one is due. */
JNIEXPORT jint JNICALL Java_java_lang_ClasshookTracker_enterDue(JNIEnv *env, jclass c, jint calls) {
    (void)c;
    ch_follow(env, NULL);
    if (__builtin_expect(calls < CH_PACED_CALLS || !ch_slots_there(calls - CH_PACED_CALLS, CH_PACED_SLOTS), 0))
        return 0;
    if (__builtin_expect(ch_self.silent, 0)) return 0;
    uint64_t arrived = ch_timing_arrival();
    struct ch_block *b = ch_block_self();
    uint32_t id = (uint32_t)calls - CH_PACED_CALLS;
    return ch_timing_begin(b, id, pace(b, id), arrived);
}

/* The cost of timing an activation, and of counting one, measured in loops when timing begins. */
#include "timing_overhead.h"
#include "timing_records.h"
#include "tracker_natives.h"

/* A JNI call from Java and back, in picoseconds (tools/bench/probes.py); entry and exit make one each, of which
 * about half is between the readings; and a return from one and another call, between two fences. */
enum { CALL_PS = 4500, CALL_ALONE_PS = 8000 };

static void time_nothing(uint32_t slot, int rounds) {
    for (int i = 0; i < rounds; i++)
        Java_java_lang_ClasshookTracker_exit(NULL, NULL, Java_java_lang_ClasshookTracker_enter(NULL, NULL, (jint)slot));
}

static void sample_nothing(uint32_t slot, int rounds) {
    struct ch_block *b = ch_self.block ? ch_self.block : &ch_shared; /* there may be no room for another block */
    for (int i = 0; i < rounds; i++)
        Java_java_lang_ClasshookTracker_exit(NULL, NULL, ch_timing_begin(b, slot, 2, ch_arrival()));
}

enum { ROUNDS = 500, TRIES = 5 };

/* The time of an activation with the calls from Java, in picoseconds; and of that, in ticks, the time between its
 * readings and around these. */
static uint64_t measure(struct ch_record *r, uint32_t slot, void (*activations)(uint32_t, int), int64_t *inside,
                        int64_t *around) {
    uint64_t best = UINT64_MAX, between = 0;
    for (int try = 0; try < TRIES; try++) {
        uint64_t start = ch_monotonic_ns(), before = r->total + r->sampled_ticks;
        activations(slot, ROUNDS);
        uint64_t took = ch_monotonic_ns() - start;
        if (took >= best) continue;
        best = took;
        between = r->total + r->sampled_ticks - before;
    }
    uint64_t all = best * 1000 / ROUNDS + 2 * CALL_PS;
    *inside = (int64_t)(between / ROUNDS + ch_clock_ticks_of(CALL_PS) / 1000);
    *around = (int64_t)(ch_clock_ticks_of(all) / 1000) - *inside;
    return all;
}

/* The measured time of a stretch alone, with nothing in it; `otherwise`, if none can be measured, as in the shared
 * block. */
static int64_t measure_alone(struct ch_record *r, uint32_t slot, int64_t otherwise) {
    double alone = (double)otherwise;
    for (int try = 0; try < TRIES; try++) {
        r->before_exit = (struct ch_stretch){0};
        for (int i = 0; i < ROUNDS; i++) {
            r->rarely = 0; /* each stretch is measured that can be */
            time_nothing(slot, 1);
        }
        const struct ch_gauge *g = &r->before_exit.alone;
        if (g->n > 0 && g->sum / g->n < alone) alone = g->sum / g->n;
    }
    return (int64_t)alone + (int64_t)(ch_clock_ticks_of(CALL_ALONE_PS) / 1000);
}

static void measure_timing(uint32_t slot) {
    time_nothing(slot, 1);
    struct ch_record *r = ch_record_of(ch_block_self(), slot);
    struct ch_costs found = {.rarely = CH_MEASURED_FIRST};
    if (!r) return;
    measure(r, slot, sample_nothing, &found.fenced_inside, &found.fenced_around);
    ch_header->time_cost_ps = measure(r, slot, time_nothing, &found.inside, &found.around);
    found.alone = measure_alone(r, slot, found.fenced_inside);
    ch_costs = found;
}

static void measure_counting(uint32_t slot) {
    enum { CALLS = 2000 };
    volatile uint64_t *counter = ch_shared_slot(slot); /* load, add, store, as a counting probe does */
    uint64_t start = ch_monotonic_ns();
    for (int i = 0; i < CALLS; i++) *counter = *counter + 1;
    ch_header->count_cost_ps = (ch_monotonic_ns() - start) * 1000 / CALLS;
    *counter = 0;
}

/* At the first session that times methods. */
static void prepare(JNIEnv *env, struct ch_error *error) {
    static bool measured; /* session.c: one thread at a time begins a session */
    (void)env, (void)error;
    uint32_t slot = measured || !ch_wanted.time ? UINT32_MAX : ch_slots_take(CH_PACED_SLOTS); /* those of no probe */
    if (slot == UINT32_MAX) return;
    measured = true;
    measure_timing(slot);
    measure_counting(slot);
}

const struct ch_measure ch_measure_time = {.name = "time", .prepare = prepare, .on_class = ch_pace_class};

/* How often paced methods are timed (`sample 1/N`, `budget P%`).
 *
 * 1. A control for each slot says: one activation of N. The tracker counts, and a method asks when the count has come to what was
 *    said last.
 * 2. A woven class's table says where its paced methods begin: with N, or with 1 and a budget.
 * 3. Under a budget, each thread looks after every WINDOW timed activations what they cost, and what CPU time it used meanwhile. Over
 *    the budget, the method that is being entered is timed less often from now on: the more calls a method has, the likelier it is
 *    the one.
 * 4. A method that takes so little time that its own probes are over the budget is downgraded to counting after SETTLED calls by a
 *    thread. That is before HotSpot looks which branches are taken (from about 200 calls on), so that compiled
 *    code has nothing of timing left in it; hence no thread may time it once more.
 * 5. At the end, it is known which methods have many calls, and whether these took long enough once they were compiled. The next run
 *    does not time those that did not (classes/earlier_runs.c).
 */
#include "stacks.h"
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 128, STEP = 8, SETTLED = 64 };
/* Calls in a run that make a method worth remembering, and those that keep it so. */
enum { HOT = 1000, LUKEWARM = 250 };
/* What timing costs beside what ch_pace_measure finds, where all is in the caches and compiled: in a whole program, and in one that is
 * interpreted yet (docs/decisions.md). A thread that is over the budget gives up methods that take longer, STRICT times as long. */
enum { WHOLE = 5, INTERPRETED = 20, STRICT = 5 };
/* From Java to a native method and back, twice, in picoseconds: what the measurement below leaves out (tests/bench/probes.py). */
enum { WAY_PS = 2 * 4500 };

#define LONGEST ((uint64_t)1 << 48) /* as a number of ticks */
#define NEVER ((uint64_t)INT64_MAX) /* as the number of the next call that is timed */

static struct ch_region controls;
static uint64_t cost; /* of a timed activation, as measured, in thousandths of a tick */
static uint32_t given_up;

#define SETTLED_BIT 0x80000000u /* in a control: a thread has made SETTLED calls */

static uint32_t *control(uint32_t slot) { return (uint32_t *)controls.base + slot; }
static uint32_t sample_of(uint32_t control) { return control & CH_SAMPLE_MASK; }
static uint32_t budget_of(uint32_t control) { return control >> CH_BUDGET_SHIFT & CH_BUDGET_MASK; }

bool ch_pace_start(void) {
    return ch_region_open(&controls, CH_CONTROLS, 0, ch_room.slots * sizeof(uint32_t), 0);
}

void ch_pace_measure(void) {
    enum { ROUNDS = 2000 };
    uint32_t slot = ch_slots_take(1);
    if (slot == UINT32_MAX) return;
    ch_header->time_cost_ps = ch_timing_cost_ps(slot) + WAY_PS;
    cost = ch_clock_ticks_of(ch_header->time_cost_ps);
    volatile uint64_t *counter = ch_shared_slot(slot); /* as a count does: load, add, store */
    uint64_t start = ch_monotonic_ns();
    for (int i = 0; i < ROUNDS; i++) *counter = *counter + 1;
    ch_header->count_cost_ps = (ch_monotonic_ns() - start) * 1000 / ROUNDS;
    *counter = 0;
}

/* Its line is P<TAB>slot<TAB>p<sample>/<budget>/<place><TAB>..., see instrument/weaving/probe_table.py. */
bool ch_pace_next(const char **table, const char *end, struct ch_paced *out) {
    while (*table && (*table = memmem(*table, (size_t)(end - *table), "\nP\t", 3))) {
        char text[64] = {0}, *at;
        *table += 3;
        memcpy(text, *table, (size_t)(end - *table) < sizeof text - 1 ? (size_t)(end - *table) : sizeof text - 1);
        out->slot = (uint32_t)strtoul(text, &at, 10);
        if (at[0] != '\t' || at[1] != 'p') continue;
        out->sample = (uint32_t)strtoul(at + 2, &at, 10);
        out->budget = *at == '/' ? (uint32_t)strtoul(at + 1, &at, 10) : 0;
        out->place = *at == '/' ? (uint32_t)strtoul(at + 1, NULL, 10) : UINT32_MAX;
        return true;
    }
    return false;
}

void ch_pace_class(uint32_t first_slot, uint32_t slots, const char *table, size_t bytes) {
    const char *at = table;
    struct ch_paced p;
    while (ch_pace_next(&at, table + bytes, &p)) {
        if (p.slot >= slots) continue;
        if (p.budget && !cost) ch_pace_measure(); /* no rule speaks of times, but what was woven ahead of time does */
        *control(first_slot + p.slot) = (p.sample & CH_SAMPLE_MASK) | (p.budget & CH_BUDGET_MASK) << CH_BUDGET_SHIFT;
    }
}

static void look_at_budget(struct ch_block *b, uint32_t id) {
    uint32_t c = *control(id), sample = sample_of(c), budget = budget_of(c);
    uint64_t now = ch_thread_cpu_ns(), used = now - b->window_cpu_ns, spent = WHOLE * WINDOW * ch_header->time_cost_ps / 1000;
    bool first = !b->window_cpu_ns;
    b->window_cpu_ns = now;
    b->over_budget = !first && budget && spent * 1000 > used * budget;
    if (!b->over_budget || sample * STEP >= CH_COUNTED) return;
    /* two threads that do this at once do it once */
    uint32_t less = (c & ~(uint32_t)CH_SAMPLE_MASK) | sample * STEP;
    __atomic_compare_exchange_n(control(id), &c, less, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Ticks from entry to exit, as far as this thread timed the method. */
static uint64_t mean(struct ch_block *b, uint32_t id) {
    struct ch_times t = {0, 0};
    ch_timing_add(b, id, &t);
    return t.n ? t.sum / t.n : LONGEST;
}

/* Judged once, while the calls are few: who was timed for long is timed less often at most, and nothing of it is lost. */
static bool is_too_short(struct ch_block *b, uint32_t id, uint32_t budget) {
    uint64_t calls = *ch_slot(b, id + CH_PACED_CALLS);
    if (calls < SETTLED || ch_block_is_shared(b)) return false;
    if (!(*control(id) & SETTLED_BIT)) __atomic_fetch_or(control(id), SETTLED_BIT, __ATOMIC_RELAXED);
    return calls < 4 * SETTLED &&
           mean(b, id) * budget < cost * INTERPRETED * (b->over_budget ? STRICT : 1);
}

static void never(struct ch_block *b, uint32_t id) { *ch_slot(b, id + CH_PACED_NEXT) = NEVER; }

void ch_pace_give_up(uint32_t id, bool earlier) {
    ch_lock();
    given_up++;
    __atomic_fetch_or(control(id), earlier ? CH_COUNTED | CH_EARLIER : CH_COUNTED, __ATOMIC_SEQ_CST);
    for (struct ch_block *b = ch_blocks(); b; b = b->next) never(b, id);
    ch_unlock();
}

/* For how many activations this one stands, 0 if it is not to be timed after all. Says when the next one is due. */
static uint32_t pace(struct ch_block *b, uint32_t id) {
    if (!ch_block_is_shared(b) && b->window-- == 0) {
        b->window = WINDOW - 1;
        look_at_budget(b, id);
    }
    uint32_t c = *control(id), sample = sample_of(c);
    uint64_t *next = ch_slot(b, id + CH_PACED_NEXT);
    if (budget_of(c) && sample != CH_COUNTED && is_too_short(b, id, budget_of(c))) {
        ch_pace_give_up(id, false);
        sample = CH_COUNTED;
    }
    sample = sample ? sample : 1;
    *next = *ch_slot(b, id + CH_PACED_CALLS) - 1 + sample;
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* another thread may give it up right now, and write there too */
    if (sample_of(__atomic_load_n(control(id), __ATOMIC_RELAXED)) == CH_COUNTED) *next = NEVER;
    return sample == CH_COUNTED ? 0 : sample;
}

void ch_pace_block(struct ch_block *b) {
    for (uint32_t id = 0; given_up && id < ch_header->slots_used; id++)
        if (sample_of(*control(id)) == CH_COUNTED) never(b, id);
}

bool ch_pace_is_too_short(uint32_t id) {
    uint32_t c = *control(id);
    bool counted = sample_of(c) == CH_COUNTED;
    struct ch_times t = {0, 0};
    uint64_t calls = 0;
    if (!counted && !(c & SETTLED_BIT)) return false; /* most methods: the blocks of all threads need not be looked at */
    for (struct ch_block *b = ch_blocks(); b; b = b->next) {
        calls += *ch_slot(b, id + CH_PACED_CALLS);
        ch_timing_add(b, id, &t);
    }
    if (calls < (c & CH_EARLIER ? LUKEWARM : HOT)) return false;
    return counted || (t.n && t.sum / t.n * budget_of(c) < cost * WHOLE);
}

/* A paced method whose turn it is, so that what ran at all has a time: the tracker has counted it in the slot `calls`, which lies behind
 * the method's own. The slot behind that says how many calls are to go by before the next one is timed. */
JNIEXPORT jint JNICALL Java_java_lang_ClasshookTracker_enterDue(JNIEnv *env, jclass c, jint calls) {
    (void)env, (void)c;
    if (__builtin_expect(calls < CH_PACED_CALLS || !ch_slots_there(calls - CH_PACED_CALLS, CH_PACED_SLOTS), 0)) return 0;
    if (__builtin_expect(ch_self.silent, 0)) return 0;
    struct ch_block *b = ch_block_self();
    uint32_t id = (uint32_t)calls - CH_PACED_CALLS, sample = pace(b, id);
    if (!sample) return 0;
    return ch_timing_begin(b, id, sample);
}

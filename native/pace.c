/* How often paced methods are timed (`sample 1/N`, `budget P%`).
 *
 * 1. A control for each slot says: one activation of N. The tracker counts, and a method asks when the count has come to what was
 *    said last.
 * 2. A woven class's table says where its paced methods begin: with N, or with 1 and a budget.
 * 3. Under a budget, each thread looks after every WINDOW timed activations what they cost, and what CPU time it used meanwhile. Over
 *    the budget, the method that is being entered is timed less often from now on: the more calls a method has, the likelier it is
 *    the one.
 * 4. A method that takes so little time that its own probes are over the budget is found out after SETTLED calls by a thread, and
 *    only counted from then on. That is before HotSpot looks which branches are taken (from about 200 calls on), so that compiled
 *    code has nothing of timing left in it; hence no thread may time it once more.
 * 5. At the end, it is known which methods have many calls, and whether these took long enough once they were compiled. The next run
 *    does not time those that did not (verdicts.c).
 */
#include "timing.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WINDOW = 128, STEP = 8, SETTLED = 64, HOT = 1000 };
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

static uint32_t *control(uint32_t slot) { return (uint32_t *)controls.base + slot; }

bool ch_pace_start(void) {
    return ch_region_reserve(&controls, CH_CONTROLS, 0, CH_MOST_SLOTS * sizeof(uint32_t)) && ch_region_grow(&controls, CH_CHUNK);
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

/* Its lines of paced methods are M<TAB>slot<TAB>p<sample>/<budget><TAB>..., see instrument/probes.py. */
bool ch_pace_class(uint32_t first_slot, uint32_t slots, const char *table, size_t bytes) {
    const char *line = table, *end = table + bytes;
    ch_lock();
    bool there = ch_region_grow(&controls, (size_t)(first_slot + slots) * sizeof(uint32_t));
    ch_unlock();
    if (!there) return false;
    while (line && (line = memmem(line, (size_t)(end - line), "\nM\t", 3))) {
        char text[64] = {0}, *at;
        memcpy(text, line + 3, (size_t)(end - line - 3) < sizeof text - 1 ? (size_t)(end - line - 3) : sizeof text - 1);
        line += 3;
        uint32_t slot = (uint32_t)strtoul(text, &at, 10);
        if (at[0] != '\t' || at[1] != 'p' || slot >= slots) continue;
        uint32_t sample = (uint32_t)strtoul(at + 2, &at, 10), budget = (uint32_t)strtoul(at + 1, NULL, 10);
        if (budget && !cost) ch_pace_measure(); /* no rule speaks of times, but what was woven ahead of time does */
        *control(first_slot + slot) = (sample & CH_SAMPLE_MASK) | budget << CH_BUDGET_SHIFT;
    }
    return true;
}

static uint64_t thread_cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void look_at_budget(struct ch_block *b, uint32_t id) {
    uint32_t c = *control(id), sample = c & CH_SAMPLE_MASK, budget = c >> CH_BUDGET_SHIFT;
    uint64_t now = thread_cpu_ns(), used = now - b->window_cpu_ns, spent = WHOLE * WINDOW * ch_header->time_cost_ps / 1000;
    bool first = !b->window_cpu_ns;
    b->window_cpu_ns = now;
    b->over_budget = !first && budget && spent * 1000 > used * budget;
    if (!b->over_budget || sample * STEP >= CH_COUNTED) return;
    /* two threads that do this at once do it once */
    uint32_t less = sample * STEP | budget << CH_BUDGET_SHIFT;
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
    uint64_t calls = *ch_slot(b, id + 1);
    return calls >= SETTLED && calls < 4 * SETTLED && !ch_block_is_shared(b) &&
           mean(b, id) * budget < cost * INTERPRETED * (b->over_budget ? STRICT : 1);
}

static void never(struct ch_block *b, uint32_t id) { *ch_slot(b, id + 2) = NEVER; }

bool ch_pace_is_paced(uint32_t slot) { return *control(slot); }
bool ch_pace_has_budget(uint32_t slot) { return *control(slot) >> CH_BUDGET_SHIFT; }

void ch_pace_give_up(uint32_t id) {
    ch_lock();
    given_up++;
    __atomic_fetch_or(control(id), CH_COUNTED, __ATOMIC_SEQ_CST);
    for (struct ch_block *b = ch_blocks(); b; b = b->next) never(b, id);
    ch_unlock();
}

uint32_t ch_pace(struct ch_block *b, uint32_t id) {
    if (!ch_block_is_shared(b) && b->window-- == 0) {
        b->window = WINDOW - 1;
        look_at_budget(b, id);
    }
    uint32_t c = *control(id), sample = c & CH_SAMPLE_MASK;
    uint64_t *next = ch_slot(b, id + 2);
    if (c >> CH_BUDGET_SHIFT && sample != CH_COUNTED && is_too_short(b, id, c >> CH_BUDGET_SHIFT)) {
        ch_pace_give_up(id);
        sample = CH_COUNTED;
    }
    sample = sample ? sample : 1;
    *next = *ch_slot(b, id + 1) - 1 + sample;
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* another thread may give it up right now, and write there too */
    if ((__atomic_load_n(control(id), __ATOMIC_RELAXED) & CH_SAMPLE_MASK) == CH_COUNTED) *next = NEVER;
    return sample == CH_COUNTED ? 0 : sample;
}

void ch_pace_block(struct ch_block *b) {
    for (uint32_t id = 0; given_up && id < controls.committed / sizeof(uint32_t); id++)
        if ((*control(id) & CH_SAMPLE_MASK) == CH_COUNTED) never(b, id);
}

bool ch_pace_is_too_short(uint32_t id) {
    uint32_t c = *control(id), budget = c >> CH_BUDGET_SHIFT;
    struct ch_times t = {0, 0};
    uint64_t calls = 0;
    for (struct ch_block *b = ch_blocks(); b; b = b->next) {
        calls += *ch_slot(b, id + 1);
        ch_timing_add(b, id, &t);
    }
    if (!budget || calls < HOT) return false;
    return (c & CH_SAMPLE_MASK) == CH_COUNTED || (t.n && t.sum / t.n * budget < cost * WHOLE);
}

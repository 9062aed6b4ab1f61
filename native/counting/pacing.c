/* How often paced methods are timed (`sample 1/N`, `budget P%`).
 *
 * 1. Each slot has a control: time one activation of N. The tracker counts calls, and calls enterDue when the count reaches the number
 *    that enterDue set last.
 * 2. A woven class's table gives the initial control of each paced method: N, or 1 and a budget.
 * 3. Under a budget, each thread checks after every WINDOW timed activations what they cost and how much CPU time it used meanwhile. If
 *    it is over budget, the method being entered is timed less often from now on. The most frequently called methods are the likeliest
 *    to be hit.
 * 4. A method so short that its own probes exceed the budget is downgraded to counting after SETTLED calls by a thread. That is before
 *    HotSpot starts to profile branches (at about 200 calls), so compiled code contains no timing; hence no thread may time the method
 *    again.
 * 5. At the end of a run, budget.c decides from its figures what the next one does of each method with a budget.
 */
#include "sealing.h"
#include "shadow_stacks.h"
#include "tracker_natives.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WINDOW = 128, STEP = 8, SETTLED = 64 };
/* So many calls of a thread are all timed: the first ones are slow, and must not stand for others. */
enum { FIRST = 32 };
/* So few calls are not seen in samples. */
enum { HARDLY = 1000 };
/* So often a method is looked for in sealed parts: a second or two. The rest of them would hardly change what is decided. */
enum { MOST_LOOKS = 5000000 };
/* ch_pace_measure runs compiled code with warm caches. In a real program timing costs WHOLE times as much, while interpreted INTERPRETED
 * times (docs/decisions/0015-sample-and-budget.md). A thread over its budget also gives up methods up to STRICT times as long. */
enum { WHOLE = 5, INTERPRETED = 20, STRICT = 5 };

#define LONGEST ((uint64_t)1 << 48) /* in ticks: for a method without times */
#define NEVER ((uint64_t)INT64_MAX) /* the next call to time: none */

static struct ch_region controls;
/* What a timed activation costs that stands for others: measured, in picoseconds and thousandths of a tick. */
static uint64_t cost_ps, cost;
static uint32_t given_up;

static uint32_t *control(uint32_t slot) { return (uint32_t *)controls.base + slot; }
static uint32_t sample_of(uint32_t control) { return control & CH_SAMPLE_MASK; }
static bool is_given_up(uint32_t control) { return sample_of(control) >= CH_ON_PATH; }
static uint32_t budget_of(uint32_t control) { return control >> CH_BUDGET_SHIFT & CH_BUDGET_MASK; }

bool ch_pace_start(void) { return ch_region_open(&controls, CH_CONTROLS, 0, ch_room.slots * sizeof(uint32_t), 0); }

void ch_pace_measure(void) {
    enum { ROUNDS = 2000 };
    static pthread_mutex_t measuring = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&measuring);
    uint32_t slot = cost ? UINT32_MAX : ch_slots_take(CH_PACED_SLOTS); /* once: several threads may load classes that need it */
    if (slot == UINT32_MAX) {
        pthread_mutex_unlock(&measuring);
        return;
    }
    struct ch_timing_cost timing = ch_timing_measure(slot);
    ch_header->time_cost_ps = timing.plain_ps;
    volatile uint64_t *counter = ch_shared_slot(slot); /* load, add, store, as a counting probe does */
    uint64_t start = ch_monotonic_ns();
    for (int i = 0; i < ROUNDS; i++) *counter = *counter + 1;
    ch_header->count_cost_ps = (ch_monotonic_ns() - start) * 1000 / ROUNDS;
    *counter = 0;
    cost_ps = timing.sampled_ps;
    cost = ch_clock_ticks_of(cost_ps);
    pthread_mutex_unlock(&measuring);
}

void ch_pace_class(uint32_t first_slot, uint32_t slots, const char *table, size_t bytes) {
    struct ch_probe_table t = ch_probe_table_of(table, bytes);
    struct ch_probe p;
    while (ch_probe_table_next_probe(&t, &p)) {
        if ((p.kind != CH_PROBE_TIME_SAMPLE && p.kind != CH_PROBE_TIME_BUDGET) || p.slot >= slots) continue;
        if (p.paced.budget && !cost) ch_pace_measure(); /* no rule times methods, but a class woven ahead of time does */
        *control(first_slot + p.slot) = (p.paced.sample & CH_SAMPLE_MASK) | (p.paced.budget & CH_BUDGET_MASK) << CH_BUDGET_SHIFT;
    }
}

static void look_at_budget(struct ch_block *b, uint32_t id) {
    uint32_t c = *control(id), sample = sample_of(c), budget = budget_of(c);
    uint64_t now = ch_thread_cpu_ns(), used = now - b->window_cpu_ns, spent = WHOLE * WINDOW * cost_ps / 1000;
    bool first = !b->window_cpu_ns;
    b->window_cpu_ns = now;
    b->over_budget = !first && budget && spent * 1000 > used * budget;
    if (!b->over_budget || sample * STEP >= CH_ON_PATH) return;
    /* if two threads do this at once, it takes effect only once */
    uint32_t less = (c & ~(uint32_t)CH_SAMPLE_MASK) | sample * STEP;
    ch_replace_relaxed(control(id), &c, less);
}

/* Mean ticks from entry to exit, over the activations that this block timed. */
static uint64_t mean(struct ch_block *b, uint32_t id) {
    struct ch_times t = {0, 0};
    ch_timing_add(b, id, &t);
    return !t.n ? LONGEST : t.sum > 0 ? (uint64_t)t.sum / t.n : 0;
}

/* Decided only while the method has few calls. One that has been timed for longer may still be timed less often, but keeps its times. */
static bool is_too_short(struct ch_block *b, uint32_t id, uint32_t budget) {
    uint64_t calls = *ch_slot(b, id + CH_PACED_CALLS);
    if (calls < SETTLED || ch_block_is_shared(b)) return false;
    return calls < 4 * SETTLED && mean(b, id) * budget < cost * INTERPRETED * (b->over_budget ? STRICT : 1);
}

/* How many calls until one is timed: random, with mean `sample`, so that it cannot be in step with the program. */
static uint64_t gap(struct ch_block *b, uint32_t sample) {
    if (sample <= 1) return 1;
    return 1 + ch_block_random(b, 2 * (uint64_t)sample - 1);
}

static void never(struct ch_block *b, uint32_t id) { *ch_slot(b, id + CH_PACED_NEXT) = NEVER; }

void ch_pace_give_up(uint32_t id, enum ch_tier tier, bool earlier, bool asks) {
    ch_lock();
    given_up += asks;
    uint32_t sample = tier == CH_PATH_SAMPLED ? CH_ON_PATH : CH_COUNTED, c = *control(id);
    while (!ch_replace(control(id), &c, (c & ~(uint32_t)CH_SAMPLE_MASK) | sample | (earlier ? CH_EARLIER : 0))) {}
    for (struct ch_block *b = ch_blocks(); asks && b; b = b->next) never(b, id);
    ch_unlock();
}

/* How many activations this one stands for, or 0 if it is not to be timed. Sets when the next one is due. */
static uint32_t pace(struct ch_block *b, uint32_t id) {
    if (!ch_block_is_shared(b) && b->window-- == 0) {
        b->window = WINDOW - 1;
        look_at_budget(b, id);
    }
    uint32_t c = *control(id), sample = sample_of(c);
    uint64_t *next = ch_slot(b, id + CH_PACED_NEXT);
    if (budget_of(c) && !is_given_up(c) && is_too_short(b, id, budget_of(c))) {
        ch_pace_give_up(id, CH_PATH_SAMPLED, false, true);
        sample = CH_ON_PATH;
    }
    uint64_t calls = *ch_slot(b, id + CH_PACED_CALLS), *weight = ch_slot(b, id + CH_PACED_WEIGHT), stands_for = *weight ? *weight : 1;
    *weight = calls < FIRST || !sample ? 1 : sample;
    *next = calls - 1 + gap(b, (uint32_t)*weight);
    ch_fence(); /* another thread may be giving the method up, and write to *next too */
    if (is_given_up(ch_load_relaxed(control(id)))) *next = NEVER;
    return sample >= CH_ON_PATH ? 0 : (uint32_t)stands_for;
}

void ch_pace_block(struct ch_block *b) {
    for (uint32_t id = 0; given_up && id < ch_header->slots_used; id++)
        if (is_given_up(*control(id))) never(b, id);
}

uint64_t ch_pace_cost_ns(void) { return cost_ps * WHOLE / 1000; }

/* What a block knows of the methods. `used`: its pages, as many as all slots take; most threads call few methods. */
static void add_block(struct ch_block *b, struct ch_budgeted *methods, size_t n, const unsigned char *used, size_t slots_in_page) {
    for (struct ch_budgeted *m = methods; m < methods + n; m++) {
        if (!(used[m->slot / slots_in_page] & 1) && !(used[(m->slot + CH_PACED_SLOTS - 1) / slots_in_page] & 1)) continue;
        struct ch_times timed = {0, 0};
        m->calls += *ch_slot(b, m->slot + CH_PACED_CALLS) + ch_timing_calls(b, m->slot + CH_PACED_RECORD);
        m->exceptions += *ch_slot(b, m->slot + CH_PACED_THROWN);
        ch_timing_add(b, m->slot, &timed);
        m->timings += timed.n;
        m->ticks += timed.sum;
    }
}

/* ... and what emptied blocks had counted. */
static void add_part(const struct ch_sealed *p, struct ch_budgeted *methods, size_t n) {
    for (struct ch_budgeted *m = methods; m < methods + n; m++) {
        struct ch_record r;
        struct ch_times timed = {0, 0};
        m->calls += ch_sealed_slot(p, m->slot + CH_PACED_CALLS);
        m->exceptions += ch_sealed_slot(p, m->slot + CH_PACED_THROWN);
        if (!ch_sealed_record(p, ch_sealed_slot(p, m->slot + CH_PACED_RECORD), &r)) continue;
        m->calls += r.calls;
        ch_record_times(&r, &timed);
        m->timings += timed.n;
        m->ticks += timed.sum;
    }
}

/* A method that was only counted has no samples: a call is taken to be as long as it was when it had. */
static void judge(struct ch_budgeted *m, const struct ch_path_times *times) {
    const struct ch_path_times *as_timed = &times[m->slot + CH_PACED_RECORD], *as_frame = &times[m->slot + CH_PACED_CALLS];
    m->budget = budget_of(*control(m->slot));
    if (m->tier == CH_ONLY_COUNTED) {
        m->cpu_self_ns = (uint64_t)((double)m->self_ns * (double)m->calls);
        m->mean_ns = m->self_ns;
        return;
    }
    m->cpu_self_ns = as_timed->cpu_self_ns + as_frame->cpu_self_ns;
    m->self_ns = (float)((double)m->cpu_self_ns / (double)m->calls);
    m->variance = (float)((as_timed->cpu_squares + as_frame->cpu_squares) * 1e6 / (double)m->calls / (double)m->calls);
    uint64_t sampled = (as_timed->wall_ns + as_frame->wall_ns) / m->calls;
    bool by_timing = m->timings && (m->tier == CH_TIMED || !sampled || m->calls <= HARDLY);
    m->mean_ns = by_timing ? (double)m->ticks / (double)m->timings * (double)cost_ps / (double)cost : (double)sampled;
}

void ch_pace_figures(struct ch_budgeted *methods, size_t n, const struct ch_path_times *times) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (ch_header->slots_used * 8 + page - 1) / page * page;
    unsigned char *used = malloc(bytes / page + 1);
    if (!used) return;
    for (struct ch_block *b = ch_blocks(); b; b = b->next) {
        if (!ch_block_pages(b, 0, bytes, used)) memset(used, 1, bytes / page);
        add_block(b, methods, n, used, page / 8);
    }
    free(used);
    size_t parts = 0;
    for (const struct ch_sealed *p = NULL; parts++ * n < MOST_LOOKS && (p = ch_sealed_next(p));) add_part(p, methods, n);
    for (size_t i = 0; i < n; i++)
        if (methods[i].calls) judge(&methods[i], times);
}

static void remember(uint32_t id, float figure) {
    uint32_t word;
    memcpy(&word, &figure, sizeof word);
    *control(id) = word & ~3u; /* so that it does not look like a control that gave its method up */
}

void ch_pace_remember(const struct ch_budgeted *m) {
    remember(m->slot + CH_PACED_SELF, m->self_ns);
    remember(m->slot + CH_PACED_SELF_VARIANCE, m->variance);
    remember(m->slot + CH_PACED_COUNTED, m->counted);
}

/* Called when a paced method is due to be timed; its first call always is, so every method that ran has a time. The tracker has already
 * counted the call in the slot `calls`. The slot after it holds the call count at which the next one is due. */
JNIEXPORT jint JNICALL Java_java_lang_ClasshookTracker_enterDue(JNIEnv *env, jclass c, jint calls) {
    (void)c;
    ch_follow(env, NULL);
    if (__builtin_expect(calls < CH_PACED_CALLS || !ch_slots_there(calls - CH_PACED_CALLS, CH_PACED_SLOTS), 0)) return 0;
    if (__builtin_expect(ch_self.silent, 0)) return 0;
    uint64_t arrived = ch_timing_arrival();
    struct ch_block *b = ch_block_self();
    uint32_t id = (uint32_t)calls - CH_PACED_CALLS, sample = pace(b, id);
    if (!sample) return 0;
    return ch_timing_begin(b, id, sample, arrived);
}

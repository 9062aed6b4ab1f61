/* What the next run does of each method under a budget: times all its calls, has its path sampled, or only counts it.
 *
 * The budget is a share of the CPU time that was sampled. It is given out in two rounds:
 * 1. Frames on the path, for the methods that take most by themselves for what their frames cost. What remains, at the end of this order,
 *    is called so often for so little that frames would cost more than they tell: it is only counted, and what a call takes is remembered. That
 *    is not for methods that throw, since their exceptions are counted, too.
 * 2. Timing, for the methods whose calls take most from entry to exit, if it costs no more than the budget's share of that.
 *
 * What is only counted leaves its time to its callers. Of each of them, the part of its time that this is is kept for the report, too.
 *
 * A change makes the next run weave a class anew. So what an earlier run decided stands as long as it spends about what the budget allows;
 * then only methods for which it is far off are changed, and those that it did not know. A method that was never called has a frame.
 */
#include "shadow_stacks.h"
#include <stdlib.h>
#include <time.h>

enum {
    FRAME_NS = 3,          /* of a frame on the path, beyond a count (tests/tools/bench/probes.py) */
    WITHIN_PS = 700,       /* of it, what is in the method's own time */
    COMPILED = 200,        /* calls from which the JVM compiles a method ... */
    COMPILING_NS = 400000, /* ... which takes so much longer with a frame (docs/decisions/0015-sample-and-budget.md) */
    PATHS = 700,           /* per mille of the budget that the first round may use */
    UNSEEN_NS = 100000,    /* what may not have been seen of a method: else one that is called rarely looks as if it took nothing */
    OLD = 24,              /* hours after which what is only counted has frames again for once: it may have changed */
    LEAST_CPU_MS = 200,    /* that a budget is a share of: less says nothing */
    WORTH_NOTHING = 10     /* calls: a method with no more is timed, whatever its budget */
};

static bool has_frames(enum ch_tier tier) { return tier == CH_TIMED || tier == CH_PATH_SAMPLED; }

static double cost_of(const struct ch_budgeted *m, enum ch_tier tier) {
    if (!has_frames(tier)) return 0;
    double calls = (double)m->calls;
    return calls * (tier == CH_TIMED ? (double)ch_pace_cost_ns() : FRAME_NS) + (calls < COMPILED ? 0 : COMPILING_NS);
}

static double worth_of_frames(const struct ch_budgeted *m) { return (double)(m->cpu_self_ns + UNSEEN_NS) / (cost_of(m, CH_PATH_SAMPLED) + 1); }

static int by_worth(const void *a, const void *b) {
    double x = worth_of_frames(*(struct ch_budgeted *const *)a), y = worth_of_frames(*(struct ch_budgeted *const *)b);
    return x < y ? 1 : x > y ? -1 : 0;
}

static int by_time(const void *a, const void *b) {
    double x = (*(struct ch_budgeted *const *)a)->mean_ns, y = (*(struct ch_budgeted *const *)b)->mean_ns;
    return x < y ? 1 : x > y ? -1 : 0;
}

static bool costs_nothing(const struct ch_budgeted *m) { return m->calls <= WORTH_NOTHING; }

/* `slack`: how much more timing may cost than the budget says, of the method's own time. */
static bool may_be_timed(const struct ch_budgeted *m, double slack) { return (double)ch_pace_cost_ns() * 1000 <= m->mean_ns * m->budget * slack; }

static double allowance(const struct ch_budgeted *m, double cpu_ns) { return cpu_ns * m->budget / 1000; }

static double all_spend(struct ch_budgeted *const *all, size_t n) {
    double spent = 0;
    for (size_t i = 0; i < n; i++) spent += cost_of(all[i], all[i]->tier);
    return spent;
}

/* Whether what was decided before spends about what the budget allows. */
static bool stands(struct ch_budgeted *const *all, size_t n, double cpu_ns, double spent) {
    double allowed = 0, unknown = 0;
    bool only_counted = false;
    for (size_t i = 0; i < n; i++) {
        if (all[i]->tier == CH_UNKNOWN) unknown += cost_of(all[i], CH_PATH_SAMPLED);
        only_counted |= all[i]->tier == CH_ONLY_COUNTED;
        if (allowance(all[i], cpu_ns) > allowed) allowed = allowance(all[i], cpu_ns);
    }
    return unknown < allowed / 10 && spent < allowed * 1.3 && (!only_counted || spent > allowed / 2);
}

static void adjust(struct ch_budgeted **all, size_t n, double cpu_ns, double spent, uint32_t hour) {
    for (size_t i = 0; i < n; i++) {
        struct ch_budgeted *m = all[i];
        double before = cost_of(m, m->tier), timing = cost_of(m, CH_TIMED);
        if (m->tier == CH_UNKNOWN || (m->tier == CH_ONLY_COUNTED && m->hour + OLD < hour) ||
            (m->tier == CH_TIMED && !costs_nothing(m) && !may_be_timed(m, 2)))
            m->tier = CH_PATH_SAMPLED;
        if (m->tier == CH_PATH_SAMPLED && (costs_nothing(m) || (may_be_timed(m, 0.5) && spent + timing - before <= allowance(m, cpu_ns))))
            m->tier = CH_TIMED;
        spent += cost_of(m, m->tier) - before;
    }
}

static void give_out(struct ch_budgeted **all, size_t n, double cpu_ns) {
    double spent = 0;
    qsort(all, n, sizeof *all, by_worth);
    for (size_t i = 0; i < n; i++) {
        double more = cost_of(all[i], CH_PATH_SAMPLED);
        bool fits = all[i]->exceptions || spent + more <= allowance(all[i], cpu_ns) * PATHS / 1000;
        all[i]->tier = fits ? CH_PATH_SAMPLED : CH_ONLY_COUNTED;
        if (fits) spent += more;
    }
    qsort(all, n, sizeof *all, by_time);
    for (size_t i = 0; i < n; i++) {
        double more = cost_of(all[i], CH_TIMED) - cost_of(all[i], all[i]->tier);
        if (!costs_nothing(all[i]) && (!may_be_timed(all[i], 1) || spent + more > allowance(all[i], cpu_ns))) continue;
        all[i]->tier = CH_TIMED;
        spent += more;
    }
}

/* Of the time that samples found in a method that is only counted from now on, the part that it takes without a frame: half of it at least. */
static float without_frame(const struct ch_budgeted *m) {
    double frames = (double)m->calls * WITHIN_PS / 1000, own = (double)m->cpu_self_ns;
    return own > 2 * frames ? (float)((own - frames) / own) : 0.5f;
}

/* In the next run, the time of methods that are only counted is in their callers' own. What part that is, is known from this run's tree, where
 * they were in it, or from the run that found it before. `were`: what this run did of the methods. */
static void divide(struct ch_budgeted *methods, size_t n, const enum ch_tier *were) {
    float *part = malloc(ch_header->slots_used * sizeof *part);
    double *more = calloc(ch_header->slots_used, sizeof *more), before = 0, still = 0;
    for (size_t i = 0; part && i < ch_header->slots_used; i++) part[i] = -1;
    for (size_t i = 0; part && i < n; i++) {
        const struct ch_budgeted *m = &methods[i];
        bool was = were[i] == CH_ONLY_COUNTED, is = m->tier == CH_ONLY_COUNTED;
        if (was) before += (double)m->cpu_self_ns;
        if (was && is) still += (double)m->cpu_self_ns;
        if (is && !was) part[m->slot + CH_PACED_RECORD] = part[m->slot + CH_PACED_CALLS] = without_frame(m);
    }
    if (part && more) ch_calls_merge(&ch_profiled, part, more);
    for (size_t i = 0; part && more && i < n; i++) {
        struct ch_budgeted *m = &methods[i];
        double moved = more[m->slot + CH_PACED_RECORD] + more[m->slot + CH_PACED_CALLS], own = (double)m->cpu_self_ns,
               below = own * (double)m->counted;
        if (m->tier == CH_ONLY_COUNTED && were[i] != CH_ONLY_COUNTED) {
            double kept = own * (double)part[m->slot + CH_PACED_CALLS];
            m->self_ns *= part[m->slot + CH_PACED_CALLS] * (1 - m->counted);
            m->counted = kept <= 0 ? 0 : moved < kept ? (float)(moved / kept) : 1;
        } else if (were[i] == CH_ONLY_COUNTED && has_frames(m->tier)) {
            m->counted = 0; /* the next run finds it */
        } else if (has_frames(m->tier)) {
            own -= below;
            below = (before > 0 ? below * still / before : 0) + moved;
            m->counted = own + below > 0 ? (float)(below / (own + below)) : 0;
        }
    }
    free(part);
    free(more);
}

void ch_tiers_decide(struct ch_budgeted *methods, size_t n) {
    struct ch_path_times *times = NULL;
    struct ch_budgeted **called = malloc((n + 1) * sizeof *called);
    enum ch_tier *were = malloc((n + 1) * sizeof *were);
    uint64_t cpu_ns = ch_calls_times(&ch_profiled, &times);
    if (cpu_ns < LEAST_CPU_MS * 1000000ull) cpu_ns = LEAST_CPU_MS * 1000000ull;
    uint32_t hour = (uint32_t)(time(NULL) / 3600);
    size_t k = 0;
    ch_lock();
    if (times) ch_pace_figures(methods, n, times);
    for (size_t i = 0; called && were && times && i < n; i++) {
        were[i] = methods[i].tier;
        if (methods[i].tier != CH_ONLY_COUNTED) methods[i].hour = hour;
        if (methods[i].calls)
            called[k++] = &methods[i];
        else if (methods[i].tier == CH_UNKNOWN)
            methods[i].tier = CH_PATH_SAMPLED;
    }
    ch_unlock();
    double spent = all_spend(called, k);
    if (stands(called, k, (double)cpu_ns, spent))
        adjust(called, k, (double)cpu_ns, spent, hour);
    else
        give_out(called, k, (double)cpu_ns);
    if (k) divide(methods, n, were);
    free(times);
    free(were);
    free(called);
}
